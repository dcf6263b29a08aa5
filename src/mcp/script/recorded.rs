//! Adds the actions that a person performs in the browser to a recorded script.
use serde_json::Value;

use super::Subject::{Element, Keyboard, Page};
use super::step::{secret, subject};
use super::{Line, RecordedScript, Subject, call};
use crate::browser::{BrowserNavigation, LocatorSpec, RecordedElementAction, RecordedUserAction, SecretKind};

impl RecordedScript {
    /// Records an action of a person. Typing into a field becomes one statement with the final value.
    pub fn add_person_action(&mut self, recorded: RecordedUserAction) {
        self.sequel = None;
        match recorded {
            RecordedUserAction::Step { at, did } => self.step(at, did),
            RecordedUserAction::BrowserNavigation(BrowserNavigation::To(url)) => {
                self.push(call(Page, "goto", [url.into()]))
            }
            RecordedUserAction::BrowserNavigation(BrowserNavigation::Back) => self.lead("go_back"),
            RecordedUserAction::BrowserNavigation(BrowserNavigation::Forward) => self.lead("go_forward"),
            RecordedUserAction::BrowserNavigation(BrowserNavigation::Reload) => self.lead("reload"),
            RecordedUserAction::Answered { accepted, text } => {
                let text = if text.is_empty() { Value::Null } else { text.into() };
                self.answer(accepted.then_some(text));
            }
            RecordedUserAction::Opened => {
                let note = "Another tab opened here; what was done in it is not written.";
                self.push(Line::Note(note.to_owned()));
            }
        }
    }

    /// Records a navigation by the browser's controls. Replaces the key press that caused it, if any.
    fn lead(&mut self, way: &'static str) {
        let is_key = |line: &Line| match line {
            Line::Call(_, "press", keys, _) => matches!(
                &keys[..],
                [Value::String(key)] if RecordedElementAction::Press { key: key.clone() }.may_navigate()
            ),
            _ => false,
        };
        if self.lines.back().is_some_and(is_key) {
            self.lines.pop_back();
        }
        self.push(call(Page, way, []));
    }

    fn step(&mut self, at: Option<Vec<LocatorSpec>>, did: RecordedElementAction) {
        let Some(ways) = at else {
            if let RecordedElementAction::Press { key } = did {
                self.push(call(Keyboard, "press", [key.into()]));
            }
            return;
        };
        let element = Element(ways.clone());
        let line = match did {
            RecordedElementAction::Click { button, modifiers } => {
                let mut options = Vec::new();
                if button != "left" {
                    options.push(("button", button.into()));
                }
                if !modifiers.is_empty() {
                    options.push(("modifiers", modifiers.into()));
                }
                Line::Call(element, "click", Vec::new(), options)
            }
            RecordedElementAction::DoubleClick => {
                self.take_back(&element, &["click"], 2);
                call(element, "dblclick", [])
            }
            RecordedElementAction::Fill { text } => self.fill(element, text.into()),
            RecordedElementAction::FillSecret { kind } => {
                let name = self.secret_of(kind, &ways);
                self.fill(element, secret(&name))
            }
            RecordedElementAction::Check { checked } => {
                self.take_back(&element, &["set_checked"], 1);
                call(element, "set_checked", [checked.into()])
            }
            RecordedElementAction::Select { options } => {
                self.take_back(&element, &["select_option"], 1);
                let chosen = match <[String; 1]>::try_from(options) {
                    Ok([only]) => only.into(),
                    Err(several) => several.into(),
                };
                call(element, "select_option", [chosen])
            }
            RecordedElementAction::Files { names } => call(element, "set_input_files", [names.into()]),
            RecordedElementAction::Press { key } => call(element, "press", [key.into()]),
            RecordedElementAction::Drag { onto } => {
                let frame = &ways[..ways.len() - 1];
                let end = Element(frame.iter().cloned().chain([onto]).collect());
                call(element, "drag_to", [subject(&end)])
            }
        };
        self.push(line);
    }

    fn fill(&mut self, field: Subject, text: Value) -> Line {
        // Replaces an earlier value of the same field, and the click that moved the focus there.
        self.take_back(&field, &["fill"], 1);
        self.take_back(&field, &["click"], 1);
        call(field, "fill", [text])
    }

    /// Returns the environment variable for the secret in a field: named by the kind of secret, with a number
    /// if another field has the same kind.
    fn secret_of(&mut self, kind: SecretKind, field: &[LocatorSpec]) -> String {
        let of_kind = |known: &&(SecretKind, Vec<LocatorSpec>)| known.0 == kind;
        let place = self.secrets.iter().filter(of_kind).position(|(_, ways)| ways == field);
        let place = place.unwrap_or_else(|| {
            let place = self.secrets.iter().filter(of_kind).count();
            self.secrets.push((kind, field.to_vec()));
            place
        });
        let name: &str = kind.into();
        if place == 0 { name.to_owned() } else { format!("{name}_{}", place + 1) }
    }

    /// Removes up to `most` of the last statements that call one of the methods `did` on this element.
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
