// What changes in the document, and who could change it later: so that an action knows what to wait for.
const { parentNode, rootOf, slotOfElement, checkVisibility, matches, querySelectorAll, textContent, getAttribute } = engine.native;
const { native } = engine;

let observer = null;
let changes = 0;
let last = 0;
let watches = 0;
let grown = 0; // elements that came
let growth = { of: null, times: 0, at: 0 }; // where text is added again and again
let said = []; // what was announced
let busyBefore = new WeakSet();
let leftOnce = new WeakSet(); // what was taken out, and may be put in elsewhere
let working = new Set(); // what came and says that more is to come
let begun = 0; // on the clock of animations
let placed = new Map(); // element → what placed it when the watch began, and when that last changed

const LIVE = "[role=alert],[role=status],[role=log],[aria-live=polite],[aria-live=assertive],output";
const BUSY = "[aria-busy=true],progress:not([value]),[role=progressbar]:not([aria-valuenow],[aria-valuetext])";
const MOST_SAID = 10;
const LONGEST_SAID = 300;
/** Of a burst of changes, so many are looked at for what they announce. */
const MOST_HEARD = 40;

/** Begins to watch the document, and the shadow roots around these nodes. Answers the number of this watch. */
engine.watch = (...nodes) => {
  observer?.disconnect();
  watches++;
  changes = 0;
  grown = 0;
  said = [];
  growth = { of: null, times: 0, at: 0 };
  placed = new Map();
  working = new Set();
  begun = document.timeline.currentTime ?? 0;
  leftOnce = new WeakSet();
  busyBefore = new WeakSet(busyNow());
  last = performance.now();
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
  last = performance.now();
  let heard = 0;
  for (const record of records) {
    if (record.type === "attributes") {
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

/** It will say more soon. */
const AT_WORK = /^\W*(?:loading|searching|please wait)\b.{0,20}$/i;

/** What stands for content that has not come. */
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
/** What was placed anew within so long moves by itself. */
const MOVING_MS = 45;

function notePlace({ target, attributeName, oldValue }) {
  let place = placed.get(target);
  if (!place && placed.size < MOST_PLACED) placed.set(target, (place = { before: new Map() }));
  if (!place) return;
  if (!place.before.has(attributeName)) place.before.set(attributeName, oldValue);
  place.last = performance.now();
}

/** `{what, at}` of the outermost elements that stand elsewhere than when the watch began, and stay there. */
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

/** Notes where words come one after the other, as an answer does that is being written. */
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
/** How many words came so far, and for how long the next may be waited for. */
const growing = () => [growth.times, Math.max(0, LONGEST_PAUSE_MS - (performance.now() - growth.at))];
/** An editor, or where one draws what its field takes. */
function isTypedInto(place) {
  const beside = engine.activeElement()?.parentElement;
  return (
    place.isContentEditable || (beside && beside !== document.body && beside !== document.documentElement && native.contains(beside, place))
  );
}

engine.inWords = inWords;
/** The element as a snapshot would have it. */
function inWords(element) {
  const role = engine.roleOf(element);
  return { role, name: engine.collapse(engine.nameOf(element, role) || textContent(element)), ref: engine.refOf(element) };
}

/** What came into the page to be read: in a live region of its own, or in a box that lies over the page. */
function announceNew(element) {
  if (matches(element, LIVE)) return announce(element);
  const inside = Array.from(querySelectorAll(element, LIVE)).slice(0, MOST_SAID);
  if (inside.length) return inside.forEach(announce);
  const { position } = getComputedStyle(element);
  if ((position === "fixed" || position === "absolute") && !querySelectorAll(element, "a,input,select,textarea,[role]").length)
    announce(element);
}

/** The words that stand in an element, each text apart, without those of what is there to be pressed. */
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
  // What stands beyond the edges is put there to be measured, unless it is for those who hear the page.
  const isAway = box.right + scrollX <= 0 || box.bottom + scrollY <= 0;
  if (isAway && !matches(element, LIVE)) return;
  if (text && text.length <= LONGEST_SAID && box.width > 1 && box.height > 1 && !said.includes(text)) said.push(text);
}

/** Comes after the timers that are due. */
engine.afterTimers = async () => {
  if (document.visibilityState === "visible") await new Promise((resolve) => setTimeout(resolve));
};

const SEEN = { visibilityProperty: true, opacityProperty: true };
/** A bar that nobody sees, as a spent timer leaves one behind, says nothing. */
const isSeenToWork = (element) => {
  if (!checkVisibility(element, SEEN) || engine.isAriaHidden(element)) return false;
  const box = engine.native.rectOf(element);
  return matches(element, "[aria-busy=true]") || (box.width > 0 && box.height > 0);
};
const busyNow = () => (document.documentElement ? Array.from(querySelectorAll(document.documentElement, BUSY)).filter(isSeenToWork) : []);

/**
 * `{changes, quiet, grown, growing, leaving, busy, loading, said, moved, lost}`: how many changes there were, and for how many milliseconds there has
 * been none; how many elements came; how often a text was added to in one place, and how long the next word may be waited for; for how long something that is on its way out will still be seen; what says that
 * it is at work since the watch began; whether something came that stands for what is still to come; what was announced, what stands elsewhere, and whether a press came to nothing. Comes after the timers that are due, so that a page that
 * lags behind its own is not taken for one that rests.
 */
engine.watched = async () => {
  await engine.afterTimers();
  if (observer) note(observer.takeRecords());
  const busy = changes > 0 && busyNow().some((element) => !busyBefore.has(element));
  return {
    changes,
    quiet: performance.now() - last,
    grown,
    growing: growing(),
    leaving: leaving(),
    busy,
    loading: Array.from(working).some((element) => checkVisibility(element, SEEN) && isAtWork(element)),
    said,
    moved: moved(),
    lost: lostPress(),
  };
};

/* --------------------------------------------------------------------- presses */

const PRESS = ["pointerdown", "mousedown", "pointerup", "mouseup", "click", "dblclick", "auxclick", "contextmenu"];
let press = null;

/** Notes from now on whether a press gets to the node, and is answered by a click. Answers whether a click on it always shows in the document. */
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
}

function noteDown(event, path) {
  // What the page has disabled by then gets nothing else of a second press.
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

/** What lies over the node; what is around it does not, where a page takes the pointer from all but an open menu. */
function cameOver(hit) {
  for (let here = press.node; here; here = engine.flatParent(here)) if (here === hit) return null;
  return engine.missedBy(press.node, hit);
}

/** Whether an element is called as the pressed one was when it was still there. */
function isSuccessor(element) {
  if (!press || element === press.node || native.isConnected(press.node)) return false;
  const { role, name } = inWords(element);
  return role === press.called.role && name === press.called.name;
}

/** What a press alone may open or put the focus into; what lies over it then is no loss. */
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
 * Where a press came to nothing: `{by}`, what lay over the node at the last moment or before the button was let go, `{again}`, what the
 * page put in its place meanwhile, `{past}`, what got the press since the page takes the node out and puts it back whenever it is
 * pointed at, or `{away}`, what became of the node: `[how, what]`.
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

/** Returns what `lostPress` does, and stops watching. */
engine.pressLost = () => {
  const lost = lostPress();
  endPress();
  return lost;
};

/* ---------------------------------------------------------------------- hovering */

const POINTED = ["pointerover", "pointermove", "mouseover", "mousemove"];
let hover = null;

/** Records from now on whether the pointer enters the node. */
engine.watchHover = (node) => {
  engine.hovered();
  hover = { node, met: false };
  for (const kind of POINTED) addEventListener(kind, noteHover, { capture: true, passive: true });
};

function noteHover(event) {
  if (event.isTrusted && hover) hover.met ||= event.composedPath().includes(hover.node);
}

/** Whether it has entered the node; stops recording. */
engine.hovered = () => {
  for (const kind of POINTED) removeEventListener(kind, noteHover, { capture: true });
  const isMet = hover?.met ?? false;
  hover = null;
  return isMet;
};

/** Whether the pressed node lies where the press was. */
function isUnderPress() {
  const hit = engine.elementAt(press.at.x, press.at.y);
  return Boolean(hit) && native.contains(press.node, hit);
}

/* ------------------------------------------------------------------ animations */

/** What takes longer to go is decoration. */
const LONGEST_LEAVING_MS = 700;
/** What comes later than that is not of the action. */
const LONGEST_COMING_MS = 1000;
/** What moves by less stays where it is. */
const LEAST_WAY_PX = 20;
const SIDES = ["left", "right", "top", "bottom", "marginLeft", "marginRight", "marginTop", "marginBottom"];

/** For how many milliseconds something with text in it is still opening, or on its way out of sight or to another place. */
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

/** Whether an animation shows what cannot be seen before it. */
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
  // What opens moves all that stands below it, and is often drawn anew when it is open.
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
    return LEAST_WAY_PX; // In parts of its own size.
  }
}

