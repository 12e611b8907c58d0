//! How the processes run: the same path whichever way a rule is called, the same law on every engine, and the same results for a fixed seed.
//!
//! Statistical tests have fixed seeds, a false-alarm rate of 1e-6 each at a fresh seed unless they say otherwise, and a twin: the same test
//! must reject a process that differs in one parameter.

/// Calls a generic check with the name of a rule, the rule and further arguments, for every rule and kind of parameter.
macro_rules! for_each_rule {
    ($check:ident $(, $argument:expr)*) => {
        $check("one-choice", bb_processes::OneChoice $(, $argument)*);
        $check("1-choice", bb_processes::DChoice::new(1).unwrap() $(, $argument)*);
        $check("two-choice", bb_processes::DChoice::two() $(, $argument)*);
        $check("3-choice", bb_processes::DChoice::new(3).unwrap() $(, $argument)*);
        $check("9-choice", bb_processes::DChoice::new(9).unwrap() $(, $argument)*);
        $check("1-choice without replacement", bb_processes::DistinctChoice::new(1).unwrap() $(, $argument)*);
        $check("two-choice without replacement", bb_processes::DistinctChoice::new(2).unwrap() $(, $argument)*);
        $check("5-choice without replacement", bb_processes::DistinctChoice::new(5).unwrap() $(, $argument)*);
        $check("(1+0)", bb_processes::OnePlusBeta::new(0.0).unwrap() $(, $argument)*);
        $check("(1+0.3)", bb_processes::OnePlusBeta::new(0.3).unwrap() $(, $argument)*);
        $check("(1+1)", bb_processes::OnePlusBeta::new(1.0).unwrap() $(, $argument)*);
        $check("(1+0.5) with d = 1", bb_processes::OnePlusBeta::new(0.5).unwrap().with_d(1).unwrap() $(, $argument)*);
        $check("(1+0.5) with d = 4", bb_processes::OnePlusBeta::new(0.5).unwrap().with_d(4).unwrap() $(, $argument)*);
        $check("load threshold 2", bb_processes::LoadThreshold::new(2).unwrap() $(, $argument)*);
        $check("load threshold 9 with d = 1", bb_processes::LoadThreshold::new(9).unwrap().with_d(1).unwrap() $(, $argument)*);
        $check("load threshold 50 with d = 4", bb_processes::LoadThreshold::new(50).unwrap().with_d(4).unwrap() $(, $argument)*);
        $check("mean-thinning", bb_processes::MeanThinning $(, $argument)*);
        $check("relative threshold 1.3", bb_processes::RelativeThreshold::new(1.3).unwrap() $(, $argument)*);
        $check("thresholds -1, 0.5 and 2", bb_processes::KThreshold::new(&[-1.0, 0.5, 2.0]).unwrap() $(, $argument)*);
        $check("g-bounded 2", bb_processes::GBounded::new(2) $(, $argument)*);
        $check("sigma-noisy 1.5", bb_processes::SigmaNoisyLoad::new(1.5).unwrap() $(, $argument)*);
        $check("rho-noisy", bb_processes::RhoNoisy::new(|difference| difference.min(4) as f64 / 4.0).unwrap() $(, $argument)*);
        $check("caching", bb_processes::Caching::new() $(, $argument)*);
        $check("(2,3)-memory from empty", bb_processes::Memory::new(2, 3).unwrap().with_first(bb_processes::FirstMemory::Empty) $(, $argument)*);
        $check("(1,2)-choice", bb_processes::KdChoice::new(1, 2).unwrap() $(, $argument)*);
        $check("(2,3)-choice", bb_processes::KdChoice::new(2, 3).unwrap() $(, $argument)*);
        $check("(7,9)-choice", bb_processes::KdChoice::new(7, 9).unwrap() $(, $argument)*);
    };
}

