//! Transformed rejection with squeeze, shared by the laws of this module.

use rand::Rng;

/// The hat of one law: algorithm BTRS of W. Hörmann, "The generation of
/// binomial random variates", J. Stat. Comput. Simul. 46 (1993), 101–110.
///
/// For u uniform on (-1/2, 1/2) and `us = 1/2 - |u|` the value proposed is
/// `floor((2a/us + b)·u + centre)`, counted from the mode; it is accepted if
/// `v·alpha/(a/us² + b)` is at most the law's ratio to its value at the mode. If
/// `us >= 0.07` and `v <= v_r` that is certain (the squeeze).
///
/// For wide laws one step of the proposal is a *block* of `2^shift` values, in
/// which `shift` random bits choose; acceptance looks at the value itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Hat {
    mode: u64,
    centre: f64,
    a: f64,
    b: f64,
    v_r: f64,
    alpha: f64,
    shift: u32,
}

/// The squeeze holds in the middle part of the uniform variable.
pub(crate) const MIDDLE: f64 = 0.07;

impl Hat {
    /// The hat for a law with this standard deviation, mode and `mean - mode`;
    /// `p <= 1/2` is the success probability of one trial.
    #[inline]
    pub(crate) fn new(sd: f64, mode: u64, mean_minus_mode: f64, p: f64) -> Self {
        // Blocks of 2^shift leave a deviation of 2048 to 4096 blocks: fine enough
        // for the envelope, coarse enough for a 53-bit fraction to fill evenly.
        let (mut sd, mut centre, mut shift) = (sd, mean_minus_mode + 0.5, 0);
        if sd >= 4096.0 {
            shift = (sd as i64).ilog2() - 11;
            let per_block = 1.0 / (1i64 << shift) as f64;
            sd *= per_block;
            centre *= per_block;
        }
        // Hörmann's constants of BTRS.
        let b = 1.15 + 2.53 * sd;
        let inverse = 1.0 / b;
        Self {
            mode,
            centre,
            a: -0.0873 + 0.0248 * b + 0.01 * p,
            b,
            v_r: 0.92 - 4.2 * inverse,
            alpha: (2.83 + 5.1 * inverse) * sd,
            shift,
        }
    }

    /// Draws a value of `0..=max`; `ln_ratio(d)` is the logarithm of the law at
    /// `mode + d` over the law at the mode.
    #[inline]
    pub(crate) fn sample<R: Rng + ?Sized>(&self, rng: &mut R, max: u64, ln_ratio: impl Fn(i64) -> f64) -> u64 {
        loop {
            let u = rng.next_u64().cast_signed() as f64 * 2f64.powi(-64);
            let v = ((rng.next_u64() >> 11) + 1).cast_signed() as f64 * 2f64.powi(-53);
            let us = 0.5 - u.abs();
            // The conversion saturates, so an infinite proposal is out of range below.
            let block = floor((2.0 * self.a / us + self.b) * u + self.centre);
            let d = if self.shift == 0 {
                block
            } else {
                let low = rng.next_u64() >> (64 - self.shift);
                block.saturating_mul(1 << self.shift).saturating_add(low.cast_signed())
            };
            let Some(x) = self.mode.checked_add_signed(d).filter(|&x| x <= max) else {
                continue;
            };
            if us >= MIDDLE && v <= self.v_r {
                return x;
            }
            if (v * self.alpha / (self.a / (us * us) + self.b)).ln() <= ln_ratio(d) {
                return x;
            }
        }
    }
}

/// The floor as an integer; `f64::floor` is a library call on plain x86-64.
#[inline]
fn floor(y: f64) -> i64 {
    let truncated = y as i64;
    truncated.saturating_sub(i64::from(y < truncated as f64))
}

#[cfg(test)]
impl Hat {
    pub(crate) fn mode(&self) -> u64 {
        self.mode
    }

    pub(crate) fn shift(&self) -> u32 {
        self.shift
    }

    pub(crate) fn v_r(&self) -> f64 {
        self.v_r
    }

    /// Where the uniform number u leads, in blocks from the mode.
    pub(crate) fn place(&self, u: f64) -> f64 {
        (2.0 * self.a / (0.5 - u.abs()) + self.b) * u + self.centre
    }

    /// The uniform number that leads to this place: the root of a quadratic equation.
    pub(crate) fn uniform(&self, place: f64) -> f64 {
        let y = place - self.centre;
        let half = 2.0 * self.a + 0.5 * self.b + y.abs();
        y / (half + (half * half - 2.0 * self.b * y.abs()).sqrt())
    }

    /// The largest law over its mode that acceptance can represent at u.
    pub(crate) fn height(&self, u: f64) -> f64 {
        let us = 0.5 - u.abs();
        self.alpha / (self.a / (us * us) + self.b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uniform_inverts_place() {
        for sd in [3.0, 100.0, 1e9] {
            let hat = Hat::new(sd, 1 << 40, 0.25, 0.3);
            for u in [-0.499_999, -0.4, -0.1, 0.0, 1e-5, 0.25, 0.4999] {
                assert!((hat.uniform(hat.place(u)) - u).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn blocks_keep_the_deviation_small() {
        for (sd, shift) in [(4095.9, 0), (4096.0, 1), (8191.9, 1), (8192.0, 2), (2e9, 19)] {
            assert_eq!(Hat::new(sd, 1 << 61, 0.0, 0.5).shift, shift);
        }
    }

    #[test]
    fn floor_rounds_down_and_saturates() {
        for (y, expected) in [(2.0, 2), (2.5, 2), (-2.0, -2), (-2.5, -3), (-0.1, -1), (0.0, 0)] {
            assert_eq!(floor(y), expected);
        }
        assert_eq!(floor(f64::INFINITY), i64::MAX);
        assert_eq!(floor(f64::NEG_INFINITY), i64::MIN);
    }
}
