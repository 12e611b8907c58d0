use bb_core::{LoadVector, Place, Rng, draw_below};

use crate::audit::{AuditError, Transcript};
use crate::model::advisor::token::Token;
use crate::{
    Advice, Advisor, Ball, BallStream, Bounded, Decider, Loads, Parameters, Purpose, Samples, State, StateError,
    StateWriter,
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
    /// Returns the loads after the run: those of [`Bounded`] on the same generator.
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
/// - *Budget:* each state is written within its bits and can be read by the decider; what the scheme lends, and lengths it states, are those of the bits; a state said to be unchanged is; where the state
///   [is a function of the loads](Advisor::is_function_of_loads), it equals the one made from scratch.
/// - *Purity:* the decider is asked again, with other samples in between, and on the state read anew.
/// - *Blindness:* the loads of two bins are exchanged; where a scheme begun on these loads has the same state, it must decide the same.
/// - *Replay:* states, samples and coins are played again without loads, in a thread of its own, backwards.
///
/// The steps are those of [`Bounded`] on the same generator. *Cost:* `O(n + M)` a ball.
///
/// # Errors
///
/// What is wrong, first.
///
/// # Examples
///
/// The examples of [`Transcript`] and of [`Bounded`](crate::Bounded) show it.
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
    let mut advisor = advisor.clone();
    let mut loads = loads.clone();
    let words = advisor.parameters().to_words();
    let parameters = <A::Decider as Decider>::Parameters::from_words(&words).ok_or(AuditError::Parameters)?;
    if parameters != advisor.parameters() {
        return Err(AuditError::Parameters);
    }
    advisor.begin(Loads::new(&loads))?;
    let mut draws = Bounded::new(advisor.clone());
    let mut transcript = Transcript::new(&parameters, advisor.budget());
    let mut held: Option<(State, <A::Decider as Decider>::View)> = None;
    let (mut changes, mut compared) = (0, 0);
    for step in 0..balls {
        let key = rng.next_u64();
        let refuse = |error| AuditError::State { step, error };
        let budget = |what| AuditError::Budget { step, what };
        let mut stream = BallStream::new(key, Purpose::Advice);
        let advice = advisor.advise(Loads::new(&loads), &mut stream).map_err(|_| AuditError::Advice { step })?;
        if advice == Advice::Changed || held.is_none() {
            let (state, bits) = write(&advisor, &loads).map_err(refuse)?;
            if write(&advisor, &loads).map_err(refuse)?.0 != state {
                return Err(budget("written twice, it is not the same"));
            }
            if advisor.content_bits(Token(())).is_some_and(|stated| stated != bits) {
                return Err(budget("its length is not the one stated"));
            }
            let view = A::Decider::view(&parameters, &state).map_err(refuse)?;
            if advisor.lend(Token(())).is_some_and(|lent| *lent != view) {
                return Err(budget("what is lent is not what the bits say"));
            }
            if advisor.is_function_of_loads() {
                let mut scratch = advisor.clone();
                scratch.begin(Loads::new(&loads))?;
                if write(&scratch, &loads).map_err(refuse)?.0 != state {
                    return Err(budget("made from scratch, it is not the same"));
                }
            }
            transcript.state(&state).map_err(refuse)?;
            held = Some((state, view));
            changes += 1;
        } else if advisor.lend(Token(())).is_some()
            && held.as_ref().map(|(state, _)| state) != Some(&write(&advisor, &loads).map_err(refuse)?.0)
        {
            return Err(budget("it was said to be unchanged"));
        }
        let Some((state, view)) = &held else { continue };
        let sample = draws.sample_for_audit(&loads, key)?;
        let decide = |view| A::Decider::decide(&parameters, view, Samples::new(&sample));
        let choice = decide(view);
        // Other questions, from a stream of the audit's own.
        let mut other = BallStream::new(!key, Purpose::Advice);
        for _ in 0..4 {
            let bins: Vec<usize> =
                sample.iter().map(|_| draw_below(loads.iter().len() as u64, &mut other) as usize).collect();
            let _ = A::Decider::decide(&parameters, view, Samples::new(&bins));
        }
        let anew = A::Decider::view(&parameters, state).map_err(refuse)?;
        if decide(view) != choice || decide(&anew) != choice {
            return Err(AuditError::Impure { step });
        }
        if let Some(twin) = exchanged(&advisor, &loads, state, &mut other)? {
            compared += 1;
            let (mut again, loads) = twin;
            let _ = again.advise(Loads::new(&loads), &mut stream.clone());
            if decide(&anew) != choice {
                return Err(AuditError::NotBlind { step });
            }
        }
        let place = choice.resolve(sample.len(), || BallStream::new(key, Purpose::Coin));
        transcript.step(&sample, key, place);
        let bin = loads.place(sample[place as usize], &());
        let load = loads.iter().nth(bin).unwrap_or(0);
        let ball = Ball { sample: Samples::new(&sample), place, bin, load, key };
        advisor.placed(Loads::new(&loads), ball);
    }
    std::thread::scope(|scope| scope.spawn(|| transcript.replay()).join())
        .unwrap_or(Err(AuditError::Replay { step: 0 }))?;
    Ok(Audited { transcript, loads, changes, compared })
}

fn write<A: Advisor>(advisor: &A, loads: &LoadVector) -> Result<(State, u64), StateError> {
    let mut writer = StateWriter::new(advisor.budget())?;
    advisor.write(Loads::new(loads), &mut writer)?;
    let bits = writer.written();
    Ok((writer.finish()?, bits))
}

/// The scheme begun on the loads with two bins exchanged, if that has the same state and not the same loads.
fn exchanged<A: Advisor + Clone, R: Rng>(
    advisor: &A,
    loads: &LoadVector,
    state: &State,
    rng: &mut R,
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
        twin.begin(Loads::new(&swapped))?;
        if write(&twin, &swapped).is_ok_and(|(found, _)| found == *state) {
            return Ok(Some((twin, swapped)));
        }
        other.swap(first, second);
    }
    Ok(None)
}

impl<A: Advisor> Bounded<A> {
    /// The sample of a ball with this key.
    fn sample_for_audit(&mut self, loads: &LoadVector, key: u64) -> Result<Vec<usize>, AuditError> {
        self.prepare_to_draw(loads, key)?;
        Ok(self.last_sample().to_vec())
    }
}
