//! The parameters of a name, as given or else the default: [`Values`].

use bb_core::ParameterError;

use super::{Parameter, RuleInfo, Size};
use crate::number::{NumberError, parse_integer, parse_real};
use crate::spec::{RuleError, RuleSpec};

/// The parameters of one rule: as given, or else the default.
pub(super) struct Values<'a> {
    parameters: &'static [Parameter],
    pub(super) spec: &'a RuleSpec,
    pub(super) size: Size,
}

impl<'a> Values<'a> {
    /// Checks that the rule has every parameter that is given.
    pub(super) fn new(info: &RuleInfo, spec: &'a RuleSpec, size: Size) -> Result<Self, RuleError> {
        let known = || info.parameters.iter().map(|parameter| parameter.key);
        match spec.keys().find(|&key| !known().any(|known| known == key)) {
            None => {
                // A key alone is true, where it can be.
                let bare = |parameter: &Parameter| spec.is_bare(parameter.key) && !parameter.range.contains("true");
                match info.parameters.iter().any(bare) {
                    true => Err(RuleError::Malformed { text: spec.to_string() }),
                    false => Ok(Self { parameters: info.parameters, spec, size }),
                }
            }
            Some(key) => Err(RuleError::UnknownParameter {
                rule: info.name,
                parameter: key.to_owned(),
                known: known().collect(),
            }),
        }
    }

    /// The name of the process, as it was written.
    pub(super) fn name(&self) -> String {
        self.spec.to_string()
    }

    /// # Panics
    ///
    /// If the entry does not list the parameter; a test builds every entry.
    fn parameter(&self, key: &str) -> &'static Parameter {
        let parameter = self.parameters.iter().find(|parameter| parameter.key == key);
        parameter.expect("an entry lists the parameters that it reads")
    }

    pub(super) fn text(&self, key: &str) -> &'a str {
        self.spec.get(key).unwrap_or(self.parameter(key).default)
    }

    /// Refuses another value than the default, where other parameters leave none to choose.
    pub(super) fn refuse(&self, key: &str, range: &'static str) -> Result<(), ParameterError> {
        let (parameter, text) = (self.parameter(key), self.text(key));
        if text == parameter.default { Ok(()) } else { Err(ParameterError::new(parameter.key, text, range)) }
    }

    pub(super) fn read<T, E>(&self, key: &str, parse: impl Fn(&str) -> Result<T, E>) -> Result<T, ParameterError> {
        let (parameter, text) = (self.parameter(key), self.text(key));
        parse(text).map_err(|_| ParameterError::new(parameter.key, text, parameter.range))
    }

    /// What the text names.
    pub(super) fn choose<T: Copy>(&self, key: &str, named: &[(&str, T)]) -> Result<T, ParameterError> {
        self.read(key, |text| named.iter().find(|(name, _)| *name == text).map(|named| named.1).ok_or(()))
    }

    pub(super) fn integer<T: TryFrom<u64>>(&self, key: &str) -> Result<T, ParameterError> {
        self.read::<T, NumberError>(key, parse_integer)
    }

    /// Integers with `/` between them.
    pub(super) fn integers(&self, key: &str) -> Result<Vec<u64>, ParameterError> {
        self.read(key, |text| text.split('/').map(parse_integer).collect::<Result<_, _>>())
    }

    /// Numbers with `/` between them.
    pub(super) fn reals(&self, key: &str) -> Result<Vec<f64>, ParameterError> {
        self.read(key, |text| text.split('/').map(parse_real).collect::<Result<_, _>>())
    }

    /// A number, or a share of the bins, written `n` or `n/4`: rounded down, and 1 at least.
    pub(super) fn share(&self, key: &str) -> Result<u64, ParameterError> {
        let share = |part: u64| (self.size.bins / part.max(1)).max(1);
        self.read(key, |text| match text.strip_prefix('n') {
            None => parse_integer(text).map_err(|_| ()),
            Some("") => Ok(share(1)),
            Some(rest) => match rest.strip_prefix('/').map(parse_integer) {
                Some(Ok(part)) if part > 0 => Ok(share(part)),
                _ => Err(()),
            },
        })
    }

    pub(super) fn real(&self, key: &str) -> Result<f64, ParameterError> {
        self.read(key, parse_real)
    }

    pub(super) fn truth(&self, key: &str) -> Result<bool, ParameterError> {
        self.read(key, str::parse)
    }
}
