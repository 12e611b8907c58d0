//! What is measured in a trial, summed up over trials.

use std::collections::BTreeMap;

use bb_core::{
    Bins, DynamicLoads, Load, LoadProfile, LoadVector, LoadsError, MaxLoadRecord, Metrics, Probes, RankedVector,
    RecordError,
};
use bb_processes::{MultiBins, MultiLoads, RoundsReport};

use crate::{SeenWeights, Summary};

/// What a trial leaves behind.
pub(crate) struct Ran<L> {
    pub(crate) loads: L,
    pub(crate) probes: Option<Probes>,
    pub(crate) batch_end_gap: Option<f64>,
    /// Offers rejected for each ball.
    pub(crate) rejected: Option<f64>,
    /// The first ball whose law could not be had.
    pub(crate) unrealizable_at: Option<u64>,
    /// What was done with a bounded memory.
    pub(crate) memory: Option<bb_memory::Report>,
    /// Whether the maximum was watched at every ball.
    pub(crate) every_ball: bool,
}

impl<L> Ran<L> {
    pub(crate) fn new(loads: L, probes: Option<Probes>) -> Self {
        Self {
            loads,
            probes,
            batch_end_gap: None,
            rejected: None,
            unrealizable_at: None,
            memory: None,
            every_ball: true,
        }
    }

    /// The same with what is inside of the loads.
    pub(crate) fn map<K>(self, loads: impl FnOnce(L) -> K) -> Ran<K> {
        let Self { loads: outer, probes, batch_end_gap, rejected, unrealizable_at, memory, every_ball } = self;
        Ran { loads: loads(outer), probes, batch_end_gap, rejected, unrealizable_at, memory, every_ball }
    }
}

/// What a trial with weights leaves behind.
pub(crate) struct RanWithWeights {
    pub(crate) loads: LoadVector<f64>,
    pub(crate) probes: Option<Probes>,
    pub(crate) batch_end_gap: Option<f64>,
    /// Offers rejected for each ball.
    pub(crate) rejected: Option<f64>,
}

impl RanWithWeights {
    pub(crate) fn new(seen: SeenWeights) -> Self {
        let batch_end_gap = seen.batch_end_gap();
        Self { loads: seen.into_loads(), probes: None, batch_end_gap, rejected: None }
    }
}

/// Loads that a trial runs on.
pub(crate) trait TrialLoads: Metrics<Load = u64> + Sized {
    fn empty(bins: u64) -> Result<Self, LoadsError>;
    fn all_time_gap(&self) -> f64;
    fn record_maximum(&mut self);
    fn max_load_record(&self) -> Option<MaxLoadRecord>;
}

macro_rules! trial_loads {
    ($($loads:ty),*) => {$(
        impl TrialLoads for $loads {
            fn empty(bins: u64) -> Result<Self, LoadsError> {
                Self::new(bins)
            }
            fn all_time_gap(&self) -> f64 {
                self.all_time_gap()
            }
            fn record_maximum(&mut self) {
                self.record_maximum();
            }
            fn max_load_record(&self) -> Option<MaxLoadRecord> {
                self.max_load_record()
            }
        }
    )*};
}

trial_loads!(LoadVector, LoadProfile);

impl TrialLoads for RankedVector {
    fn empty(bins: u64) -> Result<Self, LoadsError> {
        Ok(LoadVector::new(bins)?.into())
    }
    fn all_time_gap(&self) -> f64 {
        self.loads().all_time_gap()
    }
    fn record_maximum(&mut self) {
        self.record_maximum();
    }
    fn max_load_record(&self) -> Option<MaxLoadRecord> {
        self.loads().max_load_record()
    }
}

impl TrialLoads for DynamicLoads {
    fn empty(bins: u64) -> Result<Self, LoadsError> {
        Self::new(bins)
    }
    fn all_time_gap(&self) -> f64 {
        self.all_time_gap()
    }
    /// Balls leave, and a record is of a maximum that never falls.
    fn record_maximum(&mut self) {}
    fn max_load_record(&self) -> Option<MaxLoadRecord> {
        None
    }
}

