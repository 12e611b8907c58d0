//! The tests of the processes, one module per question.
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
    };
}

mod allocation_vector;
mod bad_input;
mod bounds;
mod conservation;
mod degenerate;
mod exact;
mod gap_law;
mod majorization;
mod same_path;
mod value_stability;
