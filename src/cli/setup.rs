//! The `setup` command: adds this server to an MCP client's configuration, or removes it. Other entries stay.
pub(super) mod clients;
mod edit;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::builder::EnumValueParser;
use clap::{Arg, ArgAction, ArgMatches, Command};
use serde_json::{Map, Value};

use self::clients::{Agent, ClientFolders, Server};
use self::edit::{Format, edited, present, value};
use super::program::Program;
use super::{EarlyExit, show};

/// The suffix of the backup that is written beside a configuration file.
const COPY: &str = ".before-patchright-mcp";
/// The default name of this server in a client's configuration.
pub(super) const NAME: &str = "browser";

/// Returns the command-line definition of `setup`.
pub(super) fn command() -> Command {
    let flag = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).action(ArgAction::SetTrue).help(help)
    };
    Command::new("setup")
        .about("Add this server to a client's configuration; without a client, list the clients")
        .bin_name("patchright-mcp setup")
        .arg(Arg::new("client").value_parser(EnumValueParser::<Agent>::new()).ignore_case(true))
        .arg(flag("project", "For this project only, in the working directory"))
        .arg(flag("dry-run", "Show the change without writing it"))
        .arg(flag("undo", "Remove the server"))
        .arg(
            Arg::new("name")
                .long("name")
                .value_name("NAME")
                .default_value(NAME)
                .value_parser(plain)
                .help("Name of the server in the client"),
        )
        .arg(flag("keep-logins", "Keep the browser's logins between starts, in a profile of this client"))
        .arg(
            Arg::new("url")
                .long("url")
                .value_name("URL")
                .value_parser(http_url)
                .conflicts_with_all(["options", "keep-logins", "undo"])
                .help("Connect to a server that runs at this URL, such as http://127.0.0.1:8931/mcp"),
        )
        .arg(
            Arg::new("header")
                .long("header")
                .value_name("NAME: VALUE")
                .value_parser(header)
                .action(ArgAction::Append)
                .requires("url")
                .help("Send this header with each request, such as 'Authorization: Bearer KEY'; can be repeated"),
        )
        .arg(
            Arg::new("options")
                .last(true)
                .num_args(0..)
                .help("Options of the server, after --: -- --headless"),
        )
}

/// Sets up the given client. Without a client, lists all clients and whether each is set up.
pub(super) fn run(program: &Program, matches: &ArgMatches) -> Result<i32, EarlyExit> {
    let places = ClientFolders::here();
    let places =
        places.ok_or_else(|| EarlyExit::Mistake("setup: there is no home folder; set HOME".to_owned()))?;
    let Some(agent) = matches.get_one::<Agent>("client").copied() else {
        show(&listed(&places));
        return Ok(0);
    };
    let mistake = |path: &Path, reason: &str| EarlyExit::Mistake(format!("{}: {reason}", path.display()));
    let path = place(agent, &places, matches.get_flag("project"))?;
    let name = matches.get_one::<String>("name").map_or(NAME, String::as_str);
    let text = read(&path).map_err(|error| mistake(&path, &error.to_string()))?;
    let undoes = matches.get_flag("undo");
    let server = match undoes {
        true => None,
        false => {
            let server = server(program, agent, &places, matches)?;
            let only_local = || {
                let reason = "its configuration file cannot name a remote server; add it in its settings";
                EarlyExit::Mistake(format!("--url: {}: {reason}", agent.name()))
            };
            Some(agent.entry(name, &server).ok_or_else(only_local)?)
        }
    };
    let before = text.as_deref().unwrap_or_default();
    let after = edited(agent.format(), before, name, server.as_ref());
    let after = after.map_err(|reason| mistake(&path, &format!("{reason}; nothing was written")))?;
    if after == before {
        let state = if undoes { "has no such server" } else { "has this server already" };
        show(&format!("{} {state}.", path.display()));
        return Ok(0);
    }
    show(&format!("{}\n{}", path.display(), changes(agent.format(), before, name, server.as_ref())));
    if matches.get_flag("dry-run") {
        return Ok(0);
    }
    let written = match undoes {
        true => undo(agent, &path, &after),
        false => keep_and_write(agent, &path, text.as_deref(), &after, name),
    };
    written.map_err(|error| mistake(&path, &error.to_string()))?;
    show(if undoes { "Undone." } else { agent.next_step() });
    Ok(0)
}

/// Returns the server to add, as the options describe it.
fn server(
    program: &Program,
    agent: Agent,
    places: &ClientFolders,
    matches: &ArgMatches,
) -> Result<Server, EarlyExit> {
    if let Some(url) = matches.get_one::<String>("url").cloned() {
        let headers = matches.get_many::<(String, String)>("header").into_iter().flatten();
        let headers = headers.map(|(name, value)| (name.clone(), value.clone().into())).collect();
        return Ok(Server::Remote { url, headers });
    }
    let mut options: Vec<_> = matches.get_many::<String>("options").into_iter().flatten().cloned().collect();
    if agent.shows_pictures() && !options.iter().any(|option| option.starts_with("--image-responses")) {
        options.splice(0..0, ["--image-responses", "inline"].map(str::to_owned));
    }
    if matches.get_flag("keep-logins") {
        options.push("--user-data-dir".to_owned());
        options.push(places.profile(agent).display().to_string());
    }
    super::configure(options.iter().map(std::ffi::OsString::from), [])?;
    let (command, arguments) = program.command_and_arguments(&options);
    Ok(Server::Local { command, arguments })
}

