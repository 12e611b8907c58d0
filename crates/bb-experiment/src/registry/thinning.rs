//! Thinning strategies.

use bb_core::ParameterError;
use bb_thinning::{
    Clock, DThinning, DriftMultiStage, LongTerm, MultiScale, MultiStage, RandomAccept, Scale, ThetaDrift,
    ThinningRelativeThreshold, Threshold, VaryingDrift,
};

use super::kinds::counting;
use super::{Entry, Parameter, Size, Values, parameter, strategy};
use crate::process::Process;

const FGL: &str = "Feldheim, Gurel-Gurevich and Li, Ann. Appl. Probab. 34, 2024";

const PRACTICAL: Parameter = parameter("practical", "false", "true, false")
    .means("whether numbers that do well at this size are taken for those that are not given");

const K: Parameter = parameter("k", "2", "1..2^32").means("the number of stages, if practical");

const CLOCK: Parameter = parameter("clock", "exact", "exact, discrete")
    .means("whether the time of a ball is random, as in the paper, or the number of balls");

const THETA: Parameter = parameter("theta", "0.2", "(0, 1/3]").means("the strength of the drift");

const DRIFT_TIME: Parameter = parameter("drift", "10", "(0, 2^53]").means("how long the drift lasts, in n balls");

const STAGES: Parameter =
    parameter("stages", "7/10", "t_1/t_2/…, increasing, above 0").means("the ends of the stages, in n balls");

const L0: Parameter = parameter("l0", "0", "[-2^53, 2^53]").means("the load above which a bin is heavy at the start");

const MULTI_STAGE_LIMIT: Parameter =
    parameter("l", "2", "(0, 2^53]").means("how many more than the length of a stage a bin may accept in it");

/// The parameters of one scale above a relative threshold.
const BASE_LIMIT: Parameter = parameter("base-l", "7", "(0, 2^53]").means("the limit of the relative threshold");
const BASE_TIME: Parameter =
    parameter("base", "10", "(0, 2^53]").means("how long the relative threshold lasts each time, in n balls");
const ITERATIONS: Parameter =
    parameter("iterations", "3", "1..2^64").means("how often the relative threshold and the stages come in turn");

/// What `practical` chooses may not be given as well.
fn practical(values: &Values<'_>, chosen: &[&'static str]) -> Result<bool, ParameterError> {
    let practical = values.truth(PRACTICAL.key)?;
    match chosen.iter().find(|key| values.spec.get(key).is_some()) {
        Some(key) if practical => {
            let value = values.text(key);
            Err(ParameterError::new(key, value, "what practical leaves open: it chooses this itself"))
        }
        _ => Ok(practical),
    }
}

fn clock(values: &Values<'_>) -> Result<Clock, ParameterError> {
    values.choose("clock", &[("exact", Clock::Exact), ("discrete", Clock::Discrete)])
}

fn theta_drift(values: &Values<'_>) -> Result<ThetaDrift, ParameterError> {
    ThetaDrift::new(values.real(THETA.key)?)
}

fn multi_stage(values: &Values<'_>) -> Result<MultiStage, ParameterError> {
    let (stages, l0, limit) = (values.reals(STAGES.key)?, values.real(L0.key)?, values.real("l")?);
    MultiStage::new(&stages, l0, limit)
}

fn multi_scale(values: &Values<'_>, multi_stage: MultiStage) -> Result<MultiScale, ParameterError> {
    let scale = Scale::new(values.integer(ITERATIONS.key)?, multi_stage)?;
    MultiScale::new(values.real(BASE_LIMIT.key)?, values.real(BASE_TIME.key)?, vec![scale])
}

/// The number of balls for each bin.
fn time(size: Size) -> f64 {
    size.balls as f64 / size.bins.max(1) as f64
}

