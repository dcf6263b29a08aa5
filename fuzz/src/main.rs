//! One reader under libFuzzer: which one, `FUZZ_TARGET` says. `make fuzz` runs each in turn.
#![no_main]

use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use patchright_mcp::fuzzing::FUZZ_TARGETS;

static TARGET: OnceLock<fn(&[u8])> = OnceLock::new();

fuzz_target!(|bytes: &[u8]| {
    let target = TARGET.get_or_init(|| {
        let name = std::env::var("FUZZ_TARGET").expect("FUZZ_TARGET names a reader");
        let found = FUZZ_TARGETS.iter().find(|(known, _)| *known == name);
        found.unwrap_or_else(|| panic!("there is no reader {name}")).1
    });
    target(bytes);
});
