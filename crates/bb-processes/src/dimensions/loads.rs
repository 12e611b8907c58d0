use core::any::Any;

use bb_core::{Bins, IndexSampler, Load, LoadVector, Metrics, ParameterError, Place, Put, Weight};

use super::{DimensionsError, MultiBall};

/// So many dimensions at most: what a ball costs is proportional to them.
const MOST_DIMENSIONS: u64 = 1 << 24;

/// Labelled bins, each with a load in every one of `D` dimensions: [`MultiLoads`], or such loads as they were
/// a while ago.
///
/// As plain [`Bins`] they show the sum over all dimensions. What a ball sees of them is a
/// [`KeyView`](super::KeyView).
///
/// # Examples
///
/// ```
/// use bb_processes::bb_core::{Bins, Place};
/// use bb_processes::{MultiBall, MultiBins, MultiLoads};
///
/// let mut loads = MultiLoads::new(10, 3)?;
/// loads.place(4, &MultiBall::unit([0, 2])?);
/// assert_eq!((loads.dimensions(), loads.cell(4, 0), loads.cell(4, 1)), (3, 1, 0));
/// assert_eq!((loads.total_of(2), loads.load(4), loads.total()), (1, 2, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait MultiBins: Bins<Bin = usize> {
    /// Returns the number of dimensions `D`, at least 1.
    fn dimensions(&self) -> usize;

    /// Returns the load of a bin in one dimension, `x_i[k]`.
    fn cell(&self, bin: usize, dimension: usize) -> Self::Load;

    /// Returns the total over all bins in one dimension, `W_k`.
    fn total_of(&self, dimension: usize) -> Self::Load;

    /// Returns the loads as a vector of counts, if that is what they are: one dimension, fresh. Default: they
    /// are not.
    fn as_counts(&mut self) -> Option<&mut LoadVector> {
        None
    }
}

/// `n` bins with a load in each of `D` dimensions, in one allocation.
///
/// `MultiLoads` (that is `MultiLoads<u64>`) counts; other numbers are those that a [`LoadVector`] can hold,
/// and add up as they do there. A dimension has its own total `W_k` and its own gap:
///
/// | name | definition |
/// | --- | --- |
/// | [`gap_dim`](Self::gap_dim)`(k)` | `max_i x_i[k] − W_k/n` |
/// | [`gap`](Self::gap) | the largest of these |
/// | [`gap_total`](Self::gap_total) | `max_i Σ_k x_i[k] − Σ_k W_k/n` |
/// | [`gap_cell`](Self::gap_cell) | `max_{i,k} (x_i[k] − E[W_k]/n)`, with expected averages in place of the true ones |
///
/// # Complexity
///
/// Counts take a byte each, as in a [`LoadVector`], until they spread over more than 220 levels. A ball costs
/// `O(1)` for each dimension that it populates. `gap_dim` is `O(1)`, `gap` and `gap_cell` `O(D)`, `gap_total`
/// and `min_gap` `O(nD)`.
///
/// # Panics
///
/// A bin or a dimension that is not there panics like an index outside a slice.
///
/// # Examples
///
/// ```
/// use bb_processes::bb_core::Place;
/// use bb_processes::{MultiBall, MultiLoads};
///
/// let mut loads = MultiLoads::new(2, 3)?;
/// loads.place(0, &MultiBall::new([(0, 4), (2, 1)])?);
/// loads.place(1, &MultiBall::unit([2])?);
/// assert_eq!((loads.gap_dim(0), loads.gap_dim(1), loads.gap_dim(2)), (2.0, 0.0, 0.0));
/// assert_eq!((loads.gap(), loads.all_time_gap(), loads.min_gap()), (2.0, 2.0, 2.0));
/// // The bins hold 5 and 1.
/// assert_eq!(loads.gap_total(), 2.0);
/// // Had one expected 2, 0 and 2 in all.
/// assert_eq!(loads.gap_cell(&[2.0, 0.0, 2.0]), 3.0);
/// assert_eq!(loads.column(2).collect::<Vec<_>>(), [1, 1]);
/// assert_eq!(MultiLoads::from_loads(vec![4, 0, 1, 0, 0, 1], 3)?, loads);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct MultiLoads<T: Load = u64> {
    /// Dimension `k` of bin `i` is cell `i·D + k`.
    cells: LoadVector<T>,
    /// What follows is not kept for one dimension, where the cells know it.
    totals: Vec<T::Total>,
    max: Vec<T>,
    all_time_gap: f64,
    draws: IndexSampler,
    dimensions: usize,
}

