// Records changes of the document, and what could change it later, so that an action knows what to wait for.
const { parentNode, rootOf, slotOfElement, checkVisibility, matches, querySelectorAll, textContent, getAttribute } = engine.native;
const { native } = engine;

let observer = null;
let changes = 0;
let last = 0;
let watches = 0;
let grown = 0; // the number of added elements
let growth = { of: null, times: 0, at: 0 }; // the place where text is repeatedly added
let said = []; // announced texts
let busyBefore = new WeakSet();
let leftOnce = new WeakSet(); // removed nodes, which the page may insert elsewhere
let working = new Set(); // added elements that announce more content
let begun = 0; // in the time of the animation timeline
let placed = new Map(); // element → its positioning attributes before the first change, and the time of the last change

/** The interval of the page clock. */
const TICK_MS = 10;
/** The most that one tick counts: timers that come later than this are held up. */
const LONGEST_TICK_MS = 20;
/** The clock stops ticking when it has not been read for this time. */
const UNREAD_MS = 1_000;
let clock = 0;
let ticked = 0;
let read = 0;
let ticking = false;

/**
 * The page clock, in milliseconds: it advances only while timers of the page run in time. On a busy machine it is slower than the wall
 * clock, so a pause on it means that timers of that length have fired.
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

/** Browsers hold up the timers of hidden pages on purpose. */
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
/** The most changes of a burst that are searched for announcements. */
const MOST_HEARD = 40;

/** Begins to watch the document, and the shadow roots around these nodes. Returns the number of this watch. */
engine.watch = (...nodes) => {
  observer?.disconnect();
  watches++;
  changes = 0;
  grown = 0;
  said = [];
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

/** Texts that announce more content. */
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

const PLACING = new Set(["style", "transform", "x", "y", "cx", "cy", "x1", "y1", "x2", "y2", "d", "points"]);
const PLACING_STYLES = ["left", "top", "right", "bottom", "transform", "translate", "marginLeft", "marginTop"];
const MOST_PLACED = 200;
const MOST_MOVED = 3;
/** An element that was positioned again within this time moves by itself. */
const MOVING_MS = 45;

function notePlace({ target, attributeName, oldValue }) {
  let place = placed.get(target);
  if (!place && placed.size < MOST_PLACED) placed.set(target, (place = { before: new Map() }));
  if (!place) return;
  if (!place.before.has(attributeName)) place.before.set(attributeName, oldValue);
  place.last = performance.now();
}

/** `{what, at}` of the outermost elements that have moved since the watch began, and are at rest. */
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

/** Records where text is appended piece by piece, as in a streamed answer. */
function noteGrowth({ type, target, oldValue, addedNodes, removedNodes }) {
  const textOf = (nodes) => Array.from(nodes, textContent).join("");
  const [before, after] = type === "characterData" ? [oldValue, target.data] : [textOf(removedNodes), textOf(addedNodes)];
  if (after.length <= before.length || !after.startsWith(before)) return;
  const place = target instanceof Element ? target : target.parentElement;
  if (!place || isTypedInto(place)) return;
  const goesOn = growth.of && native.contains(growth.of, place);
  growth = goesOn ? { ...growth, times: growth.times + 1, at: last } : { of: place, times: 1, at: last };
}
/** The longest pause between two words of one text. */
const LONGEST_PAUSE_MS = 250;
/** The number of appended pieces, and for how long the next one may be waited for. */
const growing = () => [growth.times, Math.max(0, LONGEST_PAUSE_MS - (pageTime() - growth.at))];
/** Whether this is an editor, or the place where an editor draws the text of its hidden field. */
function isTypedInto(place) {
  const beside = engine.activeElement()?.parentElement;
  return (
    place.isContentEditable || (beside && beside !== document.body && beside !== document.documentElement && native.contains(beside, place))
  );
}

engine.inWords = inWords;
/** The role, name and ref of an element, as in a snapshot. */
function inWords(element) {
  const role = engine.roleOf(element);
  return { role, name: engine.collapse(engine.nameOf(element, role) || textContent(element)), ref: engine.refOf(element) };
}

/** Records a new element as an announcement: a live region, what contains one, or a box over the page without controls. */
function announceNew(element) {
  if (matches(element, LIVE)) return announce(element);
  const inside = Array.from(querySelectorAll(element, LIVE)).slice(0, MOST_SAID);
  if (inside.length) return inside.forEach(announce);
  const { position } = getComputedStyle(element);
  if ((position === "fixed" || position === "absolute") && !querySelectorAll(element, "a,input,select,textarea,[role]").length)
    announce(element);
}

/** The text of an element, separated by spaces between blocks and without the text of buttons. */
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
  if (said.length >= MOST_SAID || !element.isConnected || !checkVisibility(element)) return;
  const text = spokenIn(element);
  const box = engine.native.rectOf(element);
  // Pages put texts beyond the edges to measure them; live regions there are meant for screen readers.
  const isAway = box.right + scrollX <= 0 || box.bottom + scrollY <= 0;
  if (isAway && !matches(element, LIVE)) return;
  if (text && text.length <= LONGEST_SAID && box.width > 1 && box.height > 1 && !said.includes(text)) said.push(text);
}

