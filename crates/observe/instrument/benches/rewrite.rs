//! How fast classes are read, rewritten, and planned and rewritten: bytes of input per second, one thread, over `java.util` and the Java compiler.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use pricetag_classfile::ClassFile;
use pricetag_instrument::{Wiring, rewrite};
use std::hint::black_box;

fn rewriting(criterion: &mut Criterion) {
    for (name, regex) in [
        ("java.util", "/java.base/java/util/.*"),
        ("javac", "/jdk.compiler/.*"),
    ] {
        let classes: Vec<_> = pricetag_testkit::jdk::classes(regex)
            .into_iter()
            .map(|(_, bytes)| {
                let plan = pricetag_probe::plan(
                    &ClassFile::parse(&bytes).expect("a class of the JDK"),
                    &bytes,
                );
                (bytes, plan)
            })
            .collect();
        let wiring = Wiring {
            class_index: 1000,
            scopes: &[],
            caught: false,
            ..Wiring::default()
        };
        let mut group = criterion.benchmark_group(name);
        group.throughput(Throughput::Bytes(
            classes.iter().map(|class| class.0.len() as u64).sum(),
        ));
        group.sample_size(20);
        group.bench_function("rewrite", |bencher| {
            bencher.iter(|| {
                for (bytes, plan) in &classes {
                    black_box(rewrite(bytes, Some(plan), &wiring).expect("a class of the JDK"));
                }
            });
        });
        // What the agent does with a class it sees for the first time.
        group.bench_function("plan and rewrite", |bencher| {
            bencher.iter(|| {
                for (bytes, _) in &classes {
                    let class = ClassFile::parse(bytes).expect("a class of the JDK");
                    let plan = pricetag_probe::plan(&class, bytes);
                    black_box(rewrite(bytes, Some(&plan), &wiring).expect("a class of the JDK"));
                }
            });
        });
        group.bench_function("parse", |bencher| {
            bencher.iter(|| {
                for (bytes, _) in &classes {
                    black_box(ClassFile::parse(bytes).expect("a class of the JDK"));
                }
            });
        });
        group.finish();
    }
}

criterion_group!(benches, rewriting);
criterion_main!(benches);
