use core::fmt;
use core::str::FromStr;

use bb_core::{Load, ParameterError};

use super::{MultiBall, MultiBins};

/// The loads of one bin in all dimensions, or the totals over all bins; [`BinKey`] has an example.
#[derive(Debug)]
pub struct BinVector<'a, L: ?Sized> {
    loads: &'a L,
    bin: Option<usize>,
}

impl<'a, L: MultiBins + ?Sized> BinVector<'a, L> {
    #[inline]
    pub(super) fn of_bin(loads: &'a L, bin: usize) -> Self {
        Self { loads, bin: Some(bin) }
    }

    #[inline]
    pub(super) fn of_totals(loads: &'a L) -> Self {
        Self { loads, bin: None }
    }

    /// Returns the number of dimensions.
    #[must_use]
    #[inline]
    pub fn dimensions(&self) -> usize {
        self.loads.dimensions()
    }

    /// Returns the load in one dimension.
    #[must_use]
    #[inline]
    pub fn load(&self, dimension: usize) -> L::Load {
        match self.bin {
            Some(bin) => self.loads.cell(bin, dimension),
            None => self.loads.total_of(dimension),
        }
    }
}

/// How a ball sees a bin: one number, of which the smaller is the better.
///
/// The mean that rules compare a bin with is the key of the average bin: the same function of the totals,
/// divided by `n`. So a key has to be proportional: doubled loads, doubled key. For sums it is the mean of
/// all keys; for the largest of several loads it is the average in the dimension that has most, at most the
/// mean of all keys. Either way it is compared exactly.
///
/// `T` is the number in a bin, `W` what balls bring.
///
/// # Examples
///
/// A key of one's own: servers have four times as much memory (dimension 1) as processors, so a processor
/// counts as much as four units of memory; a ball looks at what it needs.
///
/// ```
/// use bb_processes::bb_core::{Bins, LoadVector, rng_for_trial};
/// use bb_processes::{BallModel, BinKey, BinVector, DChoice, KeyView, MultiBall, MultiBins, MultiLoads};
///
/// #[derive(Clone)]
/// struct Share;
///
/// impl BinKey<u64, u64> for Share {
///     type Key = u64;
///     fn key<L: MultiBins<Load = u64>>(&self, bin: BinVector<'_, L>, ball: &MultiBall) -> u64 {
///         ball.populated().map(|dimension| [4, 1][dimension] * bin.load(dimension)).max().unwrap_or(0)
///     }
/// }
///
/// let mut view = KeyView::new(MultiLoads::new(100, 2)?, Share);
/// let mut jobs = BallModel::independent(&[0.2, 0.8])?;
/// view.run(&mut DChoice::two(), &mut jobs, 100_000, &mut rng_for_trial(1, 0));
/// assert!(view.loads().gap_dim(0) < 5.0 && view.loads().gap_dim(1) < 8.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait BinKey<T: Load, W> {
    /// The number that is compared.
    type Key: Load;

    /// Returns the key of a bin for a ball.
    fn key<L: MultiBins<Load = T>>(&self, bin: BinVector<'_, L>, ball: &MultiBall<W>) -> Self::Key;

    /// Tells whether the key is the load itself where there is but one dimension, and the ball populates it:
    /// then the loads of a run may be those of a plain one. Default: no.
    fn is_load_of_single(&self) -> bool {
        false
    }
}

/// The usual keys. `S` are the dimensions that the ball populates.
///
/// | key | value | name |
/// | --- | --- | --- |
/// | `MaxPopulated`, the default | `max_{k∈S} x_i[k]` | `max-populated` |
/// | `SumPopulated` | `Σ_{k∈S} x_i[k]` | `sum-populated` |
/// | `Total` | `Σ_k x_i[k]` | `total` |
/// | `MaxAll` | `max_k x_i[k]` | `max-all` |
///
/// Which to take? `MaxPopulated`: it is the greedy rule for the largest load of any dimension. Where the ball
/// populates all dimensions (`f = D`) it is the plain process, where it populates one (`f = 1`) as many plain
/// processes as there are dimensions.
///
/// # Guarantees
///
/// A key that does not look at `S` cannot balance single dimensions. If the choice does not depend on `S`,
/// and `S` is exchangeable with `0 < f < D` dimensions, then `x_i[k] − x_i[l]` is a martingale whose variance
/// grows by `2(f/D)(D − f)/(D − 1)` with each ball that the bin gets. So under `Total` and `MaxAll` the gap
/// grows with `m`, at least like `√(m f(D − f)/(n D²))`.
///
/// # Examples
///
/// ```
/// use bb_processes::Key;
///
/// assert_eq!((Key::default(), Key::MaxAll.to_string()), (Key::MaxPopulated, "max-all".to_owned()));
/// assert_eq!("sum-populated".parse::<Key>()?, Key::SumPopulated);
/// let error = "least".parse::<Key>().unwrap_err();
/// assert_eq!(error.to_string(), "key = least is outside max-populated, sum-populated, total, max-all");
/// # Ok::<(), bb_processes::bb_core::ParameterError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Key {
    /// The largest load among the dimensions that the ball populates.
    #[default]
    MaxPopulated,
    /// The sum of the loads in these dimensions.
    SumPopulated,
    /// The sum of all loads of the bin.
    Total,
    /// The largest load of the bin.
    MaxAll,
}

impl Key {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::MaxPopulated, Self::SumPopulated, Self::Total, Self::MaxAll];

    /// Returns the name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::MaxPopulated => "max-populated",
            Self::SumPopulated => "sum-populated",
            Self::Total => "total",
            Self::MaxAll => "max-all",
        }
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Key {
    type Err = ParameterError;

    fn from_str(text: &str) -> Result<Self, ParameterError> {
        let known = || Self::ALL.map(Self::name).join(", ");
        Self::ALL.into_iter().find(|key| key.name() == text).ok_or_else(|| ParameterError::new("key", text, known()))
    }
}

impl<T: Load, W> BinKey<T, W> for Key {
    type Key = T;

    #[inline]
    fn key<L: MultiBins<Load = T>>(&self, bin: BinVector<'_, L>, ball: &MultiBall<W>) -> T {
        let load = |dimension| bin.load(dimension);
        match self {
            Self::MaxPopulated => most(ball.populated().map(load)),
            Self::SumPopulated => ball.populated().map(load).fold(T::default(), |sum, load| sum + load),
            Self::Total => (0..bin.dimensions()).map(load).fold(T::default(), |sum, load| sum + load),
            Self::MaxAll => most((0..bin.dimensions()).map(load)),
        }
    }

    fn is_load_of_single(&self) -> bool {
        true
    }
}

/// The largest, 0 if there is none.
#[inline]
fn most<T: Load>(loads: impl Iterator<Item = T>) -> T {
    loads.reduce(|most, load| if load > most { load } else { most }).unwrap_or_default()
}