/** Resolves when the timers that are due have run. */
engine.afterTimers = async () => {
  if (document.visibilityState === "visible") await new Promise((resolve) => setTimeout(resolve));
};

const SEEN = { visibilityProperty: true, opacityProperty: true };
/** Whether a busy element is visible: an invisible progress bar, such as that of a past timer, does not count. */
const isSeenToWork = (element) => {
  if (!checkVisibility(element, SEEN) || engine.isAriaHidden(element)) return false;
  const box = engine.native.rectOf(element);
  return matches(element, "[aria-busy=true]") || (box.width > 0 && box.height > 0);
};
const busyNow = () => (document.documentElement ? Array.from(querySelectorAll(document.documentElement, BUSY)).filter(isSeenToWork) : []);

/**
 * The page clock, and the recorded changes: their number; milliseconds since the last; added elements; pieces of a streamed text and the
 * wait for the next; milliseconds until a running animation ends (`leaving`); whether a part became busy or shows a placeholder; announced
 * texts; moved elements; a lost press. First runs the timers that are due, since a page that lags would seem idle.
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
    loading: Array.from(working).some((element) => checkVisibility(element, SEEN) && isAtWork(element)),
    closing: closed,
    said,
    moved: moved(),
    lost: lostPress(),
  };
};

/* --------------------------------------------------------------------- presses */

const PRESS = ["pointerdown", "mousedown", "pointerup", "mouseup", "click", "dblclick", "auxclick", "contextmenu"];
let press = null;

/** Begins to record a press on the node and its click. Returns whether each effective click on it changes the document. */
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
  };
  press.answers = answersPress(node);
  press.waits = waitsForClick(node);
  for (const kind of PRESS) addEventListener(kind, notePress, { capture: true, passive: true });
  return press.waits && !Element.prototype.closest.call(node, SWITCHED);
};
/** Controls whose state a click changes without a DOM change. */
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
 * Begins to record a press on the node. Resolves with true as soon as it becomes a click, or a double click; with false when the recording
 * ends without one.
 */
engine.pressed = (node, isDouble) => {
  engine.watchPress(node);
  return new Promise((report) => Object.assign(press, { isDouble, report }));
};

function noteDown(event, path) {
  // A second press on an element that the page has disabled by then causes no other event.
  press.double ||= event.button === 0 && ++press.downs > 1;
  if (!press.down) {
    press.down = true;
    press.at = { x: event.clientX, y: event.clientY };
    if (!native.isConnected(press.node)) press.node = path.find(isSuccessor) ?? press.node;
  }
  press.by ??= native.isConnected(press.node) ? engine.missedBy(press.node, path[0]) : null;
}

/** Whether an event on this path reaches the node or its replacement. */
const isTaken = (path) =>
  path.some((place) => place === press.node || isSuccessor(place)) ||
  (native.isConnected(press.node) && engine.missedBy(press.node, path[0]) === null);

/** What covers the node; null for its ancestors: with an open menu, pages often take the pointer from all else. */
function cameOver(hit) {
  for (let here = press.node; here; here = engine.flatParent(here)) if (here === hit) return null;
  return engine.missedBy(press.node, hit);
}

/** Whether an element has the role and name of the pressed one, which is gone. */
function isSuccessor(element) {
  if (!press || element === press.node || native.isConnected(press.node)) return false;
  const { role, name } = inWords(element);
  return role === press.called.role && name === press.called.name;
}