impl MultiLoads<u64> {
    /// Returns `bins` empty bins of `dimensions` dimensions.
    ///
    /// # Errors
    ///
    /// If there is no bin or no dimension, or the memory cannot be had. [`DimensionsError`] shows it.
    pub fn new(bins: u64, dimensions: u64) -> Result<Self, DimensionsError> {
        let cells = cells(bins, dimensions)?;
        Ok(Self::empty(LoadVector::new(cells)?, dimensions))
    }
}

impl MultiLoads<f64> {
    /// Returns `bins` empty bins of `dimensions` dimensions that add up real weights.
    ///
    /// # Errors
    ///
    /// As [`new`](MultiLoads::new).
    ///
    /// # Examples
    ///
    /// ```
    /// use bb_processes::bb_core::{Place, Weight};
    /// use bb_processes::{MultiBall, MultiLoads};
    ///
    /// let mut loads = MultiLoads::weighted(4, 2)?;
    /// loads.place(3, &MultiBall::new([(1, Weight::new(0.5)?)])?);
    /// assert_eq!((loads.gap_dim(0), loads.gap_dim(1)), (0.0, 0.375));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn weighted(bins: u64, dimensions: u64) -> Result<Self, DimensionsError> {
        let cells = cells(bins, dimensions)?;
        Ok(Self::empty(LoadVector::weighted(cells)?, dimensions))
    }
}

/// The number of cells.
fn cells(bins: u64, dimensions: u64) -> Result<u64, DimensionsError> {
    ParameterError::require(dimensions != 0, "dimensions", 0, "1..")?;
    bins.checked_mul(dimensions).filter(|_| dimensions < MOST_DIMENSIONS).ok_or_else(|| {
        let range = format!("1..{} for {bins} bins", (u64::MAX / bins.max(1)).min(MOST_DIMENSIONS));
        ParameterError::new("dimensions", dimensions, range).into()
    })
}

impl<T: Load> MultiLoads<T> {
    /// Returns bins with these loads: all dimensions of the first bin, then those of the second, and so on.
    ///
    /// # Errors
    ///
    /// If there is no bin or no dimension, the loads are not so many for each bin, or a [`LoadVector`]
    /// refuses them.
    pub fn from_loads(loads: Vec<T>, dimensions: u64) -> Result<Self, DimensionsError> {
        let length = loads.len() as u64;
        ParameterError::require(
            dimensions != 0 && length.is_multiple_of(dimensions),
            "dimensions",
            dimensions,
            format_args!("the divisors of {length} loads"),
        )?;
        let columns = (0..dimensions as usize).map(|dimension| {
            let column = loads.iter().skip(dimension).step_by(dimensions as usize);
            LoadVector::from_loads(column.copied().collect())
        });
        let columns = columns.collect::<Result<Vec<_>, _>>()?;
        let mut made = Self::empty(LoadVector::from_loads(loads)?, dimensions);
        for (total, column) in made.totals.iter_mut().zip(&columns) {
            T::accumulate(total, column.total());
        }
        made.max = columns.iter().map(Metrics::max_load).collect();
        made.all_time_gap = made.gap();
        Ok(made)
    }

    fn empty(cells: LoadVector<T>, dimensions: u64) -> Self {
        let draws = IndexSampler::new(cells.bins() / dimensions).expect("there are cells, so there is a bin");
        let dimensions = dimensions as usize;
        let (totals, max) = (vec![T::Total::default(); dimensions], vec![T::default(); dimensions]);
        Self { cells, totals, max, all_time_gap: 0.0, draws, dimensions }
    }

    /// Returns the largest load in one dimension. `O(1)`.
    #[must_use]
    pub fn max_of(&self, dimension: usize) -> T {
        assert!(dimension < self.dimensions, "dimension {dimension} of {}", self.dimensions);
        if self.dimensions == 1 { self.cells.max_load() } else { self.max[dimension] }
    }

    /// Returns the smallest load in one dimension. `O(n)`.
    #[must_use]
    pub fn min_of(&self, dimension: usize) -> T {
        let least = self.column(dimension).reduce(|least, load| if load < least { load } else { least });
        least.unwrap_or_default() // There is a bin.
    }

