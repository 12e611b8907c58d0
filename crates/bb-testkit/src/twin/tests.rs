use super::*;
use bb_core::BinsExt;

/// Asks for what a test says, so that each refusal can be seen.
#[derive(Clone)]
struct Asks(fn(&mut dyn Rng));

impl<B: Bins> Allocator<B> for Asks {
    fn choose<R: Rng + ?Sized>(&mut self, bins: &B, mut rng: &mut R) -> B::Bin {
        (self.0)(&mut rng);
        bins.nth(0)
    }
}

#[test]
#[should_panic(expected = "the rule takes word 2 of a step, the twin was told of 1")]
fn a_word_too_many_is_refused() {
    let rule = Asks(|rng| {
        rng.next_u64();
        rng.next_u64();
    });
    let _ = law(&rule, &[0], 1, &[ratio(1, 2)]);
}

#[test]
#[should_panic(expected = "the rule takes 32")]
fn half_a_word_is_refused() {
    let rule = Asks(|rng| {
        rng.next_u32();
    });
    let _ = law(&rule, &[0], 1, &[ratio(1, 2)]);
}

#[test]
#[should_panic(expected = "the rule takes bytes")]
fn bytes_are_refused() {
    let _ = law(&Asks(|rng| rng.fill_bytes(&mut [0])), &[0], 1, &[]);
}

/// A rule's own memory is told apart: the law of a rule that repeats its first draw for ever.
#[test]
fn memory_is_part_of_the_state() {
    #[derive(Clone)]
    struct Loyal(Option<usize>);
    impl<B: Bins<Bin = usize>> Allocator<B> for Loyal {
        fn choose<R: Rng + ?Sized>(&mut self, bins: &B, rng: &mut R) -> usize {
            *self.0.get_or_insert_with(|| bins.draw(rng))
        }
    }
    let law = law_with_memory(&Loyal(None), &[1, 0], 3, &[], |rule| rule.0);
    assert_eq!(law.probability(&vec![4, 0]), ratio(1, 2));
    assert_eq!(law.probability(&vec![1, 3]), ratio(1, 2));
}
