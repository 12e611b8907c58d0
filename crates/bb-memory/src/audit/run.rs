use bb_core::{LoadVector, Place, Rng, draw_below};

use crate::audit::{AuditError, Transcript};
use crate::model::{
    Advice, Advisor, Ball, BallStream, Choice, Decider, Loads, Purpose, Sampler, Samples, State, Token, written,
};

/// What a clean audit leaves. [`Transcript`] has an example.
#[derive(Clone, Debug)]
pub struct Audited<D> {
    transcript: Transcript<D>,
    loads: LoadVector,
    changes: u64,
    compared: u64,
}

impl<D: Decider> Audited<D> {
    /// Returns what the decider was asked.
    #[must_use]
    pub fn transcript(&self) -> &Transcript<D> {
        &self.transcript
    }
    /// Returns the loads after the run: those of [`Bounded`](crate::Bounded) on the same generator.
    #[must_use]
    pub fn loads(&self) -> &LoadVector {
        &self.loads
    }
    /// Returns how many states were written, read and compared.
    #[must_use]
    pub fn changes(&self) -> u64 {
        self.changes
    }
    /// Returns how many other load vectors with the same state were compared.
    #[must_use]
    pub fn compared(&self) -> u64 {
        self.compared
    }
}

/// Runs a scheme from these loads and audits every step.
///
/// - *Budget:* each state is written within its bits and can be read by the decider; what the scheme lends,
///   and lengths it states, are those of the bits; a state said to be unchanged is; where the state [is a
///   function of the loads](Advisor::is_function_of_loads), it equals the one made from scratch.
/// - *Purity:* the decider is asked again, with other samples in between, and on the state read anew.
/// - *Blindness:* the loads of two bins are exchanged; where a scheme begun on these loads has the same
///   state, it must decide the same.
/// - *Replay:* states, samples and coins are played again without loads, in a thread of its own, backwards.
///
/// The steps are those of [`Bounded`](crate::Bounded) on the same generator. *Cost:* `O(n + M)` a ball.
///
/// # Errors
///
/// What is wrong, first.
///
/// # Examples
///
/// [`Transcript`] and [`Bounded`](crate::Bounded) have examples.
pub fn whole_run<A, R>(
    advisor: &A,
    loads: &LoadVector,
    balls: u64,
    rng: &mut R,
) -> Result<Audited<A::Decider>, AuditError>
where
    A: Advisor + Clone,
    R: Rng + ?Sized,
{
    let decider = advisor.decider();
    if Decider::from_words(&decider.to_words()) != Some(decider) {
        return Err(AuditError::Words);
    }
    let (mut advisor, loads) = (advisor.clone(), loads.clone());
    let sampler = Sampler::new(decider.sampling(), Loads::from(&loads).bins(), decider.samples())?;
    advisor.begin(Loads::from(&loads))?;
    let transcript = Transcript::new(&decider);
    let mut run = Run { advisor, decider, loads, sampler, transcript, held: None, step: 0, changes: 0, compared: 0 };
    (0..balls).try_for_each(|_| run.ball(rng.next_u64()))?;
    let Run { transcript, loads, changes, compared, .. } = run;
    std::thread::scope(|scope| scope.spawn(|| transcript.replay()).join())
        .unwrap_or(Err(AuditError::Replay { step: 0 }))?;
    Ok(Audited { transcript, loads, changes, compared })
}

/// A run that is audited.
struct Run<A: Advisor> {
    advisor: A,
    decider: A::Decider,
    loads: LoadVector,
    sampler: Sampler,
    transcript: Transcript<A::Decider>,
    /// The state, and what the decider reads in it.
    held: Option<(State, <A::Decider as Decider>::View)>,
    /// Balls placed before.
    step: u64,
    changes: u64,
    compared: u64,
}

impl<A: Advisor + Clone> Run<A> {
    /// Plays the ball with this key as the driver does, and checks all that it sees.
    fn ball(&mut self, key: u64) -> Result<(), AuditError> {
        let mut stream = BallStream::new(key, Purpose::Advice);
        let advice = self.advisor.advise(Loads::from(&self.loads), &mut stream);
        let advice = advice.map_err(|_| AuditError::Advice { step: self.step })?;
        self.close(advice)?;
        self.sampler.draw(key);
        let choice = self.ask(key, &stream)?;
        let samples = Samples::new(self.sampler.samples());
        let place = choice.resolve(samples.bins().len(), || BallStream::new(key, Purpose::Coin));
        self.transcript.step(samples.bins(), key, place);
        let bin = self.loads.place(samples.bins()[place as usize], &());
        self.advisor.placed(Loads::from(&self.loads), Ball { samples, place, bin, key });
        self.step += 1;
        Ok(())
    }

