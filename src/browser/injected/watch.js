// Records DOM changes and signs of pending changes during an action, so that the engine knows when the page has settled.
const { parentNode, rootOf, slotOfElement, checkVisibility, matches, querySelectorAll, textContent, getAttribute } = engine.native;
const { native } = engine;

let observer = null;
let changes = 0;
let last = 0;
let watches = 0;
let grown = 0; // the number of added elements
let growth = { of: null, times: 0, at: 0 }; // the element to which text is appended repeatedly, how often, and when last
let said = new Map(); // live regions and notices that appeared → their last text
let busyBefore = new WeakSet();
let leftOnce = new WeakSet(); // removed nodes, which do not count as new if the page inserts them again
let working = new Set(); // added elements that show that content is still loading
let begun = 0; // start of the watch, on the document's animation timeline
let placed = new Map(); // element → its positioning attributes before the first change, and the time of the last change

/** The interval at which the page clock advances. */
const TICK_MS = 10;
/** The most by which one tick advances the page clock: if the timer fires later, the page was blocked. */
const LONGEST_TICK_MS = 20;
/** The page clock stops its timer if nothing has read it for this time. */
const UNREAD_MS = 1_000;
let clock = 0;
let ticked = 0;
let read = 0;
let ticking = false;

/**
 * Returns the time of the page clock, in milliseconds. It advances only while timers of the page fire on time, so on a busy machine it is
 * slower than the wall clock. When N milliseconds have passed on it, page timers of that length have fired.
 */
function pageTime() {
  read = performance.now();
  if (!ticking) {
    clock += read - ticked;
    ticked = read;
    ticking = true;
    setTimeout(tick, TICK_MS);
  }
  return clock + counted(read);
}

/** Returns the time since the last tick, limited only if the page is visible, since browsers throttle the timers of hidden pages. */
const counted = (now) => (document.visibilityState === "visible" ? Math.min(now - ticked, LONGEST_TICK_MS) : now - ticked);

function tick() {
  const now = performance.now();
  clock += counted(now);
  ticked = now;
  ticking = now - read < UNREAD_MS;
  if (ticking) setTimeout(tick, TICK_MS);
}

const LIVE = "[role=alert],[role=status],[role=log],[aria-live=polite],[aria-live=assertive],output";
const BUSY = "[aria-busy=true],progress:not([value]),[role=progressbar]:not([aria-valuenow],[aria-valuetext])";
const MOST_SAID = 10;
const LONGEST_SAID = 300;
/** The most mutation records, and added elements per record, that are searched for live regions and notices. */
const MOST_HEARD = 40;

/** Starts recording changes of the document and of the shadow roots that contain these nodes. Returns the number of this watch. */
engine.watch = (...nodes) => {
  observer?.disconnect();
  watches++;
  changes = 0;
  grown = 0;
  said = new Map();
  growth = { of: null, times: 0, at: 0 };
  placed = new Map();
  engine.forgetRestyled();
  working = new Set();
  begun = document.timeline.currentTime ?? 0;
  leftOnce = new WeakSet();
  busyBefore = new WeakSet(busyNow());
  last = pageTime();
  observer = new MutationObserver(note);
  const everything = {
    subtree: true,
    childList: true,
    attributes: true,
    attributeOldValue: true,
    characterData: true,
    characterDataOldValue: true,
  };
  observer.observe(document, everything);
  for (const node of nodes) {
    for (let root = rootOf(node); root instanceof ShadowRoot; root = rootOf(root.host)) observer.observe(root, everything);
  }
  return watches;
};

function note(records) {
  if (!records.length) return;
  changes += records.length;
  last = pageTime();
  let heard = 0;
  for (const record of records) {
    if (record.type === "attributes") {
      engine.noteRestyled(record.target);
      if (PLACING.has(record.attributeName)) notePlace(record);
      continue;
    }
    const added = Array.from(record.addedNodes).filter((node) => node instanceof Element);
    grown += added.filter((element) => !AT_WORK.test(textContent(element))).length;
    for (const node of record.removedNodes) leftOnce.add(node);
    if (record.type === "childList" && !record.addedNodes.length) continue;
    if (heard++ >= MOST_HEARD) continue;
    noteGrowth(record);
    noteWork(record);
    const target = record.target instanceof Element ? record.target : record.target.parentElement;
    const live = target && Element.prototype.closest.call(target, LIVE);
    if (live) announce(live);
    else for (const element of added.slice(0, MOST_HEARD)) if (!leftOnce.has(element)) announceNew(element);
  }
}

