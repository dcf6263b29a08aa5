//! Dispatches on the command line's first word: a verb (a browser tool) or one of the program's own commands.
use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::io::{IsTerminal as _, Read as _};

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command, CommandFactory as _};
use serde_json::{Map, Value};

use super::flags::Flags;
use super::layers;
use super::program::Program;
#[cfg(unix)]
use super::remote::CommandFailure;
use super::verbs::{self, UserWorkingDir, Verb};
use super::wire::{Outcome, Request, Work};
use super::{EarlyExit, audit, doctor, generate, health, keys, log_line, setup, show, show_trace};

/// The default session name.
pub(super) const DEFAULT_SESSION: &str = "default";

/// The exit status when the server ran the request and the request failed.
const FAILED: i32 = 1;
/// The exit status when there is no server and none can be started.
const UNREACHABLE: i32 = 3;

/// The program's own commands (those that are not tools), with their summaries.
const OWN_COMMANDS: [(&str, &str); 12] = [
    ("close", "End the session, and with the last one the browser; --all ends all sessions of this folder"),
    ("sessions", "List the sessions of this folder"),
    ("mcp", "Serve MCP, the default without a command"),
    ("setup", "Add this server to a client's configuration, or remove it"),
    ("doctor", "Check what the browser needs on this machine"),
    ("show-trace", "Show a trace of a test or script in the browser"),
    ("health", "Check the health of a server over HTTP"),
    ("audit", "Check an audit log of --audit"),
    ("keys", "Add, list or revoke API keys in a file for --keys"),
    ("completions", "Write completions for a shell"),
    ("man", "Write the manual page"),
    ("help", "List the commands, or explain one"),
];

const SERVER_OPTIONS_HELP: &str =
    "While nothing is open, options of the server are accepted too: patchright-mcp --help.";

const CODE_CAPABILITY_HELP: &str = "It can do what any program can, so that the browser must be opened for it: close, then open URL --caps code \
                         (with what else is needed, such as --caps code,network; without --caps there is all but this).";

/// Runs the command in `arguments`, if there is one; returns the exit status.
pub(super) fn run(program: &Program, arguments: &[OsString]) -> Option<i32> {
    let at = arguments.iter().position(command_finder(arguments))?;
    let name = arguments[at].to_str().unwrap_or_default();
    // Global flags may precede the command: `-s work open` means `open -s work`.
    let rest: Vec<_> = arguments[..at].iter().chain(&arguments[at + 1..]).cloned().collect();
    let done = match name {
        "mcp" => return Some(super::serve(rest)),
        #[cfg(unix)]
        "background" => background(rest),
        "parse" => check_command_line(&rest).map(|()| 0),
        "help" => help(&rest),
        "setup" => parsed(setup::command(), rest).and_then(|matches| setup::run(program, &matches)),
        "doctor" => parsed(doctor::command(), rest).and_then(|matches| doctor::run(&matches)),
        "show-trace" => parsed(show_trace::command(), rest).and_then(|matches| show_trace::run(&matches)),
        "health" => parsed(health::command(), rest).and_then(|matches| health::run(&matches)),
        "audit" => parsed(audit::command(), rest).and_then(|matches| audit::run(&matches)),
        "keys" => parsed(keys::command(), rest).and_then(|matches| keys::run(&matches)),
        "completions" => {
            parsed(generate::completions_command(), rest).and_then(|matches| generate::completions(&matches))
        }
        "man" => parsed(generate::man_command(), rest).and_then(|_| generate::man()),
        "close" => parsed(close_command(), rest).and_then(|matches| {
            let work = Work::Close { all: matches.get_flag("all") };
            ask(&matches, None, Vec::new(), work)
        }),
        "sessions" => parsed(sessions_command(), rest)
            .and_then(|matches| ask(&matches, None, Vec::new(), Work::Sessions)),
        _ => match verbs::find(name) {
            Some(verb) => act(program, verb, rest),
            None => Err(unknown(name)),
        },
    };
    Some(done.unwrap_or_else(|ending| ending.report()))
}

