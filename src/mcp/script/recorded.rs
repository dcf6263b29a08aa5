//! Adds a person's actions to a recorded script.
use serde_json::Value;

use super::Subject::{Element, Keyboard, Page};
use super::step::{secret, subject};
use super::{Line, RecordedScript, Subject, call};
use crate::browser::{Did, Recorded, SecretKind, Way, Went};

impl RecordedScript {
    /// Adds an action of a person. A field is written once, with its final value.
    pub fn record(&mut self, recorded: Recorded) {
        self.sequel = None;
        match recorded {
            Recorded::Step { at, did } => self.step(at, did),
            Recorded::Went(Went::To(url)) => self.push(call(Page, "goto", [url.into()])),
            Recorded::Went(Went::Back) => self.lead("go_back"),
            Recorded::Went(Went::Forward) => self.lead("go_forward"),
            Recorded::Went(Went::Again) => self.lead("reload"),
            Recorded::Answered { accepted, text } => {
                let text = if text.is_empty() { Value::Null } else { text.into() };
                self.answer(accepted.then_some(text));
            }
            Recorded::Opened => {
                let note = "Another tab opened here; what was done in it is not written.";
                self.push(Line::Note(note.to_owned()));
            }
        }
    }

    /// Adds a navigation by the browser's controls, replacing the key that caused it.
    fn lead(&mut self, way: &'static str) {
        let is_key = |line: &Line| match line {
            Line::Call(_, "press", keys, _) => matches!(
                &keys[..],
                [Value::String(key)] if Did::Press { key: key.clone() }.may_lead()
            ),
            _ => false,
        };
        if self.lines.back().is_some_and(is_key) {
            self.lines.pop_back();
        }
        self.push(call(Page, way, []));
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
            Did::Fill { text } => self.fill(element, text.into()),
            Did::FillSecret { kind } => {
                let name = self.secret_of(kind, &ways);
                self.fill(element, secret(&name))
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

    fn fill(&mut self, field: Subject, text: Value) -> Line {
        // Who fills a field goes into it.
        self.take_back(&field, &["fill"], 1);
        self.take_back(&field, &["click"], 1);
        call(field, "fill", [text])
    }

    /// The environment variable for the secret of a field: named by its kind, with a number if another field
    /// has the same kind.
    fn secret_of(&mut self, kind: SecretKind, field: &[Way]) -> String {
        let of_kind = |known: &&(SecretKind, Vec<Way>)| known.0 == kind;
        let place = self.secrets.iter().filter(of_kind).position(|(_, ways)| ways == field);
        let place = place.unwrap_or_else(|| {
            let place = self.secrets.iter().filter(of_kind).count();
            self.secrets.push((kind, field.to_vec()));
            place
        });
        let name: &str = kind.into();
        if place == 0 { name.to_owned() } else { format!("{name}_{}", place + 1) }
    }

    /// Removes up to `most` of the last lines that did one of these actions on the same element.
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
