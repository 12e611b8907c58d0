use bb_core::TRIAL_RNG_NAME;

use super::{COLUMNS, Report, VERSION};

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
        let (batch, delay) = self.batch_and_delay();
        let counts = [
            Some(self.asked.bins),
            self.balls,
            self.asked.rounds,
            batch,
            Some(self.asked.trials),
            Some(self.asked.seed),
        ];
        let [bins, balls, rounds, batch, trials, seed] =
            counts.map(|count| count.map(|count| count.to_string()).unwrap_or_default());
        let (delay, epsilon) =
            (delay.unwrap_or_default(), self.asked.epsilon.map(|epsilon| epsilon.to_string()).unwrap_or_default());
        let dimensions = self.asked.dimensions.as_ref();
        let (dims, ball, key) = (
            self.gap_dim().len().to_string(),
            text(dimensions.map(|given| &given.ball)),
            text(dimensions.map(|given| given.key)),
        );
        let parallel = text(self.asked.parallel);
        let mut fields = vec![
            ("process", self.process.as_str()),
            ("bins", &bins),
            ("balls", &balls),
            ("rounds", &rounds),
            ("batch", &batch),
            ("delay", &delay),
            ("trials", &trials),
            ("seed", &seed),
            ("epsilon", &epsilon),
            ("engine", self.engine.name()),
            ("generator", TRIAL_RNG_NAME),
            ("version", VERSION),
        ];
        let weights = text(self.asked.weights.as_ref());
        if self.asked.weights.is_some() {
            fields.push(("weights", &weights));
        }
        if dimensions.is_some() {
            fields.extend([("dims", dims.as_str()), ("ball", &ball), ("key", &key), ("parallel", &parallel)]);
        }

        let mut writer = csv::Writer::from_writer(Vec::new());
        let mut write =
            |row: &mut dyn Iterator<Item = &str>| writer.write_record(row).expect("every row has as many fields");
        write(&mut fields.iter().map(|&(name, _)| name).chain(COLUMNS));
        for row in &rows {
            write(&mut fields.iter().map(|&(_, value)| value).chain(row.iter().map(String::as_str)));
        }
        let bytes = writer.into_inner().expect("memory takes what is written");
        String::from_utf8(bytes).expect("text was written")
    }
}

fn text(value: Option<impl ToString>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}
