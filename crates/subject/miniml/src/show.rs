//! Values as text.

/// A float as OCaml's `string_of_float` writes it: twelve digits, and a point at least.
pub(crate) fn float(x: f64) -> String {
    if x.is_nan() {
        return "nan".to_owned();
    }
    if x.is_infinite() {
        return if x > 0.0 { "inf" } else { "-inf" }.to_owned();
    }
    let scientific = format!("{x:.11e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..12).contains(&exponent) {
        let fixed = format!("{x:.*}", (11 - exponent) as usize);
        let short = if fixed.contains('.') {
            fixed.trim_end_matches('0')
        } else {
            &fixed
        };
        return if short.contains('.') {
            short.to_owned()
        } else {
            format!("{short}.")
        };
    }
    let mantissa = mantissa.trim_end_matches('0').trim_end_matches('.');
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.abs())
}