/** Texts that say that content is still loading. */
const AT_WORK = /^\W*(?:loading|searching|please wait)\b.{0,20}$/i;

/** Placeholders for content that is still loading. */
const SKELETON = "[class*=skeleton i],[class*=shimmer i]";

function noteWork({ type, target, addedNodes }) {
  const nodes = type === "characterData" ? [target] : Array.from(addedNodes).slice(0, MOST_HEARD);
  for (const node of nodes) {
    const holder = node instanceof Element ? node : node.parentElement;
    if (holder && isAtWork(holder)) working.add(holder);
  }
}

function isAtWork(element) {
  if (matches(element, SKELETON) || querySelectorAll(element, SKELETON).length) return true;
  return AT_WORK.test(textContent(element).trim());
}

/** Whether an element still shows that content is loading. */
function isSeenAtWork(element) {
  if (AT_WORK.test(textContent(element).trim())) return checkVisibility(element, SEEN);
  const parts = Array.from(querySelectorAll(element, SKELETON));
  if (matches(element, SKELETON)) parts.push(element);
  return parts.some((part) => checkVisibility(part, SEEN));
}

const PLACING = new Set(["style", "transform", "x", "y", "cx", "cy", "x1", "y1", "x2", "y2", "d", "points"]);
const PLACING_STYLES = ["left", "top", "right", "bottom", "transform", "translate", "marginLeft", "marginTop"];
const MOST_PLACED = 200;
const MOST_MOVED = 3;
/** An element whose position changed within this time is still moving. */
const MOVING_MS = 45;

function notePlace({ target, attributeName, oldValue }) {
  let place = placed.get(target);
  if (!place && placed.size < MOST_PLACED) placed.set(target, (place = { before: new Map() }));
  if (!place) return;
  if (!place.before.has(attributeName)) place.before.set(attributeName, oldValue);
  place.last = performance.now();
}

/** Returns `{what, at: [x, y]}` of the outermost elements that have moved since the watch began and have stopped moving. */
function moved() {
  const elsewhere = Array.from(placed).filter(
    ([element, { before, last }]) =>
      performance.now() - last > MOVING_MS &&
      element.isConnected &&
      checkVisibility(element, SEEN) &&
      Array.from(before).some(([name, value]) => placeIn(name, value) !== placeIn(name, getAttribute(element, name))),
  );
  const elements = elsewhere.map(([element]) => element);
  const outermost = elements.filter((element) => !elements.some((other) => other !== element && native.contains(other, element)));
  return outermost.slice(0, MOST_MOVED).map((element) => {
    const box = engine.native.rectOf(element);
    return { what: inWords(element), at: [Math.round(box.x), Math.round(box.y)] };
  });
}

function placeIn(name, value) {
  if (name !== "style") return value ?? "";
  const { style } = Object.assign(document.createElement("i"), { style: value ?? "" });
  return PLACING_STYLES.map((property) => style[property]).join("|");
}

/** Records the element to which text is appended piece by piece, as in a streamed answer. */
function noteGrowth({ type, target, oldValue, addedNodes, removedNodes }) {
  const textOf = (nodes) => Array.from(nodes, textContent).join("");
  const [before, after] = type === "characterData" ? [oldValue, target.data] : [textOf(removedNodes), textOf(addedNodes)];
  if (after.length <= before.length || !after.startsWith(before)) return;
  const place = target instanceof Element ? target : target.parentElement;
  if (!place || isTypedInto(place)) return;
  const goesOn = growth.of && native.contains(growth.of, place);
  growth = goesOn ? { ...growth, times: growth.times + 1, at: last } : { of: place, times: 1, at: last };
}
/** The longest pause between two pieces of a streamed text. */
const LONGEST_PAUSE_MS = 250;
/** Returns the number of appended pieces, and for how many milliseconds to wait for the next one. */
const growing = () => [growth.times, Math.max(0, LONGEST_PAUSE_MS - (pageTime() - growth.at))];
/** Whether an element is an editor, or the element in which an editor draws the text of its hidden input field. */
function isTypedInto(place) {
  const beside = engine.activeElement()?.parentElement;
  return (
    place.isContentEditable || (beside && beside !== document.body && beside !== document.documentElement && native.contains(beside, place))
  );
}

engine.inWords = inWords;
/** Returns the role, accessible name (or text) and ref number of an element, as a snapshot shows them. */
function inWords(element) {
  const role = engine.roleOf(element);
  const name = engine.withoutIcons(engine.nameOf(element, role) || engine.collapse(textContent(element)));
  return { role, name, ref: engine.refOf(element) };
}

