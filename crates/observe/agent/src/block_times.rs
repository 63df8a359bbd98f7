//! Times of single blocks: two clock readings around every execution.
//!
//! Every thread keeps a stack of the timed methods that are active on it, each with the block it is in and when that block
//! began. A block lasts from the end of the mark at its head to the beginning of the next mark of the same invocation: calls in it are
//! included, this module's own bookkeeping is not, except that of blocks inside such calls.
//!
//! Limits: a block that is running when the VM ends is not counted. After a `StackOverflowError` that hit a mark itself,
//! a time may go to a neighbouring block. A virtual thread that changes its carrier inside a timed method would mix
//! stacks; the trace says when one was seen.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use pricetag_instrument::{BLOCK_ENTER, BLOCK_LEAVE};
use pricetag_probe_plan::{BlockId, ClassPlan};
use pricetag_trace::{AgentOptions, BlockTime, MethodScope, Record, Scope};

use crate::classes::ClassIndex;
use crate::clock;
use crate::jvm::Jni;
use crate::session::{Session, lock};
use crate::threads;

/// Times of one block on one thread.
#[derive(Clone, Copy, Debug)]
struct Times {
    executions: u64,
    sum: u64,
    squares: u128,
    min: u64,
    max: u64,
    first: u64,
    /// When the first began, ns after the start of the agent.
    began: u64,
}

impl Times {
    fn once(ns: u64, began: u64) -> Self {
        Self {
            executions: 1,
            sum: ns,
            squares: u128::from(ns) * u128::from(ns),
            min: ns,
            max: ns,
            first: ns,
            began,
        }
    }

    /// Both together.
    fn and(self, other: Self) -> Self {
        Self {
            executions: self.executions + other.executions,
            sum: self.sum.saturating_add(other.sum),
            squares: self.squares.saturating_add(other.squares),
            min: self.min.min(other.min),
            max: self.max.max(other.max),
            first: if other.began < self.began {
                other.first
            } else {
                self.first
            },
            began: self.began.min(other.began),
        }
    }
}

/// Times by class and by number of the block in it.
type Table = Vec<Vec<Option<Times>>>;

/// A timed method that is active.
#[derive(Debug, Default)]
struct Frame {
    /// Class, block and beginning; none before the first block.
    running: Option<(usize, usize, Instant)>,
}

#[derive(Debug, Default)]
struct Thread {
    frames: Vec<Frame>,
    table: Option<Arc<Mutex<Table>>>,
}

thread_local! {
    static THREAD: RefCell<Thread> = RefCell::default();
}

/// Times of all threads.
#[derive(Debug, Default)]
pub struct BlockTimes {
    tables: Mutex<Tables>,
    /// For each class, the method and block behind each number.
    blocks: Mutex<BTreeMap<ClassIndex, Vec<(u16, BlockId)>>>,
    told: AtomicBool,
}

#[derive(Debug, Default)]
struct Tables {
    /// Of each live thread.
    live: Vec<Arc<Mutex<Table>>>,
    /// Of those that have ended, together: a program may start a thread for every request.
    ended: Table,
}

impl BlockTimes {
    /// Notes which blocks a class has.
    pub fn define(&self, class: ClassIndex, plan: &ClassPlan) {
        let methods = (0..).zip(&plan.methods);
        let numbered = methods.flat_map(|(method, m)| {
            (0..m.blocks.len() as u32).map(move |block| (method, BlockId(block)))
        });
        lock(&self.blocks).insert(class, numbered.collect());
    }

    /// What `java.lang.Pricetag.mark` does.
    pub fn mark(&self, session: &Session, jni: Jni, class: i32, what: i32) {
        let now = Instant::now();
        let (Ok(class), false) = (usize::try_from(class), session.is_dying()) else {
            return;
        };
        let idle = THREAD.with_borrow_mut(|thread| {
            if what == BLOCK_ENTER {
                thread.frames.push(Frame::default());
                return thread.frames.len() == 1;
            }
            let Some(frame) = thread.frames.last_mut() else {
                return false;
            };
            let ended = frame.running.take();
            if let Some((class, block, begun)) = ended {
                let times = Times::once(
                    clock::nanos(now, begun),
                    clock::nanos(begun, session.started),
                );
                let table = thread.table.get_or_insert_with(|| self.table());
                add(&mut lock(table), class, block, times);
            }
            if what == BLOCK_LEAVE {
                thread.frames.pop();
            } else if let (Some(frame), Ok(block)) =
                (thread.frames.last_mut(), usize::try_from(what))
            {
                frame.running = Some((class, block, Instant::now()));
            }
            false
        });
        if idle && !self.told.load(Ordering::Relaxed) {
            self.warn_of_virtual(session, jni);
        }
    }

