//! Converts dates, times and numbers from common notations to the formats of fields.

/// The result of converting a text to the format of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::browser) enum FieldValue {
    /// The value in the field's format.
    As(String),
    /// A date whose day and month cannot be distinguished.
    Ambiguous,
    Unreadable,
}

/// Parses a text for a field of this type: `date`, `time`, `datetime-local`, `month`, `week` or `number`.
pub(in crate::browser) fn read(kind: &str, text: &str) -> FieldValue {
    let lower = text.trim().to_lowercase();
    let read = match kind {
        "number" => number(&lower).map(Ok),
        _ => moment(kind, &lower),
    };
    match read {
        Some(Ok(value)) => FieldValue::As(value),
        Some(Err(Either)) => FieldValue::Ambiguous,
        None => FieldValue::Unreadable,
    }
}

/// The error for an ambiguous date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Either;

type Date = (i32, u32, u32);

fn moment(kind: &str, text: &str) -> Option<Result<String, Either>> {
    let (rest, time) = take_time(text)?;
    let describe = |date: Date| format!("{:04}-{:02}-{:02}", date.0, date.1, date.2);
    let edge = |c: char| c.is_whitespace() || c == ',';
    let rest = rest.trim_matches(edge);
    let rest = rest.strip_suffix(" at").unwrap_or(rest).trim_end_matches(edge);
    // The separator in `2027-03-05T14:30`.
    let rest =
        rest.strip_suffix('t').filter(|date| date.ends_with(|c: char| c.is_ascii_digit())).unwrap_or(rest);
    Some(match (kind, time) {
        ("time", Some(time)) if rest.trim_start_matches("at").trim().is_empty() => Ok(time),
        ("date", None) => date(rest)?.map(describe),
        ("datetime-local", Some(time)) => date(rest)?.map(|date| format!("{}T{time}", describe(date))),
        ("month", None) => match month_of(rest) {
            Some((year, month)) => Ok(format!("{year:04}-{month:02}")),
            None => date(rest)?.map(|(year, month, _)| format!("{year:04}-{month:02}")),
        },
        ("week", None) => Ok(week_of(rest)?),
        _ => return None,
    })
}

/// Splits a text into the rest and the time, as `14:30` or `14:30:05`. `None` if the time is invalid.
fn take_time(text: &str) -> Option<(String, Option<String>)> {
    let (text, half) = take_half(text);
    let words: Vec<&str> = text.split([' ', 't', ',']).filter(|word| !word.is_empty()).collect();
    let is_time = |word: &&&str| {
        word.contains(':') || (half.is_some() && word.parse::<u32>().is_ok_and(|hour| hour <= 12))
    };
    // An hour without minutes is the last such word, as in `March 5, 2027 2 pm`.
    let Some(word) =
        words.iter().find(|word| word.contains(':')).or_else(|| words.iter().rev().find(is_time))
    else {
        return if half.is_some() { None } else { Some((text, None)) };
    };
    let numbers: Vec<u32> = word.split(':').map(|part| part.parse().ok()).collect::<Option<_>>()?;
    let (mut hour, minute, second) = match numbers[..] {
        [hour] => (hour, 0, None),
        [hour, minute] => (hour, minute, None),
        [hour, minute, second] => (hour, minute, Some(second)),
        _ => return None,
    };
    if let Some(is_afternoon) = half {
        if !(1..=12).contains(&hour) {
            return None;
        }
        hour = hour % 12 + if is_afternoon { 12 } else { 0 };
    }
    if hour > 23 || minute > 59 || second.is_some_and(|second| second > 59) {
        return None;
    }
    let written = match second {
        Some(second) => format!("{hour:02}:{minute:02}:{second:02}"),
        None => format!("{hour:02}:{minute:02}"),
    };
    let at = text.rfind(word)?;
    Some((format!("{} {}", &text[..at], &text[at + word.len()..]), Some(written)))
}

/// Returns the text without a final AM or PM, and whether it was PM; `None` if there was neither.
fn take_half(text: &str) -> (String, Option<bool>) {
    for (mark, is_afternoon) in [("a.m.", false), ("p.m.", true), ("am", false), ("pm", true)] {
        let Some(rest) = text.strip_suffix(mark) else { continue };
        // Only after a digit, since other words may end with these letters.
        if rest.trim_end().ends_with(|c: char| c.is_ascii_digit()) {
            return (rest.trim_end().to_owned(), Some(is_afternoon));
        }
    }
    (text.to_owned(), None)
}

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
const DAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/// Returns the number, from 1, of the month with this name or abbreviation.
fn month_named(word: &str) -> Option<u32> {
    let word = word.trim_end_matches('.');
    let at = MONTHS.iter().position(|month| word.len() >= 3 && month.starts_with(word));
    at.or_else(|| (word == "sept").then_some(8)).and_then(|at| u32::try_from(at + 1).ok())
}

