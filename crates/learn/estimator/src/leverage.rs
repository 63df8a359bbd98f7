//! Leverage: how much of its own prediction a row decides.
//!
//! The diagonal of the hat matrix X(XᵀX)⁻¹Xᵀ (Hoaglin & Welsch 1978). With X = QR it is the squared length of the rows of
//! Q = XR⁻¹, worked out from R alone, in blocks of rows. A row of leverage 1 is met exactly whatever its cost was: it
//! cannot be an outlier, and its noise goes into the prices whole.

use crate::qr::Qr;

/// Rows of one block: a block's columns stay in the cache.
const BLOCK: usize = 256;

/// Leverage of every row of the columns of which `qr` is the decomposition, in the space of the independent ones.
pub fn leverages(qr: &Qr, columns: &[Vec<f64>]) -> Vec<f64> {
    let rows = columns.first().map_or(0, Vec::len);
    let mut out = vec![0.0; rows];
    let mut block = vec![Vec::with_capacity(BLOCK); qr.rank];
    for (chunk, out) in out.chunks_mut(BLOCK).enumerate() {
        let from = chunk * BLOCK;
        for j in 0..qr.rank {
            let (known, rest) = block.split_at_mut(j);
            let own = &mut rest[0];
            own.clear();
            own.extend_from_slice(&columns[qr.pivot[j]][from..from + out.len()]);
            let upper = qr.upper(j);
            for (r, known) in upper.iter().zip(known) {
                for (x, z) in own.iter_mut().zip(known.iter()) {
                    *x -= r * z;
                }
            }
            for (x, h) in own.iter_mut().zip(out.iter_mut()) {
                *x /= upper[j];
                *h += *x * *x;
            }
        }
    }
    // Rounding may carry a row that is met exactly above 1.
    for h in &mut out {
        *h = h.min(1.0);
    }
    out
}

/// From which leverage on a row is worth naming: half of its prediction is its own cost, and thrice what a row has on
/// average (Belsley, Kuh & Welsch 1980, §2.1, have twice).
pub fn notable(rows: usize, rank: usize) -> f64 {
    (3.0 * rank as f64 / rows as f64).max(0.5)
}