/** Records the text of a new element if it is a live region, contains one, or is a positioned box without controls, such as a toast. */
function announceNew(element) {
  if (matches(element, LIVE)) return announce(element);
  const inside = Array.from(querySelectorAll(element, LIVE)).slice(0, MOST_SAID);
  if (inside.length) return inside.forEach(announce);
  const { position } = getComputedStyle(element);
  const isPlaced = (position === "fixed" || position === "absolute") && !engine.isDragging() && !isOneOfMany(element);
  if (isPlaced && !isTypedInto(element) && !querySelectorAll(element, "a,input,select,textarea,[role]").length) announce(element);
}

const FEWEST_ENTRIES = 4;
/** Whether an element is one of several of its kind, such as the entries of a list that keeps only its visible rows. */
function isOneOfMany(element) {
  const siblings = Array.from(element.parentElement?.children ?? []);
  return siblings.filter((other) => native.localName(other) === native.localName(element)).length >= FEWEST_ENTRIES;
}

/** Returns the text of an element, with spaces between blocks and without the text of buttons. */
function spokenIn(element) {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT, (node) =>
    node instanceof Element && matches(node, UNSPOKEN) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT,
  );
  let text = "";
  while (walker.nextNode())
    text += walker.currentNode.nodeType === Node.TEXT_NODE ? walker.currentNode.data : isInline(walker.currentNode) ? "" : " ";
  return engine.collapse(text);
}
const UNSPOKEN = "button,[role=button],[aria-hidden=true],script,style,template";
const isInline = (element) => getComputedStyle(element).display === "inline";

function announce(element) {
  if ((said.size >= MOST_SAID && !said.has(element)) || !element.isConnected || !checkVisibility(element)) return;
  const text = spokenIn(element);
  const box = engine.native.rectOf(element);
  // Ignores text outside the page area, where pages measure text, except for live regions, which are meant for screen readers.
  const isAway = box.right + scrollX <= 0 || box.bottom + scrollY <= 0;
  if (isAway && !matches(element, LIVE)) return;
  if (text && text.length <= LONGEST_SAID && box.width > 1 && box.height > 1) said.set(element, text);
}

/** Resolves once the timers of the page that are already due have run. */
engine.afterTimers = async () => {
  if (document.visibilityState === "visible") await new Promise((resolve) => setTimeout(resolve));
};

const SEEN = { visibilityProperty: true, opacityProperty: true };
/** Whether a busy element is visible. Pages often keep an invisible progress bar after loading has finished. */
const isSeenToWork = (element) => {
  if (!checkVisibility(element, SEEN) || engine.isAriaHidden(element)) return false;
  if (matches(element, "[aria-busy=true]")) return true;
  // The bar in its container is hidden while nothing is at work.
  return hasArea(element) && (!element.firstElementChild || Array.from(element.children).some(isSeenIn));
};
const hasArea = (element) => {
  const box = engine.native.rectOf(element);
  return box.width > 0 && box.height > 0;
};
const isSeenIn = (part) => checkVisibility(part, SEEN) && hasArea(part);
const busyNow = () => (document.documentElement ? Array.from(querySelectorAll(document.documentElement, BUSY)).filter(isSeenToWork) : []);

/**
 * Returns what the watch has recorded: number of changes; milliseconds since the last (`quiet`); added elements (`grown`); `growing`;
 * milliseconds until relevant animations end (`leaving`); whether a part is `busy` or `loading`; texts of notices (`said`); `moved`
 * elements; why a press was `lost`; whether timers were set since the press began (`timed`), and it is a double click (`doubled`). First
 * lets due timers run, since a blocked page would seem idle.
 */
engine.watched = async () => {
  await engine.afterTimers();
  if (observer) note(observer.takeRecords());
  const busy = changes > 0 && busyNow().some((element) => !busyBefore.has(element));
  return {
    clock: pageTime(),
    changes,
    quiet: pageTime() - last,
    grown,
    growing: growing(),
    leaving: leaving(),
    busy,
    loading: Array.from(working).some(isSeenAtWork),
    closing: closed,
    said: Array.from(new Set(said.values())),
    moved: moved(),
    lost: lostPress(),
    timed: hasSetTimers(),
    doubled: press?.double === true,
  };
};

/** Whether the page has set timers since the press began, as far as this document can tell. */
const hasSetTimers = () => press?.timers === null || window !== top || engine.pageTimers() > press?.timers;

/* --------------------------------------------------------------------- presses */

const PRESS = ["pointerdown", "mousedown", "pointerup", "mouseup", "click", "dblclick", "auxclick", "contextmenu"];
let press = null;

