//! Balls of several dimensions, against an independent simulation.

use bb_experiment::{ExperimentError, Summary, trials};
use bb_processes::{BallModel, Key, KeyView, MultiLoads, OnePlusBeta};

use crate::check::{Check, Deviation, Outcome, Plan, Row};
use crate::tables::{VectorGap, vector_gaps};

pub(crate) const CHECK: Check = Check {
    name: "dimensions",
    compares: "gap of the worst dimension and gap of the total, under each key, with an independent simulation",
    source: "`own_weighted_multidim_graph.csv`: an independent program, 20 to 200 runs a row",
    correct: "each mean is within 5 combined standard errors; for the total the table gives none, so ours stands for its spread",
    false_alarm: "5.7e-7 for each mean",
    run,
};

/// So many times the runs of the table.
const TIMES: u64 = 3;

/// What a row of the table is about.
#[derive(Clone, Copy)]
struct Vectors {
    beta: f64,
    dimensions: u64,
    populated: u64,
    key: Key,
}

impl Vectors {
    fn named(name: &str) -> Option<Self> {
        let value = |key: &str| name.split(' ').find_map(|part| part.strip_prefix(key)?.strip_prefix('='));
        let key = match value("key")? {
            "MaxPopulated" => Key::MaxPopulated,
            "SumPopulated" => Key::SumPopulated,
            "Total" => Key::Total,
            "MaxAll" => Key::MaxAll,
            _ => return None,
        };
        let number = |key| value(key)?.parse().ok();
        if value("d")? != "2" {
            return None;
        }
        Some(Self { beta: value("beta")?.parse().ok()?, dimensions: number("D")?, populated: number("f")?, key })
    }
}

fn run(plan: &Plan) -> Result<Outcome, ExperimentError> {
    let mut outcome =
        Outcome::new(&["process", "m/n", "gap there", "here", "apart", "gap of total there", "here", "apart"]);
    let table = vector_gaps();
    for row in &table {
        match Vectors::named(&row.process) {
            Some(vectors) => {
                let (cells, tests) = compare(plan, outcome.rows.len(), vectors, row)?;
                outcome.rows.push(Row::test(cells, tests));
            }
            None => outcome.miss(&row.process),
        }
    }
    let by_most =
        |row: &&VectorGap| row.process == "beta=1 d=2 D=4 f=2 key=MaxPopulated" && row.balls == 100 * row.bins;
    let row = table.iter().find(by_most).expect("a row of the usual key");
    let right = Vectors::named(&row.process).expect("it has a name");
    for (name, wrong) in [
        ("the sum for the maximum", Vectors { key: Key::SumPopulated, ..right }),
        ("β = 0.9 for 1", Vectors { beta: 0.9, ..right }),
    ] {
        let (mut cells, tests) = compare(plan, outcome.rows.len(), wrong, row)?;
        cells[0] = format!("control: {name}");
        outcome.rows.push(Row::control(cells, tests));
    }
    Ok(outcome)
}

fn compare(
    plan: &Plan,
    number: usize,
    Vectors { beta, dimensions, populated, key }: Vectors,
    row: &VectorGap,
) -> Result<(Vec<String>, Vec<Deviation>), ExperimentError> {
    let runs = plan.trials(TIMES * row.runs);
    let found = trials(plan.seed(50, number), runs, 0, |_, rng| {
        let mut view = KeyView::new(MultiLoads::new(row.bins, dimensions).expect("a byte a cell"), key);
        let mut model = BallModel::fixed_uniform(dimensions, populated).expect("f is at most D");
        let mut rule = OnePlusBeta::new(beta).expect("a probability");
        view.run(&mut rule, &mut model, row.balls, rng);
        [view.loads().gap(), view.loads().gap_total()]
    })?;
    let mut cells = vec![row.process.clone(), (row.balls / row.bins).to_string()];
    let mut tests = Vec::new();
    for (which, there) in [row.gap, row.gap_total].into_iter().enumerate() {
        let here: Summary = found.iter().map(|gaps| gaps[which]).collect();
        let (mean, sd) = (here.mean().unwrap_or(f64::NAN), here.sd().unwrap_or(f64::NAN));
        let error_there = if which == 0 { row.gap_error } else { sd / (row.runs as f64).sqrt() };
        let apart = Deviation::errors(mean - there, error_there.hypot(sd / (runs as f64).sqrt()));
        cells.extend([format!("{there:.4}"), format!("{mean:.4}"), apart.to_string()]);
        tests.push(apart);
    }
    Ok((cells, tests))
}