/// Returns a predicate for the arguments, called in order, that finds the command: the first word that is not
/// part of a global flag. After an unknown flag it finds nothing.
fn command_finder(arguments: &[OsString]) -> impl FnMut(&OsString) -> bool + use<> {
    let takes_a_value = |argument: &OsString| argument == "-s" || argument == "--session";
    let is_value: Vec<bool> =
        std::iter::once(false).chain(arguments.iter().map(takes_a_value)).take(arguments.len()).collect();
    let known = |argument: &OsStr| {
        argument == "--json" || argument == "-s" || argument.to_string_lossy().starts_with("--session")
    };
    let mut at = 0;
    let mut over = false;
    move |argument| {
        let skipped = is_value[at] || known(argument);
        at += 1;
        over |= !skipped && argument.to_string_lossy().starts_with('-');
        !skipped && !over
    }
}

fn unknown(name: &str) -> EarlyExit {
    let own = OWN_COMMANDS.map(|(name, _)| name);
    let near =
        verbs::closest_name(name, &own).map(|near| format!("; did you mean {near}?")).unwrap_or_default();
    EarlyExit::Mistake(format!("there is no command {name:?}{near} (patchright-mcp help lists them)"))
}

/// Checks a command line without running it, for the tests of the documentation.
fn check_command_line(words: &[OsString]) -> Result<(), EarlyExit> {
    let Some(at) = words.iter().position(command_finder(words)) else {
        return super::configure(words.to_vec(), []).map(drop);
    };
    let name = words[at].to_str().unwrap_or_default();
    let rest: Vec<_> = words[..at].iter().chain(&words[at + 1..]).cloned().collect();
    if name == "mcp" {
        return super::configure(rest, []).map(drop);
    }
    if let Some(command) = own().into_iter().find(|command| command.get_name() == name) {
        return parsed(command, rest).map(drop);
    }
    let verb = verbs::find(name).ok_or_else(|| unknown(name))?;
    parse_verb(verb, rest).map(drop)
}

/// Parses a verb's arguments into the flags common to all verbs and the arguments of its tool.
fn parse_verb(verb: Verb, rest: Vec<OsString>) -> Result<(ArgMatches, Map<String, Value>), EarlyExit> {
    let matches = parsed(command_of(verb), rest)?;
    let here = UserWorkingDir(std::env::current_dir().unwrap_or_default());
    let arguments = verb.arguments(&matches, &here).map_err(|problems| {
        let problems = verb.replace_argument_names(&problems.join("; "));
        EarlyExit::Mistake(format!("{problems} (patchright-mcp {})", verb.usage()))
    })?;
    Ok((matches, arguments))
}

/// Runs a verb on the background server and returns the exit status.
fn act(program: &Program, verb: Verb, mut rest: Vec<OsString>) -> Result<i32, EarlyExit> {
    let takes_steps = verb.tool.name == "browser_steps";
    if takes_steps && !std::io::stdin().is_terminal() && rest.iter().all(|word| word == "-") {
        let mut lines = String::new();
        let read = std::io::stdin().take(1 << 20).read_to_string(&mut lines);
        read.map_err(|error| EarlyExit::Mistake(format!("the steps cannot be read: {error}")))?;
        rest = vec![lines.into()];
    }
    let (matches, arguments) = parse_verb(verb, rest)?;
    let options = if takes_options(verb) { options(&matches) } else { Vec::new() };
    // Reports invalid options here: otherwise the user would only learn that the server did not start.
    super::configure(options.iter().map(OsString::from), [])?;
    let work = Work::Call { tool: verb.tool.name.to_owned(), arguments };
    ask(&matches, Some(program), options, work)
}

/// Sends a request to the background server of this folder and prints the answer. Returns the exit status.
fn ask(
    matches: &ArgMatches,
    program: Option<&Program>,
    options: Vec<String>,
    work: Work,
) -> Result<i32, EarlyExit> {
    let here = std::env::current_dir().and_then(std::fs::canonicalize).unwrap_or_default();
    let request = Request {
        session: session(matches)?,
        options,
        json: matches.get_flag("json"),
        here: here.display().to_string(),
        work,
    };
    Ok(match reach(program, &request) {
        Ok(outcome) => {
            let status = if outcome.failed { FAILED } else { 0 };
            show(&outcome.text);
            status
        }
        Err(trouble) => {
            log_line(&trouble);
            UNREACHABLE
        }
    })
}

