//! Sliders that pages draw themselves: driven by keys, or by the pointer where keys do nothing, until they say so.
use std::time::Duration;

use serde::Deserialize;
use tokio::time::{Instant, sleep};

use super::actionability::ActionOptions;
use super::element::ElementHandle;
use crate::browser::input::{ClickOptions, Point};
use crate::browser::objects::world::value_argument;
use crate::error::{ElementKind, Error, Needed, Result};

/// How long a slider may take to say where it is after a key.
const ANSWERING: Duration = Duration::from_millis(300);
const PAUSE: Duration = Duration::from_millis(15);
/// The most strokes of a key that stand for one move of the hand.
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
    /// Moves a slider to a value, or as near to it as its steps allow.
    pub(in crate::browser) async fn slide_to(&self, value: &str, options: &ActionOptions) -> Result<()> {
        let at = self.slider().await?;
        let Some(wanted) = read_number(value, &at) else {
            return Err(Error::WrongElement { found: limits(&at), needed: Needed::Range });
        };
        if at.min.is_some_and(|min| wanted < min) || at.max.is_some_and(|max| wanted > max) {
            return Err(Error::WrongElement { found: limits(&at), needed: Needed::Range });
        }
        let moved = self.slide_by_keys(wanted, at, options).await?;
        let moved = match moved.now {
            Some(now) if is_near(now, wanted) => return Ok(()),
            // Too far for keys, or a slider that hears none.
            _ => self.slide_by_pointer(wanted, moved, options).await?,
        };
        let last = self.slide_by_keys(wanted, moved, options).await?;
        match last.now {
            Some(_) => Ok(()),
            None => Err(Error::NotTaken { shows: last.text.unwrap_or_default() }),
        }
    }

    async fn slider(&self) -> Result<Slider> {
        self.ask("sliderOf", Vec::new()).await
    }

    /// What the slider says once it says something else than before; the same when it stays.
    async fn slider_after(&self, before: &Slider) -> Result<Slider> {
        let deadline = Instant::now() + ANSWERING;
        loop {
            let after = self.slider().await?;
            if after != *before || Instant::now() >= deadline {
                return Ok(after);
            }
            sleep(PAUSE).await;
        }
    }

    /// Goes there by arrow keys, as far as they lead.
    async fn slide_by_keys(&self, wanted: f64, mut at: Slider, options: &ActionOptions) -> Result<Slider> {
        if at.now.is_some_and(|now| is_near(now, wanted)) || !self.ask::<bool>("focus", Vec::new()).await? {
            return Ok(at);
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
                return Ok(at);
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
            keyboard.repeat(at.key(strokes > 0.0), times).await?;
            if before.now.is_none() {
                self.frames(2).await?;
                self.ask::<()>("findDisplay", Vec::new()).await?;
            }
            at = self.slider_after(&before).await?;
            match (before.now, at.now) {
                (_, Some(now)) if is_near(now, wanted) => return Ok(at),
                (Some(was), Some(now)) if !is_near(now, was) => {
                    step = Some(((now - was) / strokes).abs()).filter(|step| step.is_finite() && *step > 0.0);
                }
                // Only now is it known what it is at.
                (None, Some(_)) => {}
                _ => return Ok(at),
            }
        }
        Ok(at)
    }

    /// Presses the track where the value is.
    async fn slide_by_pointer(&self, wanted: f64, at: Slider, options: &ActionOptions) -> Result<Slider> {
        let Some(share) = at.share(wanted) else { return Ok(at) };
        self.bring_into_view(options, 0).await?;
        let point: Point = self.ask("pointOnTrack", vec![value_argument(&share)]).await?;
        let point = self.to_page_exactly(point).await?;
        let input = self.input(options)?;
        input.mouse().click(point, &ClickOptions::default()).await?;
        let pressed = self.slider_after(&at).await?;
        if pressed != at {
            return Ok(pressed);
        }
        let now = at.now.and_then(|now| at.share(now)).unwrap_or(0.0);
        let from: Point = self.ask("pointOnTrack", vec![value_argument(&now)]).await?;
        let from = self.to_page_exactly(from).await?;
        input.mouse().drag(from, point, None).await?;
        self.slider_after(&at).await
    }
}

fn is_near(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-9 * one.abs().max(other.abs()).max(1.0)
}

/// `30`, `30 px`, `$1,200`, `50%`: a share of the whole where the slider itself does not count in hundredths.
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
