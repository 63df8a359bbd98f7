//! One axis: linear, or logarithmic where values span more than a decade.

/// Ratio of the ends above which an axis is logarithmic.
const DECADE: f64 = 10.0;

/// How a value becomes a position, and which values are marked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Scale {
    /// Equal differences are equally long.
    Linear(f64, f64),
    /// Equal ratios are equally long; the ends are powers of ten.
    Logarithmic(f64, f64),
}

impl Default for Scale {
    fn default() -> Self {
        Self::Linear(0.0, 1.0)
    }
}

impl Scale {
    /// A linear axis; of some length even if the ends are equal, or so near each other, or so large or small, that no steps lead from one to the other: the drawing
    /// library would look for them without end.
    pub fn linear(low: f64, high: f64) -> Self {
        const LARGEST: f64 = 1e290;
        let (low, high) = (low.clamp(-LARGEST, LARGEST), high.clamp(-LARGEST, LARGEST));
        let size = low.abs().max(high.abs());
        let length = high - low;
        if length > 1e-9 * size && length > 1.0 / LARGEST {
            Self::Linear(low, high)
        } else if low.is_nan() || high.is_nan() {
            Self::default()
        } else {
            let room = (0.1 * size).max(1.0);
            Self::Linear(low - room, low + room)
        }
    }

    /// An axis for these positive values: logarithmic if they span more than a decade.
    pub fn spanning(low: f64, high: f64) -> Self {
        let ratio = high / low;
        if low > 0.0 && ratio.is_finite() && ratio > DECADE {
            // In logarithms, a twentieth of room on both sides.
            let room = 0.05 * ratio.log10();
            Self::Logarithmic(low.log10() - room, high.log10() + room)
        } else {
            let room = 0.05 * (high - low);
            Self::linear((low - room).max(low.min(0.0)), high + room)
        }
    }

    /// Position of a value, in the units of [`Self::ends`].
    pub fn position(self, value: f64) -> f64 {
        match self {
            Self::Linear(..) => value,
            Self::Logarithmic(..) => value.log10(),
        }
    }

    /// Positions of the ends.
    pub fn ends(self) -> (f64, f64) {
        match self {
            Self::Linear(low, high) | Self::Logarithmic(low, high) => (low, high),
        }
    }

    /// Label of a position.
    pub fn label(self, position: f64) -> String {
        match self {
            Self::Linear(low, high) => plain(position, (high - low).abs()),
            Self::Logarithmic(..) => {
                // Two digits: halves of a decade are no round numbers.
                let value = 10_f64.powf(position);
                let rounded: f64 = format!("{value:.1e}").parse().unwrap_or(value);
                plain(rounded, rounded)
            }
        }
    }
}

/// A number with two digits more than `size` needs, without trailing zeros.
fn plain(value: f64, size: f64) -> String {
    if value == 0.0 || value.abs() < 1e-9 * size {
        return "0".into();
    }
    let decimals = (2.0 - size.log10().floor()).clamp(0.0, 12.0) as usize;
    if value.abs() >= 1e5 || value.abs() < 1e-4 {
        let text = format!("{value:.1e}");
        return text.replace(".0e", "e");
    }
    let text = format!("{value:.decimals$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_short_and_right() {
        assert_eq!(plain(0.5, 1.0), "0.5");
        assert_eq!(plain(40.0, 200.0), "40");
        assert_eq!(plain(0.0123, 0.02), "0.0123");
        assert_eq!(plain(2_000_000.0, 1e7), "2e6");
        assert_eq!(plain(1e-17, 1.0), "0");
    }

    #[test]
    fn every_axis_has_steps() {
        for (low, high) in [
            (1e-305, 1e-305),
            (0.0, 1e-305),
            (1e300, 1e301),
            (-1.0, f64::INFINITY),
            (1.0, 1.0 + 1e-15),
            (f64::NAN, 1.0),
        ] {
            for scale in [Scale::linear(low, high), Scale::spanning(low, high)] {
                let (from, to) = scale.ends();
                assert!(
                    from.is_finite() && to.is_finite() && to - from > 1e-280,
                    "{low} {high}: {scale:?}"
                );
                assert!(
                    from + (to - from) / 1000.0 > from,
                    "{low} {high}: {scale:?}"
                );
            }
        }
    }

    #[test]
    fn decades_are_logarithmic() {
        assert!(matches!(
            Scale::spanning(1.0, 1000.0),
            Scale::Logarithmic(..)
        ));
        assert!(matches!(Scale::spanning(5.0, 9.0), Scale::Linear(..)));
        assert!(matches!(Scale::spanning(0.0, 900.0), Scale::Linear(..)));
        assert_eq!(Scale::spanning(3.0, 3.0), Scale::Linear(2.0, 4.0));
        let scale = Scale::spanning(1.0, 1000.0);
        assert_eq!(scale.label(scale.position(100.0)), "100");
    }
}
