//! Functions that stand before native methods: each notes that it was called, and goes on to the function whose place it took.
//!
//! There are [`COUNT`] of them in the library itself, so that no memory need be made executable. One differs from the next in its address alone, which becomes a number.
//! The arguments are in the registers and on the stack as the JVM put them there, and stay so: what the common part changes it puts back, then it jumps.
//! Calling conventions: System V AMD64 ABI 1.0 (§3.2.3) and AAPCS64 (§6.8.2), of which the argument registers are saved.
//!
//! Limits: Linux on `x86_64` and `aarch64`; the latter is written after the manual and was never run.

use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};

use jvmti_bindings::sys::jni::{JNIEnv, jobject};

use super::natives;
use crate::jvm::Jni;
use crate::session::Session;

/// How many there are.
pub const COUNT: usize = 4096;

/// Bytes from one to the next.
const SIZE: usize = 16;

/// What each goes on to.
static ORIGINALS: [AtomicPtr<c_void>; COUNT] = [const { AtomicPtr::new(null_mut()) }; COUNT];

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
std::arch::global_asm!(
    ".pushsection .text.pricetag_thunks,\"ax\",@progbits",
    ".p2align 4",
    ".globl pricetag_thunks",
    ".hidden pricetag_thunks",
    "pricetag_thunks:",
    ".rept {count}",
    ".p2align 4",
    "leaq 0(%rip), %r11", // the address behind this instruction
    "jmp .Lpricetag_thunk",
    ".endr",
    ".p2align 4",
    ".Lpricetag_thunk:",
    "pushq %rbp",
    "movq %rsp, %rbp",
    "subq $192, %rsp",
    "movq %rdi, 0(%rsp)",
    "movq %rsi, 8(%rsp)",
    "movq %rdx, 16(%rsp)",
    "movq %rcx, 24(%rsp)",
    "movq %r8, 32(%rsp)",
    "movq %r9, 40(%rsp)",
    "movaps %xmm0, 64(%rsp)",
    "movaps %xmm1, 80(%rsp)",
    "movaps %xmm2, 96(%rsp)",
    "movaps %xmm3, 112(%rsp)",
    "movaps %xmm4, 128(%rsp)",
    "movaps %xmm5, 144(%rsp)",
    "movaps %xmm6, 160(%rsp)",
    "movaps %xmm7, 176(%rsp)",
    "movq %r11, %rdx",
    "call {passed}",
    "movq %rax, %r11",
    "movq 0(%rsp), %rdi",
    "movq 8(%rsp), %rsi",
    "movq 16(%rsp), %rdx",
    "movq 24(%rsp), %rcx",
    "movq 32(%rsp), %r8",
    "movq 40(%rsp), %r9",
    "movaps 64(%rsp), %xmm0",
    "movaps 80(%rsp), %xmm1",
    "movaps 96(%rsp), %xmm2",
    "movaps 112(%rsp), %xmm3",
    "movaps 128(%rsp), %xmm4",
    "movaps 144(%rsp), %xmm5",
    "movaps 160(%rsp), %xmm6",
    "movaps 176(%rsp), %xmm7",
    "leave",
    "jmp *%r11",
    ".popsection",
    passed = sym passed,
    count = const COUNT,
    options(att_syntax)
);

#[cfg(all(target_os = "linux", target_arch = "aarch64"))]
std::arch::global_asm!(
    ".pushsection .text.pricetag_thunks,\"ax\",@progbits",
    ".p2align 4",
    ".globl pricetag_thunks",
    ".hidden pricetag_thunks",
    "pricetag_thunks:",
    ".rept {count}",
    ".p2align 4",
    "adr x16, .",
    "b .Lpricetag_thunk",
    ".endr",
    ".p2align 4",
    ".Lpricetag_thunk:",
    "stp x29, x30, [sp, #-224]!",
    "mov x29, sp",
    "stp x0, x1, [sp, #16]",
    "stp x2, x3, [sp, #32]",
    "stp x4, x5, [sp, #48]",
    "stp x6, x7, [sp, #64]",
    "str x8, [sp, #80]",
    "stp q0, q1, [sp, #96]",
    "stp q2, q3, [sp, #128]",
    "stp q4, q5, [sp, #160]",
    "stp q6, q7, [sp, #192]",
    "mov x2, x16",
    "bl {passed}",
    "mov x16, x0",
    "ldp x0, x1, [sp, #16]",
    "ldp x2, x3, [sp, #32]",
    "ldp x4, x5, [sp, #48]",
    "ldp x6, x7, [sp, #64]",
    "ldr x8, [sp, #80]",
    "ldp q0, q1, [sp, #96]",
    "ldp q2, q3, [sp, #128]",
    "ldp q4, q5, [sp, #160]",
    "ldp q6, q7, [sp, #192]",
    "ldp x29, x30, [sp], #224",
    "br x16",
    ".popsection",
    passed = sym passed,
    count = const COUNT,
);

