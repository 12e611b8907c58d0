//! Two-Choice with a comparison that errs: the settings of Los and Sauerwald, arXiv 2206.07503.
//!
//! Two samples are compared, rightly with a probability `ρ(δ)` that depends on the difference `δ` of their
//! loads. A rule says how the comparison errs at each difference, by a method `errs(δ) -> Mix<bool>`;
//! [`noisy_two_choice`] makes it a described rule.

mod g_adv_comp;
mod g_bounded;
mod g_myopic;
mod noisy_comparison;
mod rho_noisy;
mod sigma_noisy_load;

pub use self::g_adv_comp::GAdvComp;
pub use self::g_bounded::GBounded;
pub use self::g_myopic::GMyopic;
pub use self::noisy_comparison::NoisyComparison;
pub use self::rho_noisy::RhoNoisy;
pub use self::sigma_noisy_load::SigmaNoisyLoad;

use bb_core::{Judgement, Mix};

/// What the second sample leads to, when the first has load `first`. Of equal loads the first sample takes
/// the ball, without a coin.
#[inline]
fn compare(first: u64, second: u64, errs: impl FnOnce(u64) -> Mix<bool>) -> Mix<Judgement<bool>> {
    let take_second = |errs: bool| Judgement { keep: if errs { second > first } else { second < first }, go: None };
    match errs(first.abs_diff(second)) {
        Mix::Coin { coin, heads, tails } if first != second => {
            Mix::Coin { coin, heads: take_second(heads), tails: take_second(tails) }
        }
        Mix::Coin { .. } => Mix::Sure(take_second(false)),
        Mix::Sure(errs) => Mix::Sure(take_second(errs)),
    }
}

/// Makes a rule of two samples of the method `errs`.
macro_rules! noisy_two_choice {
    ($rule:ty $(, $parameter:ident: $bound:path)?) => {
        impl $(<$parameter: $bound>)? bb_core::Description for $rule {
            /// Whether this is the second sample.
            type State = bool;
            type Phase = ();

            fn most_samples(&self) -> u32 {
                2
            }
            fn phase(&self, _: u64, _: u64) -> ((), u64) {
                ((), u64::MAX)
            }
            #[inline]
            fn first(&self, (): &()) -> bb_core::Mix<bool> {
                bb_core::Mix::Sure(false)
            }
            #[inline]
            fn judge(&self, (): &(), second: bool, kept: u64, load: u64) -> bb_core::Mix<bb_core::Judgement<bool>> {
                if second {
                    $crate::noise::compare(kept, load, |difference| self.errs(difference))
                } else {
                    bb_core::Mix::Sure(bb_core::Judgement { keep: true, go: Some(true) })
                }
            }
        }

        $crate::described::allocator_by_description!($rule, samples: |_: &Self| Some(bb_core::SampleCount::PerBall(2.0)) $(, $parameter: $bound)?);
    };
}

use noisy_two_choice;
