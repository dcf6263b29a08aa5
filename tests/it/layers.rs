//! One crate keeps no layers apart, so this does.
use std::fs;
use std::path::{Path, PathBuf};

/// Bottom to top, as `src/lib.rs` lists them. A module may name only what stands before it.
const LAYERS: [&str; 9] =
    ["error", "messages", "snapshot", "cdp", "browser", "session", "mcp", "cli", "python"];

#[test]
fn modules_name_only_what_stands_below_them() {
    for (depth, layer) in LAYERS.iter().enumerate() {
        for (file, code) in sources(layer) {
            for above in &LAYERS[depth + 1..] {
                assert!(!names(&code, above), "{file}: reaches up to `{above}`");
            }
        }
    }
}

#[test]
fn every_use_of_our_own_modules_shows_its_layer() {
    for (file, code) in LAYERS.iter().flat_map(|layer| sources(layer)) {
        assert!(!code.contains("crate::{"), "{file}: write one `use crate::module::…` per module");
    }
}

#[test]
fn only_the_python_layer_names_pyo3() {
    for (file, code) in LAYERS.iter().filter(|layer| **layer != "python").flat_map(|layer| sources(layer)) {
        assert!(!code.contains("pyo3"), "{file}: names pyo3, which belongs in src/python");
    }
}

#[test]
fn the_list_of_layers_is_the_list_of_modules() {
    let map = fs::read_to_string("src/lib.rs").unwrap();
    let modules: Vec<&str> = map
        .lines()
        .filter_map(|line| line.trim_start_matches("pub ").strip_prefix("mod ")?.strip_suffix(';'))
        .collect();
    assert_eq!(modules, LAYERS);
}

/// Whether code says `crate::layer` and not only the beginning of a longer word.
fn names(code: &str, layer: &str) -> bool {
    let path = format!("crate::{layer}");
    code.match_indices(&path).any(|(start, found)| {
        let next = code[start + found.len()..].chars().next();
        !next.is_some_and(|character| character.is_alphanumeric() || character == '_')
    })
}

/// The Rust files of a layer: its own, and those in its folder.
fn sources(layer: &str) -> Vec<(String, String)> {
    let files = rust_files(&Path::new("src").join(layer));
    assert!(!files.is_empty(), "src has no module `{layer}`");
    files.into_iter().map(|file| (file.display().to_string(), fs::read_to_string(&file).unwrap())).collect()
}

fn rust_files(module: &Path) -> Vec<PathBuf> {
    let file = module.with_extension("rs");
    let inside = fs::read_dir(module).into_iter().flatten().flatten();
    let inside = inside.flat_map(|entry| rust_files(&entry.path().with_extension("")));
    file.exists().then_some(file).into_iter().chain(inside).collect()
}
