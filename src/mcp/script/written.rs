//! Formats statements in Python or TypeScript.
use serde_json::Value;

use super::Subject::{Element, Expected, Keyboard, Mouse, Option as Offered, Page, Text};
use super::{ISOLATED, LOCATOR, Line, SECRET, STEPS, ScriptLanguage, Subject};
use crate::browser::LocatorSpec;
use crate::browser::input::Point;

impl Line {
    pub(super) fn written(&self, language: ScriptLanguage) -> String {
        match (self, language) {
            (Self::Note(text), ScriptLanguage::Python) => format!("# {text}"),
            (Self::Note(text), ScriptLanguage::Typescript) => format!("// {text}"),
            (Self::Dialog(answer), _) => {
                let answer = match answer {
                    None => "dismiss()".to_owned(),
                    Some(Value::Null) => "accept()".to_owned(),
                    Some(text) => format!("accept({text})"),
                };
                match language {
                    ScriptLanguage::Python => {
                        format!("page.once(\"dialog\", lambda dialog: dialog.{answer})")
                    }
                    ScriptLanguage::Typescript => {
                        format!("page.once(\"dialog\", (dialog) => dialog.{answer});")
                    }
                }
            }
            (Self::Tab(number), ScriptLanguage::Python) => format!("page = page.context.pages[{number}]"),
            (Self::Tab(number), ScriptLanguage::Typescript) => {
                format!("page = page.context().pages()[{number}];")
            }
            (Self::NewTab, ScriptLanguage::Python) => "page = page.context.new_page()".to_owned(),
            (Self::NewTab, ScriptLanguage::Typescript) => "page = await page.context().newPage();".to_owned(),
            (Self::CloseTab(number), ScriptLanguage::Python) => {
                format!("page.context.pages[{number}].close()")
            }
            (Self::CloseTab(number), ScriptLanguage::Typescript) => {
                format!("await page.context().pages()[{number}].close();")
            }
            (Self::Opens(opens), ScriptLanguage::Python) => {
                let within: Vec<_> =
                    opens.written(language).lines().map(|line| format!("\n    {line}")).collect();
                format!("with page.expect_popup():{}", within.concat())
            }
            (Self::Opens(opens), ScriptLanguage::Typescript) => format!(
                "{{\n  const opened = page.waitForEvent(\"popup\");\n  {}\n  await opened;\n}}",
                opens.written(language)
            ),
            (Self::Chooser(opens, paths), ScriptLanguage::Python) => format!(
                "with page.expect_file_chooser() as chooser:\n    {}\nchooser.value.set_files({paths})",
                opens.written(language)
            ),
            (Self::Chooser(opens, paths), ScriptLanguage::Typescript) => format!(
                "await Promise.all([\n  page.waitForEvent(\"filechooser\").then((chooser) => chooser.setFiles({paths})),\n  \
                 {},\n]);",
                opens.written(language).trim_start_matches("await ").trim_end_matches(';')
            ),
            (Self::Times(times, line), ScriptLanguage::Python) => {
                format!("for _ in range({times}):\n    {}", line.written(language))
            }
            (Self::Times(times, line), ScriptLanguage::Typescript) => {
                format!("for (let time = 0; time < {times}; time++) {}", line.written(language))
            }
            (Self::Pointer(element, from, to), _) => {
                pointed(&element.written(language), *from, *to, language)
            }
            (Self::Call(subject, method, arguments, options), _) => {
                let denied = matches!((subject, language), (Expected(_, true), ScriptLanguage::Python));
                let method = if denied { format!("not_{method}") } else { (*method).to_owned() };
                let mut lines: Vec<_> = arguments.iter().map(|value| literal(value, language)).collect();
                let other = if language == ScriptLanguage::Python { STEPS } else { ISOLATED };
                let has = |name: &str| name != other;
                let options = options.iter().filter(|(name, _)| has(name));
                let options = options.map(|(name, value)| (*name, literal(value, language)));
                match language {
                    ScriptLanguage::Python => {
                        lines.extend(options.map(|(name, value)| format!("{name}={value}")));
                        format!("{}.{method}({})", subject.written(language), lines.join(", "))
                    }
                    ScriptLanguage::Typescript => {
                        let options: Vec<_> =
                            options.map(|(name, value)| format!("{}: {value}", camel(name))).collect();
                        if !options.is_empty() {
                            lines.push(format!("{{ {} }}", options.join(", ")));
                        }
                        format!(
                            "await {}.{}({});",
                            subject.written(language),
                            camel(&method),
                            lines.join(", ")
                        )
                    }
                }
            }
        }
    }
}