/// What a trial in several dimensions leaves behind.
pub(crate) struct RanInDimensions {
    pub(crate) loads: MultiLoads,
    pub(crate) balls: u64,
    /// The expected total of each dimension, if it is known.
    pub(crate) expected: Option<Vec<f64>>,
    pub(crate) probes: Option<Probes>,
    pub(crate) batch_end_gap: Option<f64>,
    pub(crate) rounds: Option<RoundsReport>,
}

/// The metrics of many trials. It merges exactly, whatever trials it is made of.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Tally {
    pub(crate) gap: Summary,
    pub(crate) min_gap: Summary,
    pub(crate) max_load: Summary<u64>,
    pub(crate) min_load: Summary<u64>,
    /// Maximum and minimum load where balls have weights.
    pub(crate) max_weight: Summary,
    pub(crate) min_weight: Summary,
    pub(crate) all_time_gap: Summary,
    pub(crate) batch_end_gap: Summary,
    pub(crate) typical_gap: Summary,
    pub(crate) rejections: Summary,
    pub(crate) unrealizable_at: Summary<u64>,
    pub(crate) probes: Summary,
    pub(crate) bits: Summary<u64>,
    pub(crate) state_changes: Summary<u64>,
    /// 1 for each trial that is certified, else 0.
    pub(crate) certified: Summary<u64>,
    pub(crate) overflow: Summary<u64>,
    /// The gap in each dimension, if there are several.
    pub(crate) gap_dim: Vec<Summary>,
    pub(crate) gap_total: Summary,
    pub(crate) gap_cell: Summary,
    /// The most rounds that a wave took.
    pub(crate) rounds_used: Summary<u64>,
    /// Messages for each ball.
    pub(crate) messages: Summary,
    /// The share of balls that no round placed.
    pub(crate) one_by_one: Summary,
    /// How many bins held each load, over all trials; only if asked for.
    pub(crate) levels: BTreeMap<u64, u128>,
}

impl Tally {
    /// Measures the loads at the end of a trial.
    pub(crate) fn add<L: TrialLoads>(
        &mut self,
        ran: &Ran<L>,
        epsilon: Option<f64>,
        levels: bool,
    ) -> Result<(), RecordError> {
        let loads = &ran.loads;
        let (total, bins) = (loads.total(), loads.bins());
        let counts = loads.level_counts();
        let min_load = counts.first().map_or(0, |&(load, _)| load);
        self.gap.add(loads.gap());
        self.min_gap.add(0.0 - min_load.above_mean(total, bins));
        self.max_load.add(loads.max_load());
        self.min_load.add(min_load);
        if ran.every_ball {
            self.all_time_gap.add(loads.all_time_gap());
        }
        if let Some(gap) = ran.batch_end_gap {
            self.batch_end_gap.add(gap);
        }
        ran.rejected.iter().for_each(|&share| self.rejections.add(share));
        ran.unrealizable_at.iter().for_each(|&ball| self.unrealizable_at.add(ball));
        if let Some(memory) = &ran.memory {
            self.bits.add(memory.budget().get());
            self.state_changes.add(memory.state_changes());
            self.certified.add(u64::from(memory.is_certified()));
            self.overflow.add(memory.overflows());
        }
        // Neither means anything before the first ball.
        if total > 0 {
            if let (Some(epsilon), Some(record), true) = (epsilon, loads.max_load_record(), ran.every_ball) {
                self.typical_gap.add(record.typical(epsilon, 1..=record.balls())?);
            }
            if let Some(probes) = ran.probes {
                self.probes.add(probes.per_ball(total));
            }
        }
        if levels {
            for (load, count) in counts {
                *self.levels.entry(load).or_default() += u128::from(count);
            }
        }
        Ok(())
    }

