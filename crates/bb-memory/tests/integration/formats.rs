//! Formats: round trips, lengths, the budget at the boundary, every string of tiny cases.

use std::collections::{BTreeMap, BTreeSet};

use bb_memory::bb_core::{Rng, draw_below, rng_for_trial};
use bb_memory::num_bigint::BigUint;
use bb_memory::{Budget, Format, Layout, MemoryError, Shape, State, StateError, StateWriter};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

fn budget(bits: u64) -> Budget {
    Budget::bits(bits).unwrap()
}

fn encode(layout: &Layout, list: &[(usize, u64)]) -> Result<(State, u64), StateError> {
    let mut writer = StateWriter::new(layout.budget())?;
    layout.encode(list, &mut writer)?;
    let written = writer.written();
    Ok((writer.finish()?, written))
}

/// `ceil(lg count)`.
fn field(count: &BigUint) -> u64 {
    (count - 1_u8).bits()
}

fn binomial(n: u64, k: u64) -> BigUint {
    (0..k).fold(BigUint::from(1_u8), |product, i| product * (n - i) / (i + 1))
}

fn factorial(n: u64) -> BigUint {
    (1..=n).product()
}

fn width(most: u64) -> u64 {
    field(&BigUint::from(most + 1))
}

/// The lengths as the documentation states them, in integers throughout.
fn stated(layout: &Layout, list: &[(usize, u64)]) -> u64 {
    let (n, k, capacity, range) = (layout.bins(), list.len() as u64, layout.capacity(), layout.range());
    let set = range == 1;
    // A layered list may be longer than those that always fit; where none fits but the empty one, it takes no
    // bits.
    let header = if capacity == 0 { 0 } else { width(n) };
    match layout.format() {
        Format::Naive => width(capacity) + k * (width(n - 1) + width(range - 1)),
        Format::Flat => width(capacity) + field(&(binomial(n, k) * BigUint::from(range).pow(k as u32))),
        Format::Joint => {
            field(&(0..=capacity).map(|k| binomial(n, k) * BigUint::from(range).pow(k as u32)).sum::<BigUint>())
        }
        Format::Layered if set => header + field(&binomial(n, k)),
        Format::Layered => {
            let most = list.iter().map(|&(_, excess)| excess).max();
            let counts = most.map_or(0, |most| most + 1);
            let at_least = |excess| list.iter().filter(|entry| entry.1 >= excess).count() as u64;
            let headers: u64 = (0..counts).map(|excess| width(at_least(excess))).sum();
            let exactly = (0..counts).map(|excess| factorial(at_least(excess) - at_least(excess + 1)));
            let lists = factorial(n) / (factorial(n - k) * exactly.product::<BigUint>());
            header + headers + field(&lists)
        }
        Format::EliasFano if k == 0 => width(capacity),
        Format::EliasFano => {
            let low = (n / k).ilog2();
            let counts: u64 = if set { 0 } else { list.iter().map(|&(_, excess)| excess + 1).sum() };
            width(capacity) + k * u64::from(low) + k + ((n - 1) >> low) + 1 + counts
        }
        other => panic!("{other:?} is not known"),
    }
}

fn random_list<R: Rng>(layout: &Layout, entries: u64, rng: &mut R) -> Vec<(usize, u64)> {
    let mut bins = BTreeSet::new();
    while (bins.len() as u64) < entries {
        bins.insert(draw_below(layout.bins(), rng) as usize);
    }
    let most = layout.range().min(6);
    bins.into_iter().map(|bin| (bin, draw_below(most, rng) * draw_below(2, rng))).collect()
}

#[test]
fn lists_come_back_and_have_the_stated_length() {
    let mut rng = rng_for_trial(200, 0);
    for format in Format::ALL {
        for range in [1, 3, 8] {
            for (bins, bits) in [(1, 9), (2, 20), (7, 30), (100, 200), (1000, 300), (1023, 900)] {
                let layout = Layout::new(bins, budget(bits), format, range).unwrap();
                for entries in (0..=layout.capacity()).filter(|k| k % 7 < 3 || *k == layout.capacity()) {
                    let list = random_list(&layout, entries, &mut rng);
                    let shape = Shape::of(&list);
                    let length = stated(&layout, &list);
                    if length > bits {
                        // Counts take room too.
                        assert_eq!(layout.length(&shape), None);
                        assert!(encode(&layout, &list).is_err());
                        continue;
                    }
                    let (state, written) = encode(&layout, &list).unwrap();
                    assert_eq!((written, layout.length(&shape)), (length, Some(length)), "{layout:?} {list:?}");
                    assert_eq!(layout.decode(&state).unwrap(), list, "{layout:?}");
                    assert_eq!(state.bits(), bits);
                }
            }
        }
    }
}

