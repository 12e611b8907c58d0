use core::fmt::Debug;

/// What is fixed before the first ball and free of charge: `n`, thresholds, widths of fields, the tie rule.
///
/// A plain value. `Copy` rules out cells, reference counts and owned heaps of mutable state; and no decider is given the value that the scheme holds, but one rebuilt from
/// [`to_words`](Self::to_words), so whatever the words do not carry is lost. The type system alone is not a proof: a decider can still read a global variable, which the [audits](crate::audit) look for.
///
/// # Examples
///
/// Numbers and arrays of numbers are parameters already. A type of one's own:
///
/// ```
/// use bb_memory::Parameters;
///
/// #[derive(Clone, Copy, Debug, PartialEq)]
/// struct Window { bins: u64, width: u64 }
///
/// impl Parameters for Window {
///     fn to_words(&self) -> Vec<u64> { vec![self.bins, self.width] }
///     fn from_words(words: &[u64]) -> Option<Self> {
///         let &[bins, width] = words else { return None };
///         Some(Self { bins, width })
///     }
/// }
/// let window = Window { bins: 10, width: 3 };
/// assert_eq!(Window::from_words(&window.to_words()), Some(window));
/// ```
///
/// A cell is not a parameter:
///
/// ```compile_fail
/// use bb_memory::Parameters;
///
/// #[derive(Clone, Copy, Debug, PartialEq)]
/// struct Counting { calls: std::cell::Cell<u64> }
///
/// impl Parameters for Counting {
///     fn to_words(&self) -> Vec<u64> { vec![self.calls.get()] }
///     fn from_words(words: &[u64]) -> Option<Self> { Some(Self { calls: words[0].into() }) }
/// }
/// ```
///
/// nor is a reference to an atomic, which cannot be compared (and which no words bring back):
///
/// ```compile_fail
/// use bb_memory::Parameters;
/// use std::sync::atomic::AtomicU64;
///
/// #[derive(Clone, Copy, Debug)]
/// struct Shared(&'static AtomicU64);
///
/// impl Parameters for Shared {
///     fn to_words(&self) -> Vec<u64> { vec![] }
///     fn from_words(_: &[u64]) -> Option<Self> { None }
/// }
/// ```
pub trait Parameters: Copy + Debug + PartialEq + Send + Sync + 'static {
    /// Returns the value in words.
    fn to_words(&self) -> Vec<u64>;
    /// Returns the value of these words; `None` if they are not those of a value.
    fn from_words(words: &[u64]) -> Option<Self>;
}

impl Parameters for () {
    fn to_words(&self) -> Vec<u64> {
        Vec::new()
    }
    fn from_words(words: &[u64]) -> Option<Self> {
        words.is_empty().then_some(())
    }
}

impl Parameters for u64 {
    fn to_words(&self) -> Vec<u64> {
        vec![*self]
    }
    fn from_words(words: &[u64]) -> Option<Self> {
        if let &[word] = words { Some(word) } else { None }
    }
}

impl<const N: usize> Parameters for [u64; N] {
    fn to_words(&self) -> Vec<u64> {
        self.as_slice().to_vec()
    }
    fn from_words(words: &[u64]) -> Option<Self> {
        words.try_into().ok()
    }
}
