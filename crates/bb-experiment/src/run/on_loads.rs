//! Trials on loads that are counts.

use bb_core::{DynamicLoads, LoadProfile, LoadVector};
use bb_processes::OneChoice;

use super::Trial;
use crate::engine::{Engine, fastest};
use crate::error::ExperimentError;
use crate::experiment::Experiment;
use crate::metrics::End;
use crate::process::Process;
use crate::process::play::{Length, On};
use crate::setting::Setting;

impl Experiment {
    /// Chooses the engine, and what plays a trial on it.
    pub(super) fn on_loads(&self, process: &Process) -> Result<(Engine, Trial<'_>), ExperimentError> {
        if process.is_system() {
            self.check_system(process)?;
        }
        let setting = self.seen();
        let mut ways = process.ways(setting)?;
        self.check()?;
        if self.rounds.is_some() && self.balls > 0 && !process.is_system() {
            return Err(ExperimentError::BallsAndRounds { balls: self.balls });
        }
        let engines: Vec<_> = ways.iter().map(|way| way.0).collect();
        let (bytes_a_bin, kept) = match setting {
            // Three words a bin.
            _ if process.is_system() => (24, 0),
            // A byte a bin, see `LoadVector`; more only where the loads spread over hundreds of levels.
            Setting::Fresh => (1, 0),
            Setting::Batched(batch) => (2, batch.min(self.one_ball_a_round())),
            Setting::Delayed(delay) => (2, delay.tau),
        };
        let fits = self.fits(bytes_a_bin + u64::from(process.counters), kept, &engines[1..]);
        let wanted = match self.engine {
            Engine::Auto if process.is_system() => *engines.last().unwrap_or(&Engine::Vector),
            Engine::Auto => fastest(&engines, self.bins, self.one_ball_a_round(), fits.is_ok()),
            engine => engine,
        };
        let Some(place) = engines.iter().position(|engine| *engine == wanted) else {
            return Err(process.refuses(wanted, setting));
        };
        if wanted == Engine::Vector {
            fits?;
        }
        Ok((wanted, self.plays(ways.swap_remove(place).1)))
    }

    /// Plays a trial and measures the loads that it leaves; of a system those after the last round.
    fn plays(&self, on: On) -> Trial<'_> {
        let length = self.rounds.map_or(Length::Balls(self.balls), Length::Steps);
        match on {
            On::Labelled(play) => Box::new(move |tally, _, rng| {
                let mut loads = LoadVector::new(self.bins)?;
                if self.epsilon.is_some() {
                    loads.record_maximum();
                }
                let thrown = play(&mut loads, length, rng)?;
                self.add(tally, &End::of_counts(&loads, &thrown, self.epsilon))
            }),
            On::Counted(play) => Box::new(move |tally, _, rng| {
                let mut loads = LoadProfile::new(self.bins)?;
                if self.epsilon.is_some() {
                    loads.record_maximum();
                }
                let thrown = play(&mut loads, length, rng)?;
                self.add(tally, &End::of_counts(&loads, &thrown, self.epsilon))
            }),
            On::System(play) => Box::new(move |tally, _, rng| {
                let loads = OneChoice::final_loads(self.bins, self.balls, rng)?;
                let mut loads = DynamicLoads::from_loads(loads.to_vec())?;
                let thrown = play(&mut loads, length, rng)?;
                self.add(tally, &End::of_counts(&loads, &thrown, None))
            }),
            On::CountedSystem(play) => Box::new(move |tally, _, rng| {
                let mut loads = OneChoice::final_profile(self.bins, self.balls, rng)?;
                let thrown = play(&mut loads, length, rng)?;
                self.add(tally, &End::of_counts(&loads, &thrown, None))
            }),
        }
    }
}