    /// Iterates over the loads of all bins in one dimension.
    pub fn column(&self, dimension: usize) -> impl ExactSizeIterator<Item = T> + '_ {
        (0..self.bins() as usize).map(move |bin| self.cell(bin, dimension))
    }

    /// Returns the gap in one dimension, `max_i x_i[k] − W_k/n`.
    #[must_use]
    pub fn gap_dim(&self, dimension: usize) -> f64 {
        self.max_of(dimension).above_mean(self.total_of(dimension), self.bins())
    }

    /// Returns the largest gap in any dimension.
    #[must_use]
    pub fn gap(&self) -> f64 {
        largest((0..self.dimensions).map(|dimension| self.gap_dim(dimension)))
    }

    /// Returns by how much a bin falls short of the average at most, `max_{i,k} (W_k/n − x_i[k])`.
    #[must_use]
    pub fn min_gap(&self) -> f64 {
        let short = |dimension| 0.0 - self.min_of(dimension).above_mean(self.total_of(dimension), self.bins());
        largest((0..self.dimensions).map(short))
    }

    /// Returns the gap of the sums over all dimensions.
    #[must_use]
    pub fn gap_total(&self) -> f64 {
        let (total, bins) = (self.total(), self.bins());
        largest((0..bins as usize).map(|bin| self.load(bin).above_mean(total, bins)))
    }

    /// Returns the largest excess of a load over the average that was expected in its dimension, where
    /// `expected` are the expected totals `E[W_k]`.
    ///
    /// It differs from [`gap`](Self::gap) by what the totals deviate from their expectations.
    ///
    /// # Panics
    ///
    /// If there are not `D` of them.
    #[must_use]
    pub fn gap_cell(&self, expected: &[f64]) -> f64 {
        assert_eq!(expected.len(), self.dimensions, "one expected total for each dimension");
        let excess = |(dimension, &total): (usize, &f64)| self.max_of(dimension).to_f64() - total / self.bins() as f64;
        largest(expected.iter().enumerate().map(excess))
    }

    /// Returns the largest [`gap`](Self::gap) at any time so far, the start included. `O(1)`.
    #[must_use]
    pub fn all_time_gap(&self) -> f64 {
        if self.dimensions == 1 { self.cells.all_time_gap() } else { self.all_time_gap }
    }

    /// The gap in a dimension only falls until its maximum rises.
    #[cold]
    #[inline(never)]
    fn maximum_rises(&mut self, dimension: usize, to: T) {
        self.max[dimension] = to;
        self.all_time_gap = self.all_time_gap.max(self.gap_dim(dimension));
    }
}

fn largest(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(f64::NEG_INFINITY, f64::max)
}

/// Equal if every bin has equal loads; what was recorded does not count.
impl<T: Load> PartialEq for MultiLoads<T> {
    fn eq(&self, other: &Self) -> bool {
        self.dimensions == other.dimensions && self.cells == other.cells
    }
}

impl<T: Load> MultiBins for MultiLoads<T> {
    #[inline]
    fn dimensions(&self) -> usize {
        self.dimensions
    }

    #[inline]
    fn cell(&self, bin: usize, dimension: usize) -> T {
        assert!(dimension < self.dimensions, "dimension {dimension} of {}", self.dimensions);
        self.cells.load(bin * self.dimensions + dimension)
    }

    #[inline]
    fn total_of(&self, dimension: usize) -> T {
        let total = T::sum(self.totals[dimension]);
        if self.dimensions == 1 { self.cells.total() } else { total }
    }

    fn as_counts(&mut self) -> Option<&mut LoadVector> {
        if self.dimensions == 1 { (&mut self.cells as &mut dyn Any).downcast_mut() } else { None }
    }
}

/// The sum over all dimensions.
impl<T: Load> Bins for MultiLoads<T> {
    type Bin = usize;
    type Load = T;
    type Places = IndexSampler;

    #[inline]
    fn places(&self) -> &IndexSampler {
        &self.draws
    }

    #[inline]
    fn nth(&self, place: u64) -> usize {
        place as usize
    }

    #[inline]
    fn load(&self, bin: usize) -> T {
        (0..self.dimensions).fold(T::default(), |sum, dimension| sum + self.cell(bin, dimension))
    }

    #[inline]
    fn total(&self) -> T {
        self.cells.total()
    }
}

impl<T: Load> MultiLoads<T> {
    #[inline]
    fn add<W: Copy + Into<T>>(&mut self, bin: usize, ball: &MultiBall<W>)
    where
        LoadVector<T>: Place<W> + Bins<Bin = usize, Load = T>,
    {
        for &(dimension, amount) in ball.parts() {
            assert!(dimension < self.dimensions, "dimension {dimension} of {}", self.dimensions);
            let cell = bin * self.dimensions + dimension;
            self.cells.place(cell, &amount);
            if self.dimensions > 1 {
                T::accumulate(&mut self.totals[dimension], amount.into());
                let load = self.cells.load(cell);
                if load > self.max[dimension] {
                    self.maximum_rises(dimension, load);
                }
            }
        }
    }
}

impl Place<MultiBall> for MultiLoads {
    #[inline]
    fn put(&mut self, bin: usize, ball: &MultiBall, put: Put) -> usize {
        for _ in 0..put.count() {
            self.add(bin, ball);
        }
        bin
    }
}

impl Place<MultiBall<Weight>> for MultiLoads<f64> {
    #[inline]
    fn put(&mut self, bin: usize, ball: &MultiBall<Weight>, put: Put) -> usize {
        for _ in 0..put.count() {
            self.add(bin, ball);
        }
        bin
    }
}
