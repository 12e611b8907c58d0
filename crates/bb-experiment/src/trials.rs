//! Trials on many threads: [`trials`].

use std::sync::atomic::{AtomicU64, Ordering};

use bb_core::{TrialRng, rng_for_trial};
use rayon::{BroadcastContext, ThreadPoolBuilder};

use crate::error::ExperimentError;
use crate::progress::Progress;

/// Runs `trial(i, rng_i)` for every `i < count` on many threads and returns the results in the order of `i`.
///
/// The generator of a trial is [`rng_for_trial`]`(seed, i)`, so the results depend on the seed and not on the
/// number of threads. `threads = 0` uses every core (rayon's current pool).
///
/// # Errors
///
/// If the system refuses that many threads.
///
/// # Examples
///
/// The loads of every trial, which an [`Experiment`](crate::Experiment) does not keep:
///
/// ```
/// use bb_core::{Allocator, LoadVector, LoadsError, Metrics};
/// use bb_processes::DChoice;
///
/// let loads: Vec<LoadVector> = bb_experiment::trials(1, 20, 0, |_, rng| {
///     let mut loads = LoadVector::new(100)?;
///     DChoice::two().run(&mut loads, 1000, rng);
///     Ok(loads)
/// })?
/// .into_iter()
/// .collect::<Result<_, LoadsError>>()?;
/// assert!(loads.iter().all(|loads| loads.gap() < 4.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn trials<T, F>(seed: u64, count: u64, threads: usize, trial: F) -> Result<Vec<T>, ExperimentError>
where
    T: Send,
    F: Fn(u64, &mut TrialRng) -> T + Sync,
{
    let each = |share: &mut Vec<(u64, T)>, i, rng: &mut TrialRng| {
        share.push((i, trial(i, rng)));
        Ok(())
    };
    let shares = deal(seed, count, threads, &Progress::new(count, false), each)?;
    let mut results: Vec<_> = shares.into_iter().flatten().collect();
    results.sort_unstable_by_key(|&(i, _)| i);
    Ok(results.into_iter().map(|(_, result)| result).collect())
}

/// Returns how many trials run at the same time, at most.
pub(crate) fn at_once(count: u64, threads: usize) -> usize {
    let threads = if threads == 0 { rayon::current_num_threads() } else { threads };
    threads.min(usize::try_from(count).unwrap_or(usize::MAX))
}

/// Deals the trials below `count` out to threads, one by one to whichever is free; each thread puts its
/// share into a state of its own.
///
/// Who gets which number is up to chance: the caller puts the states together in a way that does not depend
/// on it. The first error ends the dealing.
pub(crate) fn deal<S, F>(
    seed: u64,
    count: u64,
    threads: usize,
    progress: &Progress,
    each: F,
) -> Result<Vec<S>, ExperimentError>
where
    S: Default + Send,
    F: Fn(&mut S, u64, &mut TrialRng) -> Result<(), ExperimentError> + Sync,
{
    let next = AtomicU64::new(0);
    let work = |_: BroadcastContext<'_>| {
        let mut state = S::default();
        loop {
            let i = next.fetch_add(1, Ordering::Relaxed);
            if i >= count {
                return Ok(state);
            }
            if let Err(error) = each(&mut state, i, &mut rng_for_trial(seed, i)) {
                next.store(count, Ordering::Relaxed);
                return Err(error);
            }
            progress.advance();
        }
    };
    let states = if threads == 0 {
        rayon::broadcast(work)
    } else {
        let threads = at_once(count, threads).max(1);
        let pool = ThreadPoolBuilder::new().num_threads(threads).build();
        pool.map_err(|error| ExperimentError::Threads { threads, reason: error.to_string() })?.broadcast(work)
    };
    states.into_iter().collect()
}
