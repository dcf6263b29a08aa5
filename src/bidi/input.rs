//! Pointer, keyboard and touch input. Queued input is sent as one `performActions` command, since Firefox
//! would run several pending commands with pauses in between.
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::sync::oneshot;

use super::aim::{self, FramePosition};
use super::answers::{Answer, Command, unknown};
use super::contexts::bring_to_front;
use super::driver::Driver;
use super::errors::Refusal;
use super::runtime::{ask_page, ask_page_raw};
use super::{keys, missing_features};

/// The input devices of a tab, and the queue of input for them.
#[derive(Debug, Default)]
pub(super) struct Devices {
    queue: VecDeque<Waiting>,
    is_busy: bool,
    /// When the last input was requested, and when it was performed.
    past: Option<LastInput>,
    /// The frame under the pointer; `None` for the main frame.
    place: Option<FramePosition>,
    /// The number of pressed buttons. Until all are released, pointer input goes to the frame in `place`.
    pressed: usize,
}

/// Queued input, and the channel to the caller that waits for its completion.
#[derive(Debug)]
struct Waiting {
    item: Item,
    asked: Instant,
    sender: oneshot::Sender<Result<(), Refusal>>,
}

/// When input was requested, and when it was performed.
#[derive(Debug, Clone, Copy)]
struct LastInput {
    asked: Instant,
    done: Instant,
}

