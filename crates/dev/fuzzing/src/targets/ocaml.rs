//! Programs of the OCaml subset.

use pricetag_miniml::{Limits, Mode, Options, Stop, run};

/// A program is refused, at a place that is in it, or runs in both modes to the same values and output, whatever the minor heap.
///
/// # Panics
/// If that does not hold.
pub fn ocaml(bytes: &[u8]) {
    let Ok(source) = std::str::from_utf8(bytes) else {
        return;
    };
    let limits = Limits {
        fuel: 20_000,
        memory: 64 << 20,
    };
    let options = |mode, minor_heap| Options {
        limits,
        mode,
        minor_heap,
        values: true,
        ..Options::default()
    };
    let paper = match run(source, &options(Mode::Paper, 2_097_152)) {
        Ok(run) => run,
        Err(errors) => {
            assert!(!errors.is_empty());
            for error in errors {
                assert!(
                    error.span.start <= error.span.end && error.span.end as usize <= source.len()
                );
            }
            return;
        }
    };
    let extended = run(source, &options(Mode::Extended, 64)).expect("both modes accept the same");
    // The modes count differently, so they run out of fuel at different places.
    if matches!(
        (&paper.stop, &extended.stop),
        (
            None | Some(Stop::Exception(_)),
            None | Some(Stop::Exception(_))
        )
    ) {
        assert_eq!(paper.stop, extended.stop);
        assert_eq!(paper.output, extended.output);
        let values = |run: &pricetag_miniml::Run| {
            run.rows
                .iter()
                .map(|r| r.values.clone())
                .collect::<Vec<_>>()
        };
        assert_eq!(values(&paper), values(&extended));
    }
}
