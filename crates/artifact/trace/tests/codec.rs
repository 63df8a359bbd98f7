//! The trace format: round trips, and damage of every kind.

use std::path::Path;

use pricetag_probe_plan::{BlockId, ClassHash, CounterIndex, Pc, VariableIndex};
use pricetag_profile::{Method, MethodId, Node, NodeId, Profile, ProfiledRun, Role, Sample, State};
use pricetag_trace::{
    Argument, Arrivals, BlockTime, ByCaller, Called, Caller, Caught, ClassCounters, ClassLoaded,
    Compiling, Given, Invocation, Left, Look, Numbered, OpenFrameRecord, Parameters, ProcessCosts,
    Record, Sampled, Standing, Start, TRACE_VERSION, Trace, TraceError, TraceWriter, ValuePlace,
};
use proptest::collection::vec;
use proptest::prelude::*;

fn encode(records: &[Record]) -> Vec<u8> {
    let mut writer = TraceWriter::new(Vec::new(), Path::new("test.trace"));
    for record in records {
        writer.write(record).expect("write");
    }
    writer.finish().expect("finish")
}

fn decode(bytes: &[u8]) -> Result<Trace, TraceError> {
    Trace::from_bytes(bytes, Path::new("test.trace"))
}

fn counters() -> impl Strategy<Value = ClassCounters> {
    (any::<u128>(), vec((any::<u32>(), any::<u64>()), 0..5)).prop_map(|(hash, counts)| {
        ClassCounters {
            hash: ClassHash(hash),
            counts,
        }
    })
}

fn argument() -> impl Strategy<Value = Argument> {
    prop_oneof![
        any::<i64>().prop_map(Argument::Integer),
        (-1e300..1e300f64).prop_map(Argument::Real),
        any::<u64>().prop_map(Argument::Size),
        (any::<u64>(), any::<String>())
            .prop_map(|(length, beginning)| Argument::Text { length, beginning }),
        any::<String>().prop_map(Argument::Path),
        Just(Argument::Null),
        Just(Argument::Opaque),
    ]
}

fn invocation() -> impl Strategy<Value = Invocation> {
    (
        any::<[u64; 5]>(),
        any::<[u32; 4]>(),
        vec(argument(), 0..4),
        any::<bool>(),
        vec(counters(), 0..3),
    )
        .prop_map(|(longs, ints, arguments, threw, counters)| Invocation {
            scope: ints[0],
            sequence: longs[0],
            thread: ints[1],
            arguments,
            start_ns: longs[1],
            wall_ns: longs[2],
            cpu_ns: longs[3],
            allocated_bytes: longs[4],
            collections: ints[2],
            threw,
            counters,
            classes_loaded: ints[3],
        })
}

fn sampled() -> impl Strategy<Value = Sampled> {
    let weights = vec((any::<u32>(), 0usize..4, any::<u32>(), any::<u64>()), 0..4);
    let nodes = vec((proptest::option::of(any::<u32>()), any::<u32>()), 0..4);
    let compiling = vec((any::<u64>(), any::<i32>(), 0usize..8), 0..3);
    (weights, nodes, compiling, ".{0,8}").prop_map(|(weights, nodes, compiling, name)| {
        let samples = weights.iter().map(|(node, state, samples, cpu_ns)| Sample {
            node: NodeId(*node),
            state: State::NAMES[*state].1,
            samples: *samples,
            cpu_ns: *cpu_ns,
        });
        let run = ProfiledRun {
            samples: samples.collect(),
            ..ProfiledRun::default()
        };
        let nodes = nodes.into_iter().map(|(parent, at)| Node {
            parent: parent.map(NodeId),
            method: MethodId(at),
            at: Some(at),
        });
        let compiling = compiling
            .into_iter()
            .map(|(at_ns, thread, role)| Compiling {
                at_ns,
                thread,
                compiler: Role::NAMES[role].1,
                cpu_ns: at_ns / 2,
            });
        Sampled {
            profile: Profile {
                methods: vec![Method {
                    name,
                    ..Method::default()
                }],
                nodes: nodes.collect(),
                runs: vec![run],
                notes: Vec::new(),
            },
            compiling: compiling.collect(),
        }
    })
}

