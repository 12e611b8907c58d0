//! The exact table of small systems.

use std::collections::BTreeMap;

use bb_testkit::BigRational;
use bb_testkit::data::{Quantity, exact_small};
use bb_testkit::exact::{Law, ratio};

/// Asserts that these laws, of the loads of so many bins after so many steps, have every row of the table for
/// a process, and that no row is missing.
pub(crate) fn assert_rows(process: &str, law: impl Fn(u64, u64) -> Law<Vec<u64>>) {
    assert_rows_of(process, 7, law);
}

/// The same where the table has so many sizes.
pub(crate) fn assert_rows_of(process: &str, sizes: usize, law: impl Fn(u64, u64) -> Law<Vec<u64>>) {
    let mut laws = BTreeMap::new();
    let mut max_probabilities = ratio(0, 1);
    for row in exact_small().iter().filter(|row| row.process == process) {
        let law = laws.entry((row.bins, row.steps)).or_insert_with(|| law(row.bins, row.steps));
        let value: BigRational = match row.quantity {
            Quantity::MeanMax => law.mean_max(),
            Quantity::MeanGap => law.mean_gap(),
            Quantity::MeanMin => law.mean_min(),
            Quantity::MeanSumSqDev => law.mean_sum_sq_dev(),
            Quantity::MaxIs(max) => law.max_load().probability(&max),
            Quantity::GapIs(_) | Quantity::Gonnet => panic!("not in this table: {row:?}"),
        };
        assert_eq!(value, row.value, "{row:?}");
        if matches!(row.quantity, Quantity::MaxIs(_)) {
            max_probabilities += value;
        }
    }
    assert_eq!(max_probabilities, ratio(laws.len() as u64, 1), "{process}");
    assert_eq!(laws.len(), sizes, "{process}");
}
