//! The metrics of many trials, summed up: [`Tally`].

use std::collections::BTreeMap;

use bb_core::RecordError;

use crate::metrics::{End, METRICS, Value};
use crate::summary::Summary;

/// All values of one metric.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Values {
    /// Nothing was measured yet.
    #[default]
    None,
    Real(Summary),
    Integer(Summary<u64>),
    /// One summary for each dimension.
    List(Vec<Summary>),
}

impl Values {
    fn add(&mut self, value: Value) {
        if matches!(self, Self::None) {
            *self = match &value {
                Value::Real(_) => Self::Real(Summary::new()),
                Value::Integer(_) => Self::Integer(Summary::new()),
                Value::List(list) => Self::List(vec![Summary::new(); list.len()]),
            };
        }
        match (self, value) {
            (Self::Real(all), Value::Real(value)) => all.add(value),
            (Self::Integer(all), Value::Integer(value)) => all.add(value),
            (Self::List(all), Value::List(list)) => all.iter_mut().zip(list).for_each(|(all, value)| all.add(value)),
            _ => unreachable!("a metric has values of one kind in an experiment"),
        }
    }

    fn merge(&mut self, other: &Self) {
        match (&mut *self, other) {
            (Self::Real(all), Self::Real(other)) => all.merge(other),
            (Self::Integer(all), Self::Integer(other)) => all.merge(other),
            (Self::List(all), Self::List(other)) => all.iter_mut().zip(other).for_each(|(all, other)| all.merge(other)),
            (Self::None, other) => *self = other.clone(),
            (_, _) => {}
        }
    }
}

/// The metrics of many trials, each in its place of [`METRICS`]. It merges exactly, whatever trials it is
/// made of.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Tally {
    values: [Values; METRICS.len()],
    /// How many bins held each load, over all trials; only if asked for.
    pub(crate) levels: BTreeMap<u64, u128>,
}

impl Tally {
    /// Measures everything at the end of a trial.
    pub(crate) fn add(&mut self, end: &End<'_>) -> Result<(), RecordError> {
        for (values, metric) in self.values.iter_mut().zip(&METRICS) {
            if let Some(value) = (metric.measure)(end)? {
                values.add(value);
            }
        }
        Ok(())
    }

    /// Counts the bins at each load.
    pub(crate) fn add_levels(&mut self, end: &End<'_>) {
        for &(load, count) in end.levels() {
            *self.levels.entry(load).or_default() += u128::from(count);
        }
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        self.values.iter_mut().zip(&other.values).for_each(|(values, other)| values.merge(other));
        for (&load, &count) in &other.levels {
            *self.levels.entry(load).or_default() += count;
        }
    }

    /// The values of a metric; of an unknown name there are none.
    pub(crate) fn values(&self, name: &str) -> &Values {
        let place = METRICS.iter().position(|metric| metric.name == name);
        place.map_or(&Values::None, |place| &self.values[place])
    }

    pub(crate) fn real(&self, name: &str) -> Option<&Summary> {
        if let Values::Real(summary) = self.values(name) { Some(summary) } else { None }
    }

    pub(crate) fn integer(&self, name: &str) -> Option<&Summary<u64>> {
        if let Values::Integer(summary) = self.values(name) { Some(summary) } else { None }
    }

    pub(crate) fn list(&self, name: &str) -> &[Summary] {
        if let Values::List(list) = self.values(name) { list } else { &[] }
    }
}
