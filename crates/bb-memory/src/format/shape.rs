/// What the length of a list depends on: how many entries have each count.
///
/// # Examples
///
/// ```
/// use bb_memory::Shape;
///
/// let shape = Shape::of(&[(3, 0), (5, 2), (9, 0)]);
/// assert_eq!(shape, Shape::new(&[2, 0, 1]));
/// assert_eq!((shape.entries(), shape.total_excess(), shape.largest_excess()), (3, 2, Some(2)));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// Entries of each count; the last is not 0.
    counts: Vec<u64>,
    entries: u64,
    total: u64,
}

impl Shape {
    /// Returns the shape with `counts[x]` entries of count `x`.
    #[must_use]
    pub fn new(counts: &[u64]) -> Self {
        let mut shape = Self {
            counts: counts.to_vec(),
            entries: counts.iter().sum(),
            total: counts.iter().zip(0_u64..).map(|(&entries, excess)| entries * excess).sum(),
        };
        shape.trim();
        shape
    }

    /// The shape of so many entries of count 0.
    pub(crate) fn flat(entries: u64) -> Self {
        Self::new(&[entries])
    }

    /// Returns the shape of a list of pairs (bin, count), counts below `2^32`.
    #[must_use]
    pub fn of(list: &[(usize, u64)]) -> Self {
        let mut shape = Self::default();
        list.iter().for_each(|&(_, excess)| shape.add(excess));
        shape
    }

    fn trim(&mut self) {
        while self.counts.last() == Some(&0) {
            self.counts.pop();
        }
    }

    pub(crate) fn add(&mut self, excess: u64) {
        let place = excess as usize;
        if place >= self.counts.len() {
            self.counts.resize(place + 1, 0);
        }
        self.counts[place] += 1;
        self.entries += 1;
        self.total += excess;
    }

    pub(crate) fn remove(&mut self, excess: u64) {
        if let Some(count) = self.counts.get_mut(excess as usize) {
            *count -= 1;
            self.entries -= 1;
            self.total -= excess;
            self.trim();
        }
    }

    /// Drops the entries of count 0.
    pub(crate) fn clear_least(&mut self) {
        if let Some(least) = self.counts.first_mut() {
            self.entries -= core::mem::take(least);
            self.trim();
        }
    }

    /// Drops the entries of count 0 and lowers the count of all others: the threshold rises by one.
    pub(crate) fn rise(&mut self) {
        let dropped = if self.counts.is_empty() { 0 } else { self.counts.remove(0) };
        self.entries -= dropped;
        self.total -= self.entries;
    }

    /// Returns the number of entries.
    #[must_use]
    pub fn entries(&self) -> u64 {
        self.entries
    }

    /// Returns how many entries have this count.
    #[must_use]
    pub fn of_count(&self, excess: u64) -> u64 {
        self.counts.get(excess as usize).copied().unwrap_or(0)
    }

    /// Returns the sum of all counts.
    #[must_use]
    pub fn total_excess(&self) -> u64 {
        self.total
    }

    /// Returns the largest count, if there are entries.
    #[must_use]
    pub fn largest_excess(&self) -> Option<u64> {
        (self.counts.len() as u64).checked_sub(1)
    }

    /// How many entries have count 0, 1, 2, … or more, as long as there are some.
    pub(crate) fn at_least(&self) -> impl Iterator<Item = u64> + '_ {
        let mut left = self.entries;
        self.counts.iter().map(move |&count| {
            let at_least = left;
            left -= count;
            at_least
        })
    }
}