/// The capacity is the most entries whose list without excess always fits: by brute force.
#[test]
fn the_capacity_is_the_most_that_fits() {
    for format in Format::ALL {
        for range in [1, 8] {
            for bins in [1_u64, 5, 16, 33] {
                for bits in 0..140 {
                    let layout = Layout::new_or_empty(bins, budget(bits), format, range).unwrap();
                    let fits = |capacity: u64| {
                        // The header depends on the capacity, so it is put together here.
                        let longest = |k: u64| {
                            let set = range == 1;
                            let header = width(capacity);
                            let lists = |k| binomial(bins, k) * BigUint::from(range).pow(k as u32);
                            match format {
                                Format::Naive => header + k * (width(bins - 1) + width(range - 1)),
                                Format::Flat => header + field(&lists(k)),
                                Format::Joint => field(&(0..=capacity).map(lists).sum::<BigUint>()),
                                Format::Layered => {
                                    let numbers = if set || k == 0 { 0 } else { width(k) };
                                    width(bins) + numbers + field(&binomial(bins, k))
                                }
                                _ if k == 0 => header,
                                _ => {
                                    let low = (bins / k).ilog2();
                                    let counts = if set { 0 } else { k };
                                    header + k * u64::from(low) + k + ((bins - 1) >> low) + 1 + counts
                                }
                            }
                        };
                        (0..=capacity).all(|k| longest(k) <= bits)
                    };
                    let expected = (1..=bins).take_while(|&capacity| fits(capacity)).last().unwrap_or(0);
                    assert_eq!(layout.capacity(), expected, "{format:?}, R = {range}, n = {bins}, M = {bits}");
                    assert_eq!(Layout::new(bins, budget(bits), format, range).is_ok(), expected > 0 || bits == 0);
                }
            }
        }
    }
}

/// A budget equal to the length passes; one bit less is refused.
#[test]
fn the_budget_is_exact() {
    let mut rng = rng_for_trial(201, 0);
    let mut boundaries = 0;
    for format in Format::ALL {
        for range in [1, 8] {
            for bits in 12..400 {
                let layout = Layout::new_or_empty(60, budget(bits), format, range).unwrap();
                let entries = layout.capacity().min(bits % 9);
                let list = random_list(&layout, entries, &mut rng);
                let Some(length) = layout.length(&Shape::of(&list)) else { continue };
                // The same constants with a budget of just that length, where they are the same.
                let exact = Layout::new_or_empty(60, budget(length), format, range).unwrap();
                if exact.length(&Shape::of(&list)) == Some(length) {
                    assert_eq!(encode(&exact, &list).unwrap().1, length);
                    boundaries += 1;
                }
                let mut short = StateWriter::new(budget(length - u64::from(length > 0))).unwrap();
                if length > 0 {
                    assert!(layout.encode(&list, &mut short).is_err(), "{layout:?} {list:?}");
                    assert!(matches!(short.finish(), Err(StateError::OverBudget { .. })));
                }
            }
        }
    }
    assert!(boundaries > 100, "{boundaries}");
}

