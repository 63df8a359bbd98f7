//! A compiled program, predictors of it, and what they answer.

use std::path::Path;
use std::process::Command;

use pricetag_dataset::{Feature, FeatureKind};
use pricetag_evaluate::{Graph, MethodId, Places, Program, Spot, emit};
use pricetag_evaluator::Answer;
use pricetag_instrument::insert::Place;
use pricetag_testkit::jvm::java_tool;
use tempfile::TempDir;

/// A program of `subjects`.
pub struct Subject {
    pub name: &'static str,
    pub program: Program,
    pub folder: TempDir,
}

/// What a predictor is asked.
pub struct Asked<'a> {
    pub input: &'a str,
    pub mode: &'a str,
    pub option: &'a str,
}

impl<'a> Asked<'a> {
    pub fn of(input: &'a str) -> Self {
        Self {
            input,
            mode: "",
            option: "-Xint",
        }
    }
}

impl Subject {
    pub fn new() -> Self {
        Self::named("Phased")
    }

    pub fn named(name: &'static str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/subjects");
        let source = sources.join(format!("{name}.java"));
        let status = Command::new(java_tool("javac"))
            .arg("-d")
            .arg(folder.path())
            .arg(source)
            .status();
        assert!(status.expect("there is a JDK").success());
        let place = folder.path().to_str().unwrap();
        let command = ["java", "-cp", place, name, "{}"].map(str::to_owned);
        let program = Program::of(&command, Path::new("."), None).unwrap();
        Self {
            name,
            program,
            folder,
        }
    }

    /// A predictor with the value 2 · passes + 1, made and asked.
    pub fn ask(&self, places: &Places, asked: &Asked<'_>) -> Answer {
        let graph = Graph::of(&self.program);
        let rewritten = emit::rewrite(&graph, places).unwrap();
        let (counters, groups) = (places.counters.len(), places.groups.len());
        let table = format!(
            "main\t{}\ntarget\tcpu\tns\nfeature\tpasses\tcounter\t0\t\t\t\nformula\t1 2 f0 * +\nlimit\t3000\ncounters\t{counters}\t{groups}\t{}\n",
            self.name,
            u8::from(groups == 0)
        );
        let jar = emit::pack(&self.program, &rewritten, &places.guards, &table, "{}").unwrap();
        let path = self.folder.path().join("predictor.jar");
        std::fs::write(&path, jar).unwrap();
        let input = self.folder.path().join("input.txt");
        std::fs::write(&input, asked.input).unwrap();
        let output = Command::new(java_tool("java"))
            .args(["-Xverify:all", asked.option, "-jar"])
            .arg(&path)
            .arg(&input)
            .args(Some(asked.mode).filter(|mode| !mode.is_empty()))
            .output()
            .unwrap();
        let (said, why) = (&output.stdout, &output.stderr);
        let said = String::from_utf8_lossy(said).into_owned();
        Answer::parse(&said).unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(why)))
    }

    pub fn input_is_there(&self) -> bool {
        self.folder.path().join("input.txt").exists()
    }
}

/// The only method of that name.
pub fn named(graph: &Graph<'_>, name: &str) -> MethodId {
    let mut found = graph.ids().filter(|id| graph.method(*id).name == name);
    let id = found.next().unwrap();
    assert_eq!(found.next(), None, "{name}");
    id
}

/// The header of a method's outermost loop: where a jump backwards goes.
pub fn loop_at(graph: &Graph<'_>, name: &str) -> Spot {
    let id = named(graph, name);
    let method = graph.method(id);
    let flow = method.flow.as_ref().unwrap();
    let instructions = flow.cfg.instructions.iter();
    let back = instructions.flat_map(|i| i.targets().filter(move |to| *to <= u32::from(i.pc)));
    let start = back.min().unwrap();
    let feature = Feature {
        name: "passes".to_owned(),
        kind: FeatureKind::Loop,
        class: graph
            .shown(id)
            .split_once(&format!(".{name}("))
            .map(|(class, _)| class.to_owned()),
        method: Some(method.name.clone()),
        descriptor: Some(method.descriptor.clone()),
        pcs: Some((start, start + 1)),
        ..Feature::default()
    };
    let spot = Spot::of(&feature, graph).unwrap().unwrap();
    assert_eq!(spot.place, Place::Before(start as u16));
    spot
}
