//! CSS with Playwright's pseudo-classes. Selectors that the browser supports are passed on unchanged.
use serde::Serialize;

use super::reader::Reader;
use super::{DEEPEST, TextTest, invalid};
use crate::error::Result;

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Css {
    /// The full text, if the browser can evaluate it natively.
    native: Option<String>,
    list: Vec<Complex>,
    /// Whether to skip shadow roots.
    light: bool,
}

/// `a > b`: compound selectors from left to right.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
struct Complex(Vec<Compound>);

/// `button.large:has-text("OK")`: all conditions for one element.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Compound {
    /// The relation to the previous compound; empty in the first one.
    combinator: Combinator,
    /// The part that the browser evaluates; may be empty.
    css: String,
    /// The pseudo-classes that the injected script evaluates.
    functions: Vec<Function>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
enum Combinator {
    #[serde(rename = "")]
    First,
    #[serde(rename = " ")]
    Within,
    #[serde(rename = ">")]
    Child,
    #[serde(rename = "+")]
    Next,
    #[serde(rename = "~")]
    After,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "is", rename_all = "camelCase")]
enum Function {
    Any {
        list: Vec<Complex>,
    },
    None {
        list: Vec<Complex>,
    },
    Has {
        list: Vec<Complex>,
    },
    Light {
        list: Vec<Complex>,
    },
    NthMatch {
        list: Vec<Complex>,
        index: usize,
    },
    /// On this side of an element that matches `list`, at most `most` CSS pixels away.
    Beside {
        side: Side,
        list: Vec<Complex>,
        most: Option<f64>,
    },
    Scope,
    Visible,
    /// The smallest element with this text.
    Text {
        text: TextTest,
    },
    /// Any element with this text.
    HasText {
        text: TextTest,
    },
}

/// The position of an element relative to another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Side {
    LeftOf,
    RightOf,
    Above,
    Below,
    Near,
}

pub(super) fn read(text: &str, light: bool) -> Result<Css> {
    let text = text.trim();
    let mut reader = Reader::new(text);
    let list = list(&mut reader, 0)?;
    if reader.peek().is_some() {
        return Err(reader.unexpected());
    }
    let plain = list.iter().all(|complex| complex.0.iter().all(|compound| compound.functions.is_empty()));
    Ok(Css { native: plain.then(|| text.to_owned()), list, light })
}

/// Parses selectors separated by commas, up to the end or a closing parenthesis.
fn list(reader: &mut Reader, depth: usize) -> Result<Vec<Complex>> {
    let mut list = Vec::new();
    loop {
        list.push(complex(reader, depth)?);
        if !reader.take(",") {
            return Ok(list);
        }
    }
}

fn complex(reader: &mut Reader, depth: usize) -> Result<Complex> {
    if depth > DEEPEST {
        return Err(invalid("it holds too many selectors in one another"));
    }
    let mut compounds = Vec::new();
    skip_space(reader)?;
    if matches!(reader.peek(), Some('>' | '+' | '~')) {
        // `> a` means `:scope > a`.
        let functions = vec![Function::Scope];
        compounds.push(Compound { combinator: Combinator::First, css: String::new(), functions });
    }
    loop {
        let spaced = skip_space(reader)?;
        let sign = match reader.peek() {
            Some('>') => Some(Combinator::Child),
            Some('+') => Some(Combinator::Next),
            Some('~') => Some(Combinator::After),
            None | Some(',' | ')') if !compounds.is_empty() => return Ok(Complex(compounds)),
            _ => None,
        };
        let combinator = match sign {
            Some(combinator) => {
                reader.next();
                skip_space(reader)?;
                combinator
            }
            None if compounds.is_empty() => Combinator::First,
            None if spaced => Combinator::Within,
            None => return Err(reader.unexpected()),
        };
        compounds.push(compound(reader, combinator, depth)?);
    }
}

/// Skips white space and comments. Returns whether there were any.
fn skip_space(reader: &mut Reader) -> Result<bool> {
    let mut skipped = reader.skip_space();
    while reader.take("/*") {
        let end = reader.rest().find("*/").ok_or_else(|| invalid("a comment in it has no end"))?;
        reader.take(&reader.rest()[..end + 2]);
        reader.skip_space();
        skipped = true;
    }
    Ok(skipped)
}

