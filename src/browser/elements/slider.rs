//! Moves custom sliders with keys, or with the pointer if keys have no effect, until they report the value.
use std::time::Duration;

use serde::Deserialize;
use tokio::time::{Instant, sleep};

use super::actionability::ActionOptions;
use super::element::ElementHandle;
use super::noted::PerformedInput;
use crate::browser::input::{ClickOptions, Point};
use crate::browser::objects::world::value_argument;
use crate::error::{ElementKind, Error, RequiredElementKind, Result};

/// How long a slider may take to report its value after a key.
const ANSWERING: Duration = Duration::from_millis(300);
/// How long a slider's value must be unchanged to count as final.
const RESTING: Duration = Duration::from_millis(100);
const PAUSE: Duration = Duration::from_millis(15);
/// The maximum number of key presses for one movement. Longer movements use the pointer.
const MOST_STROKES: f64 = 100.0;
const MOST_ROUNDS: usize = 8;

#[derive(Debug, Clone, PartialEq, Deserialize)]
struct Slider {
    now: Option<f64>,
    min: Option<f64>,
    max: Option<f64>,
    text: Option<String>,
    vertical: bool,
    backwards: bool,
}

impl Slider {
    fn key(&self, upwards: bool) -> &'static str {
        match (self.vertical, upwards != self.backwards) {
            (true, true) => "ArrowUp",
            (true, false) => "ArrowDown",
            (false, true) => "ArrowRight",
            (false, false) => "ArrowLeft",
        }
    }

    fn share(&self, value: f64) -> Option<f64> {
        let (min, max) = (self.min?, self.max?);
        (max > min).then(|| (value - min) / (max - min))
    }
}

impl ElementHandle {
    /// Moves a slider to a value, or to the nearest step.
    ///
    /// # Errors `not_taken` if the slider ends more than one step away, or does not report its value.
    pub(in crate::browser) async fn slide_to(&self, value: &str, options: &ActionOptions) -> Result<()> {
        if let Some(noted) = &options.noted {
            noted.begin();
        }
        let at = self.slider().await?;
        let Some(wanted) = read_number(value, &at) else {
            return Err(Error::WrongElement { found: limits(&at), needed: RequiredElementKind::Range });
        };
        if at.min.is_some_and(|min| wanted < min) || at.max.is_some_and(|max| wanted > max) {
            return Err(Error::WrongElement { found: limits(&at), needed: RequiredElementKind::Range });
        }
        let (moved, _) = self.slide_by_keys(wanted, at, options).await?;
        let moved = match moved.now {
            Some(now) if is_near(now, wanted) => return Ok(()),
            // Too far for keys, or the slider ignores keys.
            _ => self.slide_by_pointer(wanted, moved, options).await?,
        };
        let (last, step) = self.slide_by_keys(wanted, moved, options).await?;
        let is_there =
            |now: f64| is_near(now, wanted) || step.is_some_and(|step| (wanted - now).abs() <= step);
        if last.now.is_some_and(is_there) {
            return Ok(());
        }
        let shows = last.text.or_else(|| last.now.map(|now| now.to_string()));
        Err(Error::NotTaken { shows: shows.unwrap_or_default() })
    }

    async fn slider(&self) -> Result<Slider> {
        self.ask("sliderOf", Vec::new()).await
    }

    /// Waits until the slider reaches `aim` or stops. Returns its state: `before` if nothing changed.
    async fn slider_after(&self, before: &Slider, aim: Option<f64>) -> Result<Slider> {
        let begun = Instant::now();
        let mut last = (before.clone(), begun);
        loop {
            let after = self.slider().await?;
            if aim.zip(after.now).is_some_and(|(aim, now)| is_near(aim, now)) {
                return Ok(after);
            }
            if after != last.0 {
                last = (after, Instant::now());
            }
            let (waited, longest) = match last.0 == *before {
                true => (begun.elapsed(), ANSWERING),
                // After several key presses, a page may show the first change before it shows the last.
                false => (last.1.elapsed(), RESTING),
            };
            if waited >= longest {
                return Ok(last.0);
            }
            sleep(PAUSE).await;
        }
    }

