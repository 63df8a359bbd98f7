//! Where the search starts: small inputs of every kind, made by Pricetag itself or taken from the JDK on the path.

use std::path::Path;

use pricetag_classfile::ClassFile;
#[cfg(feature = "learn")]
use pricetag_estimator::{Checked, Column, Design, Values};
#[cfg(feature = "learn")]
use pricetag_evolve::{Control, GeneticProgramming, Limits};
use pricetag_probe_plan::{BlockId, ClassHash, CounterIndex, Pc, VariableIndex};
use pricetag_trace::{
    self as trace, Argument, Arrivals, BlockTime, ByCaller, Called, Caller, Caught, ClassCounters,
    ClassLoaded, Invocation, Left, Look, OpenFrameRecord, Parameters, ProcessCosts, Record,
    Standing, Start, TRACE_VERSION, TraceWriter, Unusable, ValuePlace, VariableValues,
    VersionValue,
};

/// Compiled by `javac` from the subjects of the probe planner: loops, switches, exceptions, constructors, inner classes. And what
/// `subjects/conformance/bytecode/Subroutines.java` writes.
const OWN_CLASSES: [&[u8]; 4] = [
    include_bytes!("../../../observe/probe/tests/subjects/Loops.class"),
    include_bytes!("../../../observe/probe/tests/subjects/Objects.class"),
    include_bytes!("../../../observe/probe/tests/subjects/Objects$Inner.class"),
    include_bytes!("subroutines.class"),
];

/// Seeds of the target of that name; `classes` are added to those of targets that read classes.
pub fn of(target: &str, classes: &[Vec<u8>]) -> Vec<Vec<u8>> {
    match target {
        "class_reader" | "rewriter" => {
            let own = OWN_CLASSES.iter().map(|class| class.to_vec());
            own.chain(classes.iter().cloned()).collect()
        }
        "trace" => traces(),
        "events" => events(),
        "plan" => plans(),
        "agent_options" => texts(&[
            "mode=count\ntrace=a.trace\nplans=plans\ninclude=a.b.*\nexclude=**.Gen*\nscope=main\ncount-jdk=true\n",
            "# time\nmode=time\ntrace=\\x41\\\\b\nscope=a.b.C#m(IJ[Ljava/lang/String;)V\n",
            "mode=blocks\ntrace=t\nplans=p\nscope=a.b.C#m\n",
        ]),
        "formula" => texts(&[
            "k1*(a*log(a)) + k2",
            "if(a > 200000, 3*a + 50, 1000)",
            "-2*a/b - (c - 4)^-0.5*sqrt(max(a, b, 1e-3))",
            "`block 3 of X.y()`*1.5e-9 + min(a, 2)*exp(-b) + sin(c)*cos(c) + arctan(pow(a, 2))",
            "log2(a) + log10(b) - ln(c)*(a <= b) + (a == 3)*(b != 4)",
        ]),
        "model" => texts(&[MODEL]),
        "ocaml" => texts(&[
            include_str!("../../../subject/miniml/tests/corpus/whole.ml"),
            "let rec f x = match x with [] -> 0. | (a, _) :: r when a > 1.5 -> a +. f r | _ :: r -> f r\n;; f [2., 'c'; 1., '\\n']",
            "type t = A | B of int * t\nexception E of string\nlet rec g n = if n = 0 then A else B (n, g (n - 1))\nlet r = try raise (E \"x\") with E s -> s ^ \"y\"",
            "type r = { a : float; b : float }\nlet s { a; b } = { a = b; b = a *. 2. }\nlet k = let rec e n = n = 0 || o (n - 1) and o n = n <> 0 && e (n - 1) in e 9, List.sort compare [3; 1; 2]",
        ]),
        "csv" => texts(&[
            "label,size,kind,y\na,1,x,2.5\nb,2,y,5\nc,3,x,7.25\n",
            "n;y\n1;\"2,5\"\n2;3\n",
            "\u{feff}a\ty\r\n1e3\t2\r\n-0\t\r\nNaN\tinf\r\n",
            "\"a\"\"b\",y\n\"1\n\",2\n",
        ]),
        #[cfg(feature = "learn")]
        "parquet" => PARQUET.iter().map(|file| file.to_vec()).collect(),
        #[cfg(feature = "learn")]
        "checkpoint" => checkpoints(),
        _ => vec![Vec::new()],
    }
}

fn texts(texts: &[&str]) -> Vec<Vec<u8>> {
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}

