//! Random numbers that vary the timing and the paths of input.
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// A pseudorandom number generator. Not suitable for secrets.
#[derive(Debug)]
pub struct Randomness(AtomicU64);

impl Randomness {
    /// Creates a generator with a random seed, so that pages cannot predict its values.
    pub fn new() -> Self {
        // Falls back to a constant seed: equal movements on all pages are better than failing.
        Self::seeded(getrandom::u64().unwrap_or(0x9E37_79B9_7F4A_7C15))
    }

    pub fn seeded(seed: u64) -> Self {
        Self(AtomicU64::new(seed))
    }

    /// Returns a number from 0 (inclusive) to 1 (exclusive).
    pub fn unit(&self) -> f64 {
        // SplitMix64: its state changes by one atomic addition, so it needs no lock.
        let mut bits = self.0.fetch_add(0x9E37_79B9_7F4A_7C15, Ordering::Relaxed);
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^= bits >> 31;
        #[allow(clippy::cast_precision_loss, reason = "53 bits fit")]
        let unit = (bits >> 11) as f64 / (1_u64 << 53) as f64;
        unit
    }

    /// Returns a number between `low` and `high`, evenly distributed.
    pub fn between(&self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// Returns a number between -1 and 1, more often near 0.
    pub fn signed_unit(&self) -> f64 {
        self.unit() - self.unit()
    }

    /// Returns a duration between the two limits, more often near the lower one, as in routine movements.
    pub fn random_duration(&self, low_ms: f64, high_ms: f64) -> Duration {
        let share = self.unit() * self.unit();
        Duration::from_secs_f64((low_ms + (high_ms - low_ms) * share) / 1000.0)
    }
}

impl Default for Randomness {
    fn default() -> Self {
        Self::new()
    }
}
