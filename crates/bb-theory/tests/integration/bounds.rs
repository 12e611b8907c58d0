use std::collections::BTreeSet;

use bb_theory::bounds::{self, Quantity, Status};

#[test]
fn every_row_says_what_it_must() {
    let mut seen = BTreeSet::new();
    for bound in bounds::ALL {
        for text in [bound.process, bound.formula, bound.balls, bound.source] {
            assert!(!text.is_empty() && text.trim() == text && !text.ends_with('.'), "{bound:?}");
        }
        assert!(seen.insert((bound.process, bound.formula, bound.balls)), "twice: {bound:?}");
        let line = bound.to_string();
        assert!(line.contains(bound.source) && line.contains(bound.formula) && !line.contains('\n'));
        assert_eq!(line.contains("read"), bound.status == Status::ReadElsewhere, "{line}");
        assert!(bounds::of(bound.process).any(|found| found == bound));
    }
    assert_eq!(bounds::of("no such process").count(), 0);
}

#[test]
fn what_was_only_recalled_is_marked() {
    let not_theorems: Vec<_> =
        bounds::ALL.iter().filter(|bound| !bound.status.is_theorem()).map(|bound| bound.process).collect();
    let expected = ["graph, cycle", "sigma-noisy-load", "lifetimes", "supermarket", "circle", "multidimensional"];
    assert_eq!(not_theorems, expected);
    let cycle = bounds::of("graph, cycle").next().unwrap();
    assert!(cycle.to_string().ends_with("; conjectured)"));
}

#[test]
fn the_rules_of_the_library_have_rows() {
    for process in ["one-choice", "two-choice", "d-choice", "one-plus-beta", "mean-thinning", "left", "caching"] {
        assert!(bounds::of(process).any(|bound| bound.quantity != Quantity::MaxLoad), "{process}");
    }
}