/// Calls a check with the name of a rule for labelled bins, the rule, and further arguments, for every such rule made for so many bins, at least 3.
macro_rules! for_each_labelled_rule {
    ($bins:expr, $check:ident $(, $argument:expr)*) => {{
        use bb_processes::{AlwaysGoLeft, BinProbabilities, DoubleHashing, Graph, GraphChoice, GroupChoice, Hypergraph};
        use bb_processes::{HypergraphChoice, NonuniformChoice, Ties};

        let bins: u64 = $bins;
        let mut rng = bb_processes::bb_core::rng_for_trial(70, bins);
        let classes = NonuniformChoice::new(BinProbabilities::two_class(bins, bins / 3, 3.0).unwrap(), 2).unwrap();
        let circle = NonuniformChoice::new(BinProbabilities::circle(bins, &mut rng).unwrap(), 3).unwrap();
        let cycle = GraphChoice::new(Graph::cycle(bins).unwrap());
        let complete = GraphChoice::new(Graph::complete(bins).unwrap());
        let random = HypergraphChoice::new(Hypergraph::random(bins, 20 * bins, 3, &mut rng).unwrap());
        $check("always-go-left, d = 1", AlwaysGoLeft::new(1).unwrap() $(, $argument)*);
        $check("always-go-left, d = 2", AlwaysGoLeft::new(2).unwrap() $(, $argument)*);
        $check("always-go-left, d = 3", AlwaysGoLeft::new(3).unwrap() $(, $argument)*);
        $check("group choice, d = 2", GroupChoice::new(2).unwrap() $(, $argument)*);
        $check("group choice, d = 3", GroupChoice::new(3).unwrap() $(, $argument)*);
        $check("double hashing, d = 1", DoubleHashing::new(1).unwrap() $(, $argument)*);
        $check("double hashing, d = 3", DoubleHashing::new(3).unwrap() $(, $argument)*);
        $check("two classes", classes.clone() $(, $argument)*);
        $check("two classes, the less likely", classes.preferring_the_less_likely() $(, $argument)*);
        $check("circle", circle $(, $argument)*);
        $check("cycle", cycle.clone() $(, $argument)*);
        $check("cycle, the first end", cycle.clone().with_ties(Ties::First) $(, $argument)*);
        $check("cycle, beta = 0.5", cycle.with_beta(0.5).unwrap() $(, $argument)*);
        $check("complete graph", complete.clone() $(, $argument)*);
        $check("complete graph, beta = 0.5", complete.with_beta(0.5).unwrap() $(, $argument)*);
        $check("hypergraph", random.clone() $(, $argument)*);
        $check("hypergraph, the first vertex", random.clone().with_ties(Ties::First) $(, $argument)*);
        $check("hypergraph, two of an edge", random.clone().with_d(2).unwrap() $(, $argument)*);
        $check("hypergraph, beta = 0.5", random.with_beta(0.5).unwrap() $(, $argument)*);
    }};
}

/// Calls a check with the name of a described rule, the rule, its allocation vector on given loads, and further arguments, for every such rule.
macro_rules! for_each_described_rule {
    ($check:ident $(, $argument:expr)*) => {{
        use bb_processes::{DChoice, GMyopic, KThreshold, LoadThreshold, MeanThinning, OneChoice, OnePlusBeta};
        use bb_testkit::ranks::{self, below_mean, g_myopic, k_threshold, thinning};
        use bb_testkit::exact::ratio;

        let half = OnePlusBeta::new(0.5).unwrap();
        let threshold = |level| LoadThreshold::new(level).unwrap();
        $check("one-choice", OneChoice, |x| ranks::one_choice(x.len() as u64) $(, $argument)*);
        $check("two-choice", DChoice::two(), |x| ranks::d_choice(x.len() as u64, 2) $(, $argument)*);
        $check("3-choice", DChoice::new(3).unwrap(), |x| ranks::d_choice(x.len() as u64, 3) $(, $argument)*);
        $check("(1+1/2)", half, |x| ranks::one_plus_beta(x.len() as u64, &ratio(1, 2), 2) $(, $argument)*);
        $check("(1+1/2) with d = 4", half.with_d(4).unwrap(), |x| ranks::one_plus_beta(x.len() as u64, &ratio(1, 2), 4) $(, $argument)*);
        $check("load threshold 1", threshold(1), |x| thinning(x, 2, |load| load < 1) $(, $argument)*);
        $check("load threshold 2 with d = 3", threshold(2).with_d(3).unwrap(), |x| thinning(x, 3, |load| load < 2) $(, $argument)*);
        $check("mean-thinning", MeanThinning, |x| thinning(x, 2, below_mean(x)) $(, $argument)*);
        $check("g-myopic 1", GMyopic::new(1), |x| g_myopic(x, 1) $(, $argument)*);
        $check("thresholds 0 and 1.5", KThreshold::new(&[0.0, 1.5]).unwrap(), |x| k_threshold(x, &[0.0, 1.5]) $(, $argument)*);
    }};
}

/// An allocation vector that may depend on the loads.
type Vector = fn(&[u64]) -> Vec<bb_testkit::BigRational>;

mod conservation;
mod degenerate;
mod engines;
mod one_choice_final;
mod same_path;
mod same_path_labelled;
mod value_stability;