    fn table(&self) -> Arc<Mutex<Table>> {
        let table = Arc::<Mutex<Table>>::default();
        lock(&self.tables).live.push(table.clone());
        table
    }

    /// The current thread ends.
    pub fn thread_end(&self) {
        // A native thread may detach when its storage is gone already.
        let Ok(Some(table)) = THREAD.try_with(|thread| thread.take().table) else {
            return;
        };
        let mut tables = lock(&self.tables);
        tables.live.retain(|live| !Arc::ptr_eq(live, &table));
        merge(&mut tables.ended, &lock(&table));
    }

    fn warn_of_virtual(&self, session: &Session, jni: Jni) {
        if threads::is_virtual(session, jni) && !self.told.swap(true, Ordering::Relaxed) {
            session.inexact("blocks ran on virtual threads, whose times may be mixed up");
        }
    }

    /// Records what all threads took.
    pub fn dump(&self, session: &Session) {
        let sums = {
            let tables = lock(&self.tables);
            let mut sums = tables.ended.clone();
            for table in &tables.live {
                merge(&mut sums, &lock(table));
            }
            sums
        };
        let names = lock(&self.blocks).clone();
        for (class, block, times) in entries(&sums) {
            let index = ClassIndex(class as u32);
            let place = names.get(&index).and_then(|blocks| blocks.get(block));
            if let (Some(class), Some(&(method, block))) = (session.classes.get(index), place) {
                session.record(&Record::BlockTime(BlockTime {
                    hash: class.hash,
                    method,
                    block,
                    executions: times.executions,
                    sum_ns: times.sum,
                    sum_squares: times.squares,
                    min_ns: times.min,
                    max_ns: times.max,
                    first_ns: times.first,
                }));
            }
        }
    }
}

fn entries(table: &Table) -> impl Iterator<Item = (usize, usize, Times)> {
    table.iter().enumerate().flat_map(|(class, blocks)| {
        let timed = blocks.iter().enumerate();
        timed.filter_map(move |(block, times)| Some((class, block, (*times)?)))
    })
}

fn merge(sums: &mut Table, table: &Table) {
    for (class, block, times) in entries(table) {
        add(sums, class, block, times);
    }
}

fn add(table: &mut Table, class: usize, block: usize, times: Times) {
    if table.len() <= class {
        table.resize_with(class + 1, Vec::new);
    }
    let blocks = &mut table[class];
    if blocks.len() <= block {
        blocks.resize(block + 1, None);
    }
    let sum = &mut blocks[block];
    *sum = Some(sum.map_or(times, |sum| sum.and(times)));
}

/// Whether the blocks of a method are to be timed.
pub fn chosen(options: &AgentOptions, class: &str, method: &str, descriptor: &str) -> bool {
    let class = class.replace('/', ".");
    let fits = |scope: &MethodScope| {
        scope.class == class && scope.method == method && scope.takes(descriptor)
    };
    let mut methods = options.scopes.iter().filter_map(|scope| match scope {
        Scope::Method(method) => Some(method),
        Scope::Main => None,
    });
    options.scopes.is_empty() || methods.any(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_keep_the_extremes_and_the_first() {
        let mut table = Table::new();
        for (began, ns) in [(10, 5), (20, 1), (30, 9)] {
            add(&mut table, 2, 3, Times::once(ns, began));
        }
        let times = table[2][3].expect("timed");
        assert_eq!(
            (times.executions, times.sum, times.squares),
            (3, 15, 25 + 1 + 81)
        );
        assert_eq!((times.first, times.min, times.max), (5, 1, 9));
        assert!(table[0].is_empty() && table[2][0].is_none());
    }

    #[test]
    fn of_threads_that_are_gone_only_the_sum_is_kept() {
        let all = BlockTimes::default();
        for began in [30, 10, 20] {
            THREAD.with_borrow_mut(|thread| {
                let table = thread.table.get_or_insert_with(|| all.table());
                add(&mut lock(table), 0, 1, Times::once(began + 1, began));
            });
            all.thread_end();
        }
        let tables = lock(&all.tables);
        assert!(tables.live.is_empty());
        let times = tables.ended[0][1].expect("timed");
        assert_eq!((times.executions, times.sum, times.first), (3, 63, 11));
    }
}
