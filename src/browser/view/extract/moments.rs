//! Dates and times in ISO 8601.

/// Returns the date part of an ISO 8601 date, or date and time, such as `2026-01-31`; `None` for any other text.
pub(super) fn date_in(text: &str) -> Option<String> {
    let moment = moment_in(text)?;
    moment.split('T').next().map(str::to_owned)
}

/// Parses `text` as an ISO 8601 date, or date and time, and returns it in the form `2026-01-31T10:00:00+01:00`. A time
/// or offset that is missing stays missing.
pub(super) fn moment_in(text: &str) -> Option<String> {
    let text = text.trim();
    let (date, time) = match text.split_once(['T', 't', ' ']) {
        Some((date, time)) => (date, Some(time)),
        None => (text, None),
    };
    is_date(date).then_some(())?;
    let Some(time) = time else { return Some(date.to_owned()) };
    let (time, offset) = match time.find(['Z', 'z', '+', '-']) {
        Some(at) => time.split_at(at),
        None => (time, ""),
    };
    (is_time(time) && is_offset(offset)).then(|| format!("{date}T{time}{}", offset.to_uppercase()))
}

fn is_date(text: &str) -> bool {
    let parts: Vec<_> = text.split('-').collect();
    let [year, month, day] = parts[..] else { return false };
    let (Some(year), Some(month), Some(day)) = (number(year, 4), number(month, 2), number(day, 2)) else {
        return false;
    };
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    (1..=days).contains(&day)
}

fn is_time(text: &str) -> bool {
    let (clock, fraction) = text.split_once(['.', ',']).unwrap_or((text, "0"));
    let parts: Vec<_> = clock.split(':').map(|part| number(part, 2)).collect();
    let is_clock = match parts[..] {
        [Some(hour), Some(minute)] => hour < 24 && minute < 60 && fraction == "0",
        [Some(hour), Some(minute), Some(second)] => hour < 24 && minute < 60 && second < 60,
        _ => false,
    };
    is_clock && !fraction.is_empty() && fraction.bytes().all(|digit| digit.is_ascii_digit())
}

fn is_offset(text: &str) -> bool {
    let Some(offset) = text.strip_prefix(['+', '-']) else {
        return text.is_empty() || text.eq_ignore_ascii_case("z");
    };
    let (hours, minutes) = match offset.split_once(':') {
        Some(parts) => parts,
        None if offset.len() == 4 && offset.is_ascii() => offset.split_at(2),
        None => (offset, "00"),
    };
    number(hours, 2).is_some_and(|hours| hours < 24) && number(minutes, 2).is_some_and(|minutes| minutes < 60)
}

fn number(text: &str, digits: usize) -> Option<u32> {
    let is_number = text.len() == digits && text.bytes().all(|digit| digit.is_ascii_digit());
    is_number.then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::{date_in, moment_in};

    #[test]
    fn dates_and_times_are_those_that_exist() {
        for (text, moment) in [
            ("2026-01-31", "2026-01-31"),
            (" 2024-02-29 10:00 ", "2024-02-29T10:00"),
            ("2026-01-31t10:00:00.5z", "2026-01-31T10:00:00.5Z"),
            ("2026-01-31T10:00:00+0100", "2026-01-31T10:00:00+0100"),
        ] {
            assert_eq!(moment_in(text).as_deref(), Some(moment), "{text}");
        }
        assert_eq!(date_in("2026-01-31T10:00:00Z").as_deref(), Some("2026-01-31"));
        for text in [
            "31.1.2026",
            "2026-02-29",
            "2026-13-01",
            "2026-1-1",
            "2026-01-31T24:00",
            "2026-01-31T10:00+1",
            "2026-01-31T",
            "é-01-01",
        ] {
            assert_eq!(moment_in(text), None, "{text}");
        }
    }
}