fn record() -> impl Strategy<Value = Record> {
    prop_oneof![
        (any::<u32>(), vec((".{0,8}", ".{0,8}"), 0..3), ".{0,20}").prop_map(
            |(pid, properties, options)| {
                Record::Start(Start {
                    version: TRACE_VERSION,
                    pid,
                    properties,
                    options,
                })
            }
        ),
        (any::<u128>(), ".{0,8}", any::<u32>()).prop_map(|(hash, name, loaders)| Record::Class(
            ClassLoaded {
                hash: ClassHash(hash),
                name,
                loaders
            }
        )),
        (".{0,8}", proptest::option::of(".{0,8}"), ".{0,8}").prop_map(|(class, method, reason)| {
            Record::Left(Left {
                class,
                method,
                reason,
            })
        }),
        counters().prop_map(Record::Counters),
        (any::<u128>(), any::<u16>(), any::<u16>(), any::<bool>()).prop_map(
            |(hash, method, pc, running)| {
                Record::OpenFrame(OpenFrameRecord {
                    hash: ClassHash(hash),
                    method,
                    pc: Pc(pc),
                    running,
                })
            }
        ),
        (
            proptest::option::of(any::<u64>()),
            vec((any::<u128>(), any::<u32>(), ".{0,8}", any::<u64>()), 0..4)
        )
            .prop_map(|(invocation, arrivals)| {
                let arrivals = arrivals.into_iter();
                let arrivals = arrivals.map(|(hash, handler, class, count)| Arrivals {
                    hash: ClassHash(hash),
                    handler: CounterIndex(handler),
                    class,
                    count,
                });
                Record::Caught(Caught {
                    invocation,
                    arrivals: arrivals.collect(),
                })
            }),
        (
            any::<u64>(),
            vec(counters(), 0..3),
            any::<[u16; 2]>(),
            any::<u32>()
        )
            .prop_map(|(invocation, counters, [method, pc], classes_loaded)| {
                let open = OpenFrameRecord {
                    hash: ClassHash(5),
                    method,
                    pc: Pc(pc),
                    running: false,
                };
                Record::Look(Look {
                    invocation,
                    counters,
                    open: vec![open],
                    values: Vec::new(),
                    caught: Some(Vec::new()),
                    classes_loaded,
                    called: Some(Vec::new()),
                })
            }),
        (
            proptest::option::of(any::<u64>()),
            vec(
                (
                    counters(),
                    proptest::option::of((any::<u128>(), any::<u16>()))
                ),
                0..4
            )
        )
            .prop_map(|(invocation, called)| {
                let called = called.into_iter().map(|(counters, caller)| Called {
                    hash: counters.hash,
                    caller: caller.map(|(hash, method)| Caller {
                        hash: ClassHash(hash),
                        method,
                    }),
                    passes: counters.counts,
                });
                Record::ByCaller(ByCaller {
                    invocation,
                    called: called.collect(),
                })
            }),
        ".{0,8}".prop_map(Record::Inexact),
        (any::<u32>(), any::<u128>(), any::<u32>()).prop_map(|(number, hash, variable)| {
            Record::Variable(Numbered {
                number,
                place: ValuePlace::Local {
                    hash: ClassHash(hash),
                    variable: VariableIndex(variable),
                },
            })
        }),
        (any::<u64>(), vec((any::<u32>(), -1e300..1e300f64), 0..5))
            .prop_map(|(invocation, values)| Record::Given(Given { invocation, values })),
        (
            any::<u64>(),
            vec((any::<u16>(), any::<u16>(), any::<bool>()), 0..4)
        )
            .prop_map(|(invocation, frames)| {
                let frames = frames
                    .into_iter()
                    .map(|(method, pc, running)| OpenFrameRecord {
                        hash: ClassHash(6),
                        method,
                        pc: Pc(pc),
                        running,
                    });
                let after: Vec<OpenFrameRecord> = frames.collect();
                let before = after.iter().rev().cloned().collect();
                Record::Standing(Standing {
                    invocation,
                    before,
                    after,
                })
            }),
        (
            any::<[u128; 2]>(),
            any::<u16>(),
            any::<u32>(),
            any::<[u64; 5]>()
        )
            .prop_map(|([hash, sum_squares], method, block, numbers)| {
                Record::BlockTime(BlockTime {
                    hash: ClassHash(hash),
                    method,
                    block: BlockId(block),
                    executions: numbers[0],
                    sum_ns: numbers[1],
                    sum_squares,
                    min_ns: numbers[2],
                    max_ns: numbers[3],
                    first_ns: numbers[4],
                })
            }),
        invocation().prop_map(Record::Invocation),
        sampled().prop_map(Record::Sampled),
        (
            any::<u32>(),
            ".{0,8}",
            ".{0,8}",
            vec(proptest::option::of(".{0,8}"), 0..3)
        )
            .prop_map(
                |(scope, class, method, names)| Record::Parameters(Parameters {
                    scope,
                    class,
                    method,
                    names,
                })
            ),
        any::<u64>().prop_map(Record::Queued),
        (
            any::<[u64; 6]>(),
            proptest::option::of(any::<u64>()),
            any::<[u32; 3]>()
        )
            .prop_map(|(longs, main, ints)| {
                Record::Process(ProcessCosts {
                    wall_ns: longs[0],
                    main_wall_ns: main,
                    cpu_ns: longs[1],
                    thread_cpu_ns: longs[2],
                    allocated_bytes: longs[3],
                    heap_used_bytes: longs[4],
                    collections: ints[0],
                    collection_ns: longs[5],
                    classes_loaded: ints[1],
                    threads: ints[2],
                })
            }),
    ]
}

