//! The bounds harness: explicit bounds on the gap, asserted for a rule over a range of sizes, and seen to
//! fail for a weaker one.
//!
//! Theory proves leading terms, hardly ever constants. So a [`Bound`] carries the reason for its constant at
//! finite `n`. A bound that nothing violates says nothing: each is also run on the nearest process that must
//! violate it.

use bb_core::{Allocator, LoadVector, Metrics, TrialRng, rng_for_trial};

/// The sizes (bins, balls) at which bounds are looked at, from few bins with many balls each to many with
/// one.
pub const SIZES: [(u64, u64); 4] =
    [(1 << 6, 1000 << 6), (1 << 10, 1000 << 10), (1 << 14, 100 << 14), (1 << 20, 1 << 20)];

/// A bound on the gap of a rule, as a function of the numbers of bins and balls.
///
/// # Examples
///
/// ```
/// use bb_core::{Allocator, Bins, Rng};
/// use bb_testkit::bounds::Bound;
///
/// #[derive(Clone)]
/// struct Choices(u32);
/// impl<B: Bins> Allocator<B> for Choices {
///     fn choose<R: Rng + ?Sized>(&mut self, bins: &B, rng: &mut R) -> B::Bin {
///         bb_core::least_of(bins, self.0, rng)
///     }
/// }
///
/// let bound = Bound {
///     name: "gap ≤ 8",
///     source: "this example",
///     reason: "no Two-Choice gap above 4 has been seen",
///     lower: None,
///     upper: Some(|_bins, _balls| 8.0),
///     seeds: 1,
/// };
/// bound.assert_holds(&Choices(2));
/// bound.assert_fails(&Choices(1));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Bound {
    /// What is asserted.
    pub name: &'static str,
    /// Where the leading term is proved.
    pub source: &'static str,
    /// Why the constant holds at the sizes looked at.
    pub reason: &'static str,
    /// The gap is at least this.
    pub lower: Option<fn(u64, u64) -> f64>,
    /// The gap is at most this.
    pub upper: Option<fn(u64, u64) -> f64>,
    /// How many seeds are tried: few enough for the false-alarm rate, enough to catch the weaker process.
    pub seeds: u64,
}

/// The gap of one run beside its bounds; without a bound they are infinite. [`Bound::measure`] returns them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figure {
    /// The number of bins.
    pub bins: u64,
    /// The number of balls.
    pub balls: u64,
    /// The seed.
    pub seed: u64,
    /// The lower bound.
    pub lower: f64,
    /// The gap measured.
    pub gap: f64,
    /// The upper bound.
    pub upper: f64,
}

impl Figure {
    /// Tells whether the gap is outside its bounds.
    #[must_use]
    pub fn is_violation(&self) -> bool {
        !(self.lower..=self.upper).contains(&self.gap)
    }
}

impl Bound {
    /// Runs the rule from empty bins at every size and seed.
    ///
    /// # Panics
    ///
    /// If the rule refuses to start.
    #[must_use]
    pub fn measure<A: Allocator + Clone>(&self, rule: &A) -> Vec<Figure> {
        self.measure_at(&SIZES, |_, _| rule.clone())
    }

    /// Runs a rule that is made for each size, from empty bins, at these sizes and every seed.
    ///
    /// # Panics
    ///
    /// If the rule refuses to start.
    #[must_use]
    pub fn measure_at<A: Allocator>(&self, sizes: &[(u64, u64)], make: impl Fn(u64, u64) -> A) -> Vec<Figure> {
        self.measure_by(sizes, |bins, balls, rng| {
            let mut loads = LoadVector::new(bins).expect("a byte a bin");
            make(bins, balls).start_and_run(&mut loads, balls, rng).expect("the rule starts on these loads");
            loads.gap()
        })
    }

    /// Measures gaps of another kind, at these sizes and every seed: `gap` gets the numbers of bins and
    /// balls.
    #[must_use]
    pub fn measure_by(&self, sizes: &[(u64, u64)], gap: impl Fn(u64, u64, &mut TrialRng) -> f64) -> Vec<Figure> {
        let runs = sizes.iter().flat_map(|&size| (1..=self.seeds).map(move |seed| (size, seed)));
        runs.map(|((bins, balls), seed)| Figure {
            bins,
            balls,
            seed,
            lower: self.lower.map_or(f64::NEG_INFINITY, |lower| lower(bins, balls)),
            gap: gap(bins, balls, &mut rng_for_trial(seed, bins)),
            upper: self.upper.map_or(f64::INFINITY, |upper| upper(bins, balls)),
        })
        .collect()
    }

    /// Asserts that no run is outside the bounds.
    ///
    /// # Panics
    ///
    /// If one is, with the figures of all that are.
    #[track_caller]
    pub fn assert_holds<A: Allocator + Clone>(&self, rule: &A) {
        self.assert_holds_at(&SIZES, |_, _| rule.clone());
    }

    /// Asserts that no run of a rule that is made for each size is outside the bounds.
    ///
    /// # Panics
    ///
    /// If one is, with the figures of all that are.
    #[track_caller]
    pub fn assert_holds_at<A: Allocator>(&self, sizes: &[(u64, u64)], make: impl Fn(u64, u64) -> A) {
        self.assert_all_within(self.measure_at(sizes, make));
    }

    /// Asserts the same of measured figures.
    ///
    /// # Panics
    ///
    /// If one is outside the bounds, with the figures of all that are.
    #[track_caller]
    pub fn assert_all_within(&self, mut violations: Vec<Figure>) {
        violations.retain(Figure::is_violation);
        assert!(violations.is_empty(), "{} is violated: {violations:#?}\n{self:#?}", self.name);
    }

    /// Asserts that some run is outside the bounds.
    ///
    /// # Panics
    ///
    /// If none is, with all figures.
    #[track_caller]
    pub fn assert_fails<A: Allocator + Clone>(&self, wrong: &A) {
        self.assert_fails_at(&SIZES, |_, _| wrong.clone());
    }

    /// Asserts that some run of a rule that is made for each size is outside the bounds.
    ///
    /// # Panics
    ///
    /// If none is, with all figures.
    #[track_caller]
    pub fn assert_fails_at<A: Allocator>(&self, sizes: &[(u64, u64)], make: impl Fn(u64, u64) -> A) {
        self.assert_some_outside(&self.measure_at(sizes, make));
    }

    /// Asserts the same of measured figures.
    ///
    /// # Panics
    ///
    /// If none is outside the bounds, with all figures.
    #[track_caller]
    pub fn assert_some_outside(&self, figures: &[Figure]) {
        assert!(figures.iter().any(Figure::is_violation), "{} holds for a wrong process too: {figures:#?}", self.name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_on_the_bound_is_no_violation() {
        let figure = Figure { bins: 1, balls: 1, seed: 1, lower: 1.0, gap: 1.0, upper: 2.0 };
        assert!(!figure.is_violation());
        assert!(!Figure { gap: 2.0, ..figure }.is_violation());
        assert!(Figure { gap: 2.1, ..figure }.is_violation());
        assert!(Figure { gap: 0.9, ..figure }.is_violation());
        assert!(Figure { gap: f64::NAN, ..figure }.is_violation());
    }
}
