//! One crate keeps no layers apart, so this does.
use std::fs;
use std::path::{Path, PathBuf};

/// Bottom to top, as `src/lib.rs` lists them. A module may name only what stands before it.
const LAYERS: [&str; 21] = [
    "sync",
    "folders",
    "hex",
    "json",
    "pdf",
    "error",
    "messages",
    "snapshot",
    "cdp",
    "bidi",
    "browser",
    "webdriver",
    "fleet",
    "secrets",
    "session",
    "live",
    "trace",
    "mcp",
    "cli",
    "fuzzing",
    "python",
];

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
fn rooms_of_the_browser_name_only_what_stands_above_them_in_its_map() {
    let rooms = modules_in("src/browser/mod.rs");
    assert!(rooms.len() > 10, "{rooms:?}");
    for (depth, room) in rooms.iter().enumerate() {
        for (file, code) in sources(&format!("browser/{room}")) {
            for above in &rooms[depth + 1..] {
                assert!(!names(&code, &format!("browser::{above}")), "{file}: reaches up to `{above}`");
            }
            let exported = code.matches("crate::browser::").count();
            let from_rooms: usize = rooms.iter().map(|room| count(&code, &format!("browser::{room}"))).sum();
            assert_eq!(
                exported, from_rooms,
                "{file}: names the room of what it uses, not `crate::browser::Name`"
            );
        }
    }
}

/// A tool is run with a call, and a call runs tools.
const TOOL_AND_CALL: [&str; 2] = ["call", "tool"];

#[test]
fn modules_of_the_mcp_face_name_only_what_stands_above_them_in_its_map() {
    let modules = modules_in("src/mcp/mod.rs");
    assert!(modules.len() > 20, "{modules:?}");
    for (depth, module) in modules.iter().enumerate() {
        for (file, code) in sources(&format!("mcp/{module}")) {
            for above in &modules[depth + 1..] {
                let together = [module.as_str(), above] == TOOL_AND_CALL;
                assert!(
                    together || !names(&code, &format!("mcp::{above}")),
                    "{file}: reaches up to `{above}`"
                );
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
    assert_eq!(modules_in("src/lib.rs"), LAYERS);
}

/// The modules that a file names with `mod`, in its order.
fn modules_in(map: &str) -> Vec<String> {
    let map = fs::read_to_string(map).unwrap();
    let modules = map.lines().filter_map(|line| {
        let line = line.trim_start_matches("pub ").trim_start_matches("pub(crate) ");
        line.strip_prefix("mod ")?.strip_suffix(';')
    });
    modules.map(str::to_owned).collect()
}

/// Whether code says `crate::layer` and not only the beginning of a longer word.
fn names(code: &str, layer: &str) -> bool {
    count(code, layer) > 0
}

fn count(code: &str, layer: &str) -> usize {
    let path = format!("crate::{layer}");
    let ends = |start: usize| {
        let next = code[start + path.len()..].chars().next();
        !next.is_some_and(|character| character.is_alphanumeric() || character == '_')
    };
    code.match_indices(&path).filter(|(start, _)| ends(*start)).count()
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
