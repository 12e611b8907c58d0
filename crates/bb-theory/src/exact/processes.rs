use super::{BigRational, Law, chain, ratio};

/// The loads with some more in one bin, sorted again.
fn with_more(sorted: &[u64], bin: usize, more: u64) -> Vec<u64> {
    let mut next = sorted.to_vec();
    next[bin] += more;
    next.sort_unstable_by_key(|&load| core::cmp::Reverse(load));
    next
}

/// Returns the law of the loads, sorted from the heaviest, after `balls` balls into `bins` empty bins, where
/// `vector` gives the probability of each of the sorted bins.
///
/// # Examples
///
/// ```
/// use bb_theory::exact::{ratio, sorted_loads, vectors};
///
/// let two = sorted_loads(4, 8, |_| vectors::d_choice(4, 2));
/// assert_eq!(two.mean_gap(), ratio(6_735_123, 8_388_608));
/// let thinning = sorted_loads(4, 8, vectors::mean_thinning);
/// assert_eq!(thinning.mean_gap(), ratio(29_718_327, 33_554_432));
/// ```
#[must_use]
pub fn sorted_loads(bins: u64, balls: u64, vector: impl Fn(&[u64]) -> Vec<BigRational>) -> Law<Vec<u64>> {
    chain(vec![0; bins as usize], balls, |loads| {
        let lifted = vector(loads).into_iter().enumerate().take(loads.len());
        lifted.map(|(bin, probability)| (probability, with_more(loads, bin, 1))).collect()
    })
}

/// Returns the law of the sorted loads under always-go-left: one uniform bin of each of `d` groups, the least
/// loaded takes the ball, the leftmost group on a tie.
///
/// Group `j` are the bins from `⌊jn/d⌋` to `⌊(j + 1)n/d⌋ − 1`. There must be a bin in each; otherwise the law
/// is empty.
///
/// # Examples
///
/// ```
/// use bb_theory::exact::{always_go_left, ratio};
///
/// assert_eq!(always_go_left(4, 2, 8).mean_gap(), ratio(5001, 8192));
/// ```
#[must_use]
pub fn always_go_left(bins: u64, d: u64, balls: u64) -> Law<Vec<u64>> {
    let groups: Vec<Vec<u64>> =
        (0..d).map(|group| vec![0; ((group + 1) * bins / d - group * bins / d) as usize]).collect();
    let law = chain(groups, balls, |groups| {
        // Group by group, the best so far: which group, which of its bins, its load.
        let mut best: Vec<(BigRational, (usize, usize, u64))> = Vec::new();
        for (group, loads) in groups.iter().enumerate() {
            let each = &ratio(1, loads.len().max(1) as u64);
            let drawn = || loads.iter().enumerate().map(|(bin, &load)| (group, bin, load));
            best = if group == 0 {
                drawn().map(|bin| (each.clone(), bin)).collect()
            } else {
                let pairs = best.iter().flat_map(|(probability, kept)| {
                    drawn().map(move |bin| (probability * each, if bin.2 < kept.2 { bin } else { *kept }))
                });
                Law::new(pairs).iter().map(|(bin, probability)| (probability.clone(), *bin)).collect()
            };
        }
        let placed = best.into_iter().map(|(probability, (group, bin, _))| {
            let mut next = groups.clone();
            next[group] = with_more(&groups[group], bin, 1);
            (probability, next)
        });
        placed.collect()
    });
    law.map(|groups| {
        let mut loads = groups.concat();
        loads.sort_unstable_by_key(|&load| core::cmp::Reverse(load));
        loads
    })
}

/// Returns the law of the sorted loads under caching: a uniform sample against a remembered bin, at first a
/// uniform one.
///
/// The ball goes to the less loaded of the two, on a tie to the sample. A sample that was less loaded is
/// remembered from then on.
///
/// # Examples
///
/// ```
/// use bb_theory::exact::{caching, ratio};
///
/// assert_eq!(caching(4, 8).mean_gap(), ratio(7749, 8192));
/// ```
#[must_use]
pub fn caching(bins: u64, balls: u64) -> Law<Vec<u64>> {
    // The loads of the other bins, sorted, and the remembered one's.
    let start = (vec![0; (bins as usize).saturating_sub(1)], 0_u64);
    let each = ratio(1, bins.max(1));
    let law = chain(start, balls, |(others, kept)| {
        let mut next = vec![(each.clone(), (others.clone(), kept + 1))];
        for (bin, &load) in others.iter().enumerate() {
            let state = if load < *kept {
                // The two change places.
                let mut others = others.clone();
                others[bin] = *kept;
                others.sort_unstable_by_key(|&load| core::cmp::Reverse(load));
                (others, load + 1)
            } else if load == *kept {
                (with_more(others, bin, 1), *kept)
            } else {
                (others.clone(), kept + 1)
            };
            next.push((each.clone(), state));
        }
        next
    });
    law.map(|(others, kept)| {
        let mut loads = others.clone();
        loads.push(*kept);
        loads.sort_unstable_by_key(|&load| core::cmp::Reverse(load));
        loads
    })
}

/// A uniform bin takes so many balls, by its load and the total.
fn rounds(bins: u64, rounds: u64, put: impl Fn(u64, u64) -> u64) -> Law<Vec<u64>> {
    chain(vec![0; bins as usize], rounds, |loads| {
        let total = loads.iter().sum();
        let filled = loads.iter().enumerate().map(|(bin, &load)| with_more(loads, bin, put(load, total)));
        filled.map(|next| (ratio(1, bins), next)).collect()
    })
}

/// Returns the law of the sorted loads after so many rounds of twinning: a uniform bin takes two balls if it
/// is below the mean, else one.
///
/// # Examples
///
/// ```
/// use bb_theory::exact::{ratio, twinning};
///
/// let two_rounds = twinning(2, 2);
/// assert_eq!(two_rounds.probability(&vec![2, 1]), ratio(1, 2));
/// assert_eq!(two_rounds.probability(&vec![2, 0]), ratio(1, 2));
/// ```
#[must_use]
pub fn twinning(bins: u64, rounds_: u64) -> Law<Vec<u64>> {
    rounds(bins, rounds_, |load, total| if load * bins < total { 2 } else { 1 })
}

/// Returns the law of the sorted loads after so many rounds of packing: a uniform bin below the mean is
/// filled to the mean, rounded up, plus `extra`; any other takes one ball.
///
/// # Examples
///
/// ```
/// use bb_theory::exact::{packing, ratio};
///
/// let two_rounds = packing(2, 1, 2);
/// assert_eq!(two_rounds.probability(&vec![2, 1]), ratio(1, 2));
/// assert_eq!(two_rounds.probability(&vec![2, 0]), ratio(1, 2));
/// ```
#[must_use]
pub fn packing(bins: u64, extra: u64, rounds_: u64) -> Law<Vec<u64>> {
    rounds(bins, rounds_, |load, total| if load * bins < total { total.div_ceil(bins) + extra - load } else { 1 })
}
