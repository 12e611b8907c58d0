//! Bins in groups: [`AlwaysGoLeft`] and [`GroupChoice`].

mod always_go_left;
mod group_choice;

use bb_core::{IndexSampler, ParameterError, Rng, StartError};

pub use self::always_go_left::AlwaysGoLeft;
pub use self::group_choice::GroupChoice;

/// `d` groups of consecutive bins: group `j` is `⌊jn/d⌋ … ⌊(j + 1)n/d⌋ − 1`, for `j = 0 … d − 1`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Groups {
    d: u32,
    /// For the number of bins that was met last.
    sizes: Option<Sizes>,
}

/// Groups of `⌊n/d⌋` bins and groups of one more, of which there are `rest = n mod d`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Sizes {
    bins: u64,
    /// `None` if there are fewer bins than groups.
    short: Option<IndexSampler>,
    long: Option<IndexSampler>,
    rest: u64,
}

impl Groups {
    fn new(d: u32) -> Result<Self, ParameterError> {
        if d == 0 { Err(ParameterError::new("d", d, "1..")) } else { Ok(Self { d, sizes: None }) }
    }

    fn start(&self, bins: u64) -> Result<(), StartError> {
        let value = u64::from(self.d);
        if value > bins { Err(StartError::TooFewBins { parameter: "d", value, bins }) } else { Ok(()) }
    }

    /// Draws a uniform place in each group, from the left. An empty group has none.
    #[inline]
    fn draw_each<R: Rng + ?Sized>(&mut self, bins: u64, rng: &mut R, mut each: impl FnMut(u64, &mut R)) {
        let d = u64::from(self.d);
        let sizes = match &mut self.sizes {
            Some(sizes) if sizes.bins == bins => sizes,
            sizes => {
                let (short, rest) = (bins / d, bins % d);
                sizes.insert(Sizes { bins, short: IndexSampler::new(short), long: IndexSampler::new(short + 1), rest })
            }
        };
        // jn/d in steps of n/d: a group is long where the fractions carry.
        let (mut begin, mut fraction) = (0, 0);
        for _ in 0..d {
            fraction += sizes.rest;
            let group = if fraction >= d { &sizes.long } else { &sizes.short };
            fraction -= if fraction >= d { d } else { 0 };
            if let Some(group) = group {
                each(begin + group.draw(rng), rng);
                begin += group.bound();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bb_core::rng_for_trial;
    use std::collections::BTreeSet;

    #[test]
    fn groups_are_those_of_the_formula() {
        let mut rng = rng_for_trial(1, 0);
        for (n, d) in [(1, 1), (2, 1), (3, 2), (4, 3), (7, 3), (10, 4), (11, 11), (12, 5), (3, 5)] {
            let mut groups = Groups::new(d).unwrap();
            let mut seen = BTreeSet::new();
            for _ in 0..2000 {
                let mut drawn = Vec::new();
                groups.draw_each(n, &mut rng, |place, _| drawn.push(place));
                let occupied = (0..u64::from(d)).map(|j| j * n / u64::from(d)..(j + 1) * n / u64::from(d));
                let occupied: Vec<_> = occupied.filter(|group| !group.is_empty()).collect();
                assert_eq!(drawn.len(), occupied.len(), "n = {n}, d = {d}");
                assert!(drawn.iter().zip(&occupied).all(|(place, group)| group.contains(place)), "n = {n}, d = {d}");
                seen.extend(drawn);
            }
            assert_eq!(seen.len() as u64, n, "n = {n}, d = {d}");
        }
    }
}
