//! Actions with pointer, touch and keys.
use std::time::Duration;

use futures_util::FutureExt;
use tokio::time::Instant;

use super::actionability::{
    ActionOptions, Attempt, CheckOptions, CheckOutcome, FEWEST_LOOKS, PointerTarget, RequiredState,
};
use super::element::ElementHandle;
use super::lost::PressedElementFate;
use crate::browser::input::{ClickOptions, Input, InputStyle, Keyboard, Modifier, Point};
use crate::error::{Error, Obstacle, Result};

/// Converts `DocumentGone` to the error for a lost click: the document was replaced during the press.
fn in_one_document<T>(pressed: Result<T>) -> Result<T> {
    match pressed {
        Err(Error::DocumentGone) => Err(PressedElementFate::Elsewhere.lost("click".to_owned())),
        pressed => pressed,
    }
}

impl ElementHandle {
    // Pointer.

    /// Clicks once the element is visible, stable, enabled and not covered.
    ///
    /// # Errors
    /// `not_actionable` also if the page navigates before the click is complete.
    pub async fn click(&self, click: &ClickOptions, options: &ActionOptions) -> Result<()> {
        let (reached, input, click) = self.ready_to_click(RequiredState::CLICKABLE, click, options).await?;
        in_one_document(reached.press(&input, &click).await)
    }

    /// Clicks, and checks that the click reached the element.
    pub(super) async fn click_and_verify(&self, click: &ClickOptions, options: &ActionOptions) -> Result<()> {
        let need = RequiredState { watched: Some(click.count), ..RequiredState::CLICKABLE };
        let (reached, input, click) = self.ready_to_click(need, click, options).await?;
        let receipt = in_one_document(self.press_watched(reached, &input, &click).await)?;
        receipt.into_result(click.count)
    }

    async fn ready_to_click(
        &self,
        need: RequiredState,
        click: &ClickOptions,
        options: &ActionOptions,
    ) -> Result<(PointerTarget, Input, ClickOptions)> {
        let input = self.input(options)?;
        let in_one_document = !options.force && !input.is_bare();
        Ok((self.approach(need, options).await?, input, ClickOptions { in_one_document, ..click.clone() }))
    }

    /// Moves the pointer over the element, which may disappear as soon as the pointer arrives.
    pub async fn hover(&self, options: &ActionOptions) -> Result<()> {
        let hovering = async {
            self.approach(RequiredState::HOVERABLE, options).await?.point_at(&self.input(options)?).await
        };
        let receipt = self.begin_ask::<()>("watchHover", Vec::new()).await?;
        let hovered = hovering.await;
        let is_met = match self.recorded_result::<bool>("hovered").await {
            Err(Error::DocumentGone) => matches!(receipt.now_or_never(), Some(Ok(()))),
            is_met => is_met.unwrap_or(false),
        };
        match hovered {
            Err(Error::StaleRef { .. } | Error::DocumentGone) if is_met => Ok(()),
            hovered => hovered,
        }
    }

    /// Moves the pointer over the element with modifier keys held; with `trial`, only waits until that is possible.
    pub async fn hover_with(&self, held: &[Modifier], trial: bool, options: &ActionOptions) -> Result<()> {
        if trial {
            return self.wait_until_actionable(RequiredState::HOVERABLE, options).await.map(drop);
        }
        self.while_held(held, options, self.hover(options)).await
    }

    async fn while_held(
        &self,
        held: &[Modifier],
        options: &ActionOptions,
        work: impl Future<Output = Result<()>>,
    ) -> Result<()> {
        let keyboard = self.input(options)?.keyboard();
        for modifier in held {
            keyboard.down((*modifier).into()).await?;
        }
        let done = work.await;
        for modifier in held {
            keyboard.up((*modifier).into()).await?;
        }
        done
    }

    /// Waits until the element could be pressed, without pressing it.
    pub async fn wait_until_clickable(&self, options: &ActionOptions) -> Result<()> {
        let need = if options.force { RequiredState::CLICKABLE.forced() } else { RequiredState::CLICKABLE };
        self.wait_until_actionable(need, options).await.map(drop)
    }

    /// Taps the element by touch, with modifier keys held.
    pub async fn tap(&self, held: &[Modifier], options: &ActionOptions) -> Result<()> {
        let point = self.wait_until_actionable(RequiredState::CLICKABLE, options).await?;
        let touch = self.input(options)?.touch();
        self.while_held(held, options, touch.tap(point)).await
    }

    /// Scrolls the element into view if needed, even if it is invisible.
    pub async fn scroll_into_view(&self, options: &ActionOptions) -> Result<()> {
        self.scroll(options, true).await
    }

    /// Scrolls the element into view, unless it lies beyond the page's edge, where scrolling does not reach.
    pub async fn scroll_into_view_if_reachable(&self, options: &ActionOptions) -> Result<()> {
        self.scroll(options, false).await
    }