/** Controls that may open or take the focus on the press alone: if something covers them then, nothing is lost. */
const OPENERS = "[aria-haspopup]:not([aria-haspopup=false]),[aria-expanded],[role=combobox],select,textarea,[contenteditable]";
const PRESSED_AS_BUTTONS = /^(?:button|submit|reset|image|checkbox|radio|file|color|range)$/;
function answersPress(node) {
  const pressed = Element.prototype.closest.call(node, "button,a,input,[role]") ?? node;
  return matches(pressed, OPENERS) || (pressed instanceof HTMLInputElement && !PRESSED_AS_BUTTONS.test(pressed.type));
}

const CLICKED = "button,a,summary,[role=button],[role=link],[role=checkbox],[role=radio],[role=switch],[role=tab]";
/** Whether only a click activates the node. */
function waitsForClick(node) {
  const pressed = Element.prototype.closest.call(node, `${CLICKED},input`);
  if (!pressed || answersPress(node)) return false;
  return matches(pressed, CLICKED) || PRESSED_AS_BUTTONS.test(pressed.type);
}

/**
 * Why a press did not become a click; null if it did. `{by}`: another element covered the node before the release; `{again}`: the page
 * replaced the node by this element; `{past}`: the container received the press, since the page re-inserts the node whenever the
 * pointer enters it; `{away}`: `[what happened to the node, "click" or "double click"]`.
 */
function lostPress() {
  if (!press?.down) return null;
  if (press.by) return { by: press.by };
  const isAnswered = press.double ? press.doubled : press.clicked;
  if (press.over && !isAnswered && !press.answers && !answersPress(press.node)) return { by: press.over };
  if (press.past && press.up && !press.reached && !press.clicked && isUnderPress())
    return { past: { tag: native.localName(engine.flatParent(press.node)) } };
  if (!press.up || isAnswered) return null;
  for (let here = engine.elementAt(press.at.x, press.at.y); here; here = engine.flatParent(here)) {
    if (isSuccessor(here)) return { again: inWords(here) };
  }
  return press.waits ? { away: [becameOf(press.node), press.double ? "double click" : "click"] } : null;
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

/** Begins to record whether the pointer enters the node. */
engine.watchHover = (node) => {
  engine.hovered();
  hover = { node, met: false };
  for (const kind of POINTED) addEventListener(kind, noteHover, { capture: true, passive: true });
};

function noteHover(event) {
  if (event.isTrusted && hover) hover.met ||= event.composedPath().includes(hover.node);
}

/** Whether the pointer has entered the node. Stops recording. */
engine.hovered = () => {
  for (const kind of POINTED) removeEventListener(kind, noteHover, { capture: true });
  const isMet = hover?.met ?? false;
  hover = null;
  return isMet;
};

/** Whether the pressed node is hit at the point of the press. */
function isUnderPress() {
  const hit = engine.elementAt(press.at.x, press.at.y);
  return Boolean(hit) && native.contains(press.node, hit);
}

/* ------------------------------------------------------------------ animations */

/** Longer animations out of view are decoration. */
const LONGEST_LEAVING_MS = 700;
/** Content that appears later is not an effect of the action. */
const LONGEST_COMING_MS = 1000;
/** A shorter movement does not count. */
const LEAST_WAY_PX = 20;
const SIDES = ["left", "right", "top", "bottom", "marginLeft", "marginRight", "marginTop", "marginBottom"];

/** Milliseconds until the last element with text has finished opening, disappearing or moving. */
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

/** Whether an animation begins with an invisible element. */
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
  // An opening element moves those below it, and is often redrawn when it is open.
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
    return LEAST_WAY_PX; // In percent of its own size.
  }
}

/* -------------------------------------------------------------------- building */

let builder = null;
let built = 0;
let grew = 0;
let largest = 0;
const LOADING = /^\W*(loading|please wait)\b.{0,20}$/i;
const UNFINISHED = /(…|\.\.\.|。。。)\s*$/;
/** A page with more characters than this shows more than a loading message. */
const LITTLE_TEXT = 60;
const MOST_TEXTS = 300;
const MOST_BLANKS = 10_000;

