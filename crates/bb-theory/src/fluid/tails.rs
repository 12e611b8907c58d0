use crate::law::IntegerLaw;

/// The fractions of bins at each load, in the limit of many bins, at one time.
///
/// *Accuracy:* tails above `1e-14` and complements above `1e-14` have a relative error below `1e-9`, smaller
/// ones an absolute error below `1e-23`.
///
/// # Examples
///
/// ```
/// use bb_theory::fluid::Fluid;
///
/// let tails = Fluid::d_choice(2)?.tails(1.0)?;
/// assert!((tails.tail(1) - 1_f64.tanh()).abs() < 1e-12);
/// assert!((tails.share(1) - 0.532090).abs() < 1e-6);
/// assert!((tails.complement(2) + tails.tail(2) - 1.0).abs() < 1e-12);
/// assert!((tails.mean() - 1.0).abs() < 1e-12);
/// assert_eq!((tails.tail(0), tails.time(), tails.groups()), (1.0, 1.0, 1));
/// assert!((tails.steps() - 1.0).abs() < 1e-12);
///
/// // The maximum load of a million bins, taking bins as independent.
/// let max = tails.max_law(1_000_000);
/// assert!((max.mean() - 3.9976).abs() < 1e-4);
/// # Ok::<(), bb_theory::ParameterError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Tails {
    time: f64,
    steps: f64,
    base: u64,
    /// For all bins, then for each group if there are several: at least each level.
    at_least: Vec<Vec<f64>>,
    /// The same: below each level, and at the end below all.
    below: Vec<Vec<f64>>,
}

impl Tails {
    pub(super) fn new<'a>(time: f64, steps: f64, base: u64, groups: impl Iterator<Item = &'a [f64]>) -> Self {
        let mut shares: Vec<Vec<f64>> = groups.map(<[f64]>::to_vec).collect();
        if shares.len() > 1 {
            let all = |k: usize| shares.iter().map(|group| group[k]).sum::<f64>() / shares.len() as f64;
            let all = (0..shares[0].len()).map(all).collect();
            shares.insert(0, all);
        }
        let sums = |shares: &mut dyn Iterator<Item = f64>| -> Vec<f64> {
            let sum = shares.scan(0.0, |sum, share| {
                *sum += share;
                Some(*sum)
            });
            core::iter::once(0.0).chain(sum).collect()
        };
        let below = shares.iter().map(|shares| sums(&mut shares.iter().copied())).collect();
        let at_least = shares.iter().map(|shares| {
            let mut sums = sums(&mut shares.iter().rev().copied());
            sums.reverse();
            // All bins, but for the rounding of the sum.
            sums[0] = 1.0;
            sums
        });
        Self { time, steps, base, at_least: at_least.collect(), below }
    }

    /// Returns the time: balls a bin so far, but for the supermarket, where it is in units of a service.
    #[must_use]
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Returns the steps of the process a bin so far: the balls, but rounds for twinning and packing, and
    /// arrivals for the supermarket.
    #[must_use]
    pub fn steps(&self) -> f64 {
        self.steps
    }

    /// Returns `s_k`, the fraction of bins with load at least `level`.
    #[must_use]
    pub fn tail(&self, level: u64) -> f64 {
        self.tail_in(0, level)
    }

    fn tail_in(&self, group: usize, level: u64) -> f64 {
        match self.place(level) {
            None => 1.0,
            Some(place) => self.at_least[group].get(place).copied().unwrap_or(0.0),
        }
    }

    /// The place of a level in the window; `None` below it.
    fn place(&self, level: u64) -> Option<usize> {
        level.checked_sub(self.base).map(|above| usize::try_from(above).unwrap_or(usize::MAX))
    }

    /// Returns `1 − s_k`, the fraction of bins with load below `level`, without cancellation.
    #[must_use]
    pub fn complement(&self, level: u64) -> f64 {
        match self.place(level) {
            None => 0.0,
            Some(place) => self.below[0].get(place).copied().unwrap_or(1.0),
        }
    }

    /// Returns the fraction of bins with load exactly `level`.
    #[must_use]
    pub fn share(&self, level: u64) -> f64 {
        let (tail, complement) = (self.tail(level), self.complement(level));
        // From the side on which nothing cancels.
        if tail < complement { tail - self.tail(level + 1) } else { self.complement(level + 1) - complement }
    }

    /// Returns the number of groups of bins: `d` for always-go-left, else 1.
    #[must_use]
    pub fn groups(&self) -> usize {
        self.at_least.len().saturating_sub(1).max(1)
    }

    /// Returns the fraction of the bins of a group, counted from 0 for the leftmost, with load at least
    /// `level`; 0 if there is no such group.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_theory::fluid::Fluid;
    ///
    /// let left = Fluid::always_go_left(2)?.tails(1.0)?;
    /// assert!(left.group_tail(0, 1) > left.tail(1) && left.tail(1) > left.group_tail(1, 1));
    /// # Ok::<(), bb_theory::ParameterError>(())
    /// ```
    #[must_use]
    pub fn group_tail(&self, group: usize, level: u64) -> f64 {
        match self.groups() {
            groups if group >= groups => 0.0,
            1 => self.tail(level),
            _ => self.tail_in(group + 1, level),
        }
    }

    /// Returns the mean load `Σ_{k≥1} s_k`: the time, wherever a step places one ball.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.base as f64 + self.at_least[0].iter().skip(1).sum::<f64>()
    }

    /// Returns the levels from the first to the last that are not negligible: beyond them are less than
    /// `1e-28` of the bins.
    #[must_use]
    pub fn levels(&self) -> impl DoubleEndedIterator<Item = u64> + '_ {
        let last = self.at_least[0].iter().rposition(|&tail| tail > 1e-28).unwrap_or(0);
        self.base..=self.base + last as u64
    }

    /// Returns the approximate law of the maximum load of `n` bins: `P(max < k) ≈ exp(−n s_k)`, which takes
    /// bins as independent.
    ///
    /// Not a theorem. Values of probability below `1e-15` at either end are left out.
    #[must_use]
    pub fn max_law(&self, n: u64) -> IntegerLaw {
        let at_most = self.levels().map(|level| (-(n as f64) * self.tail(level + 1)).exp());
        trimmed(self.base, at_most)
    }
}

/// The law with these probabilities of at most `first`, `first + 1`, …, without what is below `1e-15` at both
/// ends.
pub(crate) fn trimmed(first: u64, at_most: impl Iterator<Item = f64>) -> IntegerLaw {
    let mut kept = Vec::new();
    for below in at_most {
        kept.push(if below < 1e-15 { 0.0 } else { below });
        if below > 1.0 - 1e-15 {
            break;
        }
    }
    IntegerLaw::from_at_most(first, kept)
}
