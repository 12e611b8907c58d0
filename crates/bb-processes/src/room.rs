//! Memory, asked for before it is used.

/// Tells whether so many bytes can be had at present.
pub(crate) fn can_be_had(bytes: u128) -> bool {
    usize::try_from(bytes).is_ok_and(|bytes| Vec::<u8>::new().try_reserve_exact(bytes).is_ok())
}
