//! Piecewise linear fitting by descent along edges.
//!
//! Minimises Σ ρᵢ(yᵢ − xᵢβ), where ρᵢ has slope `above` for positive and −`below` for negative values: absolute values for
//! observations, walls for bounds. The simplex method specialised to this problem (Barrodale & Roberts 1973; Bloomfield &
//! Steiger 1983, chapter 2): a vertex is where p independent rows have residual zero; of the edges leaving it the one with
//! the steepest gain is followed through as many sign changes as still gain (a weighted median), where another row enters.
//!
//! Deviations: the inverse of the p basic rows is held explicitly and refreshed now and then, and the target is
//! perturbed by 1e-11 of its size, in pseudo-random amounts, against stalling at degenerate vertices; the result is
//! computed from the unperturbed target and judged by [`super::certificate`].

use faer::Mat;
use faer::linalg::solvers::Solve as _;

/// Pivots after which the inverse is computed afresh.
const REFRESH: usize = 64;

/// Relative size of the perturbation.
const PERTURBATION: f64 = 1e-11;

/// Excess of a multiplier over its slope below which it is rounding.
const TOLERANCE: f64 = 1e-10;

/// Slopes of a row's loss.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slopes {
    pub above: f64,
    pub below: f64,
}

/// Rows, column by column, with targets and slopes.
pub(super) struct Problem<'a> {
    pub columns: &'a [Vec<f64>],
    pub target: &'a [f64],
    pub slopes: &'a [Slopes],
}

/// Where the descent ended.
pub(super) struct Vertex {
    pub beta: Vec<f64>,
    /// Multiplier of every row: its slope where it has a residual, else between its slopes.
    pub multipliers: Vec<f64>,
    pub pivots: usize,
    /// Whether some edge is level, so that other solutions are as good.
    pub level: bool,
}

struct State<'a> {
    problem: &'a Problem<'a>,
    perturbed: Vec<f64>,
    basis: Vec<usize>,
    basic: Vec<bool>,
    inverse: Mat<f64>,
    residuals: Vec<f64>,
    gradient: Vec<f64>,
}

/// Descends from the vertex at which the rows of `basis`, which must be independent, have residual zero; none when the
/// basis is singular or pivots run out.
pub(super) fn descend(problem: &Problem, basis: Vec<usize>) -> Option<Vertex> {
    let mut state = State::new(problem, basis)?;
    let limit = 50 * (problem.target.len() + problem.columns.len());
    for pivots in 0..limit {
        if pivots % REFRESH == REFRESH - 1 {
            state.refresh()?;
        }
        let Some(edge) = state.steepest() else {
            state.refresh()?;
            if state.steepest().is_none() {
                return state.vertex(pivots);
            }
            continue;
        };
        let step = state.follow(&edge)?;
        state.pivot(&edge, &step)?;
    }
    None
}

/// A direction that frees one basic row.
struct Edge {
    /// Which basic row.
    position: usize,
    /// Change of every row's residual per unit, negated.
    rates: Vec<f64>,
    /// Slope of the objective, negative.
    slope: f64,
    /// +1 when the freed residual becomes positive.
    sign: f64,
}

struct Step {
    length: f64,
    entering: usize,
}

impl<'a> State<'a> {
    fn new(problem: &'a Problem<'a>, basis: Vec<usize>) -> Option<Self> {
        let mut basic = vec![false; problem.target.len()];
        for &row in &basis {
            basic[row] = true;
        }
        let finite = problem
            .slopes
            .iter()
            .zip(problem.target)
            .filter(|(s, _)| s.above.is_finite());
        let (count, sum) = finite.fold((0.0, 0.0), |(n, sum), (_, y)| (n + 1.0, sum + y.abs()));
        let size = if sum > 0.0 { sum / count } else { 1.0 };
        let moved = |(i, (y, s)): (usize, (&f64, &Slopes))| {
            let wall = !s.above.is_finite();
            y + if wall {
                0.0
            } else {
                PERTURBATION * size * noise(i)
            }
        };
        let perturbed = problem
            .target
            .iter()
            .zip(problem.slopes)
            .enumerate()
            .map(moved);
        let mut state = Self {
            problem,
            perturbed: perturbed.collect(),
            basis,
            basic,
            inverse: Mat::zeros(0, 0),
            residuals: Vec::new(),
            gradient: Vec::new(),
        };
        state.refresh()?;
        Some(state)
    }

