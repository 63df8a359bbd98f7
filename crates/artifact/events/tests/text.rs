//! The paper's two text files.

use pricetag_events::text::{
    Static, Step, TextError, export, import, read_dynamic, read_static, write_static, write_step,
};
use pricetag_events::{ClassId, Place, Symbol, ThreadId};

const FACTS: &str = "\
# Figure 3 of Hwang & Huang
event 0 TextArea Component enable   # before its classes
class Object
class Component extends Object implements Shown
class TextComponent extends Component
class TextArea extends TextComponent bytes 300
interface Shown
method Component enable()V bytes 12 instructions 5
method TextArea append(String)V native
method TextArea append(int)V static bridge
event 7 TextArea TextArea append(String)V
";

fn steps(facts: &Static, text: &str) -> Result<Vec<String>, TextError> {
    let mut steps = Vec::new();
    read_dynamic(facts, text.as_bytes(), |step| {
        steps.push(format!("{step:?}"));
        Ok::<(), TextError>(())
    })?;
    Ok(steps)
}

#[test]
fn text_is_read_and_written_the_same() {
    let facts = read_static(FACTS).unwrap();
    let dictionary = &facts.dictionary;
    assert_eq!(dictionary.classes[3].superclass, Some(ClassId(2)));
    assert_eq!(dictionary.classes[1].interfaces, [ClassId(4)]);
    assert_eq!(facts.events[&7], Symbol(1));
    let mut out = Vec::new();
    write_static(dictionary, &mut out).unwrap();
    let again = read_static(&String::from_utf8(out).unwrap()).unwrap();
    assert_eq!(again.dictionary, *dictionary);

    let place = Place {
        thread: ThreadId(4),
        start_ns: Some(10),
        left_out: 3,
    };
    let events = [Symbol(0), Symbol(1), Symbol(1), Symbol(1)];
    let written = [
        Step::Thread(ThreadId(4), "a thread".to_owned()),
        Step::Events(place, &events),
        Step::End(20),
    ];
    let (mut out, mut last) = (Vec::new(), None);
    for step in &written {
        write_step(step, &mut last, &mut out).unwrap();
    }
    let out = String::from_utf8(out).unwrap();
    assert_eq!(
        out,
        "thread 4 a%20thread\nat 10\nleft-out 3\n0 1*3\nend 20\n"
    );
    let expected: Vec<String> = written.iter().map(|step| format!("{step:?}")).collect();
    assert_eq!(steps(&again, &out).unwrap(), expected);
}

#[test]
fn classes_of_one_name_are_told_apart() {
    let mut facts = read_static("class A\nclass B extends A\n").unwrap();
    facts.dictionary.classes[1].name = "A".to_owned();
    let mut out = Vec::new();
    write_static(&facts.dictionary, &mut out).unwrap();
    let out = String::from_utf8(out).unwrap();
    assert_eq!(out, "class A%230\nclass A%231 extends A%230\n");
    assert_eq!(
        read_static(&out).unwrap().dictionary.classes[1].superclass,
        Some(ClassId(0))
    );
}

fn refused(text: &str) -> String {
    read_static(text).unwrap_err().to_string()
}

#[test]
fn errors_name_line_cause_and_remedy() {
    assert_eq!(
        refused("class B extends A"),
        "static information, line 1: class A is not declared; add a line `class A`"
    );
    assert_eq!(
        refused("class A\n\nmethod A run()V bytes many"),
        "static information, line 3: \"many\" is not a size in bytes; write a whole number, 0 or more, that is not too large"
    );
    assert_eq!(
        refused("class A\nevent 0 A A run"),
        "static information, line 2: class A declares no method run; add a line `method A run`"
    );
    assert!(refused("classes").contains("begins no line"));
    assert!(refused("class A\nclass A").contains("declared twice"));
    assert!(refused("class A\nmethod A f\nmethod A f").contains("declared twice"));
    assert!(
        refused("class A\nmethod A f\nevent 1 A A f\nevent 1 A A f").contains("declared twice")
    );
    assert!(
        refused("class A\nmethod A f(I)V\nmethod A f()V\nevent 1 A A f")
            .contains("the descriptor of the one meant")
    );
    assert!(refused("method").contains("is missing"));

    let facts = read_static(FACTS).unwrap();
    let wrong = |text: &str| steps(&facts, text).unwrap_err().to_string();
    assert_eq!(
        wrong("0\n3"),
        "dynamic information, line 2: event 3 is not declared; add a line `event 3 RECEIVER CLASS METHOD` to the static information"
    );
    assert!(wrong("0*x").contains("no event"));
    assert!(wrong("thread main").contains("followed by \"main\""));
    assert!(wrong("at 1 2").contains("line of its own"));
    assert!(wrong("when 1").contains("begins no line"));
    assert_eq!(steps(&facts, "# nothing\n").unwrap(), [""; 0]);
}

#[test]
fn texts_become_a_file_and_texts_again() {
    let facts =
        "class A\nmethod A f bytes 3\nmethod A g\nevent 0 A A f\nevent 1 A A g\nevent 5 A A f\n";
    let dynamic = "thread 1 main\nthread 2\nat 10\n0 1*70000\nthread 1\nleft-out 4\n5 1\nend 99\n";
    let file = import(facts, dynamic.as_bytes()).unwrap();
    let (mut out, mut events) = (Vec::new(), Vec::new());
    export(|| Ok(file.as_slice()), &mut out, &mut events).unwrap();
    let [out, events] = [out, events].map(|text| String::from_utf8(text).unwrap());
    assert_eq!(
        out,
        "class A\nmethod A f bytes 3\nmethod A g\nevent 0 A A f\nevent 1 A A g\n"
    );
    assert!(
        events.starts_with(
            "thread 1 main\nthread 2\nat 10\n0 1*65535\n1*4465\nthread 1\nleft-out 4\n0 1\n"
        ),
        "{events}"
    );
    let again = import(&out, events.as_bytes()).unwrap();
    let (mut same, mut and_these) = (Vec::new(), Vec::new());
    export(|| Ok(again.as_slice()), &mut same, &mut and_these).unwrap();
    assert_eq!((same, and_these), (out.into_bytes(), events.into_bytes()));
}
