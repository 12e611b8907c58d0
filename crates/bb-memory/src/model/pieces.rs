use core::fmt;

use bb_core::{Place, Rng};

use crate::error::RunError;
use crate::model::advisor::Advisor;
use crate::model::bounded::Bounded;
use crate::model::loads::Loads;
use crate::model::samples::Samples;

impl<A: Advisor> Bounded<A> {
    /// Takes one step, or returns why it cannot be taken; then nothing was placed.
    ///
    /// # Errors
    ///
    /// If the rule cannot begin on these loads, or the state cannot be written.
    pub fn try_step<B, R>(&mut self, loads: &mut B, rng: &mut R) -> Result<usize, RunError>
    where
        B: Place<Bin = usize>,
        R: Rng + ?Sized,
        for<'a> Loads<'a>: From<&'a B>,
    {
        let bin = self.close(&*loads, rng.next_u64())?.draw().decide();
        loads.place(bin, &());
        self.learn((&*loads).into(), bin);
        Ok(bin)
    }

    /// Steps until so many balls are placed.
    ///
    /// # Errors
    ///
    /// As for [`try_step`](Self::try_step); what was placed before stays.
    pub fn try_run<B, R>(&mut self, loads: &mut B, balls: u64, rng: &mut R) -> Result<(), RunError>
    where
        B: Place<Bin = usize>,
        R: Rng + ?Sized,
        for<'a> Loads<'a>: From<&'a B>,
    {
        (0..balls).try_for_each(|_| self.try_step(loads, rng).map(|_| ()))
    }

    /// Advises for the ball of this key, and closes the state: the first piece of a step.
    ///
    /// What is returned is the only way to samples, and is used up by it.
    ///
    /// # Errors
    ///
    /// If the rule cannot begin on these loads, or the state cannot be written.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_memory::bb_core::{Bins, LoadVector, Place};
    /// use bb_memory::{Bounded, Budget, HeavyList, RunError};
    ///
    /// let mut rule = Bounded::new(HeavyList::fill(50, Budget::bits(40)?)?);
    /// let mut loads = LoadVector::new(50)?;
    /// let asked = rule.close(&loads, 1)?.samples(&[3, 4])?;
    /// assert_eq!(asked.samples().bins(), [3, 4]);
    /// assert_eq!(asked.decide(), 3);
    /// loads.place(3, &());
    /// rule.learn_placed(&loads, 3)?;
    /// assert_eq!(loads.load(3), 1);
    ///
    /// let error = rule.close(&loads, 2)?.samples(&[3, 50]).unwrap_err();
    /// assert_eq!(error, RunError::NoSuchBin { bin: 50, bins: 50 });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn close<'a>(&mut self, loads: impl Into<Loads<'a>>, key: u64) -> Result<Closed<'_, A>, RunError> {
        let (loads, bins) = (loads.into(), self.sampler.bins());
        if bins == 0 {
            self.begin(loads)?;
        } else {
            loads.expect_bins(bins)?;
        }
        self.advise(loads, key)?;
        Ok(Closed { rule: self })
    }

    /// Learns where a ball went that was decided in pieces.
    ///
    /// # Errors
    ///
    /// If there is no such bin.
    pub fn learn_placed<'a>(&mut self, loads: impl Into<Loads<'a>>, bin: usize) -> Result<(), RunError> {
        self.learn(holding(loads, bin)?, bin);
        Ok(())
    }

    /// Learns that a ball left a bin.
    ///
    /// # Errors
    ///
    /// If the scheme has no rule for that, or there is no such bin.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_memory::bb_core::{Allocator, DynamicLoads, Remove, rng_for_trial};
    /// use bb_memory::{Bounded, Budget, HeavyList};
    ///
    /// let mut rule = Bounded::new(HeavyList::fill(50, Budget::bits(40)?)?);
    /// let mut loads = DynamicLoads::new(50)?;
    /// rule.start(&loads)?;
    /// let bin = rule.step(&mut loads, &mut rng_for_trial(1, 0));
    /// loads.remove(bin);
    /// rule.try_removed(&loads, bin)?;
    /// // `load ≤ T + Greedy[2]` is a theorem for balls that stay.
    /// assert!(!rule.report().is_certified());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn try_removed<'a>(&mut self, loads: impl Into<Loads<'a>>, bin: usize) -> Result<(), RunError> {
        self.learn_removed(holding(loads, bin)?, bin)
    }
}

/// Refuses loads that do not have this bin.
fn holding<'a>(loads: impl Into<Loads<'a>>, bin: usize) -> Result<Loads<'a>, RunError> {
    let loads = loads.into();
    let bins = loads.bins();
    if (bin as u64) < bins { Ok(loads) } else { Err(RunError::NoSuchBin { bin, bins }) }
}

/// A closed state: the only way to the samples of its ball. [`Bounded::close`] has an example.
#[must_use = "the samples of the ball are still to be drawn"]
pub struct Closed<'a, A: Advisor> {
    rule: &'a mut Bounded<A>,
}

impl<A: Advisor> fmt::Debug for Closed<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Closed(before ball {})", self.rule.balls)
    }
}

impl<'a, A: Advisor> Closed<'a, A> {
    /// Draws the samples from the stream of the ball's key.
    pub fn draw(self) -> Asked<'a, A> {
        self.rule.sampler.draw(self.rule.key);
        Asked { rule: self.rule }
    }

    /// Takes these bins for the samples.
    ///
    /// # Errors
    ///
    /// If there are more or fewer than the rule takes, one does not exist, or one comes twice where bins are
    /// drawn without replacement.
    pub fn samples(self, bins: &[usize]) -> Result<Asked<'a, A>, RunError> {
        self.rule.sampler.set(bins)?;
        Ok(Asked { rule: self.rule })
    }
}

/// Samples that are to be decided between. [`Bounded::close`] has an example.
#[must_use = "the ball is still to be decided"]
pub struct Asked<'a, A: Advisor> {
    rule: &'a mut Bounded<A>,
}

impl<A: Advisor> fmt::Debug for Asked<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Asked({:?})", self.rule.last_samples())
    }
}

impl<A: Advisor> Asked<'_, A> {
    /// Returns the samples.
    #[must_use]
    pub fn samples(&self) -> Samples<'_> {
        Samples::new(self.rule.last_samples())
    }

    /// Decides, and returns the bin that takes the ball.
    #[must_use = "the ball is still to be placed"]
    pub fn decide(self) -> usize {
        self.rule.pick()
    }
}
