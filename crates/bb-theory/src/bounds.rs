//! Proven bounds, as data: what is known about each process, in which range, by whom, and how it came into
//! this table.
//!
//! `n` bins, `m ≥ n` unit balls, empty start, with high probability (`1 − n^{−c}`), unless a row says
//! otherwise; `ln` is natural. Only leading terms are proved; of no row is the constant known. So they
//! describe shapes to look for, not numbers to assert: exact laws, fluid limits and mean-field gap laws, in
//! the modules next to this one, are numbers.
//!
//! [`of`] lists the rows of a process by the name under which programs know it, [`ALL`] is the whole table.
//!
//! # Examples
//!
//! ```
//! use bb_theory::bounds::{self, Quantity};
//!
//! let gaps: Vec<_> = bounds::of("d-choice").filter(|bound| bound.quantity == Quantity::Gap).collect();
//! assert!(gaps.iter().any(|bound| bound.formula == "ln ln n/ln d + O(1)" && bound.balls == "all m"));
//! for bound in gaps {
//!     println!("{bound}");
//! }
//! ```

use core::fmt;

use Quantity::{Gap, MaxLoad, Range};
use Status::{Conjectured, Derived, Read, ReadElsewhere, Recalled};

/// What a bound is about.
///
/// # Examples
///
/// ```
/// assert_eq!(bb_theory::bounds::Quantity::MaxLoad.to_string(), "maximum load");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Quantity {
    /// The maximum load.
    MaxLoad,
    /// Maximum minus average.
    Gap,
    /// Maximum minus minimum, which some papers call the gap.
    Range,
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            MaxLoad => "maximum load",
            Gap => "gap",
            Range => "maximum − minimum",
        })
    }
}

/// How a row came into the table.
///
/// # Examples
///
/// ```
/// use bb_theory::bounds::Status;
///
/// assert!(Status::Read.is_theorem() && !Status::Recalled.is_theorem());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Status {
    /// Read in the source.
    Read,
    /// Read in another text that quotes the source.
    ReadElsewhere,
    /// Derived here in a few lines from the definitions.
    Derived,
    /// Known from the literature, but not read again: documentation only.
    Recalled,
    /// Conjectured or claimed by the source, not proved there.
    Conjectured,
}

impl Status {
    /// Tells whether the row states a theorem whose statement was read or derived.
    #[must_use]
    pub fn is_theorem(self) -> bool {
        matches!(self, Read | ReadElsewhere | Derived)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Read => "read",
            ReadElsewhere => "read elsewhere",
            Derived => "derived",
            Recalled => "recalled",
            Conjectured => "conjectured",
        })
    }
}

/// One known bound. It prints as a line of a list.
///
/// # Examples
///
/// ```
/// use bb_theory::bounds;
///
/// let bound = bounds::of("mean-thinning").next().unwrap();
/// let source = "Los, Sauerwald and Sylvester, arXiv 2308.05087";
/// assert_eq!(bound.to_string(), format!("maximum − minimum = Θ(ln n), all m ({source})"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Bound {
    /// The name of the process, as programs know it.
    pub process: &'static str,
    /// What is bounded.
    pub quantity: Quantity,
    /// The bound, with parameters called as the process's parameters are.
    pub formula: &'static str,
    /// For which numbers of balls, and under which further assumptions.
    pub balls: &'static str,
    /// Who proved it.
    pub source: &'static str,
    /// How it came here.
    pub status: Status,
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { quantity, formula, balls, source, status, .. } = self;
        write!(f, "{quantity} = {formula}, {balls} ({source}")?;
        match status {
            Read => write!(f, ")"),
            _ => write!(f, "; {status})"),
        }
    }
}

/// Returns the bounds of the process of this name, in the order of the table; none for an unknown name.
pub fn of(process: &str) -> impl Iterator<Item = &'static Bound> + '_ {
    ALL.iter().filter(move |bound| bound.process == process)
}

/// A row.
const fn row(
    process: &'static str,
    quantity: Quantity,
    formula: &'static str,
    balls: &'static str,
    source: &'static str,
    status: Status,
) -> Bound {
    Bound { process, quantity, formula, balls, source, status }
}

