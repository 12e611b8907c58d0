//! Laws of large systems: the One-Choice maximum ([`one_choice`]) and mean-field limits of rules by rank
//! ([`mean_field`]).

pub mod mean_field;
pub mod one_choice;