#[cfg(unix)]
fn reach(program: Option<&Program>, request: &Request) -> Result<Outcome, String> {
    let project = super::project::Project::here().map_err(|error| error.to_string())?;
    match super::remote::ask(&project, program, request) {
        // It is not an error to close or list sessions if no server runs.
        Err(CommandFailure::NoServer) => Ok(nothing_open(request.json)),
        asked => asked.map_err(|trouble| trouble.to_string()),
    }
}

#[cfg(unix)]
fn nothing_open(json: bool) -> Outcome {
    let text =
        if json { "{\"ok\":true,\"sessions\":[],\"closed\":[]}" } else { "Nothing is open in this folder" };
    Outcome { text: text.to_owned(), failed: false }
}

#[cfg(not(unix))]
fn reach(_program: Option<&Program>, _request: &Request) -> Result<Outcome, String> {
    Err("commands need a system with Unix sockets; the server itself runs here, too: patchright-mcp mcp"
        .to_owned())
}

/// Returns the session name, restricted to characters that are safe in a folder name.
fn session(matches: &ArgMatches) -> Result<String, EarlyExit> {
    let name = matches.get_one::<String>("session").cloned().unwrap_or_else(|| DEFAULT_SESSION.to_owned());
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if (1..=40).contains(&name.len()) && name.chars().all(is_plain) {
        return Ok(name);
    }
    Err(EarlyExit::Mistake("--session: expected up to 40 letters, digits, - and _".to_owned()))
}

fn parsed(command: Command, rest: Vec<OsString>) -> Result<ArgMatches, EarlyExit> {
    let name = OsString::from(command.get_name());
    let matches = command.try_get_matches_from([name].into_iter().chain(rest));
    matches.map_err(|error| layers::ending(&error))
}

/// Returns the command-line definition of a verb.
pub(super) fn command_of(verb: Verb) -> Command {
    let mut command = with_common(verb.command());
    if verb.needs_code_capability() {
        command = command.after_help(CODE_CAPABILITY_HELP);
    }
    if takes_options(verb) {
        let known: Vec<_> = command.get_arguments().map(|arg| arg.get_id().clone()).collect();
        let headed = Arg::new("headed").long("headed").action(ArgAction::SetTrue).conflicts_with("headless");
        command = command.arg(headed.help("Open a window")).after_help(SERVER_OPTIONS_HELP);
        let flags = Flags::command();
        for flag in flags.get_arguments().filter(|flag| flag.get_long().is_some()) {
            if !known.contains(flag.get_id()) {
                command = command.arg(flag.clone().hide(true).help_heading(None::<&str>));
            }
        }
    }
    command
}

fn takes_options(verb: Verb) -> bool {
    verb.tool.name == "browser_navigate"
}

/// Returns the server options given on the command line, each as `--name=value`.
pub(super) fn options(matches: &ArgMatches) -> Vec<String> {
    let mut options = Vec::new();
    if matches.try_get_one("headed").ok().flatten() == Some(&true) {
        options.push("--headless=false".to_owned());
    }
    for flag in Flags::command().get_arguments() {
        let Some(name) = flag.get_long() else { continue };
        let id = flag.get_id().as_str();
        let is_given =
            matches.try_contains_id(id).is_ok() && matches.value_source(id) == Some(ValueSource::CommandLine);
        for value in matches.get_raw(id).into_iter().flatten().filter(|_| is_given) {
            options.push(format!("--{name}={}", value.to_string_lossy()));
        }
    }
    options
}

fn with_common(command: Command) -> Command {
    let session = Arg::new("session").short('s').long("session").value_name("NAME");
    let json = Arg::new("json").long("json").action(ArgAction::SetTrue);
    let name = format!("patchright-mcp {}", command.get_name());
    command
        .bin_name(name)
        .arg(session.help("Session to work in; each has its own pages and cookies"))
        .arg(json.help("Print one JSON object"))
}

fn close_command() -> Command {
    let all = Arg::new("all").long("all").action(ArgAction::SetTrue);
    with_common(
        Command::new("close").about(OWN_COMMANDS[0].1).arg(all.help("End every session of this folder")),
    )
}