/// Every string of tiny budgets: those that can be read are the strings of their lists, and all lists that
/// fit are among them.
#[test]
fn tiny_cases_are_enumerated() {
    for format in Format::ALL {
        for range in [1, 2, 3] {
            for bins in 1..=4_u64 {
                for bits in 0..=13 {
                    let layout = Layout::new_or_empty(bins, budget(bits), format, range).unwrap();
                    let mut read = BTreeSet::new();
                    for string in 0..1_u64 << bits {
                        let mut writer = StateWriter::new(budget(bits)).unwrap();
                        writer.write(string, bits as u32).unwrap();
                        let state = writer.finish().unwrap();
                        match layout.decode(&state) {
                            Ok(list) => {
                                assert_eq!(encode(&layout, &list).unwrap().0, state, "{layout:?} {list:?}");
                                assert!(read.insert(list));
                            }
                            Err(StateError::NonCanonical { .. } | StateError::NoSuchField { .. }) => {}
                            Err(other) => panic!("{other:?}"),
                        }
                    }
                    let lists = all_lists(bins as usize, range.min(layout.range()), bits);
                    let fitting: BTreeSet<_> = lists.into_iter().filter(|list| encode(&layout, list).is_ok()).collect();
                    assert!(fitting.is_subset(&read), "{layout:?}");
                    // Unbounded counts are read beyond those that were enumerated.
                    if layout.range() < u64::MAX {
                        assert_eq!(fitting, read, "{layout:?}");
                    }
                    assert!(read.len() as u64 <= 1 << bits && !read.is_empty(), "{layout:?}");
                }
            }
        }
    }
}

fn all_lists(bins: usize, range: u64, _: u64) -> Vec<Vec<(usize, u64)>> {
    let mut lists = vec![Vec::new()];
    for bin in 0..bins {
        let longer: Vec<_> = lists
            .iter()
            .flat_map(|list| {
                (0..range).map(move |excess| {
                    let mut longer: Vec<(usize, u64)> = list.clone();
                    longer.push((bin, excess));
                    longer
                })
            })
            .collect();
        lists.extend(longer);
    }
    lists
}

/// Measured with a 16-bit header at 202 and 1114 entries of 2^16; here the fields without the header.
#[test]
fn lengths_at_a_real_size() {
    let layout = |format| Layout::new(1 << 16, budget(30_000), format, 8).unwrap();
    let shape = |format, entries| {
        let length = layout(format).length(&Shape::new(&[entries])).unwrap();
        length - width(layout(format).capacity())
    };
    assert_eq!(shape(Format::Naive, 202), 3854 - 16);
    assert_eq!(shape(Format::Flat, 202), 2593 - 16);
    assert_eq!(shape(Format::Naive, 1114), 21182 - 16);
    assert_eq!(shape(Format::Flat, 1114), 11494 - 16);
}

#[test]
fn what_cannot_be_written_is_refused() {
    let layout = Layout::new(50, budget(100), Format::Naive, 8).unwrap();
    let refused = |list: &[(usize, u64)]| encode(&layout, list).unwrap_err();
    assert!(matches!(refused(&[(3, 0), (3, 0)]), StateError::NonCanonical { .. }));
    assert!(matches!(refused(&[(4, 0), (3, 0)]), StateError::NonCanonical { .. }));
    assert!(matches!(refused(&[(50, 0)]), StateError::NonCanonical { .. }));
    assert_eq!(refused(&[(4, 8)]), StateError::CountRange { bin: 4, excess: 8, range: 8 });
    let long: Vec<_> = (0..11).map(|bin| (bin, 0)).collect();
    assert_eq!(layout.capacity(), 10);
    assert_eq!(refused(&long), StateError::OverBudget { needed: 4 + 11 * 9, budget: 100 });
    let error = Layout::new(0, budget(9), Format::Naive, 8).unwrap_err();
    assert!(matches!(error, MemoryError::Parameter(_)), "{error}");
    assert_eq!(Layout::new(9, budget(9), Format::Naive, 0).unwrap_err().to_string(), "R = 0 is outside 1..=2^32");
    // E6: the states "none" and 2^16 single bins need 17 bits.
    let error = Layout::new(1 << 16, budget(16), Format::Joint, 1).unwrap_err();
    assert_eq!(error, MemoryError::BudgetTooSmall { budget: 16, needed: 17 });
}