    /// Measures real loads at the end of a trial.
    pub(crate) fn add_with_weights(&mut self, ran: &RanWithWeights, balls: u64) {
        let RanWithWeights { loads, probes, batch_end_gap, rejected } = ran;
        let min = loads.iter().fold(f64::INFINITY, f64::min);
        self.gap.add(loads.gap());
        self.min_gap.add(0.0 - min.above_mean(loads.total(), loads.bins()));
        self.max_weight.add(loads.max_load());
        self.min_weight.add(min);
        self.all_time_gap.add(loads.all_time_gap());
        batch_end_gap.iter().for_each(|&gap| self.batch_end_gap.add(gap));
        rejected.iter().for_each(|&share| self.rejections.add(share));
        // Of no ball there is no share.
        if balls > 0 {
            probes.iter().for_each(|probes| self.probes.add(probes.per_ball(balls)));
        }
    }

    /// Measures loads of several dimensions at the end of a trial.
    pub(crate) fn add_in_dimensions(&mut self, ran: &RanInDimensions) {
        let RanInDimensions { loads, balls, expected, probes, batch_end_gap, rounds } = ran;
        let dimensions = 0..loads.dimensions();
        self.gap.add(loads.gap());
        self.min_gap.add(loads.min_gap());
        self.max_load.add(dimensions.clone().map(|dimension| loads.max_of(dimension)).max().unwrap_or(0));
        self.min_load.add(dimensions.clone().map(|dimension| loads.min_of(dimension)).min().unwrap_or(0));
        self.all_time_gap.add(loads.all_time_gap());
        batch_end_gap.iter().for_each(|&gap| self.batch_end_gap.add(gap));
        self.gap_dim.resize(loads.dimensions(), Summary::new());
        dimensions.for_each(|dimension| self.gap_dim[dimension].add(loads.gap_dim(dimension)));
        self.gap_total.add(loads.gap_total());
        expected.iter().for_each(|expected| self.gap_cell.add(loads.gap_cell(expected)));
        // Of no ball there is no share.
        if *balls > 0 {
            probes.iter().for_each(|probes| self.probes.add(probes.per_ball(*balls)));
            if let Some(rounds) = rounds {
                self.rounds_used.add(rounds.rounds);
                self.messages.add(rounds.messages as f64 / *balls as f64);
                self.one_by_one.add(rounds.one_by_one as f64 / *balls as f64);
            }
        }
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        self.gap.merge(&other.gap);
        self.min_gap.merge(&other.min_gap);
        self.max_load.merge(&other.max_load);
        self.min_load.merge(&other.min_load);
        self.max_weight.merge(&other.max_weight);
        self.min_weight.merge(&other.min_weight);
        self.all_time_gap.merge(&other.all_time_gap);
        self.batch_end_gap.merge(&other.batch_end_gap);
        self.typical_gap.merge(&other.typical_gap);
        self.rejections.merge(&other.rejections);
        self.unrealizable_at.merge(&other.unrealizable_at);
        self.probes.merge(&other.probes);
        self.bits.merge(&other.bits);
        self.state_changes.merge(&other.state_changes);
        self.certified.merge(&other.certified);
        self.overflow.merge(&other.overflow);
        self.gap_dim.resize(self.gap_dim.len().max(other.gap_dim.len()), Summary::new());
        self.gap_dim.iter_mut().zip(&other.gap_dim).for_each(|(gap, other)| gap.merge(other));
        self.gap_total.merge(&other.gap_total);
        self.gap_cell.merge(&other.gap_cell);
        self.rounds_used.merge(&other.rounds_used);
        self.messages.merge(&other.messages);
        self.one_by_one.merge(&other.one_by_one);
        for (&load, &count) in &other.levels {
            *self.levels.entry(load).or_default() += count;
        }
    }
}
