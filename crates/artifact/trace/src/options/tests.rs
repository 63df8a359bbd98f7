//! Options as text and back.

use proptest::prelude::*;

use super::*;
use crate::scope::MethodScope;

#[test]
fn the_documented_example() {
    let text = "mode=count\ntrace=/data/run-7.trace\nplans=/data/plans\ninclude=org.example.**\n\n# a comment\n\
                exclude=org.example.gen.**\nscope=org.example.Search#query(Ljava/lang/String;)I\nscope=main\n";
    let options: AgentOptions = text.parse().expect("options");
    assert_eq!(options.mode, Mode::Count);
    assert_eq!(options.plans.as_deref(), Some(Path::new("/data/plans")));
    assert!(
        options.selects("org.example.A")
            && !options.selects("org.example.gen.A")
            && !options.selects("a.B")
    );
    let Scope::Method(scope) = &options.scopes[0] else {
        panic!("{:?}", options.scopes)
    };
    assert_eq!(
        (scope.class.as_str(), scope.method.as_str()),
        ("org.example.Search", "query")
    );
    assert_eq!(scope.descriptor.as_deref(), Some("(Ljava/lang/String;)I"));
    assert_eq!(options.scopes[1], Scope::Main);
    assert_eq!(
        options.to_text().parse::<AgentOptions>().expect("again"),
        options
    );
}

#[test]
fn a_server_writes_a_trace_of_its_own() {
    let trace = |text: &str| AgentOptions::new(Mode::Count, text).trace_of(42);
    assert_eq!(
        trace("/a/%p/server-%p.trace"),
        Path::new("/a/%p/server-42.trace")
    );
    assert_eq!(trace("/a/run.trace"), Path::new("/a/run.trace"));
    let snapshot = AgentOptions::snapshot_of(Path::new("/a/run.trace"), 3);
    assert_eq!(snapshot, Path::new("/a/run.trace.snapshot-3"));
}

#[test]
fn errors_name_the_line() {
    let error = |text: &str| text.parse::<AgentOptions>().expect_err(text).to_string();
    assert_eq!(error("trace=a"), "agent options: mode is missing");
    assert_eq!(error("mode=time"), "agent options: trace is missing");
    assert_eq!(
        error("mode=count\ntrace=a"),
        "agent options: plans is missing"
    );
    assert_eq!(
        error("mode=time\n\nnonsense"),
        "agent options line 3: expected key=value"
    );
    assert_eq!(
        error("mode=fly"),
        "agent options line 1: mode: \"fly\" is none of count, time, step, blocks, sample"
    );
    assert_eq!(
        error("mode=time\nmode=time"),
        "agent options line 2: mode is given twice"
    );
    assert_eq!(
        error("colour=red"),
        "agent options line 1: unknown key \"colour\""
    );
    assert!(error("include=a/b").contains("contains '/'"));
    assert!(error("scope=query").contains("is no scope"));
    assert!(error("trace=\\q").contains("backslash"));
}

#[test]
fn scopes_that_are_none() {
    for text in [
        "a.B",
        "#m",
        "a.B#",
        "a.B#+threads",
        "a.B#m(",
        "a.B#m n",
        "a b#m",
    ] {
        assert!(text.parse::<MethodScope>().is_err(), "{text}");
    }
    for text in [
        "a.B#m",
        "B#<init>",
        "a.B$C#m()V",
        "a.B#m([I)J",
        "a.B#m+threads",
        "a.B#m(I)V+threads",
        "a.B#m+n",
    ] {
        assert_eq!(text.parse::<MethodScope>().expect(text).to_string(), text);
    }
}

#[test]
fn scopes_have_many_spellings() {
    for text in ["a.B.m(int, String)", "a/B#m( int,String )"] {
        let scope: MethodScope = text.parse().expect(text);
        assert_eq!(scope.to_string(), "a.B#m(int, String)");
        assert!(scope.takes("(ILjava/lang/String;)V") && !scope.takes("(I)V"));
    }
    for half in ["a.B#m([I)", "a.B#m(Ljava/lang/String;)", "a.B#m(int,)"] {
        assert!(half.parse::<MethodScope>().is_err(), "{half}");
    }
    let all: MethodScope = "a.B.m+threads".parse().expect("a scope");
    assert!(all.all_threads && all.takes("()V"));
}

proptest! {
    #[test]
    fn any_path_survives(trace in proptest::collection::vec(1u8.., 1..40), plans in ".*", rewritten in ".*") {
        let mut options = AgentOptions::new(Mode::Time, OsString::from_vec(trace));
        options.plans = Some(plans.into());
        options.rewritten = Some(rewritten.into());
        (options.values, options.lengths, options.depths, options.progress) = (7, true, true, true);
        prop_assert_eq!(options.to_text().parse::<AgentOptions>().expect("parse"), options);
    }

    #[test]
    fn any_text_is_answered(text in ".*") {
        let _ = text.parse::<AgentOptions>();
        let _ = text.parse::<Scope>();
    }
}
