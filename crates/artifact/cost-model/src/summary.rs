//! [`LinearSummary`] as text, the way R's `print.summary.lm` shows it.
//!
//! The number formatting follows R's `formatReal`, `printCoefmat` and `format.pval` (R 4.2, `src/main/format.c` and
//! `stats/R/anova.R`) at R's default of 7 digits. Deviations: with five or fewer residual degrees of freedom R lists every
//! residual; the quantiles stand here instead. The `Call:` lines are left out.

use std::fmt::Write as _;

use crate::LinearSummary;

/// `max(3, getOption("digits") - 3)`.
const DIGITS: usize = 4;

impl LinearSummary {
    /// The summary as R users know it.
    pub fn text(&self) -> String {
        let mut out = String::from(if self.weighted {
            "Weighted Residuals:\n"
        } else {
            "Residuals:\n"
        });
        self.write_residuals(&mut out);
        self.write_coefficients(&mut out);
        let _ = writeln!(
            out,
            "\nResidual standard error: {} on {} degrees of freedom",
            format_real(&[signif(self.sigma, DIGITS)], 7)[0],
            self.residual_df
        );
        if let Some((f, df1, df2, p)) = self.f {
            let _ = writeln!(
                out,
                "Multiple R-squared:  {},\tAdjusted R-squared:  {} \nF-statistic: {} on {df1} and {df2} DF,  p-value: {}",
                general(self.r_squared, DIGITS),
                general(self.adjusted_r_squared, DIGITS),
                general(f, DIGITS),
                format_p(&[p], DIGITS)[0]
            );
        }
        out
    }

    fn write_residuals(&self, out: &mut String) {
        let largest = self
            .residual_quantiles
            .iter()
            .fold(0.0_f64, |m, x| m.max(x.abs()));
        let decimals = if largest > 0.0 {
            ((5.5 - largest.log10()).floor() as i32).max(0)
        } else {
            5
        };
        let rounded: Vec<f64> = self
            .residual_quantiles
            .iter()
            .map(|&x| round_to(x, decimals))
            .collect();
        let cells = format_real(&rounded, DIGITS);
        let heads = ["Min", "1Q", "Median", "3Q", "Max"];
        let width = cells
            .iter()
            .chain(&heads.map(str::to_owned))
            .map(|c| c.chars().count())
            .max()
            .unwrap_or(0);
        for line in [&heads.map(str::to_owned)[..], &cells] {
            for cell in line {
                let _ = write!(out, "{cell:>width$} ");
            }
            out.push('\n');
        }
    }

    fn write_coefficients(&self, out: &mut String) {
        let kept: Vec<(f64, f64, f64, f64)> = self
            .coefficients
            .iter()
            .filter_map(|c| c.estimate)
            .collect();
        match self.coefficients.len() - kept.len() {
            0 => out.push_str("\nCoefficients:\n"),
            n => {
                let _ = writeln!(
                    out,
                    "\nCoefficients: ({n} not defined because of singularities)"
                );
            }
        }
        let cells = coefficient_cells(&kept);
        let mut cells = cells.into_iter();
        let heads = ["", "Estimate", "Std. Error", "t value", "Pr(>|t|)", ""].map(str::to_owned);
        let mut rows = vec![heads];
        for coefficient in &self.coefficients {
            let [e, s, t, p, star] = match coefficient.estimate {
                Some(_) => cells.next().unwrap_or_default(),
                None => ["NA", "NA", "NA", "NA", ""].map(str::to_owned),
            };
            rows.push([coefficient.name.clone(), e, s, t, p, star]);
        }
        let width: Vec<usize> = (0..6)
            .map(|c| rows.iter().map(|r| r[c].chars().count()).max().unwrap_or(0))
            .collect();
        for row in &rows {
            let _ = write!(out, "{:<w$}", row[0], w = width[0]);
            for c in 1..5 {
                let _ = write!(out, " {:>w$}", row[c], w = width[c]);
            }
            let _ = writeln!(out, " {:<w$}", row[5], w = width[5]);
        }
        if kept.iter().any(|c| c.3 < 0.1) {
            out.push_str("---\nSignif. codes:  0 ‘***’ 0.001 ‘**’ 0.01 ‘*’ 0.05 ‘.’ 0.1 ‘ ’ 1\n");
        }
    }
}

/// Estimate, standard error, t, p and stars of every determined coefficient (`printCoefmat`).
fn coefficient_cells(kept: &[(f64, f64, f64, f64)]) -> Vec<[String; 5]> {
    let smallest = kept
        .iter()
        .flat_map(|c| [c.0.abs(), c.1.abs()])
        .filter(|x| *x > 0.0 && x.is_finite())
        .fold(f64::INFINITY, f64::min);
    let decimals = if smallest.is_finite() {
        (DIGITS as i32 - 1 - smallest.log10().floor() as i32).max(1)
    } else {
        1
    };
    // R formats both columns as one matrix: they share their number of decimals.
    let both: Vec<f64> = kept
        .iter()
        .flat_map(|c| [round_to(c.0, decimals), round_to(c.1, decimals)])
        .collect();
    let both = format_real(&both, DIGITS);
    let t: Vec<f64> = kept.iter().map(|c| round_to(c.2, 3)).collect();
    let p: Vec<f64> = kept.iter().map(|c| c.3).collect();
    let (t, p_text) = (format_real(&t, DIGITS), format_p(&p, 3));
    (0..kept.len())
        .map(|i| {
            [
                both[2 * i].trim_start().to_owned(),
                both[2 * i + 1].trim_start().to_owned(),
                t[i].clone(),
                p_text[i].clone(),
                stars(p[i]).to_owned(),
            ]
        })
        .collect()
}