/** Starts recording a press on the node and its click. Returns whether a click that works is expected to change the DOM. */
engine.watchPress = (node) => {
  endPress();
  press = {
    node,
    called: inWords(node),
    down: false,
    downs: 0,
    up: false,
    double: false,
    clicked: false,
    doubled: false,
    by: null,
    over: null,
    at: null,
    reached: false,
    past: false,
    timers: null,
    state: stateOf(node),
  };
  press.answers = answersPress(node);
  press.waits = waitsForClick(node);
  for (const kind of PRESS) addEventListener(kind, notePress, { capture: true, passive: true });
  return press.waits && !Element.prototype.closest.call(node, SWITCHED);
};
/** Controls whose state a click can change without a DOM change. */
const SWITCHED = "input:not([type=button],[type=submit],[type=reset],[type=image]),[role=checkbox],[role=radio],[role=switch]";

function endPress() {
  for (const kind of PRESS) removeEventListener(kind, notePress, { capture: true });
  press?.report?.(false);
  press = null;
}

function notePress(event) {
  if (!event.isTrusted || !press) return;
  const path = event.composedPath().filter((place) => place instanceof Element);
  if (!path.length) return;
  if (event.type === "pointerdown") noteDown(event, path);
  else if (event.type === "mousedown" || event.type === "mouseup") {
    press.reached ||= path.includes(press.node);
    press.past ||= path[0] !== press.node && native.isConnected(press.node) && native.contains(path[0], press.node);
    if (event.type === "mouseup" && press.down && native.isConnected(press.node)) press.over ??= cameOver(path[0]);
  } else if (event.type === "pointerup") press.up = true;
  else if (event.type === "dblclick") press.doubled ||= isTaken(path);
  else press.clicked ||= isTaken(path);
  if (press.isDouble ? press.doubled : press.clicked) press.report?.(true);
}

/**
 * Starts recording a press on the node. Resolves with true as soon as a `click` event follows (`isDouble`: a `dblclick`), and with false
 * if the recording ends before.
 */
engine.pressed = (node, isDouble) => {
  engine.watchPress(node);
  return new Promise((report) => Object.assign(press, { isDouble, report }));
};

/** Like `pressed`, for the press that is being recorded already. */
engine.clickReceipt = () =>
  new Promise((report) => {
    if (press) press.report = report;
    else report(false);
  });

function noteDown(event, path) {
  // Counts `pointerdown`: it is the only event of a second press if the page has disabled the element meanwhile.
  press.double ||= event.button === 0 && ++press.downs > 1;
  if (!press.down) {
    press.down = true;
    press.timers = engine.pageTimers();
    press.at = { x: event.clientX, y: event.clientY };
    if (!native.isConnected(press.node)) press.node = path.find(isSuccessor) ?? press.node;
  }
  press.by ??= native.isConnected(press.node) ? engine.missedBy(press.node, path[0]) : null;
}

/** Whether an event with this path reaches the pressed node or its replacement. */
const isTaken = (path) =>
  path.some((place) => place === press.node || isSuccessor(place)) ||
  (native.isConnected(press.node) && engine.missedBy(press.node, path[0]) === null);

/** Describes the element `hit` if it covers the pressed node; null if it is an ancestor: pages with an open menu often disable the rest. */
function cameOver(hit) {
  for (let here = press.node; here; here = engine.flatParent(here)) if (here === hit) return null;
  return engine.missedBy(press.node, hit);
}

/** Whether an element replaces the pressed node: that node is detached, and the element has the same role and name. */
function isSuccessor(element) {
  if (!press || element === press.node || native.isConnected(press.node)) return false;
  const { role, name } = inWords(element);
  return role === press.called.role && name === press.called.name;
}

/** Controls that may react to `mousedown` already: if something covers them before the release, the press was not lost. */
const OPENERS = "[aria-haspopup]:not([aria-haspopup=false]),[aria-expanded],[role=combobox],select,textarea,[contenteditable]";
const PRESSED_AS_BUTTONS = /^(?:button|submit|reset|image|checkbox|radio|file|color|range)$/;
function answersPress(node) {
  const pressed = Element.prototype.closest.call(node, "button,a,input,[role]") ?? node;
  return matches(pressed, OPENERS) || (pressed instanceof HTMLInputElement && !PRESSED_AS_BUTTONS.test(pressed.type));
}

