//! A hash table with two hash functions, and how few bits it takes to know which of two chains is the
//! shorter.
//!
//! An element may be in either of two entries, so a look-up searches two chains, and an insertion wants the
//! shorter of them. To find it without walking both, the table keeps a memory beside the chains: from it, and
//! from nothing else, an insertion decides. This is the example with which Benjamini and Makarychev
//! (*Balanced allocation: memory performance tradeoffs*, Ann. Appl. Probab. 22(4), 2012) begin.
//!
//! `cargo run --release --example hash_table` prints what each memory costs and what it buys.

use std::convert::Infallible;

use bb_core::{LoadVector, Place, draw_below, rng_for_trial};
use bb_memory::{
    Advisor, Bounded, Budget, ClusterCount, HeavyList, NoMemory, SaturatingCounters, ThresholdBit, TieRule,
};

/// Entries, and elements.
const SIZE: u64 = 1 << 18;

/// The entries for an element: two hash functions.
fn hashes(element: u64) -> [usize; 2] {
    let mut rng = rng_for_trial(2012, element);
    [(); 2].map(|()| draw_below(SIZE, &mut rng) as usize)
}

struct HashTable<A: Advisor> {
    chains: Vec<Vec<u64>>,
    /// The lengths of the chains, for the advisor; decisions do not see them.
    lengths: LoadVector,
    memory: Bounded<A>,
}

impl<A: Advisor<Failure = Infallible>> HashTable<A> {
    fn new(scheme: A) -> Result<Self, Box<dyn std::error::Error>> {
        let chains = vec![Vec::new(); SIZE as usize];
        Ok(Self { chains, lengths: LoadVector::new(SIZE)?, memory: Bounded::new(scheme) })
    }

    /// Puts an element that is not there yet into one of its entries.
    fn insert(&mut self, element: u64) -> Result<(), Box<dyn std::error::Error>> {
        // The memory is closed before it is asked, and then decides between these two entries.
        let entry = self.memory.close(&self.lengths, element)?.samples(&hashes(element))?.decide();
        self.chains[entry].push(element);
        self.lengths.place(entry, &());
        self.memory.learn_placed(&self.lengths, entry)?;
        Ok(())
    }

    /// Searches both chains, and returns how many elements they have if it is in one of them.
    fn find(&self, element: u64) -> Option<usize> {
        let [first, second] = hashes(element).map(|entry| &self.chains[entry]);
        let steps = first.len() + second.len();
        (first.contains(&element) || second.contains(&element)).then_some(steps)
    }
}

fn row<A: Advisor<Failure = Infallible>>(name: &str, scheme: A) -> Result<(), Box<dyn std::error::Error>> {
    let mut table = HashTable::new(scheme)?;
    (0..SIZE).try_for_each(|element| table.insert(element))?;
    let mut worst = 0;
    for element in 0..SIZE {
        worst = worst.max(table.find(element).ok_or("an element is lost")?);
    }
    let longest = table.chains.iter().map(Vec::len).max().unwrap_or(0);
    let long = table.chains.iter().filter(|chain| chain.len() > 3).count();
    let report = table.memory.report();
    let bits = report.budget().get() as f64 / SIZE as f64;
    println!("{name:<34} {bits:>8.3} {longest:>8} {long:>8} {worst:>8}   {}", report.class());
    assert_eq!(table.lengths.total(), SIZE);
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let n = SIZE;
    println!("a hash table of {n} entries with {n} elements, two hash functions\n");
    println!("{:<34} {:>8} {:>8} {:>8} {:>8}", "", "bits an", "longest", "chains", "longest");
    println!("{:<34} {:>8} {:>8} {:>8} {:>8}   model", "memory", "entry", "chain", "over 3", "look-up");
    row("none: the first entry", NoMemory::new(n, TieRule::First)?)?;
    row("heavy list of √n bits", HeavyList::fill(n, Budget::from_delta(n, 0.5)?)?)?;
    row("heavy list of n^(3/4) bits", HeavyList::fill(n, Budget::from_delta(n, 0.25)?)?)?;
    row("heavy list of n/3 bits", HeavyList::fill(n, Budget::bits(n / 3)?)?)?;
    row("clusters of 8 entries", ClusterCount::new(n, n / 8, 31)?)?;
    row("clusters of 4 entries", ClusterCount::new(n, n / 4, 15)?)?;
    row("clusters of 2 entries", ClusterCount::new(n, n / 2, 7)?)?;
    row("a bit: empty or not", SaturatingCounters::new(n, 1)?)?;
    row("a bit: fewer than 3 or not", ThresholdBit::new(n, 3)?)?;
    row("two bits: 0, 1, 2, 3 or more", SaturatingCounters::new(n, 2)?)?;
    row("full counts, a byte", SaturatingCounters::new(n, 8)?)?;
    println!("\nlook-up: elements in both chains of an element that is there, at most.");
    println!(
        "computational: the table keeps the memory up from what it knows of an insertion, its two entries and the one taken."
    );
    println!("communication: whoever writes the memory must know how long the chains are.");
    Ok(())
}