const AZAR: &str = "Azar, Broder, Karlin and Upfal, SIAM J. Comput. 29, 1999";
const BERENBRINK: &str = "Berenbrink, Czumaj, Steger and Vöcking, SIAM J. Comput. 35, 2006";
const TALWAR: &str = "Talwar and Wieder, arXiv 1310.5367";
const PERES: &str = "Peres, Talwar and Wieder, Random Structures & Algorithms 47, 2015";
const QUERIES: &str = "Los and Sauerwald, arXiv 2107.03916";
const NOISE: &str = "Los and Sauerwald, arXiv 2206.07503";
const BATCHES: &str = "Los and Sauerwald, arXiv 2302.04399";
const SIMPLIFIED: &str = "Los and Sauerwald, arXiv 2203.13902";
const MEAN_BIASED: &str = "Los, Sauerwald and Sylvester, arXiv 2308.05087";
const LONG_TERM: &str = "Feldheim, Gurel-Gurevich and Li, Ann. Appl. Probab. 34, 2024";
const MEMORY: &str = "Benjamini and Makarychev, Ann. Appl. Probab. 22, 2012";
const GRAPHICAL: &str = "Bansal and Feldheim, arXiv 2106.06051";

/// Every row. The names of processes are those of the registry of rules; where a process has no rule of its
/// own, the name says what it is.
#[rustfmt::skip] // A row a line.
pub static ALL: &[Bound] = &[
    row("one-choice", MaxLoad, "(1 + o(1)) ln n/ln ln n", "m = n", AZAR, Read),
    row("one-choice", MaxLoad, "Γ⁻¹(n) − 3/2 + o(1), in expectation", "m = n", "Gonnet, J. ACM 28, 1981", ReadElsewhere),
    row("one-choice", Gap, "Θ(√((m/n) ln n))", "m ≥ n ln n", "stated in several abstracts; sharp forms by Raab and Steger, RANDOM 1998", ReadElsewhere),
    row("two-choice", MaxLoad, "ln ln n/ln 2 + Θ(1)", "m = n", AZAR, Read),
    row("two-choice", Gap, "ln ln n/ln 2 + O(1)", "all m", BERENBRINK, Read),
    row("two-choice", Range, "Θ(ln n)", "large m", PERES, Read),
    row("d-choice", MaxLoad, "ln ln n/ln d + Θ(1)", "m = n, d ≥ 2", AZAR, Read),
    row("d-choice", Gap, "ln ln n/ln d + O(1)", "all m", BERENBRINK, Read),
    row("d-choice", Gap, "at most log_d ln n + O(ln ln ln n), in expectation", "all m", TALWAR, ReadElsewhere),
    row("d-choice", Range, "Θ(ln n)", "large m", PERES, Read),
    row("d-choice, weights 1 or 2", Gap, "at most 2 log_d ln n + O(1)", "m < n or m ≥ n ln n", TALWAR, ReadElsewhere),
    row("left", MaxLoad, "ln ln n/(d ln φ_d) + O(1), φ_d the root of z^d = 1 + z + … + z^(d−1)", "m = n", "Vöcking, J. ACM 50, 2003", Read),
    row("left", Gap, "ln ln n/(d ln φ_d) + O(1)", "all m", BERENBRINK, Read),
    row("one-plus-beta", Gap, "Θ(ln n/beta); sharper for beta near 1 in arXiv 2107.03916", "large m", PERES, Read),
    row("one-plus-beta, weights", Gap, "Θ(ln n/beta) for a large class of weight laws", "all m", PERES, Read),
    row("two-choice, weights", Gap, "independent of m", "all m, finite second moment and a mild condition", "Talwar and Wieder, STOC 2007", Read),
    row("two-choice, weights", Gap, "bounded in m, in expectation", "all m, finite fourth moment", "Talwar and Wieder, STOC 2007", Read),
    row("two-choice, weights", Gap, "Ω(n^(1/a)) if P(w > z) = Θ(z^(−a))", "m ≥ n", "among the last n balls one weighs n^(1/a)", Derived),
    row("caching", MaxLoad, "ln ln n/(2 ln φ) + O(1), φ = (1 + √5)/2", "m = n", "Mitzenmacher, Prabhakar and Shah, FOCS 2002", Read),
    row("caching", Gap, "O(ln ln n), also with (a, b)-biased bins for constant a, b", "all m", "Los, Sauerwald and Sylvester, SODA 2023", Read),
    row("memory", MaxLoad, "ln ln n/(2 ln φ) + O(1) for d = r = 1, φ = (1 + √5)/2", "m = n", "Mitzenmacher, Prabhakar and Shah, FOCS 2002", Read),
    row("kd-choice", MaxLoad, "constant, with fewer than 2n probes, for suitable k and d", "m = n; d ≥ 2k for m > n", "Park, arXiv 1201.3310", Read),
    row("graph", MaxLoad, "ln ln n/ln 2 + O(ln(1/ε))", "m = n, degree n^ε", "Kenthapadi and Panigrahy, SODA 2006", ReadElsewhere),
    row("graph", Range, "O(ln n/h), h the edge expansion", "all m", PERES, Read),
    row("graph", Range, "Ω(d/k + ln n) under any strategy, degree d and edge connectivity k", "large m", GRAPHICAL, Read),
    row("graph, cycle", Range, "Θ(√n); measured 1.85 √n − 1 for n ≤ 1000", "large m", GRAPHICAL, Conjectured),
    row("hypergraph", MaxLoad, "O(1) with sets of size Ω(ln n)", "m = n", "Godfrey, SODA 2008", Read),
    row("group-choice", MaxLoad, "that of d-choice: the fluid limit is identical", "m = O(n)", "the equations of the groups are equal, and so are their solutions", Derived),
    row("double-hashing", MaxLoad, "that of d-choice; the fluid limit is identical", "m = O(n)", "Mitzenmacher, arXiv 1209.5360", Read),
    row("k-quantile", Gap, "O(k (ln n)^(1/k)) for k suitable quantiles", "all m, k = O(ln ln n)", QUERIES, Read),
    row("quantile", Gap, "Ω(√(ln n)) at some m = Θ(n √(ln n)), as any rule with one query", "for some m", QUERIES, Read),
    row("relative-threshold", Gap, "Ω(√(ln n)) at some m = Θ(n √(ln n)), as any rule with one query", "for some m", QUERIES, Read),
    row("load-threshold", Gap, "Ω(√(ln n)) at some m = Θ(n √(ln n)), as any rule with one query", "for some m, d = 2", QUERIES, Read),
    row("any one-query rule", Gap, "Ω(√(ln n)) at some m = Θ(n √(ln n)); Ω(ln n/ln ln n) at some m", "for some m", QUERIES, Read),
    row("thinning-threshold", MaxLoad, "(1 + o(1)) √(8 ln n/ln ln n) for the best l", "m = Θ(n)", "Feldheim and Gurel-Gurevich, arXiv 1807.01132", Read),
    row("d-thinning", MaxLoad, "(d + o(1)) (d ln n/ln ln n)^(1/d) for the best d-thinning", "m = Θ(n)", "Feldheim and Li, arXiv 1908.10278", Read),
    row("thinning-relative-threshold", Gap, "O((t ln n)^(1/3)) at all times up to m = tn, for l of this order", "√(ln n) ≪ t ≪ (ln n)^2", LONG_TERM, Derived),
    row("thinning-drift", Gap, "ln n/κ with (1 − theta)(e^κ − 1) = κ, in the mean field", "long term, theta ≤ 1/3", LONG_TERM, Derived),
    row("thinning-varying-drift", Gap, "Θ(ln n/ln ln n) at all times, which no thinning improves", "m polynomial in n, l = 2 ln n/ln ln n", LONG_TERM, Read),
    row("thinning-multi-stage", Gap, "(ln n)^(1/2 + o(1)) at the end", "√(ln n) ≪ t = O(ln n)", LONG_TERM, Read),
    row("thinning-drift-multi-stage", Gap, "(ln n)^(1/2 + o(1)) at the end", "t ≫ ln n, t polynomial in n", LONG_TERM, Read),
    row("thinning-long-term", Gap, "(ln n)^(1/2 + o(1)) at all but a vanishing share of times", "m polynomial in n", LONG_TERM, Read),
    row("any two-thinning", Gap, "Ω(√(ln n)) at a given time; Ω(ln n/ln ln n) at some time", "t = Ω(√(ln n)); long term", LONG_TERM, Read),
    row("mean-thinning", Range, "Θ(ln n)", "all m", MEAN_BIASED, Read),
    row("any mean-biased rule", Range, "O(ln n)", "all m", MEAN_BIASED, Read),
    row("twinning", Range, "Θ(ln n)", "all m", MEAN_BIASED, Read),
    row("packing", Gap, "Θ(ln n), with strictly more than one ball a sample in expectation", "all m", "Los, Sauerwald and Sylvester, arXiv 2204.04057", Read),
    row("g-bounded", Gap, "O(g + ln n); for 1 < g ≤ ln n, O(g/ln g · ln ln n); both tight for g-Adv-Comp", "all m", NOISE, Read),
    row("g-myopic", Gap, "O(g + ln n); for 1 < g ≤ ln n, O(g/ln g · ln ln n)", "all m", NOISE, Read),
    row("sigma-noisy-load", Gap, "polynomial in sigma, polylogarithmic in n", "all m", NOISE, Recalled),
    row("batched", Gap, "Θ(ln n/ln ln n) for two-choice with b = n; the same under a delay of n", "all m", NOISE, Read),
    row("batched", Gap, "that of b balls of one-choice for two-choice with b ≤ n ln n; Θ(b/n) with b ≥ n ln n", "all m", BATCHES, Read),
    row("batched", Gap, "Θ(√((b/n) ln n)), which is optimal, for one-plus-beta with beta = Θ(√((n/b) ln n)) and b ≥ n ln n", "all m", BATCHES, Read),
    row("batched", Gap, "O(b/n + ln n) for many rules and weights with n ≤ b ≤ n³", "all m", SIMPLIFIED, Read),
    row("batched", Gap, "Θ(ln n) for one-plus-beta with constant beta and n ≤ b ≤ n ln n", "all m", SIMPLIFIED, Read),
    row("any two offers and n^(1−delta) bits", MaxLoad, "Ω(delta ln n/ln ln n)", "m = n", MEMORY, Read),
    row("no-memory", MaxLoad, "(1 + o(1)) ln n/ln ln n, whichever is taken", "m = n", "Benjamini and Makarychev, Ann. Appl. Probab. 22, 2012, who credit N. Alon", Read),
    row("heavy-list", MaxLoad, "O(delta ln n/ln ln n), which is optimal for n^(1−delta) bits", "m = n, delta ≥ (ln n)^(c−1) for a constant c > 0", MEMORY, Read),
    row("heavy-list", MaxLoad, "at most T + 1 plus the load under two-choice on the same offers, T the threshold at the end, on every path that is certified", "all m", "by induction over balls, after Benjamini and Makarychev", Derived),
    row("heavy-set", MaxLoad, "at most T + ⌈(1 − delta)/delta⌉ − 1, with n^(1−delta)/(2 lg n) bins listed", "m = n", "the union bound over what listed bins take", Derived),
    row("threshold-bit", MaxLoad, "O(√(ln n/ln ln n)) for the best theta", "m = O(n)", "Feldheim and Gurel-Gurevich, arXiv 1807.01132", ReadElsewhere),
    row("threshold-bit", Gap, "Ω(√(ln n)) at some m = Θ(n √(ln n)), as any rule with one query", "for some m", QUERIES, Read),
    row("thresholds", Gap, "O(r (ln n)^(1/r)) for r = O(ln ln n) suitable thresholds", "all m", QUERIES, Read),
    row("saturating", MaxLoad, "that of d-choice, as long as it is at most 2^b − 1", "all m, absolute counters", "the truncated loads are those of d-choice on the same offers", Derived),
    row("clusters", MaxLoad, "2 ln ln n + O(1) with n/ln ln n equal clusters, in o(n) bits", "m = n", MEMORY, Read),
    row("idle-hint", MaxLoad, "(1 + o(1)) ln n/ln ln n, as without memory", "m = n, c = n^(1−delta)", "at most a share 2c/n of the balls meets a listed bin", Derived),
    row("reset-memory", Gap, "O(ln n), which is tight, if a bin is remembered for two balls (their schedule may differ)", "all m", "Los, Sauerwald and Sylvester, SODA 2023", ReadElsewhere),
    row("repeated", MaxLoad, "Θ((m/n) ln n) over polynomially many rounds", "n ≤ m ≤ poly(n)", "Los and Sauerwald, arXiv 2203.12400", Read),
    row("leaky", MaxLoad, "O(1/(1 − lambda) · ln(n/(1 − lambda))) for d = 1, O(ln(n/(1 − lambda))) for d = 2", "any round", "Berenbrink et al., leaky bins", Read),
    row("deletion", MaxLoad, "ln ln n/ln d + O(1)", "long term, n balls, d ≥ 2", AZAR, Read),
    row("lifetimes", MaxLoad, "one of two values around ln ln n/ln d + O(1)", "stationary, d ≥ 2, constant lambda", "Luczak and McDiarmid, Ann. Appl. Probab. 15, 2005", Recalled),
    row("supermarket", MaxLoad, "ln ln n/ln d + O(1)", "stationary, d ≥ 2, constant lambda", "Luczak and McDiarmid, Ann. Probab. 34, 2006", Recalled),
    row("nonuniform", Gap, "grows linearly in m for d < ln((ab − 1)/(a − 1))/ln((ab − 1)/(ab − b)) with the worst (a, b)-biased bins", "large m", "Wieder, SPAA 2007; the overloaded set in the fluid limit", Derived),
    row("circle", MaxLoad, "ln ln n/ln d + O(1)", "m = n, d ≥ 2", "Byers, Considine and Mitzenmacher, SPAA 2004", Recalled),
    row("multidimensional", Gap, "O(ln ln n) for d-choice with uniform populated dimensions, O(ln n) else", "m = O(n); in expectation for m ≫ n", "Narang, Dutta and Bhattacherjee, arXiv 1111.0762", Conjectured),
];