/**
 * How far the document is built. `clock`: the page clock; `quiet`: milliseconds of it since an element was added or removed; `level`: since
 * the document reached its largest size; both null if that never happened. `signs`: texts about what is unfinished; `moves`: whether an
 * element without text moves endlessly; `hollow`: whether the main part is empty; `bare`, `sparse`: whether scripts may still have to add
 * content.
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

/** Ends the recording that `building` began. */
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

/** The first visible texts, enough to tell whether there are more than a few, and the last of them that says "loading". */
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

/** The first texts that are not blank, each with its parent element. */
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
/** Whether a document with little text has scripts, and no visible control. */
const isBare = () =>
  document.scripts.length > 0 &&
  !Array.from(querySelectorAll(document.documentElement, HANDLES)).some((element) => checkVisibility(element));

const MAIN = "main,[role=main]";
/** The smallest share of the viewport that counts as the main part of a page. */
const LEAST_MAIN = 0.2;

/** Whether the main part of the page takes up space, but is empty. */
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

/** Whether a document shows something besides text, or has a filled shadow root. Spinners do not count. */
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

/** Whether one of the fields, or without any the focused element, seems to offer suggestions. */
engine.completes = (...fields) =>
  (fields.length ? fields : [engine.activeElement()]).some((field) => {
    if (!(field instanceof Element)) return false;
    const control = engine.controlOf(field) ?? field;
    const autocomplete = getAttribute(control, "aria-autocomplete");
    if (matches(control, "[role=combobox],[role=searchbox],[type=search],[list],[aria-haspopup=listbox],[aria-owns],[aria-controls]"))
      return true;
    if (autocomplete) return autocomplete !== "none";
    // Pages that switch off the browser's suggestions often have their own.
    return (
      matches(control, "input[autocomplete=off]:is([type=text],[type=search],:not([type]))") ||
      Boolean(Element.prototype.closest.call(control, "[role=combobox]"))
    );
  });

const closely = (text) => text.replace(/\s+/g, "");

/** For each `[ref, text]`, whether the element no longer has the text; a ref of 0 means the body. */
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
 * `{text, by}` of each text in a closed part of the page that the browser's own search would open. `by` is the element that opens the
 * part; null if unknown.
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

/** Whether most of these elements exist, but are covered by a modal dialog or made inert. */
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

/** Ends a watch, unless another one has begun. */
engine.unwatch = (number) => {
  if (number !== watches) return;
  observer?.disconnect();
  observer = null;
  endPress();
};

/** The next node on the path of an event. */
const above = (node) =>
  (node instanceof Element && slotOfElement(node)) || parentNode(node) || (node instanceof ShadowRoot ? node.host : null);

/** The path of an event from a node up to the document. */
const wayUp = (start) => {
  const way = [];
  for (let here = start; here; here = above(here)) way.push(here);
  return way;
};

/**
 * All nodes on the paths of input events on these nodes; then, after a `null`, those on the path of the events that occur when the
 * focused element loses the focus.
 */
engine.hearers = (...nodes) => {
  const heard = new Set(nodes.flatMap((node) => [node, engine.controlOf(node)]).flatMap(wayUp));
  const left = wayUp(engine.activeElement()).filter((here) => !heard.has(here));
  return [...heard, null, ...left];
};

const FRAMES = "iframe,frame,object,embed,fencedframe";

/** All nodes on the paths of pointer events at these points; null if a frame is at one of them. */
engine.underPoints = (points) => {
  const under = points.map(({ x, y }) => engine.elementAt(x, y)).filter(Boolean);
  if (under.some((element) => matches(element, FRAMES))) return null;
  return [...new Set(under.flatMap(wayUp))];
};

const ACTS =
  "a[href],area[href],button,input,select,summary,label,option,[contenteditable],[popovertarget],[commandfor],form,iframe,video,audio";

/** Whether a press on the node has a default action of the browser. */
engine.hasDefaultAction = (node) => {
  for (let here = node; here; here = engine.flatParent(here)) {
    if (!engine.native.matches(here, ACTS)) continue;
    // A button that submits nothing and opens nothing only has listeners.
    const isPlain =
      here instanceof HTMLButtonElement && (here.type === "button" || !here.form) && !here.popoverTargetElement && !here.commandForElement;
    if (!isPlain) return true;
  }
  return false;
};
