use bb_core::{DistinctSampler, IndexSampler, StartError};

use crate::error::RunError;
use crate::model::stream::{BallStream, Purpose};

/// The bins drawn for a ball, in the order of the draws. The literature calls them an offer.
///
/// # Examples
///
/// ```
/// use bb_memory::Samples;
///
/// let samples = Samples::new(&[4, 2]);
/// assert_eq!((samples.first(), samples.second(), samples.bins()), (4, 2, &[4, 2][..]));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Samples<'a> {
    bins: &'a [usize],
}

impl<'a> Samples<'a> {
    /// Returns samples of these bins, to ask a decider by hand. None at all stand for bin 0.
    #[must_use]
    #[inline]
    pub const fn new(bins: &'a [usize]) -> Self {
        Self { bins: if bins.is_empty() { &[0] } else { bins } }
    }

    /// Returns the sampled bins, at least one.
    #[must_use]
    #[inline]
    pub fn bins(&self) -> &'a [usize] {
        self.bins
    }

    /// Returns the first sample.
    #[must_use]
    #[inline]
    pub fn first(&self) -> usize {
        self.bins[0]
    }

    /// Returns the second sample, or the first if there is no other.
    #[must_use]
    #[inline]
    pub fn second(&self) -> usize {
        self.bins[self.bins.len().min(2) - 1]
    }
}

/// A ball that was placed: what an advisor and a machine learn of it.
///
/// # Examples
///
/// [`Machine`](crate::Machine) has an example.
#[derive(Clone, Copy, Debug)]
pub struct Ball<'a> {
    /// Its samples.
    pub samples: Samples<'a>,
    /// Which sample took it, from 0.
    pub place: u32,
    /// The bin.
    pub bin: usize,
    /// The output of the generator that all randomness of the ball follows from.
    pub(crate) key: u64,
}

/// How the samples of a ball are drawn.
///
/// # Examples
///
/// ```
/// use bb_memory::bb_core::LoadVector;
/// use bb_memory::{Bounded, NoMemory, SampleKind, TieRule};
///
/// let mut rule = Bounded::new(NoMemory::new(10, TieRule::First)?).with_sampling(SampleKind::Halves);
/// let samples = rule.close(&LoadVector::new(10)?, 7)?.draw().samples().bins().to_vec();
/// assert!(samples[0] < 5 && samples[1] >= 5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SampleKind {
    /// Independent uniform bins: one may be drawn twice.
    #[default]
    Independent,
    /// Distinct uniform bins. Where there are fewer bins than samples, all of them, and the last one again.
    Distinct,
    /// With `d` samples, sample `k` is uniform in the `k`-th of `d` parts of the bins, whose sizes differ by
    /// at most one, larger parts first.
    Halves,
}

/// Draws the samples of each ball from its key, and from nothing else.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sampler {
    kind: SampleKind,
    bins: u64,
    /// The parts of the bins that samples are drawn from, each with its first bin.
    parts: Vec<(u64, IndexSampler)>,
    distinct: DistinctSampler,
    samples: Vec<usize>,
}

impl Sampler {
    /// Returns what draws `count` samples a ball from so many bins, at least one.
    pub(crate) fn new(kind: SampleKind, bins: u64, count: u32) -> Result<Self, StartError> {
        if count == 0 || count > 1 << 16 {
            return Err(StartError::Unsuitable(format!("samples = {count} is outside 1..=2^16")));
        }
        let parts = if kind == SampleKind::Halves { u64::from(count) } else { 1 };
        if parts > bins {
            return Err(StartError::TooFewBins { parameter: "samples", value: parts, bins });
        }
        let mut begin = 0;
        let part = |part: u64| {
            let first = begin;
            begin += (bins - part).div_ceil(parts);
            IndexSampler::new(begin - first).map(|sampler| (first, sampler))
        };
        let parts = (0..parts).filter_map(part).collect();
        Ok(Self { kind, bins, parts, distinct: DistinctSampler::default(), samples: vec![0; count as usize] })
    }

    /// Returns the number of bins; 0 before a start.
    #[inline]
    pub(crate) fn bins(&self) -> u64 {
        self.bins
    }

    /// Returns the samples of the last ball.
    #[inline]
    pub(crate) fn samples(&self) -> &[usize] {
        &self.samples
    }

    /// Draws the samples of the ball with this key.
    #[inline]
    pub(crate) fn draw(&mut self, key: u64) {
        let mut stream = BallStream::new(key, Purpose::Samples);
        match (self.kind, self.parts.as_slice(), self.samples.as_mut_slice()) {
            (SampleKind::Independent, [(_, all)], [first, second]) => {
                [*first, *second] = all.draw_pair(&mut stream).map(|bin| bin as usize);
            }
            _ => self.draw_others(&mut stream),
        }
    }

    /// Draws other samples than two independent ones.
    #[inline(never)]
    fn draw_others(&mut self, stream: &mut BallStream) {
        let samples = &mut self.samples;
        let (count, mut drawn) = (samples.len() as u32, 0);
        let take = |bin| {
            samples[drawn] = bin as usize;
            drawn += 1;
        };
        match self.kind {
            SampleKind::Independent => self.parts[0].1.draw_each(count, stream, take),
            SampleKind::Distinct => self.distinct.draw_each(self.bins, count, stream, take),
            SampleKind::Halves => self.parts.iter().map(|(begin, part)| begin + part.draw(stream)).for_each(take),
        }
        // Where there are fewer bins than samples.
        let last = samples[drawn - 1];
        samples[drawn..].fill(last);
    }

    /// Takes these bins for the samples of a ball, if they can be.
    pub(crate) fn set(&mut self, bins: &[usize]) -> Result<(), RunError> {
        let asked = self.samples.len();
        if bins.len() != asked {
            return Err(RunError::Samples { found: bins.len(), asked: asked as u32 });
        }
        if let Some(&bin) = bins.iter().find(|&&bin| bin as u64 >= self.bins) {
            return Err(RunError::NoSuchBin { bin, bins: self.bins });
        }
        if self.kind == SampleKind::Distinct
            && let Some(twice) = (1..asked).find(|&place| bins[..place].contains(&bins[place]))
        {
            return Err(RunError::Repeated { bin: bins[twice] });
        }
        self.samples.copy_from_slice(bins);
        Ok(())
    }
}
