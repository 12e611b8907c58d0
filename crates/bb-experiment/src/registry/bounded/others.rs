//! No memory, a window, and a remembered bin.

use bb_memory::{NoMemory, Probing, ResetMemory, Window};

use super::super::memory::{REMEMBER, remember};
use super::{Entry, TIES, bounded, memory, parameter, tie_rule};
use crate::process::Process;

pub(in crate::registry) static ENTRIES: &[Entry] = &[
    memory("no-memory", "Benjamini and Makarychev, Ann. Appl. Probab. 22, 2012, who credit N. Alon")
        .text("of two bins the first, the one on the left, or either by a coin")
        .parameters(&[parameter("take", "first", TIES.range).means("which of the two takes the ball")])
        .make(|values| Ok(bounded(values, NoMemory::new(values.size.bins, tie_rule(values, "take")?)?))),
    memory("window", "after Alon, Gurel-Gurevich and Lubetzky, Ann. Appl. Probab. 20, 2010")
        .text(
            "the first of k bins that lies in a window of s bins and is not marked, and is marked then, else \
             the first beyond the window, else the first; the window moves on when few of its bins are left",
        )
        .parameters(&[
            parameter("k", "4", "1..=2^16").means("the number of bins sampled for a ball"),
            parameter("s", "n/4", "n, n/2, …, 1..=n").means("the number of bins in the window"),
            parameter("gamma", "0.2", "[0, 1)").means("the share of the window that is left when it moves on"),
        ])
        .make(|values| {
            let (samples, size, gamma) = (values.integer("k")?, values.share("s")?, values.real("gamma")?);
            Ok(bounded(values, Window::new(values.size.bins, samples, size, gamma)?))
        }),
    memory("reset-memory", "Los, Sauerwald and Sylvester, SODA 2023")
        .text("as caching, and before every q-th ball the remembered bin is forgotten")
        .parameters(&[
            parameter("q", "4", "1..2^64").means("the number of balls after which the memory is emptied"),
            REMEMBER,
        ])
        .make(|values| {
            let rule = ResetMemory::new(values.integer("q")?)?.with_remember(remember(values)?);
            Ok(Process::memory(values.name(), Probing::new(values.size.bins, rule)?, Probing::report))
        }),
];
