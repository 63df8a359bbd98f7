//! Where a program may notice that it is counted, and run another way than it does plain.
//!
//! Counting leaves what a program computes alone, but not the room it has: counted frames are larger, a class loader of the program's own is
//! asked for the class that hands out counters, and reflected methods come in the order in which the JVM met their names, which counting
//! changes. What of that can matter in a run follows from its counts.

use std::collections::BTreeSet;

use pricetag_dataset::DatasetBuilder;
use pricetag_probe_plan::{MethodCounts, MethodPlan};

/// Places by the way in which the program may have noticed.
#[derive(Default)]
pub(crate) struct Noticed {
    overflows: BTreeSet<String>,
    loaders: BTreeSet<String>,
    reflections: BTreeSet<String>,
}

impl Noticed {
    /// Looks at a method that is shown by this name.
    pub(crate) fn look(&mut self, method: &MethodPlan, counts: &MethodCounts, shown: &str) {
        let overflows = method.handlers.iter().zip(&counts.handlers).any(|(h, n)| {
            let caught = |class: &String| class == "java/lang/StackOverflowError";
            *n > 0 && h.catches.iter().any(caught)
        });
        let loads = method.name == "loadClass"
            && ["(Ljava/lang/String;)", "(Ljava/lang/String;Z)"]
                .iter()
                .any(|start| method.descriptor == format!("{start}Ljava/lang/Class;"))
            && method.invocations(counts).is_some_and(|n| n > 0);
        let reflects = method.call_sites(counts).any(|(site, n)| {
            let asks = [
                "getMethods",
                "getDeclaredMethods",
                "getConstructors",
                "getDeclaredConstructors",
            ];
            n.is_some_and(|n| n > 0)
                && site.owner == "java/lang/Class"
                && asks.iter().any(|name| site.name == *name)
        });
        for (found, places) in [
            (overflows, &mut self.overflows),
            (loads, &mut self.loaders),
            (reflects, &mut self.reflections),
        ] {
            if found {
                places.insert(shown.to_owned());
            }
        }
    }

    /// Caveats of the row. What holds in every run alike becomes a note of the dataset.
    pub(crate) fn tell(&self, builder: &mut DatasetBuilder) -> Vec<String> {
        let mut caveats = Vec::new();
        if let Some(place) = some_of(&self.overflows) {
            caveats.push(format!(
                "{place} caught a StackOverflowError: counted frames are larger than plain ones, so it came at another depth; more room for both: -Xss, or the thread's own size"
            ));
        }
        if let Some(place) = some_of(&self.loaders) {
            caveats.push(format!(
                "{place} was also asked for Pricetag's helper class, once by each loader of the program's own that defined counted classes, and has these calls, and what it does about them, more than plain"
            ));
        }
        if let Some(place) = some_of(&self.reflections) {
            let note = format!(
                "{place} asks for all methods of a class: the JVM promises no order, and a counted run may get another one than a timed run or a second counted one"
            );
            let notes = &mut builder.meta_mut().notes;
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
        caveats
    }
}

/// The first place, and how many there are more.
fn some_of(places: &BTreeSet<String>) -> Option<String> {
    let first = places.first()?;
    Some(match places.len() - 1 {
        0 => first.clone(),
        more => format!("{first} (and {more} more)"),
    })
}