const CLICKED = "button,a,summary,[role=button],[role=link],[role=checkbox],[role=radio],[role=switch],[role=tab]";
/** Whether only a `click` event activates the node, not `mousedown`. */
function waitsForClick(node) {
  const pressed = Element.prototype.closest.call(node, `${CLICKED},input`);
  if (!pressed || answersPress(node)) return false;
  return matches(pressed, CLICKED) || PRESSED_AS_BUTTONS.test(pressed.type);
}

/**
 * Returns why a press did not become a click; null if it did. `{by}`: this element covered the node before the release; `{again}`: the
 * page replaced the node by this element; `{past}`: this container received the press, since the page re-inserts the node whenever the
 * pointer enters it; `{away}`: `["gone" | "disabled" | "changed" | "moved" | "covered", "click" | "double click"]`.
 */
function lostPress() {
  if (!press?.down) return null;
  if (press.by) return press.double && press.clicked ? { away: ["covered", "double click"] } : { by: press.by };
  const isAnswered = press.double ? press.doubled : press.clicked;
  if (press.over && !isAnswered && !press.answers && !answersPress(press.node)) return { by: press.over };
  if (press.past && press.up && !press.reached && !press.clicked && isUnderPress())
    return { past: { tag: native.localName(engine.flatParent(press.node)) } };
  if (!press.up || isAnswered) return null;
  for (let here = engine.elementAt(press.at.x, press.at.y); here; here = engine.flatParent(here)) {
    if (isSuccessor(here)) return { again: inWords(here) };
  }
  // A page may act on `mousedown`, and move the node.
  if (press.reached && native.isConnected(press.node) && stateOf(press.node) !== press.state) return null;
  return press.waits ? { away: [becameOf(press.node), press.double ? "double click" : "click"] } : null;
}

/** Returns the ARIA states that a press changes, of the control that contains a node. */
function stateOf(node) {
  const control = Element.prototype.closest.call(node, "[role],button,a") ?? node;
  return ["aria-selected", "aria-expanded", "aria-checked", "aria-pressed"].map((name) => getAttribute(control, name)).join(" ");
}

function becameOf(node) {
  if (!native.isConnected(node)) return "gone";
  return matches(node, ":disabled") ? "disabled" : isUnderPress() ? "changed" : "moved";
}

/** Returns the result of `lostPress`, and stops recording the press. */
engine.pressLost = () => {
  const lost = lostPress();
  endPress();
  return lost;
};

/* ---------------------------------------------------------------------- hovering */

const POINTED = ["pointerover", "pointermove", "mouseover", "mousemove"];
let hover = null;

/** Starts recording whether the pointer enters the node. Resolves when it does. */
engine.watchHover = (node) => {
  engine.hovered();
  for (const kind of POINTED) addEventListener(kind, noteHover, { capture: true, passive: true });
  return new Promise((report) => {
    hover = { node, met: false, report };
  });
};

function noteHover(event) {
  if (!event.isTrusted || !hover || !event.composedPath().includes(hover.node)) return;
  hover.met = true;
  hover.report();
}

/** Stops recording, and returns whether the pointer has entered the node. */
engine.hovered = () => {
  for (const kind of POINTED) removeEventListener(kind, noteHover, { capture: true });
  const isMet = hover?.met ?? false;
  hover = null;
  return isMet;
};

/** Whether the pressed node is still at the point of the press. */
function isUnderPress() {
  const hit = engine.elementAt(press.at.x, press.at.y);
  return Boolean(hit) && native.contains(press.node, hit);
}

/* ------------------------------------------------------------------ animations */

/** Closing or moving animations with more time left than this are not waited for. */
const LONGEST_LEAVING_MS = 700;
/** Appearing animations with more time left than this are not waited for. */
const LONGEST_COMING_MS = 1000;
/** Animated movements over a shorter distance are ignored. */
const LEAST_WAY_PX = 20;
const SIDES = ["left", "right", "top", "bottom", "marginLeft", "marginRight", "marginTop", "marginBottom"];

/** Returns the milliseconds until all running animations that open, hide or move an element with text have ended; 0 if there are none. */
function leaving() {
  let longest = 0;
  for (const { playState, currentTime, startTime, effect } of document.getAnimations()) {
    if (playState !== "running" || !(effect instanceof KeyframeEffect) || !effect.target || effect.pseudoElement) continue;
    const { delay, endTime } = effect.getComputedTiming();
    const now = currentTime ?? 0;
    const left = endTime - now;
    if (left <= longest || left > LONGEST_COMING_MS) continue;
    const frames = effect.getKeyframes();
    const isNew = (startTime ?? begun) >= begun;
    if (!(left <= LONGEST_LEAVING_MS && leaves(frames)) && !(isNew && comes(frames, now < delay))) continue;
    if (textContent(effect.target).trim()) longest = left;
  }
  return longest;
}

