//! Programs a newcomer runs first: see the files beside this crate's manifest. The crate itself only keeps
//! the code in the project's README and in docs/memory.md true.

#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;

#[cfg(doctest)]
#[doc = include_str!("../../docs/memory.md")]
struct Memory;

#[cfg(doctest)]
#[doc = include_str!("../../docs/design.md")]
struct Design;
