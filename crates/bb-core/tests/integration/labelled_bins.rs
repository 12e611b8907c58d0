//! Labelled bins from outside: large puts and real weights.

use bb_core::{LoadVector, Metrics, Place, Put, Weight};

#[test]
fn a_large_put_is_added_whole() {
    for size in [1_u64, 200, 224, 255, 256, 1 << 40] {
        let mut loads = LoadVector::from_loads(vec![100, 120]).unwrap();
        loads.record_maximum();
        loads.put(0, &(), Put::balls(size.try_into().unwrap()));
        assert_eq!(loads.max_load(), loads.iter().max().unwrap());
        assert_eq!(loads.total(), loads.iter().sum::<u64>());
        assert!(loads.all_time_gap() >= loads.gap());
        assert_eq!(loads.to_vec(), [100 + size, 120]);
        let record = loads.max_load_record().unwrap();
        assert_eq!(record.max_count(size), Ok((100 + size).max(120)));
        assert_eq!(record.all_time(0..=size), Ok(loads.all_time_gap()));
    }
}

#[test]
fn real_totals_do_not_drift() {
    let mut loads = LoadVector::weighted(10).unwrap();
    for _ in 0..1_000_000 {
        loads.place(3, &Weight::new(0.1).unwrap());
    }
    assert!((loads.total() - 100_000.0).abs() < 1e-9, "{}", loads.total());
}