#[cfg(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]
unsafe extern "C" {
    #[link_name = "pricetag_thunks"]
    static FIRST: u8;
}

/// Where the first one begins; none where there are none.
#[allow(clippy::unnecessary_wraps, reason = "other platforms have none")]
fn first() -> Option<usize> {
    #[cfg(all(
        target_os = "linux",
        any(target_arch = "x86_64", target_arch = "aarch64")
    ))]
    return Some((&raw const FIRST).addr());
    #[cfg(not(all(
        target_os = "linux",
        any(target_arch = "x86_64", target_arch = "aarch64")
    )))]
    None
}

/// Whether this platform has any.
pub fn exist() -> bool {
    first().is_some()
}

/// Whether an address is that of one of them.
pub fn has(address: *mut c_void) -> bool {
    first().is_some_and(|first| (first..first + COUNT * SIZE).contains(&address.addr()))
}

/// The function of a number, which goes on to `original`.
pub fn lead(number: usize, original: *mut c_void) -> Option<*mut c_void> {
    let begin = first()?;
    ORIGINALS.get(number)?.store(original, Ordering::Release);
    Some(std::ptr::with_exposed_provenance_mut(begin + number * SIZE))
}

/// A thread has come by: notes it, and says where to go on. `behind` is an address within the thunk.
extern "C" fn passed(env: *mut JNIEnv, receiver: jobject, behind: usize) -> *mut c_void {
    let number = first().map_or(0, |first| behind.wrapping_sub(first) / SIZE);
    let _ = catch_unwind(AssertUnwindSafe(|| {
        if let (Some(session), Some(jni)) = (Session::get(), Jni::new(env)) {
            natives::called(session, jni, number, receiver);
        }
    }));
    let original = ORIGINALS.get(number).map(|one| one.load(Ordering::Acquire));
    original.unwrap_or_else(|| std::process::abort())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[allow(
        clippy::too_many_arguments,
        clippy::many_single_char_names,
        reason = "more than there are registers for"
    )]
    extern "C" fn sum(
        a: usize,
        b: usize,
        c: u64,
        d: u64,
        e: u64,
        f: u64,
        g: u64,
        h: u64,
        x: f64,
        y: f32,
    ) -> f64 {
        let whole = [a as u64, b as u64, c, d, e, f, g, h];
        let weighed = whole.iter().zip(1..).map(|(value, place)| value * place);
        weighed.sum::<u64>() as f64 + x * f64::from(y)
    }

    /// More arguments than there are registers for, and numbers of both kinds; with no session nothing is noted.
    #[test]
    fn arguments_and_result_pass_unchanged() {
        for number in [0, 1, COUNT - 1] {
            let thunk = lead(number, sum as *mut c_void).expect("this platform has them");
            assert!(has(thunk));
            // SAFETY: a thunk has the signature of the function that it goes on to.
            let thunk = unsafe {
                std::mem::transmute::<
                    *mut c_void,
                    extern "C" fn(usize, usize, u64, u64, u64, u64, u64, u64, f64, f32) -> f64,
                >(thunk)
            };
            let result = thunk(0, 2, 3, 4, 5, 6, 7, 8, 0.5, 3.0);
            let direct = sum(0, 2, 3, 4, 5, 6, 7, 8, 0.5, 3.0);
            assert_eq!(result.to_bits(), direct.to_bits());
        }
        assert!(!has(sum as *mut c_void));
        assert_eq!(lead(COUNT, sum as *mut c_void), None);
    }
}