#[test]
fn nothing_is_written_behind_the_end() {
    let late = Record::Inexact("late".to_owned());
    let trace = decode(&encode(&[Record::End, late, Record::End])).expect("read");
    assert_eq!(trace.records, [Record::End]);
    assert!(trace.complete && trace.damage.is_none());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn round_trip(mut records in vec(record(), 0..12)) {
        let open = decode(&encode(&records)).expect("read");
        prop_assert_eq!(&open.records, &records);
        prop_assert!(!open.complete && open.damage.is_none());
        records.push(Record::End);
        let closed = decode(&encode(&records)).expect("read");
        prop_assert_eq!(&closed.records, &records);
        prop_assert!(closed.complete);
    }

    #[test]
    fn truncation_at_every_byte_keeps_a_prefix(records in vec(record(), 1..6)) {
        let records = [records, vec![Record::End]].concat();
        let bytes = encode(&records);
        for cut in 0..bytes.len() {
            match decode(&bytes[..cut]) {
                Ok(trace) => {
                    prop_assert!(!trace.complete, "cut at {}", cut);
                    prop_assert!(trace.records.len() < records.len());
                    prop_assert_eq!(&trace.records[..], &records[..trace.records.len()]);
                    prop_assert!(trace.incomplete_reason().is_some());
                }
                Err(error) => {
                    let no_trace = matches!(error, TraceError::NotATrace { .. });
                    prop_assert!(cut < 12 && no_trace);
                }
            }
        }
    }

    #[test]
    fn a_flipped_bit_is_noticed(records in vec(record(), 1..6), at in any::<prop::sample::Index>(), bit in 0u8..8) {
        let records = [records, vec![Record::End]].concat();
        let mut bytes = encode(&records);
        let at = at.index(bytes.len());
        bytes[at] ^= 1 << bit;
        match decode(&bytes) {
            Ok(trace) => {
                prop_assert!(!trace.complete && trace.damage.is_some());
                prop_assert_eq!(&trace.records[..], &records[..trace.records.len()]);
            }
            Err(_) => prop_assert!(at < 12),
        }
    }

    #[test]
    fn garbage_is_answered(header in any::<bool>(), garbage in vec(any::<u8>(), 0..200)) {
        let start = if header { encode(&[]) } else { Vec::new() };
        let _ = decode(&[start, garbage].concat());
    }
}

