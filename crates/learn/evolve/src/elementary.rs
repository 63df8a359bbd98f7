//! Logarithm and exponential without branches, so that a loop over a block of rows uses vector registers.
//!
//! The reductions and the minimax coefficients are those of FDLIBM (Ng, Sun Microsystems 1993, `e_log.c`, `e_exp.c`):
//! log x = k·ln 2 + log(1 + f) with 1 + f in [√½, √2), eˣ = 2ᵏ·eʳ with |r| ≤ ½ ln 2. Exponents move between integer and
//! floating-point form by adding 2⁵², which every vector unit can do. Errors are below 2 units in the last place;
//! results of the exponential below the smallest normal number are 0. Only IEEE basic operations are used, so the
//! results are the same on every machine.

#![expect(
    clippy::inline_always,
    reason = "loops are compiled for wider vectors only where they are inlined into the dispatching function"
)]

/// 2⁵² as bits: or-ed with an integer below 2⁵² it is the float 2⁵² + integer.
const SHIFT: u64 = 0x4330_0000_0000_0000;
const LN2_HI: f64 = 6.931_471_803_691_238e-1;
const LN2_LO: f64 = 1.908_214_929_270_587_7e-10;

/// Whether [`ln_normal`] is right: positive, normal, finite.
#[inline(always)]
pub(crate) fn is_ordinary(x: f64) -> bool {
    (f64::MIN_POSITIVE..=f64::MAX).contains(&x)
}

/// Natural logarithm of ordinary numbers.
#[inline(always)]
pub(crate) fn ln_normal(x: f64) -> f64 {
    // Bits of √½ without its lowest 32; subtracting them makes the exponent field count from [√½, √2).
    const LOWEST: u64 = 0x3fe6_a09e_0000_0000;
    const BIAS: u64 = 1024 << 52;
    let bits = x.to_bits();
    let raised = bits.wrapping_sub(LOWEST).wrapping_add(BIAS) >> 52;
    let k = f64::from_bits(SHIFT | raised) - (4_503_599_627_370_496.0 + 1024.0);
    let f = f64::from_bits(bits.wrapping_sub(raised << 52).wrapping_add(BIAS)) - 1.0;
    let s = f / (2.0 + f);
    let z = s * s;
    let w = z * z;
    let odd = w
        * (3.999_999_999_940_942e-1
            + w * (2.222_219_843_214_978_4e-1 + w * 1.531_383_769_920_937_3e-1));
    let even = z
        * (6.666_666_666_666_735e-1
            + w * (2.857_142_874_366_239e-1
                + w * (1.818_357_216_161_805e-1 + w * 1.479_819_860_511_658_6e-1)));
    let half = 0.5 * f * f;
    k * LN2_HI - ((half - (s * (half + odd + even) + k * LN2_LO)) - f)
}

/// Natural logarithm; −∞ at 0 and NaN below.
#[inline(always)]
pub(crate) fn ln(x: f64) -> f64 {
    let tiny = x < f64::MIN_POSITIVE;
    let scaled = if tiny {
        x * 18_014_398_509_481_984.0
    } else {
        x
    };
    let shift = if tiny { 54.0 } else { 0.0 };
    let value = ln_normal(scaled) - shift * LN2_HI - shift * LN2_LO;
    let value = if x == f64::INFINITY { x } else { value };
    let value = if x == 0.0 { f64::NEG_INFINITY } else { value };
    if x >= 0.0 { value } else { f64::NAN }
}

/// Exponential.
#[inline(always)]
pub(crate) fn exp(x: f64) -> f64 {
    const ROUND: f64 = 6_755_399_441_055_744.0; // 1.5·2⁵²: adding it rounds to an integer
    let clamped = x.clamp(-708.0, 709.8);
    let shifted = clamped * std::f64::consts::LOG2_E + ROUND;
    let k = shifted - ROUND;
    let high = clamped - k * LN2_HI;
    let low = k * LN2_LO;
    let r = high - low;
    let t = r * r;
    let c = r - t
        * (1.666_666_666_666_660_2e-1
            + t * (-2.777_777_777_701_559_3e-3
                + t * (6.613_756_321_437_934e-5
                    + t * (-1.653_390_220_546_525_2e-6 + t * 4.138_136_797_057_238_5e-8))));
    let unit = 1.0 - ((low - (r * c) / (2.0 - c)) - high);
    // 2ᵏ⁻¹ from the low bits of the rounded sum; halved and doubled so that k = 1024 fits.
    let half = f64::from_bits(shifted.to_bits().wrapping_add(1022) << 52);
    let value = unit * half * 2.0;
    if x < -708.0 { 0.0 } else { value }
}

#[cfg(test)]
mod tests {
    use super::{exp, ln};
    use proptest::prelude::*;

    fn ulps(a: f64, b: f64) -> u64 {
        a.to_bits().abs_diff(b.to_bits())
    }

    #[test]
    fn special_values() {
        assert_eq!(ln(0.0), f64::NEG_INFINITY);
        assert_eq!(ln(-0.0), f64::NEG_INFINITY);
        assert_eq!(ln(1.0), 0.0);
        assert_eq!(ln(f64::INFINITY), f64::INFINITY);
        assert!(ln(-1.0).is_nan() && ln(f64::NAN).is_nan() && ln(f64::NEG_INFINITY).is_nan());
        assert!(ulps(ln(5e-324), 5e-324_f64.ln()) <= 4);
        assert_eq!((exp(0.0), exp(f64::NEG_INFINITY)), (1.0, 0.0));
        assert_eq!(
            (exp(f64::INFINITY), exp(709.79)),
            (f64::INFINITY, f64::INFINITY)
        );
        assert!(exp(f64::NAN).is_nan());
        assert!(ulps(exp(709.7), 709.7_f64.exp()) <= 2);
    }

    proptest! {
        #[test]
        fn logarithm_agrees_with_the_library(bits in 1_u64..0x7ff0_0000_0000_0000) {
            let x = f64::from_bits(bits);
            prop_assert!(ulps(ln(x), x.ln()) <= 4, "{x:e} {} {}", ln(x), x.ln());
        }

        #[test]
        fn logarithm_near_one(x in 0.5_f64..2.0) {
            prop_assert!(ulps(ln(x), x.ln()) <= 2, "{x:e} {} {}", ln(x), x.ln());
        }

        #[test]
        fn exponential_agrees_with_the_library(x in -708.0_f64..709.7) {
            prop_assert!(ulps(exp(x), x.exp()) <= 2, "{x} {} {}", exp(x), x.exp());
        }
    }
}