    async fn scroll(&self, options: &ActionOptions, must_show: bool) -> Result<()> {
        let need = RequiredState { stable: true, ..RequiredState::default() };
        self.until_clear(options, |attempt| async move {
            let shows = self.ask::<Option<String>>("shows", Vec::new()).await?.ok_or_else(|| self.stale())?;
            if shows == "none" {
                return Ok(Attempt::Blocked(Obstacle::Hidden));
            }
            self.bring_into_view(options, attempt).await?;
            self.ask::<()>("showWhole", Vec::new()).await?;
            Ok(match self.check_in_page(need, &CheckOptions::default()).await? {
                CheckOutcome::Blocked(Obstacle::OutsideViewport) if !must_show && attempt >= FEWEST_LOOKS => {
                    Attempt::Done(())
                }
                CheckOutcome::Blocked(by) if shows == "area" || by == Obstacle::Moving => {
                    Attempt::Blocked(by)
                }
                CheckOutcome::Clear(_) | CheckOutcome::Blocked(_) => Attempt::Done(()),
            })
        })
        .await
    }

    /// Scrolls the element to the centre of its scrolling area, as far as possible.
    pub async fn scroll_to_centre(&self, options: &ActionOptions) -> Result<()> {
        // This attempt number aligns the element to the middle, in whole notches of the wheel.
        const TO_THE_MIDDLE: u32 = 3;
        // A scroll that the wheel started can continue for a while.
        const STILL: Duration = Duration::from_millis(300);
        self.scroll_into_view(options).await?;
        self.bring_into_view(options, TO_THE_MIDDLE).await?;
        self.ask::<()>("showCentred", Vec::new()).await?;
        if self.input(options)?.style() != InputStyle::Natural {
            return Ok(());
        }
        let deadline = Instant::now() + options.limit;
        let (mut place, mut since) = (self.bounding_box().await?, Instant::now());
        while since.elapsed() < STILL && Instant::now() < deadline {
            self.frames(1).await?;
            if self.bounding_box().await? != place {
                self.ask::<()>("showCentred", Vec::new()).await?;
                (place, since) = (self.bounding_box().await?, Instant::now());
            }
        }
        Ok(())
    }

    /// Waits until the element meets `need`, without moving the pointer. Returns the point to press.
    pub(in crate::browser) async fn wait_until_actionable(
        &self,
        need: RequiredState,
        options: &ActionOptions,
    ) -> Result<Point> {
        self.until_clear(options, |attempt| async move {
            let scroll = (!options.keeps_scroll).then_some(attempt);
            let aim = CheckOptions { scroll, at: None, position: options.position };
            Ok(match self.check_in_page(need, &aim).await? {
                CheckOutcome::Clear(clear) => Attempt::Done(clear.point),
                CheckOutcome::Blocked(by) => Attempt::Blocked(by),
            })
        })
        .await
    }

    // Keys.

    /// Focuses the element and presses a key or a chord, such as `Control+a`.
    pub async fn press(&self, chord: &str, options: &ActionOptions) -> Result<()> {
        self.focus().await?;
        self.input(options)?.keyboard().press(chord).await
    }

    /// Like [`press`](Self::press), but holds the key for the duration `hold`.
    pub async fn press_for(
        &self,
        chord: &str,
        hold: Option<Duration>,
        options: &ActionOptions,
    ) -> Result<()> {
        self.focus().await?;
        self.input(options)?.keyboard().press_for(chord, hold).await
    }

    /// Selects all text of the element once it is visible.
    pub async fn select_text(&self, options: &ActionOptions) -> Result<()> {
        self.until_ready(RequiredState::VISIBLE, options).await?;
        self.ask("selectText", Vec::new()).await
    }

    /// Types at the end of the field's content. `delay` is the time between keys.
    pub async fn type_text(
        &self,
        text: &str,
        delay: Option<Duration>,
        options: &ActionOptions,
    ) -> Result<()> {
        self.until_ready(RequiredState { editable: true, ..RequiredState::ENABLED }, options).await?;
        self.enter(options).await?;
        self.ask::<()>("caretToEnd", Vec::new()).await?;
        self.type_all(&self.input(options)?.keyboard(), text, delay).await
    }

    /// Types a text. Fails if the page navigates before the last key.
    pub(super) async fn type_all(
        &self,
        keyboard: &Keyboard,
        text: &str,
        delay: Option<Duration>,
    ) -> Result<()> {
        let page = self.frame().page()?;
        let mark = page.mark();
        // Characters without a key are inserted together, so a text with such characters is not split.
        let end = if text.is_ascii() { text.len().saturating_sub(1) } else { 0 };
        keyboard.type_text(&text[..end], delay).await?;
        if page.effects_since(mark).committed {
            return Err(Error::DocumentGone);
        }
        keyboard.type_text(&text[end..], delay).await
    }

    /// Focuses a field with a click, if the pointer reaches it.
    pub(in crate::browser) async fn enter(&self, options: &ActionOptions) -> Result<()> {
        let natural = self.input(options)?.style() == InputStyle::Natural;
        if natural && !self.ask::<bool>("isFocused", Vec::new()).await? {
            // An element that cannot be clicked can still receive the focus.
            if let Some(reached) = self.try_approach(RequiredState::CLICKABLE, options).await? {
                reached.press(&self.input(options)?, &ClickOptions::default()).await?;
            }
        }
        self.focus().await
    }
}
