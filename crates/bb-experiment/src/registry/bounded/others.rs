//! No memory, a window, and a remembered bin.

use bb_memory::{Bounded, NoMemory, Probing, ResetMemory, Window};

use super::super::memory::{REMEMBER, remember};
use super::{Entry, Kind, Parameter, Registrar, RuleInfo, RuleVisitor, TIES, Values, tie_rule};
use crate::RuleError;

pub(super) fn register(to: &mut impl Registrar) {
    to.enter::<NoMemoryEntry>();
    to.enter::<WindowEntry>();
    to.enter::<ResetMemoryEntry>();
}

struct NoMemoryEntry;

impl Entry for NoMemoryEntry {
    const INFO: RuleInfo = RuleInfo {
        name: "no-memory",
        kind: Kind::Memory,
        rule: "of two bins the first, the one on the left, or either by a coin",
        parameters: &[Parameter {
            key: "take",
            default: "first",
            range: TIES.range,
            meaning: "which of the two takes the ball",
        }],
        paper: "Benjamini and Makarychev, Ann. Appl. Probab. 22, 2012, who credit N. Alon",
    };

    fn build<V: RuleVisitor>(values: &Values<'_>, visitor: V) -> Result<V::Output, RuleError> {
        Ok(visitor.visit_memory(Bounded::new(NoMemory::new(values.size.bins, tie_rule(values, "take")?)?)))
    }
}

struct WindowEntry;

impl Entry for WindowEntry {
    const INFO: RuleInfo = RuleInfo {
        name: "window",
        kind: Kind::Memory,
        rule: "the first of k bins that lies in a window of s bins and is not marked, and is marked then, else the first beyond the window, else the first; the window moves on when few of its bins are left",
        parameters: &[
            Parameter { key: "k", default: "4", range: "1..=2^16", meaning: "the number of bins offered to a ball" },
            Parameter {
                key: "s",
                default: "n/4",
                range: "n, n/2, …, 1..=n",
                meaning: "the number of bins in the window",
            },
            Parameter {
                key: "gamma",
                default: "0.2",
                range: "[0, 1)",
                meaning: "the share of the window that is left when it moves on",
            },
        ],
        paper: "after Alon, Gurel-Gurevich and Lubetzky, Ann. Appl. Probab. 20, 2010",
    };

    fn build<V: RuleVisitor>(values: &Values<'_>, visitor: V) -> Result<V::Output, RuleError> {
        let (offers, size, gamma) = (values.integer("k")?, values.share("s")?, values.real("gamma")?);
        Ok(visitor.visit_memory(Bounded::new(Window::new(values.size.bins, offers, size, gamma)?)))
    }
}

struct ResetMemoryEntry;

impl Entry for ResetMemoryEntry {
    const INFO: RuleInfo = RuleInfo {
        name: "reset-memory",
        kind: Kind::Memory,
        rule: "as caching, and before every q-th ball the remembered bin is forgotten",
        parameters: &[
            Parameter {
                key: "q",
                default: "4",
                range: "1..2^64",
                meaning: "the number of balls after which the memory is emptied",
            },
            REMEMBER,
        ],
        paper: "Los, Sauerwald and Sylvester, SODA 2023",
    };

    fn build<V: RuleVisitor>(values: &Values<'_>, visitor: V) -> Result<V::Output, RuleError> {
        let rule = ResetMemory::new(values.integer("q")?)?.with_remember(remember(values)?);
        Ok(visitor.visit_memory(Probing::new(values.size.bins, rule)?))
    }
}
