// How often is a thread met at a call of the system that takes a known share of its time? By a signal of another thread alone,
// and by a timer that this signal starts. `scripts/late-signals.sh` makes a table of it.
//
// Usage: late ROUNDS, so many rounds of computing before each call; prints the share that the call takes by the thread's own
// clock, the share by either way of asking, and the median delay of a signal, µs.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

enum { ASKED = 4000 };

static volatile pid_t worker;
static volatile int stop, answered, met, delayed;
static volatile uint64_t sent, delay;
static timer_t timer;
static long rounds;
static volatile uint64_t sink;

static uint64_t now(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static int at_call(const void *context) {
    const uint8_t *pc = (const uint8_t *)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
    return (pc[0] == 0x0f && pc[1] == 0x05) || (pc[-2] == 0x0f && pc[-1] == 0x05);
}

static void handler(int signal, siginfo_t *info, void *context) {
    (void)signal;
    if (info->si_code != SI_TIMER) {
        delay = now(CLOCK_MONOTONIC) - sent;
        if (delayed) {
            long ns = 10000 + (now(CLOCK_MONOTONIC) * 0x9E3779B97F4A7C15ull >> 32) % 140000;
            struct itimerspec once = {{0, 0}, {0, ns}};
            syscall(SYS_timer_settime, timer, 0, &once, NULL);
            return;
        }
    }
    met += at_call(context);
    answered = 1;
}

static void compute(void) {
    uint64_t x = 1;
    for (long i = 0; i < rounds; i++) {
        x = x * 3 ^ i;
        __asm__ volatile("" : "+r"(x));
    }
    sink = x;
}

static void *work(void *share) {
    const int times = 20000;
    uint64_t before = now(CLOCK_THREAD_CPUTIME_ID);
    for (int i = 0; i < times; i++) syscall(SYS_getppid);
    uint64_t between = now(CLOCK_THREAD_CPUTIME_ID);
    for (int i = 0; i < times; i++) compute();
    uint64_t after = now(CLOCK_THREAD_CPUTIME_ID);
    *(double *)share = (double)(between - before) / (double)(after - before);
    struct sigevent event;
    memset(&event, 0, sizeof event);
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = SIGPROF;
    event._sigev_un._tid = syscall(SYS_gettid);
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0) exit(1);
    worker = event._sigev_un._tid;
    while (!stop) {
        compute();
        syscall(SYS_getppid);
    }
    return NULL;
}

static int by_delay(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

int main(int count, char **words) {
    rounds = count > 1 ? atol(words[1]) : 4000;
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = handler;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigaction(SIGPROF, &action, NULL);
    pthread_t thread;
    double share, told[2];
    static uint64_t delays[ASKED];
    pthread_create(&thread, NULL, work, &share);
    while (!worker) usleep(1000);
    for (delayed = 0; delayed < 2; delayed++) {
        met = 0;
        for (int i = 0; i < ASKED; i++) {
            usleep(700 + rand() % 300);
            answered = 0;
            sent = now(CLOCK_MONOTONIC);
            syscall(SYS_tgkill, getpid(), worker, SIGPROF);
            while (!answered) usleep(50);
            delays[i] = delay;
        }
        told[delayed] = (double)met / ASKED;
    }
    stop = 1;
    pthread_join(thread, NULL);
    qsort(delays, ASKED, sizeof *delays, by_delay);
    printf("| %.1f %% | %.1f %% | %.1f %% | %.0f µs |\n", 100 * share, 100 * told[0], 100 * told[1], delays[ASKED / 2] / 1e3);
    return 0;
}
