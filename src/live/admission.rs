//! Admission to a hand-over: only the first visitor with the right code may control the page.
use subtle::ConstantTimeEq;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use parking_lot::Mutex;

use crate::error::{Error, Result};

/// The number of wrong codes after which nobody is admitted any more.
const MOST_TRIES: u8 = 5;

/// Admits one visitor to a hand-over.
#[derive(Debug)]
pub struct Admission {
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    code: Option<String>,
    tries: u8,
    pass: Option<String>,
}

impl Admission {
    pub(super) fn new() -> Result<Self> {
        let mut bytes = [0; 4];
        fill(&mut bytes)?;
        let code = format!("{:06}", u32::from_be_bytes(bytes) % 1_000_000);
        Ok(Self { state: Mutex::new(State { code: Some(code), tries: 0, pass: None }) })
    }

    /// Returns the code that admits a visitor; `None` once it was used, or after too many wrong codes.
    pub fn code(&self) -> Option<String> {
        self.state.lock().code.clone()
    }

    /// Admits a visitor with the right code. Returns a pass that the visitor must present on later requests.
    pub fn redeem_code(&self, code: &str) -> Option<String> {
        let mut state = self.state.lock();
        let right = state.code.as_ref().is_some_and(|known| known.as_bytes().ct_eq(code.as_bytes()).into());
        if right {
            return state.admit();
        }
        state.tries += 1;
        if state.tries >= MOST_TRIES {
            state.code = None;
        }
        None
    }

    /// Admits a visitor authenticated by other means. Returns a pass; `None` if someone was admitted before.
    pub fn admit_without_code(&self) -> Option<String> {
        let mut state = self.state.lock();
        state.code.as_ref()?;
        state.admit()
    }

    /// Returns whether a visitor with this pass was admitted.
    pub fn is_admitted(&self, pass: &str) -> bool {
        let state = self.state.lock();
        state.pass.as_ref().is_some_and(|known| known.as_bytes().ct_eq(pass.as_bytes()).into())
    }

    /// Returns whether someone was admitted, or can still be admitted.
    pub fn is_open(&self) -> bool {
        let state = self.state.lock();
        state.code.is_some() || state.pass.is_some()
    }
}

impl State {
    fn admit(&mut self) -> Option<String> {
        let pass = secret().ok()?;
        self.code = None;
        self.pass = Some(pass.clone());
        Some(pass)
    }
}

/// Returns 256 random bits as text.
fn secret() -> Result<String> {
    let mut bits = [0; 32];
    fill(&mut bits)?;
    Ok(URL_SAFE_NO_PAD.encode(bits))
}

/// Returns 128 random bits as text, for an id that cannot be guessed.
pub(super) fn name() -> Result<String> {
    let mut bits = [0; 16];
    fill(&mut bits)?;
    Ok(URL_SAFE_NO_PAD.encode(bits))
}

fn fill(bytes: &mut [u8]) -> Result<()> {
    getrandom::fill(bytes)
        .map_err(|error| Error::Unsupported { what: "making a code", reason: error.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_lets_in_once_and_its_pass_from_then_on() {
        let admission = Admission::new().unwrap();
        let code = admission.code().unwrap();
        assert_eq!(code.len(), 6);
        let pass = admission.redeem_code(&code).unwrap();
        assert!(admission.is_admitted(&pass) && !admission.is_admitted(&code) && !admission.is_admitted(""));
        assert_eq!(admission.redeem_code(&code), None);
        assert_eq!(admission.admit_without_code(), None);
        assert!(admission.is_open());
    }

    #[test]
    fn a_door_that_is_guessed_at_stays_shut() {
        let admission = Admission::new().unwrap();
        let code = admission.code().unwrap();
        for _ in 0..MOST_TRIES {
            assert_eq!(admission.redeem_code("x"), None);
        }
        assert_eq!(admission.redeem_code(&code), None);
        assert!(!admission.is_open());
    }
}