fn compound(reader: &mut Reader, combinator: Combinator, depth: usize) -> Result<Compound> {
    let mut compound = Compound { combinator, css: String::new(), functions: Vec::new() };
    let begin = reader.at();
    loop {
        let start = reader.at();
        match reader.peek() {
            None | Some('>' | '+' | '~' | ',' | ')') => break,
            Some(character) if character.is_whitespace() || reader.rest().starts_with("/*") => break,
            Some(':') => {
                pseudo(reader, &mut compound, depth)?;
                continue;
            }
            Some('[') => balanced(reader)?,
            Some('\\') => {
                reader.next();
                reader.next();
            }
            Some('"' | '\'' | '(' | ']' | '{' | '}' | '`' | '@' | '!' | '=') => {
                return Err(reader.unexpected());
            }
            Some(_) => drop(reader.next()),
        }
        compound.css += reader.since(start);
    }
    if reader.at() == begin { Err(reader.unexpected()) } else { Ok(compound) }
}

fn pseudo(reader: &mut Reader, compound: &mut Compound, depth: usize) -> Result<()> {
    let start = reader.at();
    reader.next();
    if reader.peek() == Some(':') {
        return Err(invalid("it contains a pseudo-element, which is not an element"));
    }
    let name = reader.take_while(is_name).to_ascii_lowercase();
    let called = reader.peek() == Some('(');
    let function = match (name.as_str(), called) {
        ("scope", false) => Some(Function::Scope),
        ("visible", false) => Some(Function::Visible),
        (_, true) => function(reader, &name, depth)?,
        _ => None,
    };
    match function {
        Some(Function::Any { list } | Function::None { list }) if list.iter().all(is_plain) => {
            compound.css += reader.since(start);
        }
        Some(function) => compound.functions.push(function),
        None => compound.css += reader.since(start),
    }
    Ok(())
}

/// Whether the browser's native evaluation gives the same result, inside and outside shadow roots.
fn is_plain(complex: &Complex) -> bool {
    matches!(&complex.0[..], [compound] if compound.functions.is_empty())
}

/// Parses a pseudo-class with arguments. Skips one that the browser evaluates natively, and returns `None`.
fn function(reader: &mut Reader, name: &str, depth: usize) -> Result<Option<Function>> {
    let selectors = |reader: &mut Reader| -> Result<Vec<Complex>> {
        reader.expect("(")?;
        let list = list(reader, depth + 1)?;
        reader.expect(")")?;
        Ok(list)
    };
    Ok(Some(match name {
        "is" | "where" => Function::Any { list: selectors(reader)? },
        "not" => Function::None { list: selectors(reader)? },
        "has" => Function::Has { list: selectors(reader)? },
        "light" => Function::Light { list: selectors(reader)? },
        "nth-match" => nth_match(reader, depth)?,
        "text" => Function::Text { text: TextTest::Containing { text: one_text(reader)? } },
        "text-is" => Function::HasText { text: TextTest::Run { text: one_text(reader)? } },
        "has-text" => Function::HasText { text: TextTest::Containing { text: one_text(reader)? } },
        "text-matches" => {
            let mut texts = texts(reader)?.into_iter();
            let (Some(source), flags, None) = (texts.next(), texts.next(), texts.next()) else {
                return Err(invalid(":text-matches takes a pattern and flags"));
            };
            Function::Text { text: TextTest::Regex { source, flags: flags.unwrap_or_default() } }
        }
        "left-of" => beside(reader, Side::LeftOf, depth)?,
        "right-of" => beside(reader, Side::RightOf, depth)?,
        "above" => beside(reader, Side::Above, depth)?,
        "below" => beside(reader, Side::Below, depth)?,
        "near" => beside(reader, Side::Near, depth)?,
        _ => {
            balanced(reader)?;
            return Ok(None);
        }
    }))
}

