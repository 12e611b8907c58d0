use bb_core::{Bins, Mix, Rng, StartError};

use crate::by_rank::accept_with;
use crate::realizability::{RealizeError, Rejections, accept_probabilities};
use crate::strategy::{Strategy, ThinningStrategy};

/// Any sequence of laws of the next bin, for as long as two-thinning has them.
///
/// A function tells for each ball its number, from 1 where the strategy began, the law: a probability for
/// every labelled bin, or `None` where it is as for the ball before (at first, uniform). A law that no
/// two-thinning has, or that is none, is where it ends: that ball and all after it are accepted as sampled,
/// and [`unrealizable_at`](Strategy::unrealizable_at) and [`failure`](Self::failure) tell when and why. Which
/// laws there are says [`accept_probabilities`](crate::accept_probabilities): those with
/// `max p − min p ≤ 1/n`.
///
/// *Randomness:* as [`Thinning`](crate::Thinning), with a coin. *Accuracy:* probabilities are `f64`. *Cost:*
/// `O(1)` a ball, and `O(n)` for each new law.
///
/// # Examples
///
/// Three balls in four to the even bins; after 1000 balls too many:
///
/// ```
/// use bb_thinning::bb_core::{Allocator, LoadVector, rng_for_trial};
/// use bb_thinning::{Strategy, TargetLaw, Thinning};
///
/// let law = |even: f64| Some([even / 5.0, (1.0 - even) / 5.0].repeat(5));
/// let mut rule = Thinning::new(TargetLaw::new(move |ball| match ball {
///     1 => law(0.75),
///     1001 => law(0.8),
///     _ => None,
/// }));
/// let mut loads = LoadVector::new(10)?;
/// rule.start_and_run(&mut loads, 1000, &mut rng_for_trial(1, 0))?;
/// let even: u64 = loads.iter().step_by(2).sum();
/// assert!((700..800).contains(&even));
/// assert_eq!(rule.strategy().unrealizable_at(), None);
/// rule.run(&mut loads, 1000, &mut rng_for_trial(1, 1));
/// assert_eq!(rule.strategy().unrealizable_at(), Some(1001));
/// assert!(rule.strategy().failure().unwrap().to_string().starts_with("p[0] − p[1] exceeds 1/n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct TargetLaw<F> {
    laws: F,
    rejections: Rejections<f64>,
    /// The accept probabilities; none before the first law.
    accept: Vec<f64>,
    /// Balls placed since the beginning.
    balls: u64,
    /// The ball whose law was asked for last.
    asked: u64,
    failure: Option<(u64, RealizeError<f64>)>,
}

impl<F: FnMut(u64) -> Option<Vec<f64>>> TargetLaw<F> {
    /// Returns the strategy with these laws, and the fewest rejections.
    #[must_use]
    pub fn new(laws: F) -> Self {
        Self { laws, rejections: Rejections::Fewest, accept: Vec::new(), balls: 0, asked: 0, failure: None }
    }

    /// Takes another rejection probability for all laws: the laws stay, the number of rejections changes.
    #[must_use]
    pub fn with_rejections(self, rejections: Rejections<f64>) -> Self {
        Self { rejections, ..self }
    }
}

impl<F> TargetLaw<F> {
    /// Returns why the first ball that could not be realised could not be.
    #[must_use]
    pub fn failure(&self) -> Option<&RealizeError<f64>> {
        self.failure.as_ref().map(|(_, error)| error)
    }
}

impl<F: FnMut(u64) -> Option<Vec<f64>>> Strategy for TargetLaw<F> {
    fn is_randomised(&self) -> bool {
        true
    }
    /// The ball at hand counts as soon as its law was asked for.
    fn unrealizable_at(&self) -> Option<u64> {
        self.failure.as_ref().map(|&(ball, _)| ball)
    }
}

impl<F, B> ThinningStrategy<B> for TargetLaw<F>
where
    F: FnMut(u64) -> Option<Vec<f64>>,
    B: Bins<Bin = usize>,
{
    fn check(&self, _: &B) -> Result<(), StartError> {
        Ok(()) // The length of a law shows when it is asked for.
    }
    fn begin(&mut self, _: &B) {
        self.accept.clear();
        (self.balls, self.asked, self.failure) = (0, 0, None);
    }
    fn next_ball<R: Rng + ?Sized>(&mut self, bins: &B, _: &mut R) {
        let ball = self.balls + 1;
        if self.failure.is_some() || self.asked == ball {
            return;
        }
        self.asked = ball;
        let Some(law) = (self.laws)(ball) else { return };
        let accept = if law.len() as u64 == bins.bins() {
            accept_probabilities(&law, &self.rejections)
        } else {
            Err(RealizeError::OtherBins { bins: bins.bins(), places: law.len() })
        };
        match accept {
            Ok(accept) => self.accept = accept,
            Err(error) => {
                self.accept.clear();
                self.failure = Some((ball, error));
            }
        }
    }
    #[inline]
    fn accept(&self, _: &B, bin: usize, _: u32) -> Mix<bool> {
        self.accept.get(bin).map_or(Mix::Sure(true), |&probability| accept_with(probability))
    }
    #[inline]
    fn placed(&mut self, _: &B, _: usize, _: usize, _: u32) {
        self.balls += 1;
    }
}
