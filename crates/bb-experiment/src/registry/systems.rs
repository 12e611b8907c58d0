//! Systems in which balls also leave.

use bb_core::ParameterError;
use bb_processes::{LeakyBins, Lifetimes, RandomDeletion, RepeatedBallsIntoBins, Supermarket};

use super::{Parameter, Registrar, RuleInfo, SystemEntry, SystemVisitor, Values};

pub(super) fn register(to: &mut impl Registrar) {
    to.enter_system::<RepeatedEntry>();
    to.enter_system::<LeakyEntry>();
    to.enter_system::<DeletionEntry>();
    to.enter_system::<LifetimesEntry>();
    to.enter_system::<SupermarketEntry>();
}

const D: Parameter =
    Parameter { key: "d", default: "2", range: "1..2^32", meaning: "the number of bins sampled for a ball" };

struct RepeatedEntry;

impl SystemEntry for RepeatedEntry {
    const INFO: RuleInfo = RuleInfo {
        name: "repeated",
        rule: "in each round every bin that holds a ball throws one into a uniform bin",
        parameters: &[],
        paper: "Becchetti, Clementi, Natale, Pasquale and Posta, SPAA 2015",
    };

    fn build<V: SystemVisitor>(_: &Values<'_>, visitor: V) -> Result<V::Output, ParameterError> {
        Ok(visitor.visit(RepeatedBallsIntoBins))
    }
}

struct LeakyEntry;

impl SystemEntry for LeakyEntry {
    const INFO: RuleInfo = RuleInfo {
        name: "leaky",
        rule: "in each round Bin(n, lambda) balls arrive, each in the least loaded of d uniform bins, and then every bin that holds a ball loses one",
        parameters: &[
            Parameter {
                key: "lambda",
                default: "0.9",
                range: "(0, 1)",
                meaning: "the mean number of arrivals a bin and round",
            },
            D,
        ],
        paper: "Berenbrink, Friedetzky, Kling, Mallmann-Trenn, Nagel and Wastell, PODC 2016",
    };

    fn build<V: SystemVisitor>(values: &Values<'_>, visitor: V) -> Result<V::Output, ParameterError> {
        Ok(visitor.visit(LeakyBins::new(values.real("lambda")?, values.integer("d")?)?))
    }
}

struct DeletionEntry;

impl SystemEntry for DeletionEntry {
    const INFO: RuleInfo = RuleInfo {
        name: "deletion",
        rule: "in each round a uniform ball leaves, and one is placed in the least loaded of d uniform bins",
        parameters: &[D],
        paper: "Azar, Broder, Karlin and Upfal, SIAM J. Comput. 29, 1999",
    };

    fn build<V: SystemVisitor>(values: &Values<'_>, visitor: V) -> Result<V::Output, ParameterError> {
        Ok(visitor.visit(RandomDeletion::new(values.integer("d")?)?))
    }
}

struct LifetimesEntry;

impl SystemEntry for LifetimesEntry {
    const INFO: RuleInfo = RuleInfo {
        name: "lifetimes",
        rule: "balls arrive at rate lambda n, each in the least loaded of d uniform bins, and leave after an exponential time of mean 1; a round is a unit of time",
        parameters: &[
            Parameter { key: "lambda", default: "1", range: "(0, 2^20)", meaning: "the mean number of balls a bin" },
            D,
        ],
        paper: "Luczak and McDiarmid, Ann. Appl. Probab. 15, 2005",
    };

    fn build<V: SystemVisitor>(values: &Values<'_>, visitor: V) -> Result<V::Output, ParameterError> {
        Ok(visitor.visit(Lifetimes::new(values.real("lambda")?, values.integer("d")?)?))
    }
}

struct SupermarketEntry;

impl SystemEntry for SupermarketEntry {
    const INFO: RuleInfo = RuleInfo {
        name: "supermarket",
        rule: "balls arrive at rate lambda n, each in the shortest of d uniform queues, and every queue serves one at rate 1; a round is a unit of time",
        parameters: &[
            Parameter {
                key: "lambda",
                default: "0.9",
                range: "(0, 1)",
                meaning: "the mean number of arrivals a bin and unit of time",
            },
            D,
        ],
        paper: "Vvedenskaya, Dobrushin and Karpelevich, Probl. Inf. Transm. 32, 1996; Mitzenmacher, IEEE Trans. Parallel Distrib. Syst. 12, 2001",
    };

    fn build<V: SystemVisitor>(values: &Values<'_>, visitor: V) -> Result<V::Output, ParameterError> {
        Ok(visitor.visit(Supermarket::new(values.real("lambda")?, values.integer("d")?)?))
    }
}
