//! The command line: flag over environment over file, and mistakes told on one line.
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::Path;

use patchright_mcp::cli::flags::LogLevel;
use patchright_mcp::cli::layers::{environment_variable, setting_names};
use patchright_mcp::cli::{Config, EarlyExit, configure};
use patchright_mcp::mcp::tool::{Capability, Toolset};
use proptest::prelude::*;

fn read(arguments: &[&str], environment: &[(&str, &str)]) -> Result<Config, EarlyExit> {
    let environment = environment.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
    configure(arguments.iter().map(OsString::from), environment)
}

fn mistake(arguments: &[&str], environment: &[(&str, &str)]) -> String {
    match read(arguments, environment) {
        Err(EarlyExit::Mistake(line)) => {
            assert!(!line.contains('\n'), "more than one line: {line}");
            line
        }
        other => panic!("not a mistake: {other:?}"),
    }
}

fn file(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn nothing_set_is_the_default() {
    let config = read(&[], &[("PATH", "/bin")]).unwrap();
    assert_eq!(config.capabilities, BTreeSet::new());
    assert_eq!(config.log_level, LogLevel::Warn);
    assert!(config.warnings.is_empty());
}

#[test]
fn help_and_version_are_answers() {
    let Err(EarlyExit::Answer(version)) = read(&["--version"], &[]) else { panic!() };
    assert_eq!(version, format!("patchright-mcp {}\n", env!("CARGO_PKG_VERSION")));
    let Err(EarlyExit::Answer(help)) = read(&["--help"], &[]) else { panic!() };
    for name in setting_names() {
        assert!(help.contains(&format!("--{name}")), "{name} is missing from --help");
    }
}

/// Each row: arguments, environment, and the one line that tells what is wrong.
#[test]
fn a_mistake_is_reported_on_one_line() {
    type Row = (&'static [&'static str], &'static [(&'static str, &'static str)], &'static str);
    let rows: &[Row] = &[
        (&["--nope"], &[], "unexpected argument '--nope' found"),
        (&["stray"], &[], "unexpected argument 'stray' found"),
        (&["--log-level"], &[], "a value is required for '--log-level <LEVEL>' but none was supplied"),
        (&["--caps", "vision,visoin"], &[], "invalid value 'visoin' for '--caps <CAPS>'"),
        (
            &[],
            &[("PATCHRIGHT_MCP_LOG_LEVEL", "loud")],
            "PATCHRIGHT_MCP_LOG_LEVEL: invalid value 'loud' for '--log-level <LEVEL>'",
        ),
        (&["--user-agent", "Mine\r\nX-More: 1"], &[], "invalid value 'Mine"),
        (&["--locale", "de_DE"], &[], "invalid value 'de_DE' for '--locale <TAG>': expected a language"),
        (&["--locale", "!!"], &[], "invalid value '!!'"),
        (
            &["--config", "/no/such/file.json"],
            &[],
            "/no/such/file.json: No such file or directory (os error 2)",
        ),
    ];
    for (arguments, environment, expected) in rows {
        let line = mistake(arguments, environment);
        assert!(line.starts_with(expected), "{line}");
    }
}

#[test]
fn lists_are_separated_by_commas_or_given_twice() {
    let expected = BTreeSet::from([Capability::Vision, Capability::Pdf]);
    assert_eq!(read(&["--caps", "vision,PDF"], &[]).unwrap().capabilities, expected);
    assert_eq!(read(&["--caps=vision", "--caps=pdf"], &[]).unwrap().capabilities, expected);
    assert_eq!(read(&[], &[("PATCHRIGHT_MCP_CAPS", "pdf,vision")]).unwrap().capabilities, expected);
    let toolsets = read(&["--toolsets", "sessions"], &[]).unwrap().toolsets;
    assert_eq!(toolsets, BTreeSet::from([Toolset::Sessions]));
}

