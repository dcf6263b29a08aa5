//! Chooses from custom lists: opens, searches, chooses and verifies. `injected/control.js` reads the lists.
use std::time::Duration;

use serde::Deserialize;
use serde_json::json;
use tokio::time::{Instant, sleep};

use super::actionability::{ActionOptions, RequiredState};
use super::control::ControlKind;
use super::element::ElementHandle;
use crate::browser::input::{ClickOptions, Point};
use crate::browser::objects::world::value_argument;
use crate::error::{ElementKind, Error, Obstacle, RequiredElementKind, Result, in_quotes, squeezed};

/// How long a list may take to open after a click.
const OPENING: Duration = Duration::from_secs(1);
/// How long a list may take to show search results.
const SEARCHING: Duration = Duration::from_secs(3);
/// How long a field may take to show suggestions.
const COMPLETING: Duration = Duration::from_millis(700);
/// How long the offered options must be unchanged to count as complete.
const SETTLED: Duration = Duration::from_millis(400);
/// How long a control may take to show the chosen option.
const SHOWING: Duration = Duration::from_secs(1);
const PAUSE: Duration = Duration::from_millis(25);
/// How often to turn the wheel over a list that does not scroll before giving up.
const MOST_TURNS_IN_VAIN: usize = 3;
/// The least visible height of a list that can be scrolled with the wheel, in pixels.
const LEAST_IN_VIEW: f64 = 20.0;
/// How long to search a virtual list, which shows other options after each turn of the wheel.
const LONGEST_SEARCH: Duration = Duration::from_secs(20);
/// How long a virtual list may take to draw another part.
const REDRAWING: Duration = Duration::from_millis(300);
/// The minimum number of frames to wait for a virtual list to draw another part, even on a slow page.
const FRAMES_OF_REDRAWING: usize = 6;
/// How often to find and press an option again if the page redrew it during the press.
const MOST_PRESSES: usize = 4;
/// How many options an error lists.
const MOST_LISTED: usize = 50;

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
struct Item {
    text: String,
    /// Alternative names of the option, such as its `value` and `title`.
    also: Vec<String>,
    selected: bool,
    disabled: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
struct Choices {
    items: Vec<Item>,
    /// Whether there is a search field that filters the options.
    filter: bool,
    /// Whether the items have the role `option` or a similar one.
    proper: bool,
    /// Whether the control is open, according to `aria-expanded`.
    open: bool,
    multiple: bool,
}

/// The visible part of a list, its scroll position, and whether it is scrolled to the end.
#[derive(Debug, Clone, Copy, Deserialize)]
struct ListBox {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
    scrolled: f64,
    ended: bool,
}

impl ListBox {
    /// Whether enough of the list is visible to turn the wheel over it.
    fn is_in_view(&self) -> bool {
        self.width >= LEAST_IN_VIEW && self.height >= LEAST_IN_VIEW
    }

