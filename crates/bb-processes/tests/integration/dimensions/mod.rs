//! Balls of several dimensions: the exact laws of tiny cases, scalar processes in them, and what must not
//! change.

mod bad_input;
mod bounds;
mod exact;
mod rounds;
mod same_path;
mod words;