pub(super) static ENTRIES: &[Entry] = &[
    strategy("thinning-coin", "the null model: a coin knows nothing")
        .text("the first bin with probability p, else a second one")
        .parameters(&[parameter("p", "0.5", "[0, 1]").means("the probability that the first bin is accepted")])
        .make(|values| Ok(counting(values, RandomAccept::new(values.real("p")?)?))),
    strategy("thinning-threshold", "Feldheim and Gurel-Gurevich, Electron. Commun. Probab. 26, 2021")
        .text("the first bin, if it has accepted fewer than l balls, else a second one")
        .parameters(&[parameter("l", "3", "1..2^64").means("how many balls a bin accepts"), PRACTICAL])
        .make(|values| {
            let limit = values.integer("l")?;
            let practical = practical(values, &["l"])?;
            let strategy = if practical {
                Threshold::practical(values.size.bins, values.size.balls)
            } else {
                Threshold::new(limit)
            };
            Ok(counting(values, strategy?))
        }),
    strategy("thinning-relative-threshold", FGL)
        .text(
            "the first bin, if it has accepted fewer than l balls more than the mean or is below the mean by \
             ln n, else a second one",
        )
        .parameters(&[
            parameter("l", "4", "(0, 2^53]").means("how many balls more than the mean a bin accepts"),
            PRACTICAL,
        ])
        .make(|values| {
            let limit = values.real("l")?;
            let strategy = if practical(values, &["l"])? {
                ThinningRelativeThreshold::practical(values.size.bins, values.size.balls)
            } else {
                ThinningRelativeThreshold::new(limit)
            };
            Ok(counting(values, strategy?))
        }),
    strategy("d-thinning", "Feldheim and Li, Electron. Commun. Probab. 25, 2020")
        .text(
            "the first of d bins that has accepted fewer than l balls as a sample of the same number, else \
             the last",
        )
        .parameters(&[
            parameter("d", "3", "2..=256").means("the number of samples"),
            parameter("l", "2", "1..2^64").means("how many balls a bin accepts in each round"),
            PRACTICAL,
        ])
        .make(|values| {
            let (d, limit) = (values.integer("d")?, values.integer("l")?);
            let strategy = if practical(values, &["l"])? {
                DThinning::practical(values.size.bins, values.size.balls, d)
            } else {
                DThinning::new(d, limit)
            };
            Ok(counting(values, strategy?))
        }),
    strategy("thinning-drift", FGL)
        .text(
            "the first bin, surely if it is below the time and else with a probability such that bins below \
             receive at rate 1 + theta and others at 1 - theta",
        )
        .parameters(&[THETA, CLOCK, PRACTICAL])
        .make(|values| {
            let drift = theta_drift(values)?;
            let drift = if practical(values, &["theta"])? { ThetaDrift::practical() } else { drift };
            Ok(Process::ranked_thinning(values.name(), drift.with_clock(clock(values)?)))
        }),
    strategy("thinning-varying-drift", FGL)
        .text(
            "as thinning-drift, with rates 1 + theta1 below the time, 1 - theta2 up to l above it, and \
             theta3 beyond",
        )
        .parameters(&[
            parameter("theta1", "0.2", "(0, 1]").means("the rate of low bins, less 1"),
            parameter("theta2", "0.2", "(0, 1)").means("1 less the rate of middle bins"),
            parameter("theta3", "0.6", "(0, 1 - theta2]").means("the rate of very high bins"),
            parameter("l", "4", "(0, 2^53]").means("how far above the time a bin is very high"),
            CLOCK,
            PRACTICAL,
        ])
        .make(|values| {
            let (theta1, theta2) = (values.real("theta1")?, values.real("theta2")?);
            let (theta3, limit) = (values.real("theta3")?, values.real("l")?);
            let drift = if practical(values, &["theta1", "theta2", "theta3", "l"])? {
                VaryingDrift::practical()
            } else {
                VaryingDrift::new(theta1, theta2, theta3, limit)?
            };
            Ok(Process::ranked_thinning(values.name(), drift.with_clock(clock(values)?)))
        }),
    strategy("thinning-multi-stage", FGL)
        .text("a threshold in each stage; bins that were heavy where a stage began are rejected")
        .parameters(&[STAGES, L0, MULTI_STAGE_LIMIT, K, PRACTICAL])
        .make(|values| {
            let (strategy, k) = (multi_stage(values)?, values.integer("k")?);
            let strategy = if practical(values, &["stages", "l0", "l"])? {
                MultiStage::practical(values.size.bins, time(values.size), k)?
            } else {
                strategy
            };
            Ok(Process::thinning(values.name(), strategy))
        }),
    strategy("thinning-drift-multi-stage", FGL)
        .text("thinning-drift, and then thinning-multi-stage on the loads that it leaves")
        .parameters(&[THETA, DRIFT_TIME, STAGES, L0, MULTI_STAGE_LIMIT, K, PRACTICAL])
        .make(|values| {
            let (drift, time) = (theta_drift(values)?, values.real("drift")?);
            let (stages, k) = (multi_stage(values)?, values.integer("k")?);
            let strategy = if practical(values, &["theta", "drift", "stages", "l0", "l"])? {
                DriftMultiStage::practical(values.size.bins, k)?
            } else {
                DriftMultiStage::new(drift, time, stages)?
            };
            Ok(Process::ranked_thinning(values.name(), strategy))
        }),
    strategy("thinning-multi-scale", FGL)
        .text("a relative threshold and a multi-stage strategy in turn, the stages lying higher each time")
        .parameters(&[BASE_LIMIT, BASE_TIME, ITERATIONS, STAGES, MULTI_STAGE_LIMIT, K, PRACTICAL])
        .make(|values| {
            let stages = MultiStage::new(&values.reals("stages")?, 0.0, values.real("l")?)?;
            let (strategy, k) = (multi_scale(values, stages)?, values.integer("k")?);
            let strategy = if practical(values, &["base-l", "base", "iterations", "stages", "l"])? {
                MultiScale::practical(values.size.bins, k)?
            } else {
                strategy
            };
            Ok(Process::thinning(values.name(), strategy))
        }),
    strategy("thinning-long-term", FGL)
        .text("for ever in turn thinning-drift, thinning-multi-stage and thinning-multi-scale")
        .parameters(&[
            THETA,
            DRIFT_TIME,
            STAGES,
            L0,
            MULTI_STAGE_LIMIT,
            BASE_LIMIT,
            BASE_TIME,
            ITERATIONS,
            K,
            PRACTICAL,
        ])
        .make(|values| {
            let (drift, time) = (theta_drift(values)?, values.real("drift")?);
            let (stages, k) = (multi_stage(values)?, values.integer("k")?);
            let scales = multi_scale(values, stages.clone().with_l0(0.0)?)?;
            let chosen = ["theta", "drift", "stages", "l0", "l", "base-l", "base", "iterations"];
            let strategy = if practical(values, &chosen)? {
                LongTerm::practical(values.size.bins, k)?
            } else {
                LongTerm::new(DriftMultiStage::new(drift, time, stages)?, scales)?
            };
            Ok(Process::ranked_thinning(values.name(), strategy))
        }),
];