#[test]
fn an_absurd_length_is_damage_and_not_an_allocation() {
    let mut bytes = encode(&[Record::Inexact("before".into())]);
    let offset = bytes.len() as u64;
    bytes.extend_from_slice(&[4, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 1, 2, 3]);
    let trace = decode(&bytes).expect("read");
    assert_eq!(trace.records, [Record::Inexact("before".into())]);
    assert_eq!(trace.damage.expect("damage").offset, offset);
}

#[test]
fn bytes_behind_the_end_are_damage() {
    let mut bytes = encode(&[Record::End]);
    bytes.push(0);
    let trace = decode(&bytes).expect("read");
    assert!(!trace.complete);
    assert_eq!(
        trace.damage.expect("damage").reason,
        "bytes follow the end record"
    );
}

#[test]
fn other_versions_and_other_files_are_refused() {
    let mut bytes = encode(&[Record::End]);
    bytes[8] = 99;
    assert!(matches!(
        decode(&bytes),
        Err(TraceError::Version { found: 99, .. })
    ));
    assert!(matches!(
        decode(b"PAR1 and so on and so on"),
        Err(TraceError::NotATrace { .. })
    ));
    assert!(matches!(decode(b""), Err(TraceError::NotATrace { .. })));
}

#[test]
fn a_file_is_never_replaced() {
    let directory = tempfile::tempdir().expect("directory");
    let path = directory.path().join("a.trace");
    let mut writer = TraceWriter::create(&path).expect("create");
    writer.write(&Record::End).expect("write");
    assert!(
        Trace::read(&path)
            .expect("only the header is flushed")
            .records
            .is_empty()
    );
    writer.flush().expect("flush");
    assert!(Trace::read(&path).expect("read").complete);
    assert!(matches!(
        TraceWriter::create(&path),
        Err(TraceError::Io {
            action: "create",
            ..
        })
    ));
    assert!(matches!(
        Trace::read(&directory.path().join("none")),
        Err(TraceError::Io { action: "open", .. })
    ));
}

#[test]
fn the_dump_names_everything() {
    let records = vec![
        Record::Start(Start {
            version: TRACE_VERSION,
            pid: 7,
            properties: vec![("java.vm.name".into(), "VM\n".into())],
            options: "mode=time\ntrace=a\n".into(),
        }),
        Record::Left(Left {
            class: "a/B".into(),
            method: Some("m()V".into()),
            reason: "jsr".into(),
        }),
        Record::Counters(ClassCounters {
            hash: ClassHash(1),
            counts: (0..20).map(|n| (n, 1)).collect(),
        }),
        Record::OpenFrame(OpenFrameRecord {
            hash: ClassHash(1),
            method: 2,
            pc: Pc(3),
            running: true,
        }),
        Record::Variable(Numbered {
            number: 4,
            place: ValuePlace::Field {
                class: "a/B".into(),
                name: "x".into(),
                descriptor: "D".into(),
            },
        }),
        Record::Given(Given {
            invocation: 9,
            values: vec![(4, 0.5), (4, f64::NEG_INFINITY)],
        }),
        Record::End,
    ];
    let text = decode(&encode(&records)).expect("read").to_string();
    let hash = format!("{:032x}", 1);
    let sixteen = " 0=1 1=1 2=1 3=1 4=1 5=1 6=1 7=1 8=1 9=1 10=1 11=1 12=1 13=1 14=1 15=1";
    assert_eq!(
        text,
        format!(
            "start version={TRACE_VERSION} pid=7\n  java.vm.name=VM\\n\n  option mode=time\n  option trace=a\nleft a/B.m()V: jsr\n\
             counters {hash}:{sixteen} + 4 more\nopen {hash} method=2 pc=3 running\n\
             variable 4 a/B.x\ngiven invocation=9 4=0.5 4=-inf\nend\n"
        )
    );
}
