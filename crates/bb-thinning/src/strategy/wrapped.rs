//! Strategies that are made of others.

/// What a strategy is, all but where it fails, by the field `strategy`.
macro_rules! strategy_of_field {
    () => {
        #[inline]
        fn samples(&self) -> u32 {
            self.strategy.samples()
        }
        fn counters(&self) -> u8 {
            self.strategy.counters()
        }
        #[inline]
        fn is_randomised(&self) -> bool {
            self.strategy.is_randomised()
        }
    };
}

/// What a strategy decides about a sample, by the field `strategy`.
macro_rules! decisions_of_field {
    ($view:ident) => {
        #[inline]
        fn accept(&self, bins: &$view, bin: $view::Bin, sample: u32) -> bb_core::Mix<bool> {
            self.strategy.accept(bins, bin, sample)
        }
        #[inline]
        fn put(&self, bins: &$view, bin: $view::Bin, sample: u32) -> bb_core::Put {
            self.strategy.put(bins, bin, sample)
        }
    };
}

/// Makes a strategy of a struct whose field `strategy` is one.
macro_rules! strategy_by_field {
    ($name:ty, on: $($view:tt)+) => {
        impl $crate::strategy::Strategy for $name {
            $crate::strategy::wrapped::strategy_of_field!();
            fn unrealizable_at(&self) -> Option<u64> {
                self.strategy.unrealizable_at()
            }
        }

        impl<B: $($view)+> $crate::strategy::ThinningStrategy<B> for $name {
            fn check(&self, bins: &B) -> Result<(), bb_core::StartError> {
                self.strategy.check(bins)
            }
            fn begin(&mut self, bins: &B) {
                self.strategy.begin(bins);
            }
            #[inline]
            fn next_ball<R: bb_core::Rng + ?Sized>(&mut self, bins: &B, rng: &mut R) {
                self.strategy.next_ball(bins, rng);
            }
            $crate::strategy::wrapped::decisions_of_field!(B);
            #[inline]
            fn placed(&mut self, bins: &B, was: B::Bin, now: B::Bin, sample: u32) {
                self.strategy.placed(bins, was, now, sample);
            }
        }
    };
}

pub(crate) use {decisions_of_field, strategy_by_field, strategy_of_field};