/// Fields across words, set and read.
#[test]
fn bits_are_kept_where_they_are_written() {
    let mut rng = rng_for_trial(202, 0);
    for _ in 0..200 {
        let bits = draw_below(400, &mut rng);
        let mut writer = StateWriter::new(budget(bits)).unwrap();
        let mut fields = Vec::new();
        loop {
            let width = draw_below(65, &mut rng) as u32;
            let value = if width == 0 { 0 } else { rng.next_u64() >> (64 - width) };
            if writer.written() + u64::from(width) > bits {
                assert!(writer.clone().write(value, width).is_err());
                break;
            }
            fields.push((writer.written(), width, value));
            writer.write(value, width).unwrap();
        }
        let state = writer.finish().unwrap();
        let mut reader = state.reader();
        for &(at, width, value) in &fields {
            assert_eq!(state.get(at, width), Ok(value));
            assert_eq!(reader.read(width), Ok(value));
        }
        reader.finish().unwrap();
    }
    let mut writer = StateWriter::new(budget(3)).unwrap();
    assert_eq!(writer.write(8, 3), Err(StateError::FieldTooNarrow { value: 8, width: 3 }));
    assert!(writer.finish().is_err(), "a refused field spoils the state");
    let mut writer = StateWriter::new(budget(70)).unwrap();
    assert!(matches!(writer.write(0, 65), Err(StateError::NoSuchField { .. })));
    assert!(Budget::bits((1 << 36) + 1).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 10_000,
        rng_seed: RngSeed::Fixed(0x66_6d),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// Any list in any layout: it comes back, at the stated length, or is refused where it does not fit; a
    /// string with one bit changed is refused, or stands for another list.
    #[test]
    fn any_list_comes_back(
        format in prop::sample::select(Format::ALL.to_vec()),
        range in 1_u64..10,
        bins in 1_u64..400,
        bits in 0_u64..600,
        entries in prop::collection::vec((any::<u64>(), 0_u64..8), 0..30),
        flip in any::<u64>(),
    ) {
        let layout = Layout::new_or_empty(bins, budget(bits), format, range)?;
        let list: BTreeMap<usize, u64> = entries.iter().map(|&(bin, excess)| ((bin % bins) as usize, excess)).collect();
        let list: Vec<(usize, u64)> = list.into_iter().collect();
        let most = if format == Format::Layered && layout.capacity() > 0 { bins } else { layout.capacity() };
        let known = list.len() as u64 <= most && list.iter().all(|&(_, excess)| excess < layout.range());
        let fits = known && stated(&layout, &list) <= bits;
        prop_assert_eq!(layout.length(&Shape::of(&list)), fits.then(|| stated(&layout, &list)));
        let encoded = encode(&layout, &list);
        prop_assert_eq!(encoded.is_ok(), fits);
        if let Ok((state, written)) = encoded {
            prop_assert_eq!((written, state.bits()), (stated(&layout, &list), bits));
            prop_assert_eq!(layout.decode(&state)?, list.clone());
            if bits > 0 {
                let flip = flip % bits;
                let mut writer = StateWriter::new(budget(bits))?;
                for at in 0..bits {
                    writer.write(state.get(at, 1)? ^ u64::from(at == flip), 1)?;
                }
                prop_assert_ne!(layout.decode(&writer.finish()?).ok(), Some(list));
            }
        }
    }
}

/// A set is written as its rank among the sets of its size: the numbers below the binomial are the ranks of
/// all sets.
#[test]
fn ranks_of_all_small_sets_are_the_numbers_below_the_binomial() {
    for n in 1..8_u64 {
        let layout = Layout::new(n, budget(20), Format::Flat, 1).unwrap();
        assert_eq!(layout.capacity(), n);
        for k in 0..=n {
            let count = u64::try_from(binomial(n, k)).unwrap();
            let mut seen = BTreeSet::new();
            for rank in 0..count {
                let mut writer = StateWriter::new(layout.budget()).unwrap();
                writer.write(k, width(n) as u32).unwrap();
                writer.write(rank, field(&count.into()) as u32).unwrap();
                let state = writer.finish().unwrap();
                let set = layout.decode(&state).unwrap();
                assert_eq!(set.len() as u64, k);
                assert!(set.windows(2).all(|pair| pair[0].0 < pair[1].0));
                assert!(set.iter().all(|&(bin, excess)| (bin as u64) < n && excess == 0));
                assert_eq!(encode(&layout, &set).unwrap().0, state, "n = {n}, {set:?}");
                seen.insert(set);
            }
            assert_eq!(seen.len() as u64, count);
        }
    }
}
