use bb_core::{LoadsError, ParameterError};
use thiserror::Error;

/// Loads of several dimensions cannot be made from what was given.
///
/// # Examples
///
/// ```
/// use bb_processes::MultiLoads;
///
/// let message = |bins, dimensions| MultiLoads::new(bins, dimensions).unwrap_err().to_string();
/// assert_eq!(message(0, 3), "bins = 0 is outside 1.., there must be a bin");
/// assert_eq!(message(3, 0), "dimensions = 0 is outside 1..");
/// assert!(message(1 << 40, 1 << 40).starts_with("dimensions = 1099511627776 is outside 1..16777215 for"));
/// ```
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum DimensionsError {
    /// A number is outside its range.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// The bins cannot be made.
    #[error(transparent)]
    Loads(#[from] LoadsError),
}