fn sessions_command() -> Command {
    with_common(Command::new("sessions").about(OWN_COMMANDS[1].1))
}

/// Returns the command-line definitions of the program's own commands.
fn own() -> [Command; 10] {
    [
        close_command(),
        sessions_command(),
        setup::command(),
        doctor::command(),
        show_trace::command(),
        health::command(),
        audit::command(),
        keys::command(),
        generate::completions_command(),
        generate::man_command(),
    ]
}

/// Returns the command-line definitions of all commands.
pub(super) fn every() -> impl Iterator<Item = Command> {
    verbs::all().map(command_of).chain(own())
}

fn help(rest: &[OsString]) -> Result<i32, EarlyExit> {
    let Some(name) = rest.first().and_then(|name| name.to_str()) else {
        return Err(EarlyExit::Answer(list()));
    };
    if name == "--all" {
        return Err(EarlyExit::Answer(list_all()));
    }
    let command = match own().into_iter().find(|command| command.get_name() == name) {
        Some(command) => command,
        None => command_of(verbs::find(name).ok_or_else(|| unknown(name))?),
    };
    Err(EarlyExit::Answer(explained(command)))
}

/// Renders the help of a command, without the options that all commands have.
fn explained(command: Command) -> String {
    let shared =
        ["session", "json"].into_iter().filter(|id| command.get_arguments().any(|arg| arg.get_id() == id));
    let shared: Vec<_> = shared.collect();
    let hidden = shared.iter().fold(command, |command, id| command.mut_arg(id, |arg| arg.hide(true)));
    hidden.disable_help_flag(true).term_width(120).render_help().to_string()
}

/// Renders `help`: the most common commands, each on a line, and the names of the others.
fn list() -> String {
    let mut text = String::from("patchright-mcp COMMAND [options], in this folder's browser:\n");
    for verb in verbs::all().filter(|verb| verb.is_common()) {
        let _ = writeln!(text, "  {}  {}", verb.usage(), verb.short_summary());
    }
    let (close, _) = OWN_COMMANDS[0];
    let _ = writeln!(
        text,
        "  {close}  End the session, and the browser with the last one; --all for all sessions"
    );
    let others: Vec<_> = verbs::all().filter(|verb| !verb.is_common()).map(Verb::name).collect();
    let own: Vec<_> = OWN_COMMANDS[1..].iter().map(|(name, _)| *name).collect();
    let _ = writeln!(text, "And {}. Besides {}.", others.join(", "), own.join(", "));
    text.push_str(
        "Every command takes -s NAME (a separate session) and --json. `help COMMAND` explains one, `help --all` lists all.\n",
    );
    text
}

/// Renders `help --all`: all commands with their summaries.
fn list_all() -> String {
    let mut text = String::from("patchright-mcp COMMAND [options]\n\nIn this folder's browser:\n");
    for verb in verbs::all() {
        let _ = writeln!(text, "  {}\n      {}", verb.usage(), verb.summary());
    }
    text.push_str("\nBesides:\n");
    for (name, what) in OWN_COMMANDS {
        let _ = writeln!(text, "  {name}\n      {what}");
    }
    text.push_str(
        "\nEvery command takes -s NAME for a separate session, and --json. `help COMMAND` has the rest.\n",
    );
    text
}

/// Runs the background server. The command line is `background SOCKET [options]`, as `remote::ask` writes it.
#[cfg(unix)]
fn background(rest: Vec<OsString>) -> Result<i32, EarlyExit> {
    let mut rest = rest.into_iter();
    let socket =
        rest.next().ok_or_else(|| EarlyExit::Mistake("background: no socket is named".to_owned()))?;
    let options: Vec<_> = rest.collect();
    let server = super::configure_background(options.clone(), std::env::vars_os())?;
    let idle_limit = server.engine.idle_limit.unwrap_or(super::AN_HOUR);
    Ok(super::run::run_in_background(super::run::BackgroundConfig {
        server,
        options: options.iter().map(|option| option.to_string_lossy().into_owned()).collect(),
        socket: socket.into(),
        idle_limit,
    }))
}