fn is_day_name(word: &str) -> bool {
    let word = word.trim_end_matches('.');
    word.len() >= 3 && DAYS.iter().any(|day| day.starts_with(word) || word == "thurs" || word == "tues")
}

fn date(text: &str) -> Option<Result<Date, Either>> {
    let words: Vec<&str> = text
        .split(|c: char| c.is_whitespace() || matches!(c, ',' | '/' | '-' | '.'))
        .filter(|word| !word.is_empty() && *word != "of" && *word != "the" && !is_day_name(word))
        .collect();
    let [first, second, third] = words[..] else { return None };
    let named = [first, second].into_iter().position(|word| month_named(word).is_some());
    if let Some(at) = named {
        let month = month_named(words[at])?;
        // The order of `May 3, 2027`, `3 May 2027` or `2027 May 3`.
        let (day, year) = match at {
            0 => (second, third),
            _ if first.len() == 4 => (third, first),
            _ => (first, third),
        };
        return checked(year_of(year)?, month, day_of(day)?).map(Ok);
    }
    let numbers: Vec<u32> = words.iter().map(|word| word.parse().ok()).collect::<Option<_>>()?;
    if first.len() == 4 {
        return checked(i32::try_from(numbers[0]).ok()?, numbers[1], numbers[2]).map(Ok);
    }
    let year = year_of(third)?;
    let by_day = checked(year, numbers[1], numbers[0]);
    let by_month = checked(year, numbers[0], numbers[1]);
    // A date with full stops, such as `3.5.2027`, always begins with the day.
    let by_month = if text.contains('.') { None } else { by_month };
    match (by_day, by_month) {
        (Some(one), Some(other)) if one != other => Some(Err(Either)),
        (one, other) => one.or(other).map(Ok),
    }
}

/// Parses a month such as `March 2027`, `03/2027` or `2027/3`.
fn month_of(text: &str) -> Option<(i32, u32)> {
    let words: Vec<&str> = text
        .split(|c: char| c.is_whitespace() || matches!(c, ',' | '/' | '-' | '.'))
        .filter(|word| !word.is_empty())
        .collect();
    let [first, second] = words[..] else { return None };
    let (month, year) =
        if first.len() == 4 && first.parse::<i32>().is_ok() { (second, first) } else { (first, second) };
    let month = month_named(month).or_else(|| month.parse().ok()).filter(|month| (1..=12).contains(month))?;
    (year.len() == 4).then(|| year.parse().ok()).flatten().map(|year| (year, month))
}

/// Parses a week such as `week 10, 2027`, `w10 2027` or `10/2027`.
fn week_of(text: &str) -> Option<String> {
    let plain: String = text.replace("week", " ").replace('w', " ").replace(['-', '/', ',', 'k'], " ");
    let numbers: Vec<&str> = plain.split_whitespace().collect();
    let [first, second] = numbers[..] else { return None };
    let (year, week) = if first.len() == 4 { (first, second) } else { (second, first) };
    let (year, week): (u32, u32) = (year.parse().ok()?, week.parse().ok()?);
    (year >= 1000 && (1..=53).contains(&week)).then(|| format!("{year:04}-W{week:02}"))
}

/// Parses a day such as `3` or `3rd`.
fn day_of(word: &str) -> Option<u32> {
    let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    matches!(&word[digits.len()..], "" | "st" | "nd" | "rd" | "th").then(|| digits.parse().ok()).flatten()
}

fn year_of(word: &str) -> Option<i32> {
    (word.len() == 4).then(|| word.parse().ok()).flatten()
}

/// Returns the date if it exists in the calendar.
fn checked(year: i32, month: u32, day: u32) -> Option<Date> {
    let is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    let days = match month {
        4 | 6 | 9 | 11 => 30,
        2 if is_leap => 29,
        2 => 28,
        1..=12 => 31,
        _ => return None,
    };
    (1..=days).contains(&day).then_some((year, month, day))
}

