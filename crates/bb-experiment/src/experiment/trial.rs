//! How the trials are played, by the loads that they are played on.

use std::time::Instant;

use bb_core::{DynamicLoads, LoadProfile, LoadVector, TrialRng};
use bb_processes::OneChoice;

use super::{Experiment, ExperimentError};
use crate::engine::Engine;
use crate::metrics::End;
use crate::process::Process;
use crate::process::play::{Length, compare_reports};
use crate::report::Report;
use crate::setting::Setting;
use crate::tally::Tally;
use crate::trials::deal;

/// What `Process::engines` rules out.
const CHOSEN: &str = "the engine is one that the process offers";

/// Plays one trial and adds what it leaves behind.
type Trial<'a> = dyn Fn(&mut Tally, u64, &mut TrialRng) -> Result<(), ExperimentError> + Sync + 'a;

impl Experiment {
    /// All trials of a process that is no system, on loads that are counts.
    pub(super) fn on_loads(&self, process: &Process) -> Result<Report, ExperimentError> {
        let (engine, setting, length) = (self.choose(process)?, self.seen(), self.length());
        if engine != Engine::Vector {
            return self.on_counted(process, engine);
        }
        self.all_trials(process, engine, &|tally, _, rng| {
            let mut loads = LoadVector::new(self.bins)?;
            if self.epsilon.is_some() {
                loads.record_maximum();
            }
            let thrown = match (setting, &process.labelled, &process.late) {
                (Setting::Fresh, Some(play), _) => play(&mut loads, length, rng)?,
                (Setting::Delayed(delay), ..) if delay.reports.compare() => {
                    compare_reports(&mut loads, delay, length, rng)?
                }
                (setting, _, Some(play)) => play(&mut loads, setting, length, rng)?,
                _ => unreachable!("{CHOSEN}"),
            };
            self.add(tally, &End::of_counts(&loads, &thrown, self.epsilon))
        })
    }

    fn on_counted(&self, process: &Process, engine: Engine) -> Result<Report, ExperimentError> {
        let balls = self.one_ball_a_round();
        self.all_trials(process, engine, &|tally, _, rng| {
            let mut loads = LoadProfile::new(self.bins)?;
            if self.epsilon.is_some() {
                loads.record_maximum();
            }
            let thrown = match (self.seen(), engine) {
                (Setting::Batched(batch), _) => process.batches.as_ref().expect(CHOSEN)(&mut loads, batch, balls, rng)?,
                (_, Engine::Bulk) => process.bulk.as_ref().expect(CHOSEN)(&mut loads, self.length(), rng)?,
                _ => process.counted.as_ref().expect(CHOSEN)(&mut loads, self.length(), rng)?,
            };
            self.add(tally, &End::of_counts(&loads, &thrown, self.epsilon))
        })
    }

    /// All trials of a system: the report is of the loads after the last round.
    pub(super) fn on_system(&self, system: &Process) -> Result<Report, ExperimentError> {
        let rounds = Length::Steps(self.rounds_of(system)?);
        let engines = system.engines(Setting::Fresh);
        let engine = match self.engine {
            Engine::Auto => *engines.last().unwrap_or(&Engine::Vector),
            engine if engines.contains(&engine) => engine,
            engine => return Err(system.refuses(engine, Setting::Fresh)),
        };
        let report = if engine == Engine::Vector {
            // Three words a bin.
            self.fits(24, 0, &engines[1..])?;
            self.all_trials(system, engine, &|tally, _, rng| {
                let loads = OneChoice::final_loads(self.bins, self.balls, rng)?;
                let mut loads = DynamicLoads::from_loads(loads.to_vec())?;
                let thrown = system.system.as_ref().expect(CHOSEN)(&mut loads, rounds, rng)?;
                self.add(tally, &End::of_counts(&loads, &thrown, None))
            })
        } else {
            self.all_trials(system, engine, &|tally, _, rng| {
                let mut loads = OneChoice::final_profile(self.bins, self.balls, rng)?;
                let thrown = system.counted_system.as_ref().expect(CHOSEN)(&mut loads, rounds, rng)?;
                self.add(tally, &End::of_counts(&loads, &thrown, None))
            })
        };
        Ok(Report { balls: Some(self.balls), ..report? })
    }

    fn length(&self) -> Length {
        self.rounds.map_or(Length::Balls(self.balls), Length::Steps)
    }

    /// Adds what is measured at the end of a trial.
    pub(super) fn add(&self, tally: &mut Tally, end: &End<'_>) -> Result<(), ExperimentError> {
        tally.add(end)?;
        if self.levels {
            tally.add_levels(end);
        }
        Ok(())
    }

    /// Runs all trials: each adds what it finds.
    pub(super) fn all_trials(
        &self,
        process: &Process,
        engine: Engine,
        trial: &Trial<'_>,
    ) -> Result<Report, ExperimentError> {
        let begin = Instant::now();
        let shares = deal(self.seed, self.trials, self.threads, &self.progress(), trial)?;
        let mut tally = Tally::default();
        shares.iter().for_each(|share| tally.merge(share));
        Ok(Report {
            process: process.name().to_owned(),
            bins: self.bins,
            balls: self.rounds.is_none().then_some(self.balls),
            rounds: self.rounds,
            setting: self.setting,
            weights: None,
            dimensions: None,
            parallel: None,
            trials: self.trials,
            seed: self.seed,
            engine,
            epsilon: self.epsilon,
            levels: self.levels,
            tally,
            elapsed: begin.elapsed(),
        })
    }
}