/// The two texts, the file that they make and one of a scope; of both, for the fuzzer's framing, the frames.
fn events() -> Vec<Vec<u8>> {
    let facts = "class A bytes 9\ninterface I\nclass B extends A implements I\nmethod A f(I)V bytes 3 native\nmethod B g static\nevent 0 B A f\nevent 1 B B g\n";
    let dynamic = "thread 1 main\nat 10\n0 1*9 0 1\nthread 2\nleft-out 4\n1 0 1\nend 99\n";
    let file = pricetag_events::text::import(facts, dynamic.as_bytes()).expect("texts");
    let scoped = events_of_a_scope().expect("memory");
    let framed = [frames(&file), frames(&scoped)];
    let texts = format!("{facts}\n---\n{dynamic}").into_bytes();
    let [one, other] = framed;
    vec![file, one, scoped, other, texts]
}

/// Events of calls with gaps between them, and marks where the calls begin and end.
fn events_of_a_scope() -> std::io::Result<Vec<u8>> {
    use pricetag_events::{Class, Edge, Kind, Mark, Method, Part, ThreadId, Writer};
    let mut writer = Writer::new(Vec::new())?;
    writer.class(&Class::default())?;
    writer.method(&Method::default())?;
    let symbol = writer.kind(Kind::default())?;
    let thread = ThreadId(3);
    let parts = [(2, 1), (1, 2)].map(|(left_out, events)| Part { left_out, events });
    writer.parts(thread, Some(5), &parts, &[symbol; 3])?;
    let marks = [
        (0, Edge::Begins, 2),
        (0, Edge::Ends, 3),
        (1, Edge::Begins, 4),
    ];
    let marks = marks.map(|(call, edge, at)| Mark {
        thread,
        call,
        edge,
        at,
    });
    writer.marks(thread, &marks)?;
    writer.finish(Some(9))
}

/// Kinds, lengths and payloads of the frames of a file.
fn frames(file: &[u8]) -> Vec<u8> {
    let mut framed = Vec::new();
    let mut rest = file.get(20..).unwrap_or_default();
    while let [kind, length, _, _, _, _, _, _, _, tail @ ..] = rest {
        let (payload, tail) = tail.split_at(usize::from(*length));
        framed.extend([*kind, *length]);
        framed.extend(payload);
        rest = tail;
    }
    framed
}

/// Every kind of record, as a whole trace and, for the fuzzer's framing, as kinds, lengths and payloads.
fn traces() -> Vec<Vec<u8>> {
    let mut writer = TraceWriter::new(Vec::new(), Path::new("seed.trace"));
    for record in records() {
        writer.write(&record).expect("a record fits");
    }
    let whole = writer.finish().expect("memory");
    let mut framed = Vec::new();
    for (record, kind) in records().iter().zip(1_u8..) {
        let payload = postcard::to_stdvec(record).expect("a record is encoded");
        framed.extend([kind, payload.len() as u8]);
        framed.extend(payload);
    }
    vec![whole, framed]
}

