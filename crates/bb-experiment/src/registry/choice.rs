//! Rules that compare the loads of the bins they sample.

use bb_processes::{DChoice, DistinctChoice, OneChoice, OnePlusBeta, Unfair};

use super::kinds::{comparing, comparing_described};
use super::{Entry, Process, parameter, rule};

pub(super) static ENTRIES: &[Entry] = &[
    rule("one-choice", "Raab and Steger, RANDOM 1998")
        .text("each ball goes to a uniform bin")
        .make(|values| Ok(comparing_described(values, OneChoice))),
    rule("two-choice", "Azar, Broder, Karlin and Upfal, SIAM J. Comput. 29, 1999")
        .text("each ball goes to the lesser loaded of two uniform bins")
        .make(|values| Ok(comparing_described(values, DChoice::two()))),
    rule("d-choice", "Azar, Broder, Karlin and Upfal, SIAM J. Comput. 29, 1999")
        .text("each ball goes to the least loaded of d uniform bins")
        .parameters(&[
            parameter("d", "3", "1..2^32, at most the number of bins if replacement=false")
                .means("the number of bins sampled for a ball"),
            parameter("replacement", "true", "true, false").means("whether a bin can be sampled twice for one ball"),
        ])
        .make(|values| {
            let d = values.integer("d")?;
            Ok(if values.truth("replacement")? {
                comparing_described(values, DChoice::new(d)?)
            } else {
                comparing(values, DistinctChoice::new(d)?).with_counted(DistinctChoice::new(d)?)
            })
        }),
    rule("one-plus-beta", "Peres, Talwar and Wieder, Random Structures & Algorithms 47, 2015")
        .text("with probability beta the least loaded of d uniform bins, else the first of them")
        .parameters(&[
            parameter("beta", "0.5", "[0, 1]").means("the probability that a ball has more than one choice"),
            parameter("d", "2", "1..2^32").means("the number of choices that it then has"),
        ])
        .make(|values| {
            let rule = OnePlusBeta::new(values.real("beta")?)?.with_d(values.integer("d")?)?;
            Ok(comparing_described(values, rule))
        }),
    rule("unfair", "arXiv 2603.20060")
        .text("each ball goes to the fullest of d uniform bins")
        .parameters(&[parameter("d", "2", "1..=2^16").means("the number of bins sampled for a ball")])
        .make(|values| Ok(Process::described(values.name(), Unfair::new(values.integer("d")?)?))),
];
