//! Rules that put several balls into a bin at once.

use bb_processes::{Packing, Twinning};

use super::{Entry, parameter, rule};
use crate::process::Process;

pub(super) static ENTRIES: &[Entry] = &[
    rule("twinning", "Los, Sauerwald and Sylvester, arXiv 2308.05087")
        .text("a uniform bin gets two balls if its load is below the mean, else one")
        .make(|values| Ok(Process::in_settings(values.name(), Twinning::new()).with_counted(Twinning::new()))),
    rule("packing", "Los, Sauerwald and Sylvester, arXiv 2204.04057")
        .text(
            "a uniform bin whose load is below the mean is filled to the mean, rounded up, plus e; any other \
             gets one ball",
        )
        .parameters(&[parameter("e", "1", "0..=2^16").means("the number of balls above the mean")])
        .make(|values| {
            let rule = Packing::new(values.integer("e")?)?;
            Ok(Process::in_settings(values.name(), rule).with_counted(rule))
        }),
];