impl Subject {
    pub(super) fn written(&self, language: ScriptLanguage) -> String {
        let named = |method: &str, text: &str| match language {
            ScriptLanguage::Python => format!("page.{method}({})", quoted(text)),
            ScriptLanguage::Typescript => format!("page.{}({})", camel(method), quoted(text)),
        };
        let first = if language == ScriptLanguage::Python { ".first" } else { ".first()" };
        match self {
            Page => "page".to_owned(),
            Keyboard => "page.keyboard".to_owned(),
            Mouse => "page.mouse".to_owned(),
            Text(text) => named("get_by_text", text) + first,
            Offered(name) => way_written(
                &LocatorSpec {
                    by: "role".to_owned(),
                    text: "option".to_owned(),
                    name: Some(name.clone()),
                    exact: None,
                    nth: Some(0),
                },
                language,
                "page",
            ),
            Element(ways) => {
                let mut written = "page".to_owned();
                for (number, way) in ways.iter().enumerate() {
                    written = way_written(way, language, &written);
                    if number + 1 < ways.len() {
                        written += if language == ScriptLanguage::Python {
                            ".content_frame"
                        } else {
                            ".contentFrame()"
                        };
                    }
                }
                written
            }
            Expected(subject, is_not) => {
                let not = if *is_not && language == ScriptLanguage::Typescript { ".not" } else { "" };
                format!("expect({}){not}", subject.written(language))
            }
        }
    }
}

/// Formats pointer actions at points relative to the element's bounding box when the script runs.
fn pointed(element: &str, from: Point, to: Option<Point>, language: ScriptLanguage) -> String {
    let at = |point: Point| {
        let Point { x, y } = point.rounded();
        match language {
            ScriptLanguage::Python => format!("box[\"x\"] + {x}, box[\"y\"] + {y}"),
            ScriptLanguage::Typescript => format!("box.x + {x}, box.y + {y}"),
        }
    };
    let steps = if language == ScriptLanguage::Python { "steps=10" } else { "{ steps: 10 }" };
    let calls = match to {
        None => vec![format!("click({})", at(from))],
        Some(to) => vec![
            format!("move({})", at(from)),
            "down()".to_owned(),
            format!("move({}, {steps})", at(to)),
            "up()".to_owned(),
        ],
    };
    let calls = calls.iter().map(|call| match language {
        ScriptLanguage::Python => format!("\npage.mouse.{call}"),
        ScriptLanguage::Typescript => format!("\n  await page.mouse.{call};"),
    });
    let calls: String = calls.collect();
    match language {
        ScriptLanguage::Python => format!("box = {element}.bounding_box()\nassert box{calls}"),
        ScriptLanguage::Typescript => {
            format!("{{\n  const box = (await {element}.boundingBox())!;{calls}\n}}")
        }
    }
}

fn way_written(way: &LocatorSpec, language: ScriptLanguage, within: &str) -> String {
    let method = match way.by.as_str() {
        "testId" => "get_by_test_id".to_owned(),
        "alt" => "get_by_alt_text".to_owned(),
        "css" => "locator".to_owned(),
        by => format!("get_by_{by}"),
    };
    let mut options = Vec::new();
    if let Some(name) = &way.name {
        options.push(("name", quoted(name)));
    }
    if way.exact == Some(true) {
        options.push(("exact", if language == ScriptLanguage::Python { "True" } else { "true" }.to_owned()));
    }
    let mut arguments = vec![quoted(&way.text)];
    match language {
        ScriptLanguage::Python => {
            arguments.extend(options.into_iter().map(|(name, value)| format!("{name}={value}")))
        }
        ScriptLanguage::Typescript if options.is_empty() => {}
        ScriptLanguage::Typescript => {
            let options: Vec<_> =
                options.into_iter().map(|(name, value)| format!("{name}: {value}")).collect();
            arguments.push(format!("{{ {} }}", options.join(", ")));
        }
    }
    let method = if language == ScriptLanguage::Python { method } else { camel(&method) };
    let written = format!("{within}.{method}({})", arguments.join(", "));
    match (way.nth, language) {
        (None, _) => written,
        (Some(0), ScriptLanguage::Python) => format!("{written}.first"),
        (Some(0), ScriptLanguage::Typescript) => format!("{written}.first()"),
        (Some(nth), _) => format!("{written}.nth({nth})"),
    }
}

pub(super) fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

fn literal(value: &Value, language: ScriptLanguage) -> String {
    if let Some([python, typescript]) = value.get(LOCATOR).and_then(Value::as_array).map(Vec::as_slice) {
        let written = if language == ScriptLanguage::Python { python } else { typescript };
        return written.as_str().unwrap_or_default().to_owned();
    }
    match (value, language) {
        (value, ScriptLanguage::Python) if value.get(SECRET).is_some() => {
            format!("os.environ[{}]", value[SECRET])
        }
        (value, ScriptLanguage::Typescript) if value.get(SECRET).is_some() => {
            format!("process.env.{} ?? \"\"", value[SECRET].as_str().unwrap_or_default())
        }
        (Value::Bool(true), ScriptLanguage::Python) => "True".to_owned(),
        (Value::Bool(false), ScriptLanguage::Python) => "False".to_owned(),
        (value, _) => value.to_string(),
    }
}

/// Converts `get_by_role` to `getByRole`.
fn camel(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |written, word| {
        let mut letters = word.chars();
        let begin = letters.next().map(|letter| letter.to_ascii_uppercase());
        written + &begin.into_iter().chain(letters).collect::<String>()
    })
}