#[derive(Debug)]
enum Item {
    /// A sequence of actions, each for one device.
    Ticks(Vec<(Device, Value)>),
    Insert(String),
    /// No input: completes when all earlier input was performed.
    Barrier,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Device {
    Mouse,
    Keyboard,
    Wheel,
    Finger,
}

impl Device {
    fn source(self, actions: Vec<Value>) -> Value {
        let pointer =
            |id: &str, kind: &str| json!({"type": "pointer", "id": id, "parameters": {"pointerType": kind}});
        let mut source = match self {
            Self::Mouse => pointer("mouse", "mouse"),
            Self::Finger => pointer("finger", "touch"),
            Self::Keyboard => json!({"type": "key", "id": "keyboard"}),
            Self::Wheel => json!({"type": "wheel", "id": "wheel"}),
        };
        source["actions"] = actions.into();
        source
    }
}

/// The maximum number of actions in one gesture.
const MOST_TICKS: usize = 200;

pub(super) async fn answer(command: Command<'_>, method: &str) -> Answer {
    let item = match method {
        "Input.dispatchMouseEvent" => mouse(command.params),
        "Input.dispatchKeyEvent" => key(command.params)?,
        "Input.dispatchTouchEvent" => touch(command.params)?,
        "Input.insertText" => Item::Insert(command.text("text").to_owned()),
        "Firefox.clickChain" => chain(command.params),
        "Input.setInterceptDrags" | "Input.dispatchDragEvent" => {
            return Err(Refusal::Missing(missing_features::DRAG_AND_DROP));
        }
        _ => return unknown(method),
    };
    done(command, item).await?;
    Ok(json!({}))
}

/// Waits until the page has received all input that was queued before.
pub(super) async fn until_received(command: Command<'_>) {
    let _ = done(command, Item::Barrier).await;
}

async fn done(command: Command<'_>, item: Item) -> Result<(), Refusal> {
    let (sender, receiver) = oneshot::channel();
    let starts = {
        let mut state = command.driver.state();
        let tab = state.tabs.get_mut(command.tab).ok_or_else(Refusal::no_frame)?;
        tab.devices.queue.push_back(Waiting { item, asked: Instant::now(), sender });
        !std::mem::replace(&mut tab.devices.is_busy, true)
    };
    if starts {
        let (driver, tab) = (command.driver.clone(), command.tab.to_owned());
        command.driver.spawn(async move { work(&driver, &tab).await });
    }
    receiver.await.unwrap_or_else(|_| Err(Refusal::no_frame()))
}

/// Performs queued input until the queue is empty. One task per tab runs this.
async fn work(driver: &Arc<Driver>, tab: &str) {
    loop {
        let mut batch: Vec<(Device, Value)> = Vec::new();
        let mut waiting = Vec::new();
        let mut insert = None;
        let mut last = None;
        {
            let mut state = driver.state();
            let Some(devices) = state.tabs.get_mut(tab).map(|tab| &mut tab.devices) else { return };
            let past = devices.past;
            while let Some(Waiting { item, .. }) = devices.queue.front() {
                let stops =
                    !batch.is_empty() && (matches!(item, Item::Insert(_)) || batch.len() > MOST_TICKS);
                if stops || insert.is_some() {
                    break;
                }
                let Some(Waiting { item, asked, sender }) = devices.queue.pop_front() else { break };
                match item {
                    Item::Ticks(ticks) => {
                        let before = last.map(|last| (last, Duration::ZERO));
                        let before = before.or_else(|| past.map(|past| (past.asked, past.done.elapsed())));
                        let pause = before.and_then(|(before, gone)| pause(&ticks, asked - before, gone));
                        batch.extend(pause);
                        batch.extend(ticks);
                        last = Some(asked);
                    }
                    Item::Insert(text) => insert = Some(text),
                    Item::Barrier => {}
                }
                waiting.push(sender);
            }
            if waiting.is_empty() {
                devices.is_busy = false;
                return;
            }
        }
        if insert.is_some() || !batch.is_empty() {
            let _ = bring_to_front(driver, tab).await;
        }
        let done = match insert {
            Some(text) => insert_text(driver, tab, &text).await,
            None if batch.is_empty() => Ok(()),
            None => perform(driver, tab, batch).await,
        };
        if let Some(asked) = last
            && let Some(tab) = driver.state().tabs.get_mut(tab)
        {
            tab.devices.past = Some(LastInput { asked, done: Instant::now() });
        }
        for waiting in waiting {
            let _ = waiting.send(done.clone());
        }
    }
}

/// Returns the pause before a press or release that was requested later than the previous input. Without the
/// pause, the page would receive both at the same time, since queued input is sent as one gesture.
fn pause(ticks: &[(Device, Value)], asked_after: Duration, gone: Duration) -> Option<(Device, Value)> {
    const SHORTEST: Duration = Duration::from_millis(1);
    const LONGEST: Duration = Duration::from_millis(50);
    let (device, action) = ticks.first()?;
    let is_press = matches!(action["type"].as_str(), Some("pointerDown" | "pointerUp" | "keyDown" | "keyUp"));
    let rest = asked_after.min(LONGEST).saturating_sub(gone);
    let whole = u64::try_from(rest.as_micros().div_ceil(1_000)).unwrap_or_default();
    (is_press && rest >= SHORTEST).then(|| (*device, json!({"type": "pause", "duration": whole})))
}

/// Performs a sequence of actions, each in the frame that must receive it.
async fn perform(driver: &Driver, tab: &str, ticks: Vec<(Device, Value)>) -> Result<(), Refusal> {
    let is_within = {
        let mut state = driver.state();
        let is_within = aim::embeds_other_sites(&state, tab);
        if let Some(tab) = state.tabs.get_mut(tab).filter(|_| !is_within) {
            (tab.devices.place, tab.devices.pressed) = (None, 0);
        }
        is_within
    };
    if !is_within {
        return gesture(driver, tab, ticks).await;
    }
    let mut context = tab.to_owned();
    let mut together: Vec<(Device, Value)> = Vec::new();
    for (device, action) in ticks {
        if action["type"] == "pause" {
            together.push((device, action));
            continue;
        }
        if device == Device::Keyboard && together.iter().any(|(before, _)| moves_focus(*before)) {
            gesture(driver, &context, std::mem::take(&mut together)).await?;
        }
        let (received_by, action, is_entered) = aimed(driver, tab, device, action).await?;
        if received_by != context && !together.is_empty() {
            gesture(driver, &context, std::mem::take(&mut together)).await?;
        }
        if let Some(outside) = is_entered {
            // The embedding page also receives the move, and so learns that the pointer is over the frame.
            gesture(driver, tab, vec![(device, outside)]).await?;
        }
        let is_tab_key = device == Device::Keyboard && action["value"] == keys::TAB;
        context = received_by;
        together.push((device, action));
        if is_tab_key {
            gesture(driver, &context, std::mem::take(&mut together)).await?;
        }
    }
    if together.is_empty() { Ok(()) } else { gesture(driver, &context, together).await }
}

fn moves_focus(device: Device) -> bool {
    matches!(device, Device::Mouse | Device::Finger)
}

/// Returns the frame that receives an action and the action in its coordinates. The third value is a move in
/// the tab's coordinates, set when the pointer enters the frame.
async fn aimed(
    driver: &Driver,
    tab: &str,
    device: Device,
    action: Value,
) -> Result<(String, Value, Option<Value>), Refusal> {
    let point = action["x"].as_f64().zip(action["y"].as_f64());
    let kind = action["type"].as_str().unwrap_or_default();
    if device == Device::Keyboard {
        return Ok((aim::at_focus(driver, tab).await?, action, None));
    }
    if let (Device::Wheel, Some((x, y))) = (device, point) {
        let place = aim::at_point(driver, tab, x, y).await?;
        return Ok((place.context.clone(), place.aimed(action), None));
    }
    let (before, pressed) = {
        let mut state = driver.state();
        let mut place = match state.tabs.get_mut(tab) {
            Some(tab) => {
                match kind {
                    "pointerDown" => tab.devices.pressed += 1,
                    "pointerUp" => tab.devices.pressed = tab.devices.pressed.saturating_sub(1),
                    _ => {}
                }
                tab.devices.place.clone()
            }
            None => None,
        };
        place = place.filter(|place| state.frames.contains_key(&place.context));
        let pressed = state.tabs.get(tab).map_or(0, |tab| tab.devices.pressed);
        (place.unwrap_or_else(|| FramePosition::tab(tab)), pressed)
    };
    let (place, is_entered) = match point {
        Some((x, y)) if pressed == 0 => {
            let place = aim::at_point(driver, tab, x, y).await?;
            let is_entered = place.context != before.context && place.context != tab;
            let kept = (place.context != tab).then(|| place.clone());
            if let Some(tab) = driver.state().tabs.get_mut(tab) {
                tab.devices.place = kept;
            }
            (place, is_entered)
        }
        _ => (before, false),
    };
    let outside = is_entered.then(|| action.clone());
    Ok((place.context.clone(), place.aimed(action), outside))
}

/// Performs several actions in one frame with a single `performActions`.
async fn gesture(driver: &Driver, context: &str, ticks: Vec<(Device, Value)>) -> Result<(), Refusal> {
    let ask = |ticks: &[(Device, Value)]| json!({"context": context, "actions": sources(ticks)});
    match driver.ask("input.performActions", ask(&ticks)).await {
        Err(Refusal::Failed(reason)) if reason.starts_with("move target out of bounds") => {
            // Firefox rejects points outside the viewport, so they are moved to its edge.
            let size = ask_page(driver, context, "() => [innerWidth, innerHeight]", Vec::new()).await?;
            let within = ticks.into_iter().map(|(device, action)| (device, held_within(action, &size)));
            let within: Vec<_> = within.collect();
            driver.ask("input.performActions", ask(&within)).await.map(drop)
        }
        done => done.map(drop),
    }
}

fn held_within(mut action: Value, size: &Value) -> Value {
    for (side, name) in ["x", "y"].into_iter().enumerate() {
        if let (Some(at), Some(length)) = (action[name].as_f64(), size[side].as_f64()) {
            action[name] = at.clamp(0.0, (length - 1.0).max(0.0)).into();
        }
    }
    action
}

/// Returns the BiDi action list of each device in use. While one device acts, the others pause.
fn sources(ticks: &[(Device, Value)]) -> Vec<Value> {
    let devices = [Device::Keyboard, Device::Mouse, Device::Wheel, Device::Finger];
    let acting = devices.into_iter().filter(|device| ticks.iter().any(|(acts, _)| acts == device));
    let list = |device: Device| {
        let action = |(acts, action): &(Device, Value)| {
            if *acts == device { action.clone() } else { json!({"type": "pause"}) }
        };
        device.source(ticks.iter().map(action).collect())
    };
    acting.map(list).collect()
}

fn button(name: &str) -> u32 {
    match name {
        "middle" => 1,
        "right" => 2,
        "back" => 3,
        "forward" => 4,
        _ => 0,
    }
}

fn mouse(params: &Value) -> Item {
    let at = json!({"type": "pointerMove", "x": params["x"], "y": params["y"], "duration": 0});
    let number = button(params["button"].as_str().unwrap_or_default());
    Item::Ticks(match params["type"].as_str() {
        Some("mousePressed") => vec![(Device::Mouse, json!({"type": "pointerDown", "button": number}))],
        Some("mouseReleased") => vec![(Device::Mouse, json!({"type": "pointerUp", "button": number}))],
        Some("mouseWheel") => {
            #[expect(clippy::cast_possible_truncation, reason = "pixels")]
            let whole = |name: &str| params[name].as_f64().unwrap_or_default().round() as i64;
            let scroll = json!({
                "type": "scroll", "x": whole("x"), "y": whole("y"), "deltaX": whole("deltaX"), "deltaY": whole("deltaY"),
                "duration": 0,
            });
            vec![(Device::Wheel, scroll)]
        }
        _ => vec![(Device::Mouse, at)],
    })
}

/// Builds one gesture of several clicks from the parameters of a [`PerformClicks`](super::commands::PerformClicks).
fn chain(params: &Value) -> Item {
    let number = button(params["button"].as_str().unwrap_or_default());
    let pause = |time: &Value| (Device::Mouse, json!({"type": "pause", "duration": time}));
    let mut ticks = Vec::new();
    for (click, hold) in params["holds"].as_array().into_iter().flatten().enumerate() {
        if click > 0 {
            ticks.push(pause(&params["pauses"][click - 1]));
        }
        ticks.push((Device::Mouse, json!({"type": "pointerDown", "button": number})));
        ticks.push(pause(hold));
        ticks.push((Device::Mouse, json!({"type": "pointerUp", "button": number})));
    }
    Item::Ticks(ticks)
}

fn key(params: &Value) -> Result<Item, Refusal> {
    let text = |name: &str| params[name].as_str().unwrap_or_default();
    let kind = match text("type") {
        "keyUp" => "keyUp",
        // The preceding `keyDown` already typed the character.
        "char" => return Ok(Item::Barrier),
        _ => "keyDown",
    };
    let missing = || Refusal::Missing(missing_features::key(text("key")));
    let value = keys::value(text("code"), text("key")).ok_or_else(missing)?;
    Ok(Item::Ticks(vec![(Device::Keyboard, json!({"type": kind, "value": value}))]))
}

fn touch(params: &Value) -> Result<Item, Refusal> {
    let points = params["touchPoints"].as_array().map(Vec::as_slice).unwrap_or_default();
    Ok(Item::Ticks(match (params["type"].as_str(), points) {
        (Some("touchStart"), [at]) => vec![
            (Device::Finger, json!({"type": "pointerMove", "x": at["x"], "y": at["y"], "duration": 0})),
            (Device::Finger, json!({"type": "pointerDown", "button": 0})),
        ],
        (Some("touchMove"), [at]) => {
            vec![(Device::Finger, json!({"type": "pointerMove", "x": at["x"], "y": at["y"], "duration": 0}))]
        }
        (Some("touchEnd" | "touchCancel"), _) => {
            vec![(Device::Finger, json!({"type": "pointerUp", "button": 0}))]
        }
        _ => return Err(Refusal::Missing(missing_features::MULTI_TOUCH)),
    }))
}

/// Inserts text at the focus as an input method does. The page receives a trusted `input` event.
async fn insert_text(driver: &Driver, tab: &str, text: &str) -> Result<(), Refusal> {
    const INSERT: &str = "text => { let at = document.activeElement; \
        while (at && at.shadowRoot && at.shadowRoot.activeElement) at = at.shadowRoot.activeElement; \
        if (at && /^(?:IFRAME|FRAME)$/.test(at.nodeName)) return at.contentWindow; \
        document.execCommand('insertText', false, text); return null; }";
    const DEEPEST: usize = 20;
    let mut frame = tab.to_owned();
    for _ in 0..DEEPEST {
        let given = vec![json!({"type": "string", "value": text})];
        let answer = ask_page_raw(driver, &frame, INSERT, given).await?;
        match answer["value"]["context"].as_str() {
            Some(inner) => inner.clone_into(&mut frame),
            None => return Ok(()),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn while_one_device_acts_the_others_pause() {
        let ticks = [
            (Device::Keyboard, json!({"type": "keyDown", "value": "a"})),
            (Device::Mouse, json!({"type": "pointerDown", "button": 0})),
        ];
        let sources = sources(&ticks);
        assert_eq!(sources.len(), 2);
        assert_eq!(sources[0]["actions"][1]["type"], "pause");
        assert_eq!(sources[1]["actions"][0]["type"], "pause");
    }

    #[test]
    fn what_waits_for_its_turn_keeps_its_distance() {
        let ms = Duration::from_millis;
        let press = [(Device::Mouse, json!({"type": "pointerDown", "button": 0}))];
        let waits =
            |asked_after, gone| pause(&press, asked_after, gone).map(|(_, tick)| tick["duration"].clone());
        assert_eq!(waits(ms(7), ms(0)), Some(json!(7)));
        assert_eq!(waits(Duration::from_micros(6_200), ms(4)), Some(json!(3)));
        assert_eq!(waits(ms(7), ms(7)), None);
        assert_eq!(waits(ms(2_000), ms(0)), Some(json!(50)));
        let moves = [(Device::Mouse, json!({"type": "pointerMove", "x": 1, "y": 1}))];
        assert_eq!(pause(&moves, ms(7), ms(0)), None);
    }

    #[test]
    fn a_double_click_is_one_gesture() {
        let Item::Ticks(ticks) = chain(&json!({"button": "left", "holds": [30, 30], "pauses": [50]})) else {
            panic!("no gesture");
        };
        let kinds: Vec<_> = ticks.iter().map(|(_, action)| action["type"].as_str().unwrap()).collect();
        assert_eq!(
            kinds,
            ["pointerDown", "pause", "pointerUp", "pause", "pointerDown", "pause", "pointerUp"]
        );
    }
}