#[test]
fn a_file_speaks_json_or_toml_in_either_spelling() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [
        ("a.json", r#"{"logLevel": "debug", "caps": ["vision", "pdf"], "toolsets": null}"#),
        ("b.json", r#"{"log-level": "debug", "caps": "vision,pdf"}"#),
        ("c.toml", "logLevel = 'debug'\ncaps = ['vision', 'pdf']"),
        ("d.toml", "log-level = 'debug'\ncaps = 'vision,pdf'"),
        ("f.json", "\u{feff}{\"logLevel\": \"debug\", \"caps\": \"vision,pdf\"}"),
        ("e.conf", "{\"logLevel\": \"debug\", \"caps\": [\"vision\", \"pdf\"]}"),
    ] {
        let path = file(folder.path(), name, text);
        let settings = [read(&["--config", &path], &[]), read(&[], &[("PATCHRIGHT_MCP_CONFIG", &path)])];
        for config in settings {
            let config = config.unwrap();
            assert_eq!(config.log_level, LogLevel::Debug, "{name}");
            assert_eq!(config.capabilities, BTreeSet::from([Capability::Vision, Capability::Pdf]), "{name}");
        }
    }
}

#[test]
fn a_mistake_in_a_file_says_where() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text, expected) in [
        ("a.json", r#"{"logLevle": "debug"}"#, ": there is no setting \"logLevle\"; did you mean log-level?"),
        ("b.json", r#"{"config": "c.json"}"#, ": there is no setting \"config\""),
        ("c.json", r#"{"logLevel": "loud"}"#, ": logLevel: invalid value 'loud'"),
        ("d.json", r#"{"logLevel": {}}"#, ": logLevel: a table is not expected here"),
        ("e.json", r#"{"logLevel": ["debug"]}"#, ": logLevel: a list is not expected here"),
        ("f.json", r#"{"logLevel": "debug", "log-level": "info"}"#, ": this is set twice"),
        ("j.json", r#"{"logLevel": "debug", "logLevel": "info"}"#, ": a key stands twice in one object"),
        ("g.json", "{\n\n!", ": key must be a string at line 3 column 1"),
        ("h.json", "[]", ": invalid type: sequence"),
        ("i.toml", "caps = ['vision']\nlogLevel", " at line 2"),
    ] {
        let path = file(folder.path(), name, text);
        let line = mistake(&["--config", &path], &[]);
        assert!(line.starts_with(&path) && line.contains(expected), "{name}: {line}");
    }
}

#[test]
fn a_key_means_nothing_without_a_port() {
    assert!(read(&["--api-key", "of no use"], &[]).unwrap().http.is_none());
}

/// Folders that a client names are of its machine, and could be those of another key.
#[test]
fn the_roots_of_clients_count_where_they_can_be_no_one_elses() {
    for (arguments, expected) in [
        ("", true),
        ("--port=0", true),
        ("--port=0 --host=::1", true),
        ("--port=0 --api-key=key-one-for-tests,key-two-for-tests", false),
        ("--port=0 --host=0.0.0.0", false),
        ("--port=0 --host=browser.example", false),
        ("--port=0 --host=0.0.0.0 --client-roots", true),
        ("--client-roots=false", false),
    ] {
        let settings = read(&arguments.split_whitespace().collect::<Vec<_>>(), &[]).unwrap().settings;
        assert_eq!(settings.files.client_roots, expected, "{arguments}");
    }
}

#[test]
fn an_empty_variable_is_one_that_is_not_set() {
    assert_eq!(read(&[], &[("PATCHRIGHT_MCP_LOG_LEVEL", "")]).unwrap().log_level, LogLevel::Warn);
}

#[test]
fn a_misspelled_variable_is_reported() {
    let warnings = read(&[], &[("PATCHRIGHT_MCP_LOGLEVEL", "debug")]).unwrap().warnings;
    assert_eq!(warnings, ["PATCHRIGHT_MCP_LOGLEVEL is set, but there is no such setting"]);
}

#[test]
fn the_variable_for_the_protocol_log_is_known() {
    assert!(read(&[], &[("PATCHRIGHT_MCP_PROTOCOL_LOG", "/tmp")]).unwrap().warnings.is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// Whatever is set wherever: the flag wins over the environment, that over the file, that over the default.
    #[test]
    fn a_flag_wins_over_the_environment_and_that_over_the_file(
        levels in prop::array::uniform3(prop::option::of(prop::sample::select(vec!["off", "info", "trace"]))),
        caps in prop::array::uniform3(prop::option::of(prop::sample::select(vec!["vision", "pdf", "vision,pdf"]))),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let mut object = serde_json::Map::new();
        let mut environment = Vec::new();
        let mut arguments = Vec::new();
        for (name, [flag, variable_value, in_file]) in [("log-level", levels), ("caps", caps)] {
            object.extend(in_file.map(|value| (name.to_owned(), value.into())));
            environment.extend(variable_value.map(|value| (environment_variable(name), value)));
            arguments.extend(flag.map(|value| format!("--{name}={value}")));
        }
        let path = file(folder.path(), "config.json", &serde_json::Value::Object(object).to_string());
        arguments.push(format!("--config={path}"));
        let arguments = arguments.iter().map(String::as_str).collect::<Vec<_>>();
        let environment = environment.iter().map(|(name, value)| (name.as_str(), *value)).collect::<Vec<_>>();
        let config = read(&arguments, &environment).unwrap();

        let level = levels.into_iter().flatten().next().unwrap_or("warn");
        prop_assert_eq!(format!("{:?}", config.log_level).to_lowercase(), level);
        let expected = caps.into_iter().flatten().next().unwrap_or("").to_owned();
        let given = config.capabilities.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
        prop_assert_eq!(given, expected);
    }
}

#[test]
fn only_a_browser_that_nobody_sees_is_closed_after_an_hour() {
    let limits = |arguments: &[&str]| {
        let engine = read(arguments, &[]).unwrap().engine;
        (
            engine.idle_limit.map(|limit| limit.as_millis()),
            engine.unseen_idle_limit.map(|limit| limit.as_millis()),
        )
    };
    assert_eq!(limits(&[]), (None, Some(3_600_000)));
    assert_eq!(limits(&["--idle-timeout=0"]), (None, None));
    assert_eq!(limits(&["--idle-timeout=70"]), (Some(70), None));
}