/// Parses `(selectors)` or `(selectors, pixels)`.
fn beside(reader: &mut Reader, side: Side, depth: usize) -> Result<Function> {
    reader.expect("(")?;
    let mut list = Vec::new();
    loop {
        skip_space(reader)?;
        let mut ahead = reader.clone();
        let number = ahead.take_while(|character| character.is_ascii_digit() || character == '.');
        skip_space(&mut ahead)?;
        if !number.is_empty() && !list.is_empty() && ahead.take(")") {
            *reader = ahead;
            let most = number.parse().map_err(|_| invalid("a distance in it is not a number"))?;
            return Ok(Function::Beside { side, list, most: Some(most) });
        }
        list.push(complex(reader, depth + 1)?);
        if reader.take(")") {
            return Ok(Function::Beside { side, list, most: None });
        }
        reader.expect(",")?;
    }
}

/// Parses `(selectors, n)`.
fn nth_match(reader: &mut Reader, depth: usize) -> Result<Function> {
    let wrong = || invalid(":nth-match takes selectors and a number from 1");
    reader.expect("(")?;
    let mut list = Vec::new();
    loop {
        skip_space(reader)?;
        let mut ahead = reader.clone();
        let number = ahead.take_while(|character| character.is_ascii_digit());
        skip_space(&mut ahead)?;
        if !number.is_empty() && ahead.take(")") {
            *reader = ahead;
            let index = number.parse().ok().filter(|index| *index > 0).ok_or_else(wrong)?;
            return if list.is_empty() { Err(wrong()) } else { Ok(Function::NthMatch { list, index }) };
        }
        list.push(complex(reader, depth + 1)?);
        if !reader.take(",") {
            return Err(wrong());
        }
    }
}

fn one_text(reader: &mut Reader) -> Result<String> {
    let [text] = <[String; 1]>::try_from(texts(reader)?)
        .map_err(|_| invalid("a pseudo-class that asks for text takes one text"))?;
    Ok(text)
}

/// Parses quoted arguments: `("one", 'two')`.
fn texts(reader: &mut Reader) -> Result<Vec<String>> {
    reader.expect("(")?;
    let mut texts = Vec::new();
    loop {
        skip_space(reader)?;
        let Some(quote @ ('"' | '\'')) = reader.peek() else {
            return Err(invalid("a pseudo-class that asks for text takes it in quotes"));
        };
        texts.push(string(reader, quote)?);
        skip_space(reader)?;
        if reader.take(")") {
            return Ok(texts);
        }
        reader.expect(",")?;
    }
}

/// Parses a CSS string with its escapes.
fn string(reader: &mut Reader, quote: char) -> Result<String> {
    reader.next();
    let mut text = String::new();
    loop {
        match reader.next() {
            None => return Err(reader.unexpected()),
            Some(character) if character == quote => return Ok(text),
            Some('\\') => {
                let mut digits = reader.rest().chars().take_while(char::is_ascii_hexdigit).take(6).count();
                if digits == 0 {
                    // A backslash before a line break continues the string.
                    text.extend(reader.next().filter(|character| *character != '\n'));
                    continue;
                }
                let start = reader.at();
                while digits > 0 {
                    reader.next();
                    digits -= 1;
                }
                let code = u32::from_str_radix(reader.since(start), 16).unwrap_or_default();
                text.push(char::from_u32(code).filter(|character| *character != '\0').unwrap_or('\u{fffd}'));
                if reader.peek().is_some_and(char::is_whitespace) {
                    reader.next();
                }
            }
            Some(character) => text.push(character),
        }
    }
}

fn is_name(character: char) -> bool {
    character.is_alphanumeric() || character == '-' || character == '_'
}

/// Skips a bracketed part, with its nested brackets and strings.
fn balanced(reader: &mut Reader) -> Result<()> {
    let mut open = Vec::new();
    loop {
        match reader.peek() {
            None => return Err(reader.unexpected()),
            Some('(') => open.push(')'),
            Some('[') => open.push(']'),
            Some(character @ (')' | ']')) if open.pop() != Some(character) => return Err(reader.unexpected()),
            Some('\\') => drop(reader.next()),
            Some(quote @ ('"' | '\'')) => {
                string(reader, quote)?;
                continue;
            }
            Some(_) => {}
        }
        reader.next();
        if open.is_empty() {
            return Ok(());
        }
    }
}