/// One record of each kind, in the order of their kind bytes.
fn records() -> Vec<Record> {
    let hash = ClassHash(0x1234_5678_9abc_def0);
    let counters = ClassCounters {
        hash,
        counts: vec![(0, 1), (3, u64::MAX)],
    };
    vec![
        Record::Start(Start {
            version: TRACE_VERSION,
            pid: 7,
            properties: vec![("java.vm.name".into(), "VM".into())],
            options: "mode=time\n".into(),
        }),
        Record::Class(ClassLoaded {
            hash,
            name: "a/B".into(),
            loaders: 1,
        }),
        Record::Left(Left {
            class: "a/B".into(),
            method: Some("m()V".into()),
            reason: "jsr".into(),
        }),
        Record::Counters(counters.clone()),
        Record::OpenFrame(OpenFrameRecord {
            hash,
            method: 1,
            pc: Pc(9),
            running: true,
        }),
        Record::Inexact("a/C".into()),
        Record::Invocation(Invocation {
            scope: 0,
            sequence: 1,
            thread: 2,
            arguments: vec![
                Argument::Integer(-1),
                Argument::Real(0.5),
                Argument::Size(9),
                Argument::Text {
                    length: 3,
                    beginning: "abc".to_owned(),
                },
                Argument::Path("a/b".to_owned()),
                Argument::Null,
            ],
            start_ns: 1,
            wall_ns: 2,
            cpu_ns: 3,
            allocated_bytes: 4,
            collections: 0,
            threw: false,
            counters: vec![counters.clone()],
            classes_loaded: 0,
        }),
        Record::Process(ProcessCosts::default()),
        Record::End,
        Record::BlockTime(BlockTime {
            hash,
            method: 0,
            block: BlockId(2),
            executions: 3,
            sum_ns: 30,
            sum_squares: 300,
            min_ns: 9,
            max_ns: 11,
            first_ns: 10,
        }),
        Record::Values(trace::Values {
            invocation: Some(1),
            variables: vec![VariableValues {
                place: ValuePlace::Local {
                    hash,
                    variable: VariableIndex(2),
                },
                versions: vec![VersionValue {
                    mean: 0.5,
                    threads: 2,
                    unusable: Unusable {
                        nan: 1,
                        ..Unusable::default()
                    },
                }],
            }],
        }),
        Record::Variable(trace::Numbered {
            number: 3,
            place: ValuePlace::Local {
                hash,
                variable: VariableIndex(2),
            },
        }),
        Record::Given(trace::Given {
            invocation: 1,
            values: vec![(3, 0.5), (3, f64::INFINITY)],
        }),
        Record::Parameters(Parameters {
            scope: 0,
            class: "a/B".into(),
            method: "m(I[B)V".into(),
            names: vec![Some("n".into()), None],
        }),
        Record::Caught(Caught {
            invocation: None,
            arrivals: vec![Arrivals {
                hash,
                handler: CounterIndex(3),
                class: "a/E".into(),
                count: 4,
            }],
        }),
        Record::Look(Look {
            invocation: 1,
            counters: vec![counters],
            open: Vec::new(),
            values: Vec::new(),
            caught: None,
            classes_loaded: 2,
            called: None,
        }),
        Record::Standing(Standing {
            invocation: 1,
            before: vec![OpenFrameRecord {
                hash,
                method: 1,
                pc: Pc(4),
                running: false,
            }],
            after: Vec::new(),
        }),
        Record::ByCaller(ByCaller {
            invocation: None,
            called: vec![Called {
                hash,
                caller: Some(Caller { hash, method: 1 }),
                passes: vec![(0, 5)],
            }],
        }),
    ]
}

/// Plans of our own classes: the whole file and its body.
fn plans() -> Vec<Vec<u8>> {
    let plans = OWN_CLASSES.iter().flat_map(|bytes| {
        let class = ClassFile::parse(bytes).expect("our own class");
        let stored = pricetag_probe::plan(&class, bytes)
            .to_bytes()
            .expect("a plan is stored");
        let body = stored[16..stored.len() - 16].to_vec();
        [stored, body]
    });
    plans.collect()
}

/// Files that pyarrow wrote, for the importer's own tests.
#[cfg(feature = "learn")]
const PARQUET: [&[u8]; 3] = [
    include_bytes!("../../../artifact/dataset/tests/data/empty.parquet"),
    include_bytes!("../../../artifact/dataset/tests/data/v2.parquet"),
    include_bytes!("../../../artifact/dataset/tests/data/snappy.parquet"),
];

/// A search so small that it can be continued at every execution.
#[cfg(feature = "learn")]
pub fn search(generations: u32) -> GeneticProgramming {
    GeneticProgramming {
        limits: Limits {
            generations,
            population: 6,
            ..Limits::default()
        },
        ..GeneticProgramming::default()
    }
}

/// What that search explains: two columns, twelve rows.
///
/// # Panics
/// Never: the design is fixed.
#[cfg(feature = "learn")]
pub fn design() -> Checked<Design> {
    let column = |name: &str, values: Vec<f64>| Column {
        name: name.to_owned(),
        values: Values::Dense(values),
    };
    let first: Vec<f64> = (1..=12).map(f64::from).collect();
    let second: Vec<f64> = first.iter().map(|x| (x * 7.0) % 5.0).collect();
    let target = first
        .iter()
        .zip(&second)
        .map(|(a, b)| a * a + 3.0 * b + 1.0)
        .collect();
    let columns = vec![column("a", first), column("b", second)];
    Design::new(columns, target)
        .check()
        .expect("a sound design")
}

/// The beginning of that search: the whole file and its payload.
#[cfg(feature = "learn")]
fn checkpoints() -> Vec<Vec<u8>> {
    let evolution = search(0)
        .evolve(&design(), Control::default(), None)
        .expect("a search");
    let stored = evolution.checkpoint.to_bytes();
    let payload = stored[24..].to_vec();
    vec![stored, payload]
}

/// The smallest model file.
const MODEL: &str = include_str!("model.json");