/** Whether the first keyframe of an animation makes its element invisible. `isDelayed`: the animation delay has not ended. */
function comes([first], isDelayed) {
  const begins = (name) => first[name] !== undefined && Number.parseFloat(first[name]) === 0;
  if (first.visibility === "hidden" || first.display === "none" || begins("height") || begins("maxHeight")) return true;
  return isDelayed && begins("opacity");
}

function leaves(frames) {
  const first = frames.at(0);
  const last = frames.at(-1);
  const ends = (name, value) => last[name] !== undefined && Number.parseFloat(last[name]) === value;
  if (ends("opacity", 0) || ["height", "maxHeight", "width", "scale"].some((name) => ends(name, 0))) return true;
  // An opening element moves the elements below it, and pages often re-render it once it is open.
  const begins = (name) => first[name] !== undefined && Number.parseFloat(first[name]) === 0;
  if (begins("height") || begins("maxHeight")) return true;
  if (last.visibility === "hidden" || last.display === "none") return true;
  if (SIDES.some((side) => Math.abs(Number.parseFloat(last[side]) - Number.parseFloat(first[side])) >= LEAST_WAY_PX)) return true;
  return last.transform !== undefined && wayOf(last.transform, first.transform ?? "none") >= LEAST_WAY_PX;
}

function wayOf(to, from) {
  try {
    const [end, start] = [new DOMMatrix(to), new DOMMatrix(from)];
    if (end.a === 0 || end.d === 0) return LEAST_WAY_PX;
    return Math.hypot(end.e - start.e, end.f - start.f);
  } catch {
    return LEAST_WAY_PX; // `DOMMatrix` cannot parse percentages.
  }
}

/* -------------------------------------------------------------------- building */

let builder = null;
let built = 0;
let grew = 0;
let largest = 0;
const LOADING = /^\W*(loading|please wait)\b.{0,20}$/i;
const UNFINISHED = /(…|\.\.\.|。。。)\s*$/;
/** The most characters that a page with only a loading message shows. */
const LITTLE_TEXT = 60;
const MOST_TEXTS = 300;
const MOST_BLANKS = 10_000;

/**
 * Returns how far the page's scripts have built the document. `clock`: page clock; `quiet`: milliseconds since an element was last added or
 * removed, `level`: since the number of elements last reached a new maximum (null: never); `signs`: descriptions of loading indicators;
 * `moves`: whether an element without text, such as a spinner, is animated endlessly; `hollow`: whether the main element is empty; `bare`:
 * whether there are scripts, little text and no controls; `sparse`: the same, with an external script.
 */
engine.building = () => {
  if (!builder) {
    builder = new MutationObserver(noteBuilding);
    builder.observe(document, { subtree: true, childList: true });
    largest = sizeOfDocument();
  }
  noteBuilding(builder.takeRecords());
  const now = pageTime();
  const since = (time) => (time ? now - time : null);
  const times = { clock: now, quiet: since(built), level: since(grew) };
  if (isWithoutBody()) return { ...times, signs: [], moves: false, hollow: false, bare: false, sparse: false };
  const { all, loading } = beginningOfText();
  const bare = all.length <= LITTLE_TEXT && isBare();
  return {
    ...times,
    signs: signsOfBuilding(all, loading),
    moves: movesWithoutEnd(),
    hollow: isHollow(),
    bare,
    sparse: bare && Array.from(document.scripts).some((script) => script.src),
  };
};

/** Stops the recording that `building` started. */
engine.built = () => {
  builder?.disconnect();
  builder = null;
  built = grew = 0;
};

/** Whether a script has removed the body or root of the loaded document. */
const isWithoutBody = () => {
  const root = document.documentElement;
  return document.readyState === "complete" && (!root || (root instanceof HTMLElement && !document.body));
};

const sizeOfDocument = () => document.getElementsByTagName("*").length;

function noteBuilding(records) {
  const isElement = (node) => node instanceof Element;
  if (records.some((record) => Array.from(record.addedNodes).some(isElement) || Array.from(record.removedNodes).some(isElement))) {
    built = pageTime();
    const size = sizeOfDocument();
    if (size > largest) grew = built;
    largest = Math.max(largest, size);
  }
}

