use bb_core::TRIAL_RNG_NAME;

use super::{COLUMNS, Report, VERSION};
use crate::dimensions::Dimensions;

impl Report {
    /// Returns the report as CSV: a line for each metric, each with all that is needed to repeat the
    /// experiment.
    ///
    /// The fraction of bins at load `k` is the mean of the metric `level_k`. What cannot be given is empty.
    /// The time that it took is left out, so that the same experiment gives the same text. The column
    /// `weights` is there only where balls have weights; `dims`, `ball`, `key` and `parallel` only where they
    /// have dimensions.
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_experiment::Experiment;
    ///
    /// let csv = Experiment::new(1, 2).run_spec(&"one-choice".parse()?)?.to_csv();
    /// let lines: Vec<_> = csv.lines().collect();
    /// assert!(lines[0].starts_with("process,bins,balls,rounds,batch,delay,trials,seed,epsilon,engine,"));
    /// assert!(lines[0].contains(",generator,version,metric,mean,sd,se,min,"));
    /// assert!(lines[1].starts_with("one-choice,1,2,,,,1,1,,vector,Pcg64Mcg,"));
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
        let (asked, (batch, delay)) = (&self.asked, self.batch_and_delay());
        let mut fields = vec![
            ("process", self.process.clone()),
            ("bins", asked.bins.to_string()),
            ("balls", text(self.balls)),
            ("rounds", text(asked.rounds)),
            ("batch", text(batch)),
            ("delay", text(delay)),
            ("trials", asked.trials.to_string()),
            ("seed", asked.seed.to_string()),
            ("epsilon", text(asked.epsilon)),
            ("engine", self.engine.to_string()),
            ("generator", TRIAL_RNG_NAME.to_owned()),
            ("version", VERSION.to_owned()),
        ];
        if let Some(weights) = &asked.weights {
            fields.push(("weights", weights.to_string()));
        }
        if let Some(Dimensions { ball, key, .. }) = &asked.dimensions {
            fields.extend([("dims", self.gap_dim().len().to_string()), ("ball", ball.to_string())]);
            fields.extend([("key", key.to_string()), ("parallel", text(asked.parallel))]);
        }

        let mut writer = csv::Writer::from_writer(Vec::new());
        let mut write =
            |row: &mut dyn Iterator<Item = &str>| writer.write_record(row).expect("every row has as many fields");
        write(&mut fields.iter().map(|field| field.0).chain(COLUMNS));
        for row in &rows {
            write(&mut fields.iter().map(|field| &field.1).chain(row).map(String::as_str));
        }
        let bytes = writer.into_inner().expect("memory takes what is written");
        String::from_utf8(bytes).expect("text was written")
    }
}

fn text(value: Option<impl ToString>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}
