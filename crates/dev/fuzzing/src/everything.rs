//! Everything that can be recorded of a class at once.

use pricetag_instrument::CallerProbes;
use pricetag_probe::{Values, Wanted};

/// What a plan of everything is asked for.
pub(crate) fn wanted() -> Wanted<'static> {
    Wanted {
        values: Some(Values {
            lengths: true,
            depths: true,
        }),
        transitions: true,
        strides: true,
        ..Wanted::default()
    }
}

/// All that is counted by calling method.
pub(crate) const CALLERS: CallerProbes = CallerProbes {
    first: 1,
    loops: true,
    invocations: true,
};