/* -------------------------------------------------------------------- building */

let builder = null;
let built = 0;
let grew = 0;
let largest = 0;
const LOADING = /^\W*(loading|please wait)\b.{0,20}$/i;
const UNFINISHED = /(…|\.\.\.|。。。)\s*$/;
/** A page with this much text says more than that it is loading. */
const LITTLE_TEXT = 60;
const MOST_TEXTS = 300;
const MOST_BLANKS = 10_000;

/**
 * `{quiet, level, signs, moves, hollow, bare, sparse}`: for how many milliseconds the document has put in or taken out no element since this was
 * first asked, and for how many it has not become larger than it was (null where it never did), what says that it is not
 * finished, whether something without words moves without end, as what stands for content does, whether its main part is empty, and
 * whether scripts that have not begun may have more to show.
 */
engine.building = () => {
  if (!builder) {
    builder = new MutationObserver(noteBuilding);
    builder.observe(document, { subtree: true, childList: true });
    largest = sizeOfDocument();
  }
  noteBuilding(builder.takeRecords());
  const since = (time) => (time ? performance.now() - time : null);
  if (isWithoutBody())
    return { quiet: since(built), level: since(grew), signs: [], moves: false, hollow: false, bare: false, sparse: false };
  const { all, loading } = beginningOfText();
  const bare = all.length <= LITTLE_TEXT && isBare();
  return {
    quiet: since(built),
    level: since(grew),
    signs: signsOfBuilding(all, loading),
    moves: movesWithoutEnd(),
    hollow: isHollow(),
    bare,
    sparse: bare && Array.from(document.scripts).some((script) => script.src),
  };
};