function signsOfBuilding(all, loading) {
  const signs = busyNow().some((element) => matches(element, "[aria-busy=true]")) ? ["aria-busy"] : [];
  if (busyNow().some((element) => !matches(element, "[aria-busy=true]"))) signs.push("a progress bar");
  if (!loading && all && all.length <= LITTLE_TEXT && UNFINISHED.test(all)) loading = all;
  if (loading) signs.push(`“${loading.slice(0, 40)}”`);
  if (!all && document.scripts.length && !hasContent()) signs.push("nothing to see yet");
  return signs;
}

/** Returns the first visible texts, up to `LITTLE_TEXT` characters or slightly more (`all`), and the last text that says "loading". */
function beginningOfText() {
  let all = "";
  let loading = "";
  for (const { text, holder } of textsIn(document.documentElement ?? document)) {
    if ((all.length > LITTLE_TEXT && !LOADING.test(text)) || !checkVisibility(holder)) continue;
    if (LOADING.test(text)) loading = text;
    all += text;
  }
  return { all, loading };
}

/** Yields the first text nodes that are not blank, trimmed, each with its parent element. */
function* textsIn(root) {
  const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let count = 0, blanks = 0; count < MOST_TEXTS && blanks < MOST_BLANKS && texts.nextNode(); ) {
    const text = texts.currentNode.data.trim();
    if (text) {
      count++;
      yield { text, holder: texts.currentNode.parentElement };
    } else blanks++;
  }
}

const CONTENT = "input,button,select,textarea,img,canvas,video,iframe,svg,object,embed";

const HANDLES = "a[href],input,button,select,textarea,canvas,video,iframe,object,embed,[tabindex],[contenteditable]";
/** Whether a document has scripts, and no visible control. */
const isBare = () =>
  document.scripts.length > 0 &&
  !Array.from(querySelectorAll(document.documentElement, HANDLES)).some((element) => checkVisibility(element));

const MAIN = "main,[role=main]";
/** The smallest fraction of the viewport's area that a `main` element must cover. */
const LEAST_MAIN = 0.2;

/** Whether the page has `main` elements of relevant size, all of which are empty. */
function isHollow() {
  const mains = Array.from(querySelectorAll(document.documentElement, MAIN)).filter((main) => {
    const { width, height } = engine.native.rectOf(main);
    return width * height > LEAST_MAIN * innerWidth * innerHeight && checkVisibility(main);
  });
  const isFull = (main) =>
    Array.from(textsIn(main)).some(({ holder }) => checkVisibility(holder)) ||
    Array.from(querySelectorAll(main, "*")).some(
      (inner) => (matches(inner, CONTENT) && checkVisibility(inner)) || engine.shadowRootOf(inner),
    );
  return mains.length > 0 && !mains.some(isFull);
}

const DRAWN = "img,canvas,svg";

/** Whether a document shows images, controls or other non-text content, or has a shadow root with content. Spinners do not count. */
const hasContent = () =>
  Array.from(querySelectorAll(document.documentElement, CONTENT)).some((element) => checkVisibility(element) && !isSpinner(element)) ||
  Array.from(querySelectorAll(document.documentElement, "*")).some((element) => engine.shadowRootOf(element)?.firstElementChild);

/** The visible elements without text that an endless animation moves. */
const endless = () =>
  document
    .getAnimations()
    .filter(({ playState, effect }) => playState === "running" && effect instanceof KeyframeEffect && effect.target)
    .filter(({ effect }) => effect.getComputedTiming().endTime === Infinity)
    .map(({ effect }) => effect.target)
    .filter((element) => !textContent(element).trim() && checkVisibility(element));

const movesWithoutEnd = () => endless().length > 0;

/** Whether an image is endlessly animated, as a whole or in a part. */
const isSpinner = (element) =>
  matches(element, DRAWN) && endless().some((moving) => native.contains(element, moving) || native.contains(moving, element));

/* ------------------------------------------------------------------- questions */

/** Whether one of the fields seems to offer autocomplete suggestions. Without arguments, checks the focused element. */
engine.completes = (...fields) =>
  (fields.length ? fields : [engine.activeElement()]).some((field) => {
    if (!(field instanceof Element)) return false;
    const control = engine.controlOf(field) ?? field;
    const autocomplete = getAttribute(control, "aria-autocomplete");
    if (matches(control, "[role=combobox],[role=searchbox],[type=search],[list],[aria-haspopup=listbox],[aria-owns],[aria-controls]"))
      return true;
    if (autocomplete) return autocomplete !== "none";
    // Pages that disable the browser's autocomplete often implement their own.
    return (
      matches(control, "input[autocomplete=off]:is([type=text],[type=search],:not([type]))") ||
      Boolean(Element.prototype.closest.call(control, "[role=combobox]"))
    );
  });

const closely = (text) => text.replace(/\s+/g, "");