    /// Budget: takes over the state, and compares it with all that is said of it.
    fn close(&mut self, advice: Advice) -> Result<(), AuditError> {
        let step = self.step;
        let refuse = |error| AuditError::State { step, error };
        let broken = |what| Err(AuditError::Budget { step, what });
        let lent = self.advisor.lend(Token(()));
        let write = |advisor: &A| written(advisor, self.decider.budget(), Loads::from(&self.loads)).map_err(refuse);
        if let Some((held, _)) = self.held.as_ref().filter(|_| advice == Advice::Unchanged) {
            let silent = lent.is_some() && write(&self.advisor)?.0 != *held;
            return if silent { broken("it was said to be unchanged") } else { Ok(()) };
        }
        let (state, bits) = write(&self.advisor)?;
        if write(&self.advisor)?.0 != state {
            return broken("written twice, it is not the same");
        }
        if self.advisor.notes(Token(())).bits.is_some_and(|stated| stated != bits) {
            return broken("its length is not the one stated");
        }
        let view = self.decider.view(&state).map_err(refuse)?;
        if lent.is_some_and(|lent| *lent != view) {
            return broken("what is lent is not what the bits say");
        }
        if self.advisor.is_function_of_loads() {
            let mut scratch = self.advisor.clone();
            scratch.begin(Loads::from(&self.loads))?;
            if write(&scratch)?.0 != state {
                return broken("made from scratch, it is not the same");
            }
        }
        self.transcript.state(&state);
        self.held = Some((state, view));
        self.changes += 1;
        Ok(())
    }

    /// Purity and blindness: asks the decider, and asks again with all else changed.
    fn ask(&mut self, key: u64, stream: &BallStream) -> Result<Choice, AuditError> {
        let step = self.step;
        let samples = self.sampler.samples();
        let Some((state, view)) = &self.held else { return Ok(Choice::sure(0)) };
        let decide = |view| self.decider.decide(view, Samples::new(samples));
        let choice = decide(view);
        // Other questions, from a stream of the audit's own.
        let mut other = BallStream::new(!key, Purpose::Advice);
        for _ in 0..4 {
            let bin = |_| draw_below(self.sampler.bins(), &mut other) as usize;
            let bins: Vec<usize> = samples.iter().map(bin).collect();
            let _ = self.decider.decide(view, Samples::new(&bins));
        }
        let anew = self.decider.view(state).map_err(|error| AuditError::State { step, error })?;
        if decide(view) != choice || decide(&anew) != choice {
            return Err(AuditError::Impure { step });
        }
        if let Some((mut twin, loads)) = exchanged(&self.advisor, &self.loads, state, &mut other)? {
            self.compared += 1;
            let _ = twin.advise(Loads::from(&loads), &mut stream.clone());
            if decide(&anew) != choice {
                return Err(AuditError::NotBlind { step });
            }
        }
        Ok(choice)
    }
}

/// The scheme begun on the loads with two bins exchanged, if that has the same state and not the same loads.
fn exchanged<A: Advisor + Clone>(
    advisor: &A,
    loads: &LoadVector,
    state: &State,
    rng: &mut BallStream,
) -> Result<Option<(A, LoadVector)>, AuditError> {
    let mut other = loads.to_vec();
    let bins = other.len() as u64;
    for _ in 0..4 {
        let (first, second) = (draw_below(bins, rng) as usize, draw_below(bins, rng) as usize);
        if other[first] == other[second] {
            continue;
        }
        other.swap(first, second);
        let Ok(swapped) = LoadVector::from_loads(other.clone()) else { return Ok(None) };
        let mut twin = advisor.clone();
        twin.begin(Loads::from(&swapped))?;
        if written(&twin, twin.decider().budget(), Loads::from(&swapped)).is_ok_and(|(found, _)| found == *state) {
            return Ok(Some((twin, swapped)));
        }
        other.swap(first, second);
    }
    Ok(None)
}