/** Ends what `building` began. */
engine.built = () => {
  builder?.disconnect();
  builder = null;
  built = grew = 0;
};

/** Whether a script has taken out what the document consists of: nothing is on its way into it. */
const isWithoutBody = () => {
  const root = document.documentElement;
  return document.readyState === "complete" && (!root || (root instanceof HTMLElement && !document.body));
};

const sizeOfDocument = () => document.getElementsByTagName("*").length;

function noteBuilding(records) {
  const isElement = (node) => node instanceof Element;
  if (records.some((record) => Array.from(record.addedNodes).some(isElement) || Array.from(record.removedNodes).some(isElement))) {
    built = performance.now();
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

/** The first words that can be seen, as many as tell whether there are more than a few, and what says among them that it is loading. */
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

/** The first texts that are not blank, with what holds them. */
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
/** Whether a document of few words has scripts, and nothing to act on. */
const isBare = () =>
  document.scripts.length > 0 &&
  !Array.from(querySelectorAll(document.documentElement, HANDLES)).some((element) => checkVisibility(element));

const MAIN = "main,[role=main]";
/** A smaller part of the viewport is not what a page is for. */
const LEAST_MAIN = 0.2;

/** Whether the main part of the page has room, and nothing in it yet. */
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

/** True for a document that shows something beside text, or text that a shadow root holds. What moves without end only says to wait. */
const hasContent = () =>
  Array.from(querySelectorAll(document.documentElement, CONTENT)).some((element) => checkVisibility(element) && !isSpinner(element)) ||
  Array.from(querySelectorAll(document.documentElement, "*")).some((element) => engine.shadowRootOf(element)?.firstElementChild);

/** What without words moves without end. */
const endless = () =>
  document
    .getAnimations()
    .filter(({ playState, effect }) => playState === "running" && effect instanceof KeyframeEffect && effect.target)
    .filter(({ effect }) => effect.getComputedTiming().endTime === Infinity)
    .map(({ effect }) => effect.target)
    .filter((element) => !textContent(element).trim() && checkVisibility(element));

const movesWithoutEnd = () => endless().length > 0;

/** A drawing that moves without end, as a whole or in a part of it. */
const isSpinner = (element) =>
  matches(element, DRAWN) && endless().some((moving) => native.contains(element, moving) || native.contains(moving, element));

/* ------------------------------------------------------------------- questions */

/** Whether any of the fields says that it offers what could be meant; without any, what has the focus. */
engine.completes = (...fields) =>
  (fields.length ? fields : [engine.activeElement()]).some((field) => {
    if (!(field instanceof Element)) return false;
    const control = engine.controlOf(field) ?? field;
    const autocomplete = getAttribute(control, "aria-autocomplete");
    if (matches(control, "[role=combobox],[role=searchbox],[type=search],[list],[aria-haspopup=listbox],[aria-owns],[aria-controls]"))
      return true;
    if (autocomplete) return autocomplete !== "none";
    // Who switches off the browser's own suggestions often has others.
    return (
      matches(control, "input[autocomplete=off]:is([type=text],[type=search],:not([type]))") ||
      Boolean(Element.prototype.closest.call(control, "[role=combobox]"))
    );
  });

const closely = (text) => text.replace(/\s+/g, "");

/** Which of `[ref, text]` the elements do not say now; the document where the ref is 0. */
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
 * `{text, by}` of what stands in closed parts of the page that the browser's own search would open; `by` is what opens the part,
 * null where nothing says so.
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

/** Whether most of these elements are there to be seen, were it not for something that lies over them. */
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

/** Where an event goes on from a node. */
const above = (node) =>
  (node instanceof Element && slotOfElement(node)) || parentNode(node) || (node instanceof ShadowRoot ? node.host : null);

/** The way of an event from a node up to the document. */
const wayUp = (start) => {
  const way = [];
  for (let here = start; here; here = above(here)) way.push(here);
  return way;
};

/**
 * Everything that hears of input to the nodes, up to the document; then, behind a `null`, what hears of it when the
 * focus leaves where it is now.
 */
engine.hearers = (...nodes) => {
  const heard = new Set(nodes.flatMap((node) => [node, engine.controlOf(node)]).flatMap(wayUp));
  const left = wayUp(engine.activeElement()).filter((here) => !heard.has(here));
  return [...heard, null, ...left];
};

const FRAMES = "iframe,frame,object,embed,fencedframe";

/** Everything that hears of a pointer at these points of the viewport; null where a frame shows something of its own there. */
engine.underPoints = (points) => {
  const under = points.map(({ x, y }) => engine.elementAt(x, y)).filter(Boolean);
  if (under.some((element) => matches(element, FRAMES))) return null;
  return [...new Set(under.flatMap(wayUp))];
};

const ACTS =
  "a[href],area[href],button,input,select,summary,label,option,[contenteditable],[popovertarget],[commandfor],form,iframe,video,audio";

/** Whether the browser itself does something when the node is pressed. */
engine.hasDefaultAction = (node) => {
  for (let here = node; here; here = engine.flatParent(here)) {
    if (!engine.native.matches(here, ACTS)) continue;
    // A button that submits nothing and opens nothing only tells its listeners.
    const isPlain =
      here instanceof HTMLButtonElement && (here.type === "button" || !here.form) && !here.popoverTargetElement && !here.commandForElement;
    if (!isPlain) return true;
  }
  return false;
};