/** Returns for each `[ref, text]` whether the element no longer contains the text. Ref 0 is the body. */
engine.lacking = (claims) =>
  claims.map(([ref, text]) => {
    const node = ref ? engine.byRef(ref) : document.body;
    if (!node) return false;
    const others =
      node instanceof Element
        ? ["aria-label", "aria-valuenow", "aria-valuetext", "title", "placeholder"].map((name) => getAttribute(node, name))
        : [];
    return ![textContent(node), node.value, ...others].some((says) => typeof says === "string" && closely(says).includes(closely(text)));
  });

const CLOSED = "details:not([open]),[hidden=until-found i]";
const MOST_CLOSED = 1_000;

/**
 * Returns `{text, by}` of each text in a closed `<details>` or `hidden=until-found` element. `by`: role, name and ref of the control that
 * opens the element; null if unknown.
 */
engine.closedTexts = () => {
  const found = [];
  for (const part of engine.queryAll(document, CLOSED)) {
    const summary = part instanceof HTMLDetailsElement ? Array.from(part.children).find((child) => child.localName === "summary") : null;
    if (!checkVisibility(parentNode(part) instanceof Element ? parentNode(part) : part)) continue;
    const opener = summary ?? (part.id ? querySelectorAll(document.documentElement, `[aria-controls~="${CSS.escape(part.id)}"]`)[0] : null);
    const by = opener && checkVisibility(opener) ? inWords(opener) : null;
    for (const { text, holder } of textsIn(part)) {
      if (found.length >= MOST_CLOSED) return found;
      const isOut = (summary && native.contains(summary, holder)) || matches(holder, "script,style,template");
      if (!isOut) found.push({ text: engine.collapse(text), by });
    }
  }
  return found;
};

/** Whether more than half of these elements exist, but are outside the open modal dialog, aria-hidden or inert. */
engine.areCovered = (refs) => {
  const modal = Array.from(querySelectorAll(document.documentElement, "dialog:modal")).at(-1);
  const isCovered = (node) => {
    if (!node?.isConnected || !(node instanceof Element) || !checkVisibility(node)) return false;
    if (modal && !modal.contains(node)) return true;
    for (let here = node; here; here = engine.flatParent(here)) {
      if (here instanceof Element && matches(here, "[aria-hidden=true],[inert]")) return true;
    }
    return false;
  };
  return refs.filter((ref) => isCovered(engine.byRef(ref))).length * 2 > refs.length;
};

/** Stops the watch with this number, unless a later watch has replaced it. */
engine.unwatch = (number) => {
  if (number !== watches) return;
  observer?.disconnect();
  observer = null;
  endPress();
};

/** Returns the next node on the propagation path of an event: slot, parent or shadow host. */
const above = (node) =>
  (node instanceof Element && slotOfElement(node)) || parentNode(node) || (node instanceof ShadowRoot ? node.host : null);

/** Returns the propagation path of an event from a node up to the document. */
const wayUp = (start) => {
  const way = [];
  for (let here = start; here; here = above(here)) way.push(here);
  return way;
};

/**
 * Returns the nodes whose listeners can receive input events on these nodes; then `null`; then the further nodes whose listeners can
 * receive the blur events of the focused element.
 */
engine.hearers = (...nodes) => {
  const heard = new Set(nodes.flatMap((node) => [node, engine.controlOf(node)]).flatMap(wayUp));
  const left = wayUp(engine.activeElement()).filter((here) => !heard.has(here));
  return [...heard, null, ...left];
};

const FRAMES = "iframe,frame,object,embed,fencedframe";

/** Returns the nodes whose listeners can receive pointer events at these points; null if a frame is at one of them. */
engine.underPoints = (points) => {
  const under = points.map(({ x, y }) => engine.elementAt(x, y)).filter(Boolean);
  if (under.some((element) => matches(element, FRAMES))) return null;
  return [...new Set(under.flatMap(wayUp))];
};

const ACTS =
  "a[href],area[href],button,input,select,summary,label,option,[contenteditable],[popovertarget],[commandfor],form,iframe,video,audio";

/** Whether a click on the node has a default action in the browser. */
engine.hasDefaultAction = (node) => {
  for (let here = node; here; here = engine.flatParent(here)) {
    if (!engine.native.matches(here, ACTS)) continue;
    // A button that neither submits a form nor opens a popover has no default action.
    const isPlain =
      here instanceof HTMLButtonElement && (here.type === "button" || !here.form) && !here.popoverTargetElement && !here.commandForElement;
    if (!isPlain) return true;
  }
  return false;
};
