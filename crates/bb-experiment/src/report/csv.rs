use bb_core::TRIAL_RNG_NAME;

use super::{COLUMNS, Report, VERSION};

impl Report {
    /// Returns the report as CSV: a line for each metric, each with all that is needed to repeat the experiment.
    ///
    /// The fraction of bins at load `k` is the mean of the metric `level_k`. What cannot be given is empty. The time that it took is left out, so that
    /// the same experiment gives the same text.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_experiment::Experiment;
    ///
    /// let csv = Experiment::new(1, 2).run_spec(&"one-choice".parse()?)?.to_csv();
    /// let lines: Vec<_> = csv.lines().collect();
    /// assert!(lines[0].starts_with("process,bins,balls,trials,seed,epsilon,engine,generator,version,metric,mean,sd,se,min,"));
    /// assert!(lines[1].starts_with("one-choice,1,2,1,1,,vector,Pcg64Mcg,"));
    /// assert!(lines[3].ends_with(",max_load,2,,,2,2,2,2,2,2,2"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    ///
    /// Never: what is written to memory is written.
    #[must_use]
    pub fn to_csv(&self) -> String {
        let mut rows = self.rows(&|value| value.map(ToString::to_string).unwrap_or_default());
        for (load, fraction) in self.levels().into_iter().flatten() {
            let mut row = vec![String::new(); COLUMNS.len()];
            row[0] = format!("level_{load}");
            row[1] = fraction.to_string();
            rows.push(row);
        }
        let [bins, balls, trials, seed] =
            [self.bins, self.balls, self.trials, self.seed].map(|count| count.to_string());
        let epsilon = self.epsilon.map(|epsilon| epsilon.to_string()).unwrap_or_default();
        let head = ["process", "bins", "balls", "trials", "seed", "epsilon", "engine", "generator", "version"];
        let values =
            [&self.process, &bins, &balls, &trials, &seed, &epsilon, self.engine.name(), TRIAL_RNG_NAME, VERSION];

        let mut writer = csv::Writer::from_writer(Vec::new());
        let mut write = |head: [&str; 9], row: &[&str]| {
            writer.write_record(head.iter().chain(row)).expect("every row has as many fields");
        };
        write(head, &COLUMNS);
        for row in &rows {
            write(values, &row.iter().map(String::as_str).collect::<Vec<_>>());
        }
        let bytes = writer.into_inner().expect("memory takes what is written");
        String::from_utf8(bytes).expect("text was written")
    }
}