    /// Moves the slider with arrow keys. Returns its state and the change per key press, if known.
    async fn slide_by_keys(
        &self,
        wanted: f64,
        mut at: Slider,
        options: &ActionOptions,
    ) -> Result<(Slider, Option<f64>)> {
        if at.now.is_some_and(|now| is_near(now, wanted)) || !self.ask::<bool>("focus", Vec::new()).await? {
            return Ok((at, None));
        }
        let keyboard = self.input(options)?.keyboard();
        let mut step: Option<f64> = None;
        for _ in 0..MOST_ROUNDS {
            let before = at.clone();
            let strokes = match (step, at.now) {
                (Some(step), Some(now)) => ((wanted - now) / step).round(),
                _ => at.now.map_or(1.0, |now| (wanted - now).signum()),
            };
            if strokes == 0.0 || strokes.abs() > MOST_STROKES {
                return Ok((at, step));
            }
            if at.now.is_none() {
                self.ask::<()>("noteNumbers", Vec::new()).await?;
            }
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "few, and above zero"
            )]
            let times = strokes.abs() as usize;
            let key = at.key(strokes > 0.0);
            keyboard.repeat(key, times).await?;
            options.note(PerformedInput::Keys { key, times });
            if before.now.is_none() {
                self.frames(2).await?;
                self.ask::<()>("findDisplay", Vec::new()).await?;
            }
            let aim = step.zip(before.now).map(|(step, now)| now + step * strokes);
            at = self.slider_after(&before, aim).await?;
            match (before.now, at.now) {
                (_, Some(now)) if is_near(now, wanted) => return Ok((at, step)),
                (Some(was), Some(now)) if !is_near(now, was) => {
                    step = Some(((now - was) / strokes).abs()).filter(|step| step.is_finite() && *step > 0.0);
                }
                // The value became known with this key press.
                (None, Some(_)) => {}
                _ => return Ok((at, step)),
            }
        }
        Ok((at, step))
    }

    /// Clicks the track at the value's position or, if that has no effect, drags the thumb there.
    async fn slide_by_pointer(&self, wanted: f64, at: Slider, options: &ActionOptions) -> Result<Slider> {
        let Some(share) = at.share(wanted) else { return Ok(at) };
        self.bring_into_view(options, 0).await?;
        let point: Point = self.ask("pointOnTrack", vec![value_argument(&share)]).await?;
        let point = self.to_page_exactly(point).await?;
        let corner = match &options.noted {
            Some(_) => self.bounding_box().await?.unwrap_or_default().corner(),
            None => Point::default(),
        };
        let input = self.input(options)?;
        input.mouse().click(point, &ClickOptions::default()).await?;
        let pressed = self.slider_after(&at, Some(wanted)).await?;
        if pressed != at {
            options.note(PerformedInput::Press(point.seen_from(corner)));
            return Ok(pressed);
        }
        let now = at.now.and_then(|now| at.share(now)).unwrap_or(0.0);
        let from: Point = self.ask("pointOnTrack", vec![value_argument(&now)]).await?;
        let from = self.to_page_exactly(from).await?;
        input.mouse().drag(from, point, None).await?;
        options.note(PerformedInput::Slide(from.seen_from(corner), point.seen_from(corner)));
        self.slider_after(&at, Some(wanted)).await
    }
}

fn is_near(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-9 * one.abs().max(other.abs()).max(1.0)
}

/// Parses a number such as `30`, `30 px` or `$1,200`. `50%` is a share of the slider's range, if that is known.
fn read_number(text: &str, slider: &Slider) -> Option<f64> {
    let digits = |c: char| c.is_ascii_digit() || matches!(c, '.' | '-');
    let plain = text.replace(',', "");
    let number: f64 = plain.trim_matches(|c| !digits(c)).parse().ok()?;
    match (text.trim().ends_with('%'), slider.min, slider.max) {
        (true, Some(min), Some(max)) => Some(min + (max - min) * number / 100.0),
        _ => Some(number),
    }
}

fn limits(slider: &Slider) -> ElementKind {
    match (slider.min, slider.max) {
        (Some(min), Some(max)) => ElementKind::new(format!("[role=slider][min={min}][max={max}]")),
        _ => ElementKind::new("[role=slider]"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_people_write_them() {
        let slider = Slider {
            now: Some(10.0),
            min: Some(10.0),
            max: Some(30.0),
            text: None,
            vertical: false,
            backwards: false,
        };
        assert_eq!(read_number("12.5", &slider), Some(12.5));
        assert_eq!(read_number("$1,200", &slider), Some(1200.0));
        assert_eq!(read_number("-3 °C", &slider), Some(-3.0));
        assert_eq!(read_number("50%", &slider), Some(20.0));
        assert_eq!(read_number("loud", &slider), None);
    }
}
