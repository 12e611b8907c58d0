//! What is known of bounded memory without a run: lower bounds, upper bounds, and what fits into a budget.
//!
//! \[BM\] is Benjamini and Makarychev, *Balanced allocation: memory performance tradeoffs*, Ann. Appl.
//! Probab. 22(4), 2012, arXiv 0901.1155; \[AGL\] is Alon, Gurel-Gurevich and Lubetzky, *Choice-memory
//! tradeoff in allocations*, Ann. Appl. Probab. 20(4), 2010, arXiv 0901.4056. The displayed formulas of
//! \[BM\] were not at hand: each page says what is quoted from its text and what is derived.
//!
//! | question | answer |
//! | --- | --- |
//! | what can no scheme of `M` bits beat? | [`lower_bound`], [`certificate`] |
//! | what does a heavy list reach? | [`upper_bound`], [`paper_threshold`], [`heavy_bins_expected`], [`heavy_bins_in_the_limit`], [`extra_balls`] |
//! | what fits? | [`Fitting`], [`Layout`](crate::Layout) |
//! | what is a table of all that at one size? | [`Tradeoff`], [`Fitting`] |
//! | other schemes | [`cluster_entropy_bits`], [`memory_growth`], [`best_threshold_bit`] |

mod certificate;
mod lower;
mod other;
mod tables;
mod tails;
mod upper;

pub use self::certificate::{Certificate, certificate};
pub use self::lower::{choice_memory_bound, hits_at_least, lower_bound, slow_bins_at_most};
pub use self::other::{best_threshold_bit, cluster_entropy_bits, memory_growth};
pub use self::tables::{Fitted, Fitting, PaperThreshold, Tradeoff};
pub use self::tails::{binomial_tail, heavy_bins_expected, heavy_bins_expected_on_the_left, heavy_bins_in_the_limit};
pub use self::upper::{LogBase, extra_balls, paper_list_length, paper_threshold, upper_bound};
