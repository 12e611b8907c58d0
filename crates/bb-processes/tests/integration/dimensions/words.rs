//! The exact law of the real code, by all words that its generator could say.

use std::convert::Infallible;

use bb_processes::bb_core::rand::TryRng;
use bb_processes::{MultiBins, MultiLoads};
use bb_testkit::exact::ratio;
use num_rational::BigRational;

/// Says a word from somewhere in one of so many equal parts of all words; then no bounded draw of these tests
/// rejects, and a bound that divides the number of parts is drawn uniformly.
pub(super) struct Dice<'a> {
    sides: &'a [u64],
    said: &'a mut Vec<u64>,
    place: usize,
}

impl TryRng for Dice<'_> {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        panic!("words are of 64 bits");
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        if self.place == self.said.len() {
            self.said.push(0);
        }
        let sides = *self.sides.get(self.place).unwrap_or_else(|| panic!("more than {} words", self.sides.len()));
        let side = self.said[self.place];
        self.place += 1;
        Ok((((u128::from(side) << 64) + 0x6f3a_59c1_27d8_e4b5) / u128::from(sides)) as u64)
    }

    fn try_fill_bytes(&mut self, _: &mut [u8]) -> Result<(), Infallible> {
        panic!("words are of 64 bits");
    }
}

/// Runs it on every sequence of words, where word `i` has `sides[i]` equally likely values; words that are
/// not asked for are not tried.
pub(super) fn outcomes<T>(sides: &[u64], mut run: impl FnMut(&mut Dice<'_>) -> T) -> Vec<(BigRational, T)> {
    let (mut said, mut all) = (Vec::new(), Vec::new());
    loop {
        let mut dice = Dice { sides, said: &mut said, place: 0 };
        let outcome = run(&mut dice);
        let asked = dice.place;
        assert_eq!(asked, said.len(), "the same words, the same questions");
        all.push((ratio(1, sides[..asked].iter().product()), outcome));
        while said.last().is_some_and(|&last| last + 1 == sides[said.len() - 1]) {
            said.pop();
        }
        match said.last_mut() {
            Some(last) => *last += 1,
            None => return all,
        }
    }
}

/// All loads, bin after bin.
pub(super) fn cells(loads: &MultiLoads) -> Vec<u64> {
    let bins = loads.column(0).len();
    (0..bins).flat_map(|bin| (0..loads.dimensions()).map(move |dimension| loads.cell(bin, dimension))).collect()
}
