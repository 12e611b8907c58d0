//! Rules whose samples have a structure: groups, hash values, rounds.

use bb_core::CountedBin;
use bb_processes::{AlwaysGoLeft, DoubleHashing, GroupChoice, KdChoice};

use super::kinds::comparing;
use super::{Entry, Parameter, parameter, rule};

const GROUPS: Parameter = parameter("d", "2", "1..2^32, at most the number of bins")
    .means("the number of groups, of n/d bins each up to rounding");

pub(super) static ENTRIES: &[Entry] = &[
    rule("left", "Vöcking, J. ACM 50, 2003")
        .text("always-go-left: the least loaded of one uniform bin from each of d groups, the leftmost on a tie")
        .parameters(&[GROUPS])
        .make(|values| Ok(comparing(values, AlwaysGoLeft::new(values.integer("d")?)?))),
    rule("group-choice", "cf. Vöcking, J. ACM 50, 2003")
        .text("the least loaded of one uniform bin from each of d groups, fair ties")
        .parameters(&[GROUPS])
        .make(|values| Ok(comparing(values, GroupChoice::new(values.integer("d")?)?))),
    rule("double-hashing", "Mitzenmacher, arXiv 1209.5360")
        .text(
            "the least loaded of f, f + g, …, f + (d − 1)g modulo n, with f uniform and g uniform coprime to \
             n, fair ties",
        )
        .parameters(&[
            parameter("d", "2", "1..2^32, at most the number of bins").means("the number of bins sampled for a ball")
        ])
        .make(|values| Ok(comparing(values, DoubleHashing::new(values.integer("d")?)?))),
    rule("kd-choice", "Park, arXiv 1201.3310")
        .text("in rounds: k balls go into the k lowest slots of d uniform bins; a bin sampled r times has r slots")
        .parameters(&[
            parameter("k", "2", "1..=2^16, at most d").means("the number of balls of a round"),
            parameter("d", "3", "1..=2^16").means("the number of bins sampled for a round"),
        ])
        .make(|values| {
            let (k, d) = (values.integer("k")?, values.integer("d")?);
            Ok(comparing(values, KdChoice::<usize>::new(k, d)?).with_counted(KdChoice::<CountedBin>::new(k, d)?))
        }),
];
