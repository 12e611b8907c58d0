use std::collections::BTreeMap;

use bb_core::samplers::{MAX_POPULATION, multinomial};
use bb_core::{Bins, Description, Judgement, LoadProfile, Metrics, ParameterError, Rng};

use crate::one_choice::OneChoice;
use crate::one_choice_final::FinalLoadsError;

/// b-Batched counted bins: whole batches at once, exactly in law, in time that does not grow with the batch
/// or the number of bins.
///
/// Within a batch decisions see the loads of its beginning, so the balls are independent: how many go to bins
/// of each *seen* load is a multinomial count, drawn sample by sample from the rule's description. The balls
/// that go to bins of one seen load fall on these as by One-Choice, so [`OneChoice::final_profile`] gives
/// what they add. The same law as [`Batched`](crate::Batched) around labelled bins.
///
/// *Ties:* equal seen loads go to the first sample. *Accuracy:* all counts are integers; each binomial draw
/// is within 1e-11 in total variation.
///
/// # Complexity
///
/// A batch costs a few draws for each pair of occupied levels.
///
/// # Examples
///
/// A thousand billion bins and batches of as many balls:
///
/// ```
/// use bb_processes::bb_core::{LoadProfile, Metrics, rng_for_trial};
/// use bb_processes::{BatchedProfile, DChoice};
///
/// let n = 1 << 40;
/// let mut batched = BatchedProfile::new(LoadProfile::new(n)?, n)?;
/// batched.run(&DChoice::two(), 20 * n, &mut rng_for_trial(1, 0))?;
/// assert_eq!((batched.loads().total(), batched.batch()), (20 * n, n));
/// assert!(batched.batch_end_gap() >= batched.loads().gap());
/// assert!((10.0..40.0).contains(&batched.batch_end_gap()));
/// assert_eq!(batched.into_loads().average(), 20.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct BatchedProfile {
    loads: LoadProfile,
    batch: u64,
    batch_end_gap: f64,
}

/// No candidate yet.
const NONE: u64 = u64::MAX;

/// Balls of a batch in the same situation.
struct Group<S> {
    state: S,
    kept: u64,
    balls: u64,
}

impl BatchedProfile {
    /// Returns loads that are looked at once every `batch ≥ 1` balls.
    ///
    /// # Errors
    ///
    /// If `batch` is 0 or exceeds `2^62`.
    pub fn new(loads: LoadProfile, batch: u64) -> Result<Self, ParameterError> {
        ParameterError::require(batch != 0 && batch <= MAX_POPULATION, "b", batch, "1..=2^62")?;
        let batch_end_gap = loads.gap();
        Ok(Self { loads, batch, batch_end_gap })
    }

    /// Throws `balls` balls in batches; the last may be short, and ends with the call.
    ///
    /// # Errors
    ///
    /// If the loads may spread over more than `2^24` levels. The batches before are placed.
    pub fn run<P, R>(&mut self, rule: &P, balls: u64, rng: &mut R) -> Result<(), FinalLoadsError>
    where
        P: Description + ?Sized,
        R: Rng + ?Sized,
    {
        let mut left = balls;
        while left > 0 {
            let batch = left.min(self.batch);
            throw_batch(&mut self.loads, rule, batch, rng)?;
            left -= batch;
            if batch == self.batch {
                self.batch_end_gap = self.batch_end_gap.max(self.loads.gap());
            }
        }
        Ok(())
    }

    /// Returns the loads at the end of the last batch.
    #[must_use]
    pub fn loads(&self) -> &LoadProfile {
        &self.loads
    }

    /// Returns the loads and forgets the rest.
    #[must_use]
    pub fn into_loads(self) -> LoadProfile {
        self.loads
    }

    /// Returns the batch size `b`.
    #[must_use]
    pub fn batch(&self) -> u64 {
        self.batch
    }

    /// Returns the largest gap at the start and at the ends of complete batches.
    #[must_use]
    pub fn batch_end_gap(&self) -> f64 {
        self.batch_end_gap
    }
}

/// Throws a batch of at most `2^62` balls, all of which see the loads at its beginning.
pub(crate) fn throw_batch<P, R>(
    loads: &mut LoadProfile,
    rule: &P,
    balls: u64,
    rng: &mut R,
) -> Result<(), FinalLoadsError>
where
    P: Description + ?Sized,
    R: Rng + ?Sized,
{
    let seen = loads.level_counts();
    let mut after = BTreeMap::new();
    for (&(load, bins), balls) in seen.iter().zip(landings(loads, rule, &seen, balls, rng)) {
        for (more, bins) in OneChoice::final_profile(bins, balls, rng)?.level_counts() {
            *after.entry(load + more).or_insert(0) += bins;
        }
    }
    loads.set_level_counts(&after.into_iter().collect::<Vec<_>>())?;
    Ok(())
}

/// How many balls of a batch go to bins of each seen load.
fn landings<P, R>(loads: &LoadProfile, rule: &P, seen: &[(u64, u64)], balls: u64, rng: &mut R) -> Vec<u64>
where
    P: Description + ?Sized,
    R: Rng + ?Sized,
{
    let (phase, _) = rule.phase(loads.total(), loads.bins());
    let bins: Vec<u64> = seen.iter().map(|&(_, bins)| bins).collect();
    let mut landed = vec![0; seen.len()];
    let mut groups = Vec::new();
    rule.first(&phase).split(balls, rng, |state, balls| groups.push(Group { state, kept: NONE, balls }));
    let samples = rule.most_samples().max(1);
    for sample in 1..=samples {
        let mut next: Vec<Group<P::State>> = Vec::new();
        for group in groups {
            let mut parts = Vec::new();
            let drawn = multinomial(&bins, group.balls, rng, |level, balls| parts.push((level, balls)));
            debug_assert!(drawn.is_ok(), "there are at most 2^62 bins, and at least one");
            for (level, balls) in parts {
                let load = seen[level].0;
                rule.judge(&phase, group.state, group.kept, load).split(
                    balls,
                    rng,
                    |look: Judgement<P::State>, balls| {
                        let kept = if look.keep { load } else { group.kept };
                        match look.go {
                            Some(state) if sample < samples => {
                                match next.iter_mut().find(|other| other.state == state && other.kept == kept) {
                                    Some(same) => same.balls += balls,
                                    None => next.push(Group { state, kept, balls }),
                                }
                            }
                            _ => {
                                let receiver = if kept == NONE { load } else { kept };
                                landed[seen.partition_point(|&(load, _)| load < receiver)] += balls;
                            }
                        }
                    },
                );
            }
        }
        groups = next;
    }
    landed
}
