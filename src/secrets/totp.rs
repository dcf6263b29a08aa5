//! Time-based one-time codes (TOTP): RFC 6238, based on RFC 4226.
use aws_lc_rs::hmac::{self, Algorithm};
use url::Url;

/// The seed and parameters of one-time codes.
pub(super) struct Totp {
    seed: String,
    key: hmac::Key,
    digits: u32,
    period: u64,
}

impl Totp {
    /// Parses a seed in Base32, or an `otpauth://totp/…` URL; `None` if it is neither.
    pub(super) fn read(text: &str) -> Option<Self> {
        let text = text.trim();
        if !text.starts_with("otpauth:") {
            return Self::new(text, hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY, 6, 30);
        }
        let url = Url::parse(text).ok().filter(|url| url.host_str() == Some("totp"))?;
        let given = |name: &str| url.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value);
        let algorithm = match given("algorithm").map(|name| name.to_ascii_uppercase()).as_deref() {
            None | Some("SHA1") => hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY,
            Some("SHA256") => hmac::HMAC_SHA256,
            Some("SHA512") => hmac::HMAC_SHA512,
            Some(_) => return None,
        };
        let number =
            |name: &str, usual: u64| given(name).map_or(Some(usual), |text| text.parse::<u64>().ok());
        let digits = number("digits", 6).filter(|digits| (6..=10).contains(digits))?;
        let period = number("period", 30).filter(|period| (1..=3600).contains(period))?;
        Self::new(&given("secret")?, algorithm, u32::try_from(digits).ok()?, period)
    }

    fn new(seed: &str, algorithm: Algorithm, digits: u32, period: u64) -> Option<Self> {
        let bytes = base32(seed).filter(|bytes| bytes.len() >= 10)?;
        Some(Self { seed: seed.to_owned(), key: hmac::Key::new(algorithm, &bytes), digits, period })
    }

    pub(super) fn seed(&self) -> &str {
        &self.seed
    }

    /// Returns the code at a Unix time in seconds.
    pub(super) fn at(&self, seconds: u64) -> String {
        let counter = (seconds / self.period).to_be_bytes();
        let tag = hmac::sign(&self.key, &counter);
        let bytes = tag.as_ref();
        let at = usize::from(bytes[bytes.len() - 1] & 0xf);
        let four = [bytes[at] & 0x7f, bytes[at + 1], bytes[at + 2], bytes[at + 3]];
        let number = u64::from(u32::from_be_bytes(four)) % 10_u64.pow(self.digits);
        format!("{number:0width$}", width = self.digits as usize)
    }

    /// Returns for how many more seconds the code at that time is valid.
    pub(super) fn left(&self, seconds: u64) -> u64 {
        self.period - seconds % self.period
    }
}

/// Decodes Base32 (RFC 4648) leniently: in any case, with spaces, and without padding.
fn base32(text: &str) -> Option<Vec<u8>> {
    let (mut bytes, mut held, mut bits) = (Vec::new(), 0_u32, 0);
    for letter in text.chars().filter(|letter| !matches!(letter, ' ' | '-' | '=')) {
        let value = match letter.to_ascii_uppercase() {
            letter @ 'A'..='Z' => u32::from(letter) - u32::from('A'),
            letter @ '2'..='7' => u32::from(letter) - u32::from('2') + 26,
            _ => return None,
        };
        held = (held << 5 | value) & 0xffff;
        bits += 5;
        if bits >= 8 {
            bits -= 8;
            bytes.push((held >> bits & 0xff) as u8);
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The codes match the table of RFC 6238, appendix B. Its seeds are `1234567890…` as bytes.
    #[test]
    fn codes_are_those_of_the_standard() {
        const TWENTY: &str = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
        let seeds = [
            ("SHA1", TWENTY.to_owned()),
            ("SHA256", "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZA".to_owned()),
            ("SHA512", "GEZDGNBVGY3TQOJQ".repeat(6) + "GEZDGNA"),
        ];
        let table = [
            (59, ["94287082", "46119246", "90693936"]),
            (1_111_111_109, ["07081804", "68084774", "25091201"]),
            (1_234_567_890, ["89005924", "91819424", "93441116"]),
            (20_000_000_000, ["65353130", "77737706", "47863826"]),
        ];
        for (seconds, codes) in table {
            for ((algorithm, seed), code) in seeds.iter().zip(codes) {
                let address = format!("otpauth://totp/a:b?secret={seed}&algorithm={algorithm}&digits=8");
                assert_eq!(Totp::read(&address).unwrap().at(seconds), code, "{algorithm} at {seconds}");
            }
        }
        assert_eq!(Totp::read("gezd gnbv gy3t qojq gezd gnbv gy3t qojq").unwrap().at(59), "287082");
    }

    #[test]
    fn what_is_no_seed_is_refused() {
        for text in
            ["", "short", "GEZDGNBVGY3TQOJ1", "otpauth://hotp/a?secret=GEZDGNBVGY3TQOJQ", "otpauth://totp/a"]
        {
            assert!(Totp::read(text).is_none(), "{text}");
        }
    }
}