    fn middle(&self) -> Point {
        Point::new(self.x + self.width / 2.0, self.y + self.height / 2.0)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Pick {
    /// The index of the option with the wanted name or alternative name.
    Named(usize),
    /// The index of the only option whose name contains the wanted text.
    Like(usize),
    Several(Vec<usize>),
    Nothing,
}

/// Finds the option with the name `wanted`, otherwise the only option whose name contains `wanted`.
fn pick(items: &[Item], wanted: &str) -> Pick {
    let wanted = squeezed(wanted);
    let lower = wanted.to_lowercase();
    let any = |test: &dyn Fn(&str) -> bool| {
        let by_text = items.iter().position(|item| test(&item.text));
        by_text.or_else(|| items.iter().position(|item| item.also.iter().any(|name| test(&squeezed(name)))))
    };
    if let Some(found) = any(&|name| name == wanted).or_else(|| any(&|name| name.to_lowercase() == lower)) {
        return Pick::Named(found);
    }
    if lower.is_empty() {
        return Pick::Nothing;
    }
    let part = |test: &dyn Fn(&str) -> bool| -> Vec<usize> {
        items
            .iter()
            .enumerate()
            .filter(|(_, item)| test(&item.text.to_lowercase()))
            .map(|(at, _)| at)
            .collect()
    };
    let beginning = part(&|text| text.starts_with(&lower));
    let found = if beginning.is_empty() { part(&|text| text.contains(&lower)) } else { beginning };
    match found[..] {
        [] => Pick::Nothing,
        [one] => Pick::Like(one),
        _ => Pick::Several(found),
    }
}

impl ElementHandle {
    /// Chooses these options of the control, and deselects all others of a multiple-choice list.
    pub(in crate::browser) async fn choose(
        &self,
        kind: ControlKind,
        wanted: &[String],
        options: &ActionOptions,
    ) -> Result<()> {
        self.until_ready(RequiredState::ENABLED, options).await?;
        let mut last = None;
        for place in 0..wanted.len() {
            last = match self.choose_one(kind, place, wanted, options).await {
                Ok(searched) => searched,
                Err(error) => {
                    let _ = self.leave_nothing(&wanted[place], options).await;
                    return Err(error);
                }
            };
        }
        self.close_list(options).await?;
        match last {
            Some(searched) if wanted.len() == 1 => self.leave_chosen(&searched, options).await,
            _ => Ok(()),
        }
    }

    /// Presses Tab to leave the search field. Only then does the field show whether it accepted the text.
    async fn leave_chosen(&self, item: &Item, options: &ActionOptions) -> Result<()> {
        let Some(typed) = self.handle_of("typedIn", Vec::new()).await? else { return Ok(()) };
        if !typed.ask::<bool>("isFocused", Vec::new()).await? {
            return Ok(());
        }
        self.input(options)?.keyboard().press("Tab").await?;
        self.frames(2).await?;
        self.until_chosen(item, &[]).await
    }

    /// Types into a field with suggestions, and chooses the suggestion with this name, or else the only one that
    /// contains it. If there is none, the typed text stays.
    pub async fn fill_autocomplete(&self, values: &[String], options: &ActionOptions) -> Result<()> {
        let [value] = values else {
            let found = ElementKind::single_value_control();
            return Err(Error::WrongElement { found, needed: RequiredElementKind::SeveralValues });
        };
        self.ask::<()>("noteDrawn", Vec::new()).await?;
        self.fill(value, options).await?;
        let deadline = Instant::now() + COMPLETING;
        loop {
            sleep(PAUSE).await;
            let is_last = Instant::now() >= deadline;
            let at = match pick(&self.choices().await?.items, value) {
                Pick::Named(at) => at,
                // Until then, more suggestions may come.
                Pick::Like(at) if is_last => at,
                _ if is_last => return Ok(()),
                _ => continue,
            };
            self.ask::<()>("forgetText", Vec::new()).await?;
            return self.press_item(ControlKind::Choice, at, true, options).await;
        }
    }

    /// Chooses the option `all[place]`. Returns that option if it was found by typing.
    async fn choose_one(
        &self,
        kind: ControlKind,
        place: usize,
        all: &[String],
        options: &ActionOptions,
    ) -> Result<Option<Item>> {
        let wanted = all[place].as_str();
        let shown = self.control_value().await?.values;
        if all.len() == 1 && kind == ControlKind::Choice && shown == [wanted] {
            return Ok(None);
        }
        let mut choices = match place {
            0 => self.open_list(options).await?,
            _ => self.reopen_list(options).await?,
        };
        if choices.multiple && place == 0 {
            choices = self.unchoose_others(kind, choices, all, options).await?;
        }
        let mut is_searched = false;
        let at = match pick(&choices.items, wanted) {
            Pick::Named(at) | Pick::Like(at) => Some(at),
            Pick::Several(_) | Pick::Nothing if choices.filter => {
                is_searched = true;
                self.search(wanted).await?
            }
            Pick::Several(some) => return Err(several(&choices, &some)),
            Pick::Nothing => self.scroll_to(wanted, options).await?,
        };
        let Some(at) = at else {
            return self.leave_typed(wanted, &choices, options).await.map(|()| None);
        };
        let Some(item) = self.choices().await?.items.get(at).cloned() else {
            return Err(no_such_option(&choices));
        };
        if item.disabled {
            let obstacle = Obstacle::Disabled;
            return Err(Error::NotActionable { obstacle, waited: Duration::ZERO });
        }
        if item.selected && (choices.multiple || kind == ControlKind::Group) {
            return Ok(None);
        }
        self.press_named(kind, &item, at, options).await?;
        if kind != ControlKind::Group {
            self.until_chosen(&item, &shown).await?;
        }
        Ok(is_searched.then_some(item))
    }

    async fn choices(&self) -> Result<Choices> {
        self.ask("choices", Vec::new()).await
    }

    /// Opens the list and returns its options.
    async fn open_list(&self, options: &ActionOptions) -> Result<Choices> {
        // Before the control is pressed, only lists that it references count: another list may be open on the page.
        let owned = vec![value_argument(&json!({ "owned": true }))];
        let offered: Choices = self.ask("choices", owned).await?;
        if (offered.proper || offered.open) && !offered.items.is_empty() {
            return Ok(offered);
        }
        self.ask::<()>("noteDrawn", Vec::new()).await?;
        let field = self.field().await?;
        let keyboard = self.input(options)?.keyboard();
        if let Some(reached) = field.try_approach(RequiredState::CLICKABLE, options).await? {
            reached.press(&self.input(options)?, &ClickOptions::default()).await?;
            if let Some(offered) = self.until_offered(OPENING).await? {
                return Ok(offered);
            }
        }
        let typed = self.handle_of("typedIn", Vec::new()).await?;
        typed.as_ref().unwrap_or(&field).focus().await?;
        for key in ["ArrowDown", "Enter"] {
            // In a text field, Enter may submit the form.
            if key == "Enter" && typed.is_some() {
                break;
            }
            keyboard.press(key).await?;
            if let Some(offered) = self.until_offered(OPENING / 2).await? {
                return Ok(offered);
            }
        }
        // Some lists offer no options before a search text is typed.
        self.choices().await
    }

    /// Opens the list again after a choice: a multiple-choice list often stays open.
    async fn reopen_list(&self, options: &ActionOptions) -> Result<Choices> {
        if self.ask::<bool>("isListOpen", Vec::new()).await?
            && let Some(offered) = self.until_offered(OPENING / 2).await?
        {
            return Ok(offered);
        }
        self.open_list(options).await
    }

    /// Waits until there are options and they no longer change. Returns `None` after `limit`.
    async fn until_offered(&self, limit: Duration) -> Result<Option<Choices>> {
        let deadline = Instant::now() + limit;
        let mut last = None;
        loop {
            let offered = self.choices().await?;
            if !offered.items.is_empty() && last.as_ref() == Some(&offered) {
                return Ok(Some(offered));
            }
            if Instant::now() >= deadline {
                return Ok(None);
            }
            last = Some(offered);
            sleep(PAUSE).await;
        }
    }

    /// Types `wanted` into the search field. Returns the index of the matching option, if any.
    async fn search(&self, wanted: &str) -> Result<Option<usize>> {
        let Some(filter) = self.handle_of("filterOf", Vec::new()).await? else { return Ok(None) };
        let keyboard = self.frame().page()?.input().keyboard();
        filter.ask::<bool>("focus", Vec::new()).await?;
        filter.ask::<()>("selectAll", Vec::new()).await?;
        keyboard.type_text(wanted, None).await?;
        let deadline = Instant::now() + SEARCHING;
        let mut last = (self.choices().await?, Instant::now());
        loop {
            sleep(PAUSE).await;
            let offered = self.choices().await?;
            let rests = offered == last.0 && last.1.elapsed() >= SETTLED;
            match pick(&offered.items, wanted) {
                Pick::Named(at) if offered == last.0 => return Ok(Some(at)),
                Pick::Like(at) if rests => return Ok(Some(at)),
                Pick::Several(some) if rests => return Err(several(&offered, &some)),
                // Results from a server may arrive late, so the search ends only at the deadline.
                _ if Instant::now() >= deadline => return Ok(None),
                _ => {}
            }
            if offered != last.0 {
                last = (offered, Instant::now());
            }
        }
    }

    /// Searches a virtual list by scrolling with the wheel. Returns the index of the option named `wanted`.
    async fn scroll_to(&self, wanted: &str, options: &ActionOptions) -> Result<Option<usize>> {
        let limit = options.limit.max(LONGEST_SEARCH);
        let deadline = Instant::now() + limit;
        let Some(list) = self.list_in_view(options).await? else { return Ok(None) };
        let mouse = self.input(options)?.mouse();
        mouse.move_to(self.to_page_exactly(list.middle()).await?).await?;
        if list.scrolled > 0.0 {
            // Scrolls exactly to the top of the list: a longer turn of the wheel would scroll the page.
            mouse.wheel(0.0, -list.scrolled).await?;
        }
        let mut last = (self.choices().await?, f64::NAN);
        let mut in_vain = 0;
        while Instant::now() < deadline {
            let offered = self.choices_after(&last.0).await?;
            if let Pick::Named(at) = pick(&offered.items, wanted) {
                return Ok(Some(at));
            }
            let at = self.ask::<Option<ListBox>>("choicesBox", Vec::new()).await?;
            let Some(at) = at.filter(|at| !at.ended) else { return Ok(None) };
            let stands = offered == last.0 && (at.scrolled - last.1).abs() < 1.0;
            in_vain = if stands { in_vain + 1 } else { 0 };
            if in_vain >= MOST_TURNS_IN_VAIN {
                return Err(no_such_option(&offered));
            }
            last = (offered, at.scrolled);
            mouse.wheel(0.0, (list.height * 0.8).max(10.0)).await?;
        }
        Err(Error::WaitRanOut {
            what: format!("finding {} in the long list", in_quotes(wanted)),
            waited: limit,
        })
    }

    /// Scrolls the list into view and returns its visible part; `None` if the list itself does not scroll.
    async fn list_in_view(&self, options: &ActionOptions) -> Result<Option<ListBox>> {
        let list = self.ask::<Option<ListBox>>("choicesBox", Vec::new()).await?;
        if list.is_none_or(|list| list.is_in_view()) {
            return Ok(list);
        }
        if let Some(scroller) = self.handle_of("choicesScroller", Vec::new()).await? {
            scroller.scroll_into_view(options).await?;
        }
        let list = self.ask::<Option<ListBox>>("choicesBox", Vec::new()).await?;
        match list {
            Some(list) if !list.is_in_view() => {
                let obstacle = Obstacle::OutsideViewport;
                Err(Error::NotActionable { obstacle, waited: Duration::ZERO })
            }
            list => Ok(list),
        }
    }

    /// Waits until a scrolled list is redrawn and returns its options; those of `before` if nothing changes.
    async fn choices_after(&self, before: &Choices) -> Result<Choices> {
        let deadline = Instant::now() + REDRAWING;
        let mut drawn = 0;
        loop {
            self.frames(1).await?;
            drawn += 1;
            let offered = self.choices().await?;
            let had_time = drawn >= FRAMES_OF_REDRAWING && Instant::now() >= deadline;
            if offered != *before || had_time {
                return Ok(offered);
            }
        }
    }

    /// Keeps the typed text if the field accepts texts that are not in the list.
    async fn leave_typed(&self, wanted: &str, offered: &Choices, options: &ActionOptions) -> Result<()> {
        if self.handle_of("typedIn", Vec::new()).await?.is_some() {
            self.input(options)?.keyboard().press("Tab").await?;
            self.frames(2).await?;
            if self.control_value().await?.values == [wanted] {
                return Ok(());
            }
        }
        Err(no_such_option(offered))
    }

    /// Clears the search text and closes the list, which could cover other elements.
    async fn leave_nothing(&self, searched: &str, options: &ActionOptions) -> Result<()> {
        if let Some(typed) = self.handle_of("typedIn", Vec::new()).await?
            && typed.ask::<String>("heldBy", Vec::new()).await? == searched
        {
            typed.fill("", options).await?;
        }
        self.close_list(options).await
    }

    /// Clicks an option. If the list is redrawn meanwhile, finds the option again by its text.
    async fn press_named(
        &self,
        kind: ControlKind,
        item: &Item,
        mut at: usize,
        options: &ActionOptions,
    ) -> Result<()> {
        for _ in 0..MOST_PRESSES {
            match self.press_item(kind, at, true, options).await {
                Err(Error::StaleRef { .. }) => {}
                pressed => return pressed,
            }
            let found = self.choices().await?.items.iter().position(|other| other.text == item.text);
            at = found.ok_or_else(|| self.stale())?;
        }
        self.press_item(kind, at, true, options).await
    }

    async fn press_item(
        &self,
        kind: ControlKind,
        at: usize,
        chosen: bool,
        options: &ActionOptions,
    ) -> Result<()> {
        let item = self.handle_of("choiceAt", vec![value_argument(&at)]).await?;
        let item = item.ok_or_else(|| self.stale())?;
        if kind == ControlKind::Group {
            return item.set_checked(chosen, options).await;
        }
        let reached =
            item.approach(RequiredState { enabled: false, ..RequiredState::CLICKABLE }, options).await?;
        reached.press(&self.input(options)?, &ClickOptions::default()).await
    }

    /// Deselects options that are not in `wanted`. Returns the options afterwards.
    async fn unchoose_others(
        &self,
        kind: ControlKind,
        mut offered: Choices,
        wanted: &[String],
        options: &ActionOptions,
    ) -> Result<Choices> {
        let kept = |offered: &Choices| -> Vec<usize> {
            let picked = wanted.iter().filter_map(|text| match pick(&offered.items, text) {
                Pick::Named(at) | Pick::Like(at) => Some(at),
                Pick::Several(_) | Pick::Nothing => None,
            });
            picked.collect()
        };
        for _ in 0..offered.items.len() {
            let keep = kept(&offered);
            let other =
                offered.items.iter().enumerate().find(|(at, item)| item.selected && !keep.contains(at));
            let Some((at, other)) = other.map(|(at, item)| (at, item.clone())) else { break };
            self.press_item(kind, at, false, options).await?;
            offered = self.reopen_list(options).await?;
            if offered.items.contains(&other) {
                break;
            }
        }
        Ok(offered)
    }

    /// Waits until the control shows the pressed option, or at least another value than before.
    async fn until_chosen(&self, item: &Item, before: &[String]) -> Result<()> {
        let deadline = Instant::now() + SHOWING;
        loop {
            let shown = match self.control_value().await {
                // The choice made the page navigate or open a dialog.
                Err(Error::StaleRef { .. } | Error::DialogOpen { .. }) => return Ok(()),
                shown => shown?,
            };
            let is_late = Instant::now() >= deadline;
            let shows = shown.values.iter().any(|value| value.contains(&item.text));
            let chosen = || async {
                let offered = self.choices().await?;
                Ok::<_, Error>(offered.items.iter().any(|other| other.selected && other.text == item.text))
            };
            if shown.kind == ControlKind::Gone
                || shows
                || (is_late && !shown.is_empty() && shown.values != before)
                || chosen().await?
            {
                return Ok(());
            }
            if is_late {
                return Err(Error::NotTaken { shows: shown.values.join(", ") });
            }
            sleep(PAUSE).await;
        }
    }

    /// Closes a list that stays open after a choice.
    async fn close_list(&self, options: &ActionOptions) -> Result<()> {
        let is_open = async || match self.ask::<bool>("isListOpen", Vec::new()).await {
            Err(Error::StaleRef { .. } | Error::DialogOpen { .. }) => Ok(false),
            open => open,
        };
        let deadline = Instant::now() + OPENING / 3;
        while is_open().await? {
            if Instant::now() < deadline {
                sleep(PAUSE).await;
                continue;
            }
            if !self.ask::<bool>("isInDialog", Vec::new()).await? {
                self.input(options)?.keyboard().press("Escape").await?;
                self.frames(2).await?;
            }
            if is_open().await? {
                // Escape had no effect, or would have closed the dialog around the list.
                let typed = self.handle_of("typedIn", Vec::new()).await?;
                typed.unwrap_or(self.field().await?).blur().await?;
            }
            break;
        }
        Ok(())
    }
}

fn labels_of(choices: &Choices, some: impl Iterator<Item = usize>) -> Vec<String> {
    some.take(MOST_LISTED).map(|at| choices.items[at].text.clone()).collect()
}

fn several(choices: &Choices, some: &[usize]) -> Error {
    Error::SeveralOptions { matching: labels_of(choices, some.iter().copied()) }
}

fn no_such_option(choices: &Choices) -> Error {
    Error::NoSuchOption { available: labels_of(choices, 0..choices.items.len()) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn items(texts: &[&str]) -> Vec<Item> {
        let item = |text: &&str| Item {
            text: (*text).to_owned(),
            also: Vec::new(),
            selected: false,
            disabled: false,
        };
        texts.iter().map(item).collect()
    }

    #[test]
    fn what_is_meant_is_found_by_name_then_by_a_part_that_no_other_has() {
        let offered = items(&["Small", "Medium", "Large", "Extra large", "small"]);
        assert_eq!(pick(&offered, "Small"), Pick::Named(0));
        assert_eq!(pick(&offered, "small"), Pick::Named(4));
        assert_eq!(pick(&offered, "LARGE"), Pick::Named(2));
        assert_eq!(pick(&offered, "Med"), Pick::Like(1));
        assert_eq!(pick(&offered, "tra la"), Pick::Like(3));
        assert_eq!(pick(&offered, "arg"), Pick::Several(vec![2, 3]));
        assert_eq!(pick(&offered, "Huge"), Pick::Nothing);
        assert_eq!(pick(&offered, ""), Pick::Nothing);
    }

    proptest! {
        /// An option is found by its own name, whatever else is offered.
        #[test]
        fn a_name_finds_its_own(texts in proptest::collection::vec("[A-Za-z]{1,6}( [a-z]{1,4})?", 1..12), at in 0_usize..12) {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let wanted = texts[at % texts.len()];
            let Pick::Named(found) = pick(&items(&texts), wanted) else { panic!("not found") };
            prop_assert_eq!(texts[found], wanted);
        }
    }
}
