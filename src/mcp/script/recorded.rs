//! What a person did, in the words of a script.
use serde_json::Value;

use super::Subject::{Element, Keyboard, Page};
use super::{Line, Script, Subject, call, secret, subject};
use crate::browser::{Did, Recorded, Way, Went};

impl Script {
    /// Adds what a person did. A field is written once, as it was left.
    pub fn record(&mut self, recorded: Recorded) {
        self.sequel = None;
        match recorded {
            Recorded::Step { at, did } => self.step(at, did),
            Recorded::Went(Went::To(url)) => self.push(call(Page, "goto", [url.into()])),
            Recorded::Went(Went::Back) => self.push(call(Page, "go_back", [])),
            Recorded::Went(Went::Forward) => self.push(call(Page, "go_forward", [])),
            Recorded::Went(Went::Again) => self.push(call(Page, "reload", [])),
            Recorded::Answered { accepted, text } => {
                let text = if text.is_empty() { Value::Null } else { text.into() };
                self.push(Line::Dialog(accepted.then_some(text)));
            }
            Recorded::Opened => {
                let note = "Another tab opened here; what was done in it is not written.";
                self.push(Line::Note(note.to_owned()));
            }
        }
    }

    fn step(&mut self, at: Option<Vec<Way>>, did: Did) {
        let Some(ways) = at else {
            if let Did::Press { key } = did {
                self.push(call(Keyboard, "press", [key.into()]));
            }
            return;
        };
        let element = Element(ways.clone());
        let line = match did {
            Did::Click { button, modifiers } => {
                let mut options = Vec::new();
                if button != "left" {
                    options.push(("button", button.into()));
                }
                if !modifiers.is_empty() {
                    options.push(("modifiers", modifiers.into()));
                }
                Line::Call(element, "click", Vec::new(), options)
            }
            Did::DoubleClick => {
                self.take_back(&element, &["click"], 2);
                call(element, "dblclick", [])
            }
            Did::Fill { text } => {
                // Who fills a field goes into it.
                self.take_back(&element, &["fill"], 1);
                self.take_back(&element, &["click"], 1);
                call(element, "fill", [text.map_or_else(secret, Value::from)])
            }
            Did::Check { checked } => {
                self.take_back(&element, &["set_checked"], 1);
                call(element, "set_checked", [checked.into()])
            }
            Did::Select { options } => {
                self.take_back(&element, &["select_option"], 1);
                let chosen = match <[String; 1]>::try_from(options) {
                    Ok([only]) => only.into(),
                    Err(several) => several.into(),
                };
                call(element, "select_option", [chosen])
            }
            Did::Files { names } => call(element, "set_input_files", [names.into()]),
            Did::Press { key } => call(element, "press", [key.into()]),
            Did::Drag { onto } => {
                let frame = &ways[..ways.len() - 1];
                let end = Element(frame.iter().cloned().chain([onto]).collect());
                call(element, "drag_to", [subject(&end)])
            }
        };
        self.push(line);
    }

    /// Takes back up to so many of the last lines, as far as they did one of these things to the same element.
    fn take_back(&mut self, element: &Subject, did: &[&str], most: usize) {
        let is_such =
            |line: &Line| matches!(line, Line::Call(of, what, ..) if of == element && did.contains(what));
        for _ in 0..most {
            if self.lines.back().is_some_and(is_such) {
                self.lines.pop_back();
            }
        }
    }
}