    fn row(&self, i: usize) -> impl Iterator<Item = f64> + '_ {
        self.problem.columns.iter().map(move |c| c[i])
    }

    /// Inverse, residuals and gradient from scratch.
    fn refresh(&mut self) -> Option<()> {
        let p = self.basis.len();
        let rows = Mat::from_fn(p, p, |k, j| self.problem.columns[j][self.basis[k]]);
        self.inverse = rows.partial_piv_lu().solve(Mat::<f64>::identity(p, p));
        let beta = self.solution(&self.perturbed);
        if beta.iter().any(|b| !b.is_finite()) {
            return None;
        }
        self.residuals.clone_from(&self.perturbed);
        for (column, b) in self.problem.columns.iter().zip(&beta) {
            self.residuals
                .iter_mut()
                .zip(column)
                .for_each(|(r, x)| *r -= b * x);
        }
        for &row in &self.basis {
            self.residuals[row] = 0.0;
        }
        self.gradient = vec![0.0; p];
        let signs: Vec<f64> = (0..self.residuals.len())
            .map(|i| self.multiplier(i))
            .collect();
        for (g, column) in self.gradient.iter_mut().zip(self.problem.columns) {
            *g = column.iter().zip(&signs).map(|(x, s)| x * s).sum();
        }
        Some(())
    }

    /// Coefficients at which the basic rows fit the target.
    fn solution(&self, target: &[f64]) -> Vec<f64> {
        let p = self.basis.len();
        let known: Vec<f64> = self.basis.iter().map(|&row| target[row]).collect();
        (0..p)
            .map(|j| (0..p).map(|k| self.inverse[(j, k)] * known[k]).sum())
            .collect()
    }

    /// Multiplier of a row outside the basis; 0 for a basic one and for a wall, which is never crossed.
    fn multiplier(&self, i: usize) -> f64 {
        let slopes = self.problem.slopes[i];
        if self.basic[i] || slopes.above.is_infinite() {
            0.0
        } else if self.residuals[i] > 0.0 {
            slopes.above
        } else {
            -slopes.below
        }
    }

    /// Multipliers of the basic rows: what makes the weighted sum of all rows vanish.
    fn basic_multipliers(&self) -> Vec<f64> {
        let p = self.basis.len();
        (0..p)
            .map(|k| {
                -(0..p)
                    .map(|j| self.inverse[(j, k)] * self.gradient[j])
                    .sum::<f64>()
            })
            .collect()
    }

    /// The edge of steepest gain per length; none at the minimum.
    fn steepest(&self) -> Option<Edge> {
        let multipliers = self.basic_multipliers();
        let mut best: Option<(f64, usize, f64, f64)> = None;
        for (k, u) in multipliers.iter().enumerate() {
            let Slopes { above, below } = self.problem.slopes[self.basis[k]];
            let (excess, sign) = if *u > above {
                (u - above, 1.0)
            } else {
                (-below - u, -1.0)
            };
            if excess <= TOLERANCE {
                continue;
            }
            let length: f64 = (0..self.basis.len())
                .map(|j| self.inverse[(j, k)].powi(2))
                .sum();
            let gain = excess / length.sqrt();
            if best.is_none_or(|b| gain > b.0) {
                best = Some((gain, k, excess, sign));
            }
        }
        best.map(|(_, position, excess, sign)| {
            let mut rates = vec![0.0; self.residuals.len()];
            for (j, column) in self.problem.columns.iter().enumerate() {
                let d = -sign * self.inverse[(j, position)];
                if d != 0.0 {
                    rates.iter_mut().zip(column).for_each(|(r, x)| *r += d * x);
                }
            }
            Edge {
                position,
                rates,
                slope: -excess,
                sign,
            }
        })
    }

    /// How far the edge gains: through sign changes until the slope is no longer negative.
    fn follow(&self, edge: &Edge) -> Option<Step> {
        let largest = edge.rates.iter().fold(0.0_f64, |m, z| m.max(z.abs()));
        let mut stops: Vec<(f64, f64, usize)> = Vec::new();
        for (i, (&r, &z)) in self.residuals.iter().zip(&edge.rates).enumerate() {
            if self.basic[i] || z.abs() <= 1e-11 * largest {
                continue;
            }
            let t = r / z;
            // A residual of zero counts as negative: it changes sign at once when it grows.
            if t > 0.0 || r == 0.0 && z < 0.0 {
                let Slopes { above, below } = self.problem.slopes[i];
                stops.push((t.max(0.0), (above + below) * z.abs(), i));
            }
        }
        weighted_median(&mut stops, -edge.slope).map(|(length, entering)| Step { length, entering })
    }

    fn pivot(&mut self, edge: &Edge, step: &Step) -> Option<()> {
        let leaving = self.basis[edge.position];
        let slopes = self.problem.slopes[step.entering];
        // Before the step its residual was length · rate.
        let positive = step.length * edge.rates[step.entering] > 0.0;
        let entering_before = if positive && slopes.above.is_finite() {
            slopes.above
        } else {
            -slopes.below
        };
        let mut changed = Vec::new();
        for (i, (r, z)) in self.residuals.iter_mut().zip(&edge.rates).enumerate() {
            let next = if self.basic[i] {
                0.0
            } else {
                *r - step.length * z
            };
            let wall = self.problem.slopes[i].above.is_infinite();
            if (*r > 0.0) != (next > 0.0) && !wall && i != step.entering {
                changed.push(i);
            }
            *r = next;
        }
        self.residuals[step.entering] = 0.0;
        self.residuals[leaving] = edge.sign * step.length;
        self.basic[step.entering] = true;
        self.basic[leaving] = false;
        self.basis[edge.position] = step.entering;
        self.update_inverse(edge.position, step.entering)?;
        if changed.len() > self.residuals.len() / 4 {
            return self.refresh();
        }
        self.update_gradient(&changed, leaving, step.entering, entering_before, edge.sign);
        Some(())
    }

    fn update_gradient(
        &mut self,
        changed: &[usize],
        leaving: usize,
        entering: usize,
        entering_before: f64,
        leaving_sign: f64,
    ) {
        let slopes = self.problem.slopes[leaving];
        let left = if leaving_sign > 0.0 {
            slopes.above
        } else {
            -slopes.below
        };
        for j in 0..self.gradient.len() {
            let column = &self.problem.columns[j];
            let mut g =
                self.gradient[j] + left * column[leaving] - entering_before * column[entering];
            for &i in changed {
                let Slopes { above, below } = self.problem.slopes[i];
                let difference = if self.residuals[i] > 0.0 {
                    above + below
                } else {
                    -above - below
                };
                g += difference * column[i];
            }
            self.gradient[j] = g;
        }
    }

    /// Replaces a row of the basis (product form of the inverse).
    fn update_inverse(&mut self, position: usize, entering: usize) -> Option<()> {
        let p = self.basis.len();
        let row: Vec<f64> = self.row(entering).collect();
        let w: Vec<f64> = (0..p)
            .map(|k| (0..p).map(|j| row[j] * self.inverse[(j, k)]).sum())
            .collect();
        let largest = w.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        if w[position].abs() <= 1e-9 * largest {
            return self.refresh();
        }
        let pivot: Vec<f64> = (0..p)
            .map(|j| self.inverse[(j, position)] / w[position])
            .collect();
        for (k, factor) in w.iter().enumerate() {
            for (j, v) in pivot.iter().enumerate() {
                if k == position {
                    self.inverse[(j, k)] = *v;
                } else {
                    self.inverse[(j, k)] -= factor * v;
                }
            }
        }
        Some(())
    }

    fn vertex(&self, pivots: usize) -> Option<Vertex> {
        let mut multipliers: Vec<f64> = (0..self.residuals.len())
            .map(|i| self.multiplier(i))
            .collect();
        let mut level = false;
        for (&row, u) in self.basis.iter().zip(self.basic_multipliers()) {
            let Slopes { above, below } = self.problem.slopes[row];
            multipliers[row] = u.clamp(-below, above);
            level |= above - u <= 1e-9 || u + below <= 1e-9;
        }
        let beta = self.solution(self.problem.target);
        beta.iter().all(|b| b.is_finite()).then_some(Vertex {
            beta,
            multipliers,
            pivots,
            level,
        })
    }
}

/// The first stop at which the weights before and at it reach `needed`; expected linear time.
fn weighted_median(stops: &mut [(f64, f64, usize)], needed: f64) -> Option<(f64, usize)> {
    let (mut from, mut to, mut left) = (0, stops.len(), needed);
    if stops.iter().map(|s| s.1).sum::<f64>() < needed * (1.0 - 1e-6) {
        return None;
    }
    while to - from > 1 {
        let middle = (to - from) / 2;
        let part = &mut stops[from..to];
        part.select_nth_unstable_by(middle, |a, b| a.0.total_cmp(&b.0).then(a.2.cmp(&b.2)));
        let below: f64 = part[..middle].iter().map(|s| s.1).sum();
        if below >= left {
            to = from + middle;
        } else {
            left -= below;
            from += middle;
        }
    }
    stops.get(from).map(|s| (s.0, s.2))
}

/// A number between ½ and 1 in size, of either sign, that looks random (`SplitMix64`).
fn noise(i: usize) -> f64 {
    let mut z = (i as u64)
        .wrapping_add(1)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^= z >> 31;
    let size = 0.5 + (z >> 12) as f64 / (1_u64 << 53) as f64;
    if z & 1 == 0 { size } else { -size }
}
