//! Loads in every setting, as one type: [`Seen`].

use bb_core::{Bins, LoadVector, ParameterError, Place, Put, Weight};
use bb_processes::{Batched, Delayed, MultiBall, MultiBins, MultiLoads};

use crate::setting::Setting;

/// Labelled bins, of which decisions see what the [`Setting`] says.
///
/// One type for all settings: rules are compiled for it once. What it costs to tell the settings apart is
/// little beside the choice of a bin among weights or vectors; plain loads have a type for each.
///
/// # Examples
///
/// ```
/// use bb_core::{Bins, LoadVector, Metrics, Place, Weight};
/// use bb_experiment::{Seen, SeenWeights, Setting};
///
/// let mut seen: SeenWeights = Seen::new(LoadVector::weighted(2)?, Setting::Batched(5), LoadVector::gap)?;
/// seen.place(1, &Weight::new(2.5)?);
/// assert_eq!((seen.load(1), seen.into_loads().load(1)), (0.0, 2.5));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Seen<L, Ball> {
    /// As they are.
    Fresh(L),
    /// As they were when the present batch began.
    Batched(Batched<L, Ball>),
    /// As they were so many balls ago.
    Delayed(Delayed<L, Ball>),
}

/// Bins of several dimensions in every setting.
pub type SeenVectors = Seen<MultiLoads, MultiBall>;

/// Bins with real loads in every setting.
pub type SeenWeights = Seen<LoadVector<f64>, Weight>;

impl<L: Bins<Bin = usize> + Clone, Ball> Seen<L, Ball> {
    /// Returns loads as `setting` shows them; a delay shows them late, whatever else its reports are. `gap`
    /// is what is watched at the ends of batches.
    ///
    /// # Errors
    ///
    /// If a batch has no ball, or a delay does not fit in memory.
    pub fn new(loads: L, setting: Setting, gap: fn(&L) -> f64) -> Result<Self, ParameterError> {
        Ok(match setting {
            Setting::Fresh => Self::Fresh(loads),
            Setting::Batched(batch) => Self::Batched(Batched::of_balls(loads, batch, gap)?),
            Setting::Delayed(delay) => Self::Delayed(Delayed::of_balls(loads, delay.tau)?),
        })
    }
}

impl<L, Ball> Seen<L, Ball> {
    /// Returns the true loads and forgets the rest; the type's example shows it.
    #[must_use]
    pub fn into_loads(self) -> L {
        match self {
            Self::Fresh(loads) => loads,
            Self::Batched(batched) => batched.into_loads(),
            Self::Delayed(delayed) => delayed.into_loads(),
        }
    }

    /// The largest gap at the ends of batches, if there are any.
    pub(crate) fn batch_end_gap(&self) -> Option<f64> {
        match self {
            Self::Batched(batched) => Some(batched.batch_end_gap()),
            _ => None,
        }
    }

    #[inline]
    fn seen(&self) -> &L {
        match self {
            Self::Fresh(loads) => loads,
            Self::Batched(batched) => batched.seen(),
            Self::Delayed(delayed) => delayed.seen(),
        }
    }
}

impl<L: Bins<Bin = usize>, Ball> Bins for Seen<L, Ball> {
    type Bin = usize;
    type Load = L::Load;
    type Places = L::Places;

    #[inline]
    fn places(&self) -> &L::Places {
        self.seen().places()
    }
    fn nth(&self, place: u64) -> usize {
        self.seen().nth(place)
    }
    #[inline]
    fn load(&self, bin: usize) -> L::Load {
        self.seen().load(bin)
    }
    fn total(&self) -> L::Load {
        self.seen().total()
    }
    #[inline]
    fn lighter(&self, first: usize, second: usize) -> usize {
        self.seen().lighter(first, second)
    }
}

impl<L: MultiBins<Load = u64>, Ball> MultiBins for Seen<L, Ball> {
    fn dimensions(&self) -> usize {
        self.seen().dimensions()
    }
    #[inline]
    fn cell(&self, bin: usize, dimension: usize) -> u64 {
        self.seen().cell(bin, dimension)
    }
    fn total_of(&self, dimension: usize) -> u64 {
        self.seen().total_of(dimension)
    }
    fn as_counts(&mut self) -> Option<&mut LoadVector> {
        match self {
            Self::Fresh(loads) => loads.as_counts(),
            _ => None,
        }
    }
}

impl<L: Place<Ball> + Bins<Bin = usize>, Ball: Clone> Place<Ball> for Seen<L, Ball> {
    fn put(&mut self, bin: usize, ball: &Ball, put: Put) -> usize {
        match self {
            Self::Fresh(loads) => loads.put(bin, ball, put),
            Self::Batched(batched) => batched.put(bin, ball, put),
            Self::Delayed(delayed) => delayed.put(bin, ball, put),
        }
    }
}
