//! Screenshots for visual comparisons: animations are stopped, and variable parts are masked. A page can
//! detect only that its animations end, and that an additional style applies for a moment.
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use futures_util::future::join_all;
use serde::Deserialize;
use serde_json::json;

use super::screenshot::{ImageFormat, Screenshot, ScreenshotOptions};
use crate::browser::elements::element::ElementHandle;
use crate::browser::elements::locator::Locator;
use crate::browser::input::Rect;
use crate::browser::objects::frame::Frame;
use crate::browser::objects::page::Page;
use crate::cdp::CdpSession;
use crate::cdp::types::css::{CreateStyleSheet, Disable, DisableDom, Enable, EnableDom, SetStyleSheetText};
use crate::cdp::types::emulation::SetDefaultBackgroundColorOverride;
use crate::cdp::types::page::GetLayoutMetrics;
use crate::error::{Error, Result};

/// Changes that apply to a page while a screenshot is taken.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScreenshotAdjustments {
    /// Whether the default white background becomes transparent.
    pub transparent: bool,
    pub stops_animations: bool,
    pub hides_caret: bool,
    /// CSS that applies during the screenshot. It reaches into shadow roots only by inheritance.
    pub style: Option<String>,
    /// The elements that are covered with a box.
    #[serde(skip)]
    pub masks: Vec<Locator>,
    /// The CSS colour of the boxes.
    pub mask_color: String,
}

const NO_CARET: &str = "* { caret-color: transparent !important }";

impl Page {
    /// Takes a screenshot of the page with these adjustments.
    pub async fn adjusted_screenshot(
        &self,
        options: ScreenshotOptions,
        finish: &ScreenshotAdjustments,
    ) -> Result<Screenshot> {
        self.fail_on_dialog(self.take_picture(options, finish)).await
    }

    async fn take_picture(
        &self,
        options: ScreenshotOptions,
        finish: &ScreenshotAdjustments,
    ) -> Result<Screenshot> {
        let frames = self.frames();
        let sheets = join_all(frames.iter().map(|frame| frame.add_screenshot_style(finish))).await;
        if finish.stops_animations {
            join_all(frames.iter().map(|frame| frame.send_to_animations("stopAnimations"))).await;
        }
        let session = self.session();
        if finish.transparent {
            let color = Some(json!({ "r": 0, "g": 0, "b": 0, "a": 0 }));
            session.send(SetDefaultBackgroundColorOverride { color }).ignore();
        }
        let taken = self.take_covered(options, finish).await;
        if finish.transparent {
            session.send(SetDefaultBackgroundColorOverride { color: None }).ignore();
        }
        if finish.stops_animations {
            join_all(frames.iter().map(|frame| frame.send_to_animations("resumeAnimations"))).await;
        }
        for (session, style_sheet_id) in sheets.into_iter().flatten() {
            session.send(SetStyleSheetText { style_sheet_id, text: String::new() }).ignore();
            session.send(Disable {}).ignore();
            session.send(DisableDom {}).ignore();
        }
        taken
    }

    async fn take_covered(
        &self,
        options: ScreenshotOptions,
        finish: &ScreenshotAdjustments,
    ) -> Result<Screenshot> {
        if finish.masks.is_empty() {
            return self.screenshot(options).await;
        }
        let mut boxes = Vec::new();
        for mask in &finish.masks {
            let elements = mask.all().await?;
            for found in join_all(elements.iter().map(ElementHandle::bounding_box)).await {
                boxes.extend(found.ok().flatten());
            }
        }
        let plain = ScreenshotOptions { format: ImageFormat::Png, ..options };
        let taken = self.screenshot(plain).await?;
        self.cover(taken, &options, &boxes, &finish.mask_color).await
    }

    /// Paints boxes over a screenshot, and encodes it in the requested format.
    pub(super) async fn cover(
        &self,
        mut taken: Screenshot,
        options: &ScreenshotOptions,
        boxes: &[Rect],
        color: &str,
    ) -> Result<Screenshot> {
        let view = self.session().call(GetLayoutMetrics {}).await?.css_visual_viewport;
        let [left, top, ..] = taken.area;
        let boxes: Vec<_> = boxes
            .iter()
            .map(|Rect { x, y, width, height }| Rect {
                x: (x + view.page_x - left) * taken.scale,
                y: (y + view.page_y - top) * taken.scale,
                width: width * taken.scale,
                height: height * taken.scale,
            })
            .collect();
        let world = self.main_frame().utility_world().await?;
        let given = [
            json!(BASE64.encode(&taken.bytes)),
            json!(options.format.mime_type()),
            json!(options.quality),
            json!(color),
            json!(boxes),
        ];
        let covered: String = world.call("covered", &given).await?;
        taken.bytes = BASE64
            .decode(covered)
            .map_err(|error| Error::Unreadable { method: "a picture", reason: error.to_string() })?;
        taken.format = options.format;
        Ok(taken)
    }
}

impl Frame {
    /// Adds a style sheet for the screenshot. Returns its CDP session and id; `None` if no style is needed.
    async fn add_screenshot_style(&self, finish: &ScreenshotAdjustments) -> Option<(CdpSession, String)> {
        let mut text = finish.style.clone().unwrap_or_default();
        if finish.hides_caret && self.utility_world().await.ok()?.call::<bool>("hasCaret", &[]).await.ok()? {
            text.push_str(NO_CARET);
        }
        if text.is_empty() {
            return None;
        }
        let session = self.session();
        session.send(EnableDom {}).ignore();
        session.send(Enable {}).ignore();
        let create = CreateStyleSheet { frame_id: self.id().to_owned(), ..CreateStyleSheet::default() };
        let style_sheet_id = session.call(create).await.ok()?.style_sheet_id;
        let set = SetStyleSheetText { style_sheet_id: style_sheet_id.clone(), text };
        session.call(set).await.ok()?;
        Some((session, style_sheet_id))
    }

    async fn send_to_animations(&self, what: &str) {
        if let Ok(world) = self.utility_world().await {
            // A document that is gone has no animations.
            let _ = world.call::<()>(what, &[]).await;
        }
    }
}