/// Normalizes a number such as `1,234.5`, `1 234` or `+5`; `None` if the text is not a number.
fn number(text: &str) -> Option<String> {
    let plain = text.replace(['\u{a0}', '\u{202f}', ' ', '_'], "").replace('\u{2212}', "-");
    let groups: Vec<&str> = plain.split(',').collect();
    let grouped = groups.len() > 1
        && groups[0].trim_start_matches('-').len() <= 3
        && groups[1..].iter().enumerate().all(|(at, group)| {
            let whole =
                if at + 2 == groups.len() { group.split('.').next().unwrap_or_default() } else { group };
            whole.len() == 3 && whole.bytes().all(|byte| byte.is_ascii_digit())
        });
    let plain = if grouped { plain.replace(',', "") } else { plain };
    let plain = plain.strip_prefix('+').unwrap_or(&plain);
    plain.parse::<f64>().ok().filter(|number| number.is_finite())?;
    Some(plain.to_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn held(kind: &str, text: &str) -> Option<String> {
        match read(kind, text) {
            FieldValue::As(value) => Some(value),
            _ => None,
        }
    }

    #[test]
    fn times_are_read_as_people_write_them() {
        for (text, time) in [
            ("2:30 AM", "02:30"),
            ("2:30 pm", "14:30"),
            ("12:05am", "00:05"),
            ("12 pm", "12:00"),
            ("2 p.m.", "14:00"),
            ("14:30:05", "14:30:05"),
            ("9:05", "09:05"),
        ] {
            assert_eq!(held("time", text).as_deref(), Some(time), "{text}");
        }
        for text in ["25:00", "13:00 pm", "noonish", "2:75", "", "March 5, 2027"] {
            assert_eq!(held("time", text), None, "{text}");
        }
    }

    #[test]
    fn dates_are_read_as_people_write_them() {
        for text in [
            "March 5, 2027",
            "5 March 2027",
            "Mar 5 2027",
            "5th of March, 2027",
            "5.3.2027",
            "05.03.2027",
            "2027/3/5",
            "2027-3-5",
            "2027 Mar 5",
            "Friday, March 5, 2027",
        ] {
            assert_eq!(held("date", text).as_deref(), Some("2027-03-05"), "{text}");
        }
        assert_eq!(held("date", "3/25/2027").as_deref(), Some("2027-03-25"));
        assert_eq!(held("date", "25/3/2027").as_deref(), Some("2027-03-25"));
        assert_eq!(held("date", "4/4/2027").as_deref(), Some("2027-04-04"));
        assert_eq!(read("date", "3/5/2027"), FieldValue::Ambiguous);
        for text in ["February 30, 2027", "yesterday", "31.4.2027", "5.3.27", "2027-03", ""] {
            assert_eq!(held("date", text), None, "{text}");
        }
    }

    #[test]
    fn a_date_and_a_time_go_together() {
        for text in
            ["March 5, 2027 2:30 PM", "5.3.2027 14:30", "2027-03-05 14:30", "March 5, 2027 at 2:30 pm"]
        {
            assert_eq!(held("datetime-local", text).as_deref(), Some("2027-03-05T14:30"), "{text}");
        }
        assert_eq!(held("datetime-local", "August 3, 2027 2 pm").as_deref(), Some("2027-08-03T14:00"));
        assert_eq!(held("datetime-local", "March 5, 2027"), None);
    }

    #[test]
    fn months_weeks_and_numbers_too() {
        assert_eq!(held("month", "March 2027").as_deref(), Some("2027-03"));
        assert_eq!(held("month", "3/2027").as_deref(), Some("2027-03"));
        assert_eq!(held("week", "week 10, 2027").as_deref(), Some("2027-W10"));
        assert_eq!(held("week", "2027 W7").as_deref(), Some("2027-W07"));
        assert_eq!(held("number", "1,234.5").as_deref(), Some("1234.5"));
        assert_eq!(held("number", "1,2"), None);
    }

    proptest! {
        /// A date is parsed the same in all notations.
        #[test]
        fn every_day_is_read(year in 1000_i32..9999, month in 1_u32..=12, day in 1_u32..=28) {
            let held_as = format!("{year:04}-{month:02}-{day:02}");
            let name = MONTHS[month as usize - 1];
            for text in [held_as.clone(), format!("{name} {day}, {year}"), format!("{day} {name} {year}"), format!("{day}.{month}.{year}")] {
                prop_assert_eq!(held("date", &text), Some(held_as.clone()), "{}", text);
            }
        }

        #[test]
        fn nothing_that_is_written_breaks_it(kind in "date|time|datetime-local|month|week|number", text in "\\PC{0,20}|[0-9apmtw:./, #-]{0,16}") {
            read(&kind, &text);
        }
    }
}
