//! Rules that sample one bin, and put more into it the emptier it is.

mod packing;
mod twinning;

pub use self::packing::Packing;
pub use self::twinning::Twinning;
