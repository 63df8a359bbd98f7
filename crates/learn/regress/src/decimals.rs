//! What rounding to binary took from measurements that were written as short decimals.
//!
//! Tables hold decimals, and 0.1 is not a double. Where the columns are nearly dependent, half a unit in the last place
//! of the cost moves the coefficients by more than the solver does: on NIST's Wampler2 the exact solution of the rounded
//! numbers has 13.2 correct digits. If every number is the double nearest to a decimal of few digits, the decimals are
//! taken to be meant, and the difference is given back to whoever can use it.
//!
//! Deviation from R: none of its routines does so. It changes every number by less than a rounding error, so it is as
//! good an answer where the numbers only look like decimals.

/// Most decimal places looked for; powers of ten up to 10²² are exact.
const PLACES: i32 = 9;
/// Largest scaled number: few enough digits that other doubles pass for decimals about once in ten thousand, all of a column never.
const LARGEST: f64 = 1e12;

/// decimal − double for each number, or nothing if they are not all decimals of few digits, or all exact.
pub fn remainders(numbers: &[f64]) -> Option<Vec<f64>> {
    let scale = (0..=PLACES)
        .map(|places| 10_f64.powi(places))
        .find(|scale| numbers.iter().all(|&x| is_decimal(x, *scale)))?;
    if scale == 1.0 {
        return None;
    }
    Some(
        numbers
            .iter()
            .map(|&x| x.mul_add(-scale, (x * scale).round()) / scale)
            .collect(),
    )
}

/// Whether the number is the double nearest to a whole number over `scale`.
#[expect(
    clippy::float_cmp,
    reason = "division rounds correctly, so equality is the definition"
)]
fn is_decimal(x: f64, scale: f64) -> bool {
    let whole = (x * scale).round();
    whole.abs() <= LARGEST && whole / scale == x
}

#[cfg(test)]
mod tests {
    use super::remainders;

    #[test]
    fn a_tenth_and_its_double_differ_by_what_the_standard_says() {
        // 0.1 is stored as 3602879701896397 / 2⁵⁵ = 0.1 + 1 / (5·2⁵⁵), and 1 / (5·2⁵⁵) is 5.551115123125783e-18.
        let found = remainders(&[0.1, 0.5, -0.1]).unwrap();
        assert_eq!(
            found,
            [-5.551_115_123_125_783e-18, 0.0, 5.551_115_123_125_783e-18]
        );
    }

    #[test]
    fn whole_numbers_and_numbers_of_many_digits_have_none() {
        assert_eq!(remainders(&[3.0, -17.0, 0.0]), None);
        assert_eq!(remainders(&[0.1, std::f64::consts::PI]), None);
        assert_eq!(remainders(&[0.1, 1e300]), None);
        assert_eq!(remainders(&[]), None);
    }
}