fn stars(p: f64) -> &'static str {
    match p {
        p if p < 0.001 => "***",
        p if p < 0.01 => "**",
        p if p < 0.05 => "*",
        p if p < 0.1 => ".",
        _ => "",
    }
}

/// R's `round(x, decimals)`.
fn round_to(x: f64, decimals: i32) -> f64 {
    if !x.is_finite() || decimals > 300 {
        return x;
    }
    format!("{x:.*}", decimals.max(0) as usize)
        .parse()
        .unwrap_or(x)
}

/// R's `signif(x, digits)`.
fn signif(x: f64, digits: usize) -> f64 {
    if x.is_finite() {
        format!("{x:.*e}", digits - 1).parse().unwrap_or(x)
    } else {
        x
    }
}

/// R's `formatC(x, digits = digits)`: C's `%.{digits}g`, at least `digits + 1` wide.
fn general(x: f64, digits: usize) -> String {
    if !x.is_finite() {
        return special(x);
    }
    let (exponent, used) = scientific(x, digits);
    let text = if exponent < -4 || exponent >= digits as i32 {
        exponential(x, used - 1)
    } else {
        format!("{x:.*}", (used as i32 - 1 - exponent).max(0) as usize)
    };
    format!("{text:>width$}", width = digits + 1)
}

fn special(x: f64) -> String {
    if x.is_nan() {
        "NaN"
    } else if x > 0.0 {
        "Inf"
    } else {
        "-Inf"
    }
    .to_owned()
}

/// Decimal exponent of `x` rounded to `digits`, and how many of these digits it needs.
fn scientific(x: f64, digits: usize) -> (i32, usize) {
    if x == 0.0 {
        return (0, 1);
    }
    let text = format!("{:.*e}", digits.max(1) - 1, x.abs());
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let used = mantissa.replace('.', "").trim_end_matches('0').len().max(1);
    (exponent.parse().unwrap_or(0), used)
}

/// `x` with `decimals` digits after the point and an exponent of at least two digits.
fn exponential(x: f64, decimals: usize) -> String {
    let text = format!("{x:.decimals$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    format!(
        "{mantissa}e{}{:02}",
        if exponent < 0 { '-' } else { '+' },
        exponent.abs()
    )
}

/// R's `format(x, digits = digits)` of a vector: one number of decimals for all, fixed unless scientific is shorter.
fn format_real(values: &[f64], digits: usize) -> Vec<String> {
    let (mut left, mut right, mut mantissa, mut negative) = (1_i32, 0_i32, 1_usize, false);
    let mut exponent_width = 2;
    for &x in values.iter().filter(|x| x.is_finite()) {
        let (exponent, used) = scientific(x, digits);
        negative |= x < 0.0;
        left = left.max(exponent + 1 + i32::from(x < 0.0));
        right = right.max(used as i32 - exponent - 1);
        mantissa = mantissa.max(used);
        if exponent.abs() >= 100 {
            exponent_width = 3;
        }
    }
    left = left.max(1 + i32::from(negative && values.iter().any(|x| *x < 0.0 && x.abs() < 10.0)));
    let fixed = left + right + i32::from(right > 0);
    let exponential_width =
        i32::from(negative) + mantissa as i32 + i32::from(mantissa > 1) + 2 + exponent_width;
    let cells: Vec<String> = values
        .iter()
        .map(|&x| match x + 0.0 {
            // Adding 0 takes the sign from a zero, as R does.
            x if !x.is_finite() => special(x),
            x if fixed <= exponential_width => format!("{x:.*}", right as usize),
            x => exponential(x, mantissa - 1),
        })
        .collect();
    let width = cells.iter().map(String::len).max().unwrap_or(0);
    cells.into_iter().map(|c| format!("{c:>width$}")).collect()
}

/// R's `format.pval(p, digits)` with `eps` = the machine's.
fn format_p(values: &[f64], digits: usize) -> Vec<String> {
    let mut out = vec![String::new(); values.len()];
    let large: Vec<usize> = (0..values.len())
        .filter(|&i| values[i] >= f64::EPSILON || values[i].is_nan())
        .collect();
    let in_groups = large
        .iter()
        .copied()
        .partition(|&i| values[i] >= 1e-4 || values[i].is_nan());
    let (fixed, tiny): (Vec<usize>, Vec<usize>) = in_groups;
    for group in [fixed, tiny] {
        let numbers: Vec<f64> = group.iter().map(|&i| values[i]).collect();
        for (&i, text) in group.iter().zip(format_real(&numbers, digits)) {
            out[i] = text;
        }
    }
    let widest = large.iter().map(|&i| out[i].len()).max().unwrap_or(0);
    let mut digits = digits.saturating_sub(2).max(1);
    if !large.is_empty() && digits > 1 && digits + 6 > widest {
        digits = widest.saturating_sub(7).max(1);
    }
    let space = if digits == 1 && (large.is_empty() || widest <= 6) {
        ""
    } else {
        " "
    };
    let eps = format_real(&[f64::EPSILON], digits);
    for i in 0..values.len() {
        if values[i] < f64::EPSILON {
            out[i] = format!("<{space}{}", eps[0]);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::format_real;

    #[test]
    fn zeros_have_no_sign() {
        assert_eq!(format_real(&[-0.0, 2.5], 4), ["0.0", "2.5"]);
    }
}
