//! How much memory there is.

/// Returns the bytes that Linux says can be allocated without swapping: `MemAvailable` of `/proc/meminfo`.
///
/// Linux grants more memory than there is and ends programs that then use it, so that a refusal by the
/// allocator comes too late there. A limit on a container is not seen. `None` on other systems, whose
/// allocator is relied on.
pub(crate) fn available() -> Option<u128> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: u128 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}
