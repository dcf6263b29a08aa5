//! The `completions` and `man` commands: generate shell completions and a manual page.
use clap::builder::EnumValueParser;
use clap::{Arg, ArgMatches, Command, CommandFactory as _};
use clap_complete::Shell;

use super::flags::Flags;
use super::{EarlyExit, command};

const NAME: &str = "patchright-mcp";

pub(super) fn completions_command() -> Command {
    let shell = Arg::new("shell").required(true).value_parser(EnumValueParser::<Shell>::new());
    Command::new("completions")
        .about("Write completions for a shell: source them, or put them where it looks")
        .bin_name("patchright-mcp completions")
        .arg(shell)
}

pub(super) fn man_command() -> Command {
    Command::new("man").about("Write the manual page, for man -l").bin_name("patchright-mcp man")
}

/// Prints completions for all commands and flags.
pub(super) fn completions(matches: &ArgMatches) -> Result<i32, EarlyExit> {
    let mut text = Vec::new();
    if let Some(shell) = matches.get_one::<Shell>("shell") {
        clap_complete::generate(*shell, &mut whole(), NAME, &mut text);
    }
    Err(EarlyExit::Answer(String::from_utf8_lossy(&text).into_owned()))
}

/// Prints the manual page, with a section for each command.
pub(super) fn man() -> Result<i32, EarlyExit> {
    let mut text = Vec::new();
    let whole = whole();
    let written = clap_mangen::Man::new(whole.clone()).render(&mut text).and_then(|()| {
        whole.get_subcommands().try_for_each(|command| {
            let page = clap_mangen::Man::new(command.clone());
            page.render_synopsis_section(&mut text)?;
            page.render_description_section(&mut text)?;
            page.render_options_section(&mut text)
        })
    });
    written.map_err(|error| EarlyExit::Mistake(format!("man: {error}")))?;
    Err(EarlyExit::Answer(String::from_utf8_lossy(&text).into_owned()))
}

/// Returns the command-line definition of the program with all its commands.
fn whole() -> Command {
    let flags = Flags::command();
    flags.subcommands(command::every()).disable_help_subcommand(true)
}