fn place(agent: Agent, places: &ClientFolders, in_project: bool) -> Result<PathBuf, EarlyExit> {
    let path = match in_project {
        false => agent.file(places),
        true => {
            let here = std::env::current_dir().unwrap_or_default();
            let none = || {
                EarlyExit::Mistake(format!("--project: {} has no configuration for projects", agent.name()))
            };
            agent.project_file(&here).ok_or_else(none)?
        }
    };
    // If the path is a symbolic link, its target is edited and the link stays.
    Ok(fs::canonicalize(&path).unwrap_or(path))
}

fn read(path: &Path) -> io::Result<Option<String>> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Backs up the file, unless it already contains this server, and writes the new content.
fn keep_and_write(
    agent: Agent,
    path: &Path,
    before: Option<&str>,
    after: &str,
    name: &str,
) -> io::Result<()> {
    match before {
        None => {
            // The configuration does not exist, so a backup beside it is obsolete.
            let _ = fs::remove_file(copy_of(path));
        }
        Some(text) if present(agent.format(), text, name).is_none() => {
            fs::copy(path, copy_of(path))?;
        }
        Some(_) => {}
    }
    write(path, after)
}

/// Restores the backup if only our entry differs, deletes a file that `setup` created, or writes `after`.
fn undo(agent: Agent, path: &Path, after: &str) -> io::Result<()> {
    let copy = copy_of(path);
    let left = value(agent.format(), after);
    let kept = fs::read_to_string(&copy).ok();
    match kept {
        Some(kept) if value(agent.format(), &kept) == left => fs::rename(&copy, path),
        None if left == value(agent.format(), "") => fs::remove_file(path),
        _ => write(path, after),
    }
}

fn copy_of(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(COPY);
    path.with_file_name(name)
}

/// Replaces a file atomically, keeping its permissions.
fn write(path: &Path, text: &str) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let file = tempfile::NamedTempFile::new_in(folder)?;
    fs::write(file.path(), text)?;
    if let Ok(old) = fs::metadata(path) {
        fs::set_permissions(file.path(), old.permissions())?;
    }
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Describes the change to this server's entry. Omits other entries, and the values of headers: they may be keys.
fn changes(format: Format, before: &str, name: &str, server: Option<&Map<String, Value>>) -> String {
    let place = format!("{}.{name}", format.servers());
    let old = present(format, before, name).map(|old| match old {
        Value::Null => format!("- {place}"),
        old => format!("- {place} = {}", masked(old)),
    });
    let new = server.map(|new| format!("+ {place} = {}", masked(Value::Object(new.clone()))));
    old.into_iter().chain(new).collect::<Vec<_>>().join("\n")
}

/// Replaces the values of headers and environment variables in a server's entry by `***`.
fn masked(mut entry: Value) -> Value {
    for key in ["headers", "http_headers", "env", "environment"] {
        let values = entry.get_mut(key).and_then(Value::as_object_mut);
        values.into_iter().flatten().for_each(|(_, value)| *value = "***".into());
    }
    entry
}

/// Lists all clients with their configuration files, and whether this server is set up in each.
fn listed(places: &ClientFolders) -> String {
    let lines = Agent::all().iter().map(|agent| {
        let path = agent.file(places);
        let state = match state(*agent, &path) {
            SetupState::Ours => "set up",
            SetupState::Others => "found",
            SetupState::Unreadable => "cannot be read",
            SetupState::Missing => "not found",
        };
        format!("{:<12} {state:<14} {}", agent.name(), path.display())
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Whether a client's configuration exists and contains this server (`Ours`) or only others (`Others`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SetupState {
    Ours,
    Others,
    Unreadable,
    Missing,
}

/// Returns the state of a client's configuration.
pub(super) fn state(agent: Agent, path: &Path) -> SetupState {
    match read(path) {
        Ok(None) => SetupState::Missing,
        Ok(Some(text)) if value(agent.format(), &text).is_none() => SetupState::Unreadable,
        Ok(Some(text)) if present(agent.format(), &text, NAME).is_some() => SetupState::Ours,
        Ok(Some(_)) => SetupState::Others,
        Err(_) => SetupState::Unreadable,
    }
}

/// Returns the program that a client starts for this server; `None` if its configuration names none.
pub(super) fn program_of(agent: Agent, path: &Path) -> Option<String> {
    let text = read(path).ok()??;
    let server = present(agent.format(), &text, NAME)?;
    let command = server.get("command")?;
    command.as_str().or_else(|| command.get(0)?.as_str()).map(str::to_owned)
}

fn http_url(url: &str) -> Result<String, &'static str> {
    let parsed = url::Url::parse(url).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
    parsed.map(|_| url.to_owned()).ok_or("expected an http or https URL")
}

fn header(text: &str) -> Result<(String, String), &'static str> {
    let (name, value) = text.split_once(':').ok_or("expected NAME: VALUE")?;
    let (name, value) = (name.trim(), value.trim());
    http::HeaderName::try_from(name).map_err(|_| "the name of the header is not valid")?;
    http::HeaderValue::try_from(value).map_err(|_| "the value of the header is not valid")?;
    Ok((name.to_owned(), value.to_owned()))
}

fn plain(name: &str) -> Result<String, &'static str> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if !name.is_empty() && name.len() <= 40 && name.chars().all(is_plain) {
        return Ok(name.to_owned());
    }
    Err("expected letters, digits, - and _")
}
