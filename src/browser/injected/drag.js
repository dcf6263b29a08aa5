// Observes a drag in the page: the dragged item and its list, where to aim while other items move aside, and the result.
const { rectOf, isConnected, getAttribute, hasAttribute, localName, contains, textContent, matches } = engine.native;
const childrenOf = Function.prototype.call.bind(Object.getOwnPropertyDescriptor(Element.prototype, "children").get);

/** The number of levels to search, from the element named in the action upwards, for the element that actually moves. */
const LEVELS = 6;
const LONGEST_LABEL = 40;
/** The most elements that are compared to detect changes of the document. */
const MOST_ELEMENTS = 20_000;
/** Movements up to this distance, in pixels, are ignored. */
const NEAR = 1.5;
/** The most frames to wait until an element has stopped moving. */
const MOST_WAITED = 30;

/** The state of the current drag. */
let drag = null;

/** Whether an element is being dragged. */
engine.isDragging = () => drag?.isHeld === true;
const noteRelease = () => {
  if (drag) drag.isHeld = false;
};

/* -------------------------------------------------------------------- start */

let dragged = false;
let refused = false;
let taken = false;
let landed = false;
let held = false;
let started = false;
/** Starts recording whether the page allows a native drag, and whether it accepts the drop. */
engine.watchDrag = () => {
  dragged = refused = taken = landed = held = started = false;
  addEventListener("mousedown", noteHold, { once: true, passive: true });
  addEventListener("dragstart", noteDrag, { once: true });
  addEventListener("drop", noteLanding, { capture: true, passive: true });
};
const noteLanding = (event) => {
  landed ||= event.isTrusted;
};
// Listens in the bubble phase, after the page's listeners, so that `defaultPrevented` is final.
const noteHold = (event) => {
  held = event.isTrusted && !event.defaultPrevented;
};
const noteDrag = (event) => {
  started = true;
  dragged = !event.defaultPrevented;
  addEventListener("dragend", noteDrop, { once: true, capture: true });
};
const noteDrop = (event) => {
  refused = event.dataTransfer?.dropEffect === "none";
  taken = !refused;
};
engine.hasDragged = () => {
  removeEventListener("dragstart", noteDrag);
  removeEventListener("mousedown", noteHold);
  return dragged;
};

const parentOf = (node) => {
  const parent = engine.flatParent(node);
  return parent instanceof Element ? parent : null;
};

/** Returns the element and its ancestors, innermost first, `LEVELS` at most. */
function chainOf(node) {
  const chain = [];
  for (let at = node; at && at !== document.body && at !== document.documentElement && chain.length < LEVELS; at = parentOf(at))
    chain.push(at);
  return chain;
}

const classesOf = (element) => (getAttribute(element, "class") ?? "").split(/\s+/).filter(Boolean);

/** Whether two elements look like items of the same list: same tag, same role, and a common class. */
function alike(one, other) {
  if (localName(one) !== localName(other) || getAttribute(one, "role") !== getAttribute(other, "role")) return false;
  const [first, second] = [classesOf(one), classesOf(other)];
  return (!first.length && !second.length) || first.some((name) => second.includes(name));
}

const isApart = (one, other) => one !== other && !contains(one, other) && !contains(other, one);
const hasTwin = (element) => {
  const parent = parentOf(element);
  return parent !== null && Array.from(childrenOf(parent)).some((other) => other !== element && alike(other, element));
};
const areaOf = (element) => {
  const { width, height } = rectOf(element);
  return width * height;
};
/** Whether an element is probably only a part of the item `around`: it is inline, or fills more than a third of it. */
const isPart = (element, around) => getComputedStyle(element).display.startsWith("inline") || areaOf(around) < 3 * areaOf(element);

/** Returns an element and those ancestors of which it is only a part, such as the list item around a label. */
function wholesOf(element) {
  const chain = chainOf(element);
  const end = chain.findIndex((part, index) => hasTwin(part) || !chain[index + 1] || !isPart(part, chain[index + 1]));
  return chain.slice(0, end + 1);
}

/** Returns the list items that contain the two elements, `[item, goal]`, if both are in the same list or similar ones; otherwise null. */
function itemsOf(start, target) {
  if (start.ownerSVGElement) return null;
  const wholes = wholesOf(start);
  for (const item of wholes) {
    for (const goal of chainOf(target)) if (isApart(item, goal) && alike(item, goal)) return wholeItems(item, goal);
  }
  // Items of one list need not be similar.
  const goals = wholesOf(target);
  for (const item of wholes) {
    const goal = goals.find((other) => other !== item && parentOf(other) === parentOf(item));
    if (goal) return [item, goal];
  }
  return null;
}

function wholeItems(item, goal) {
  for (;;) {
    const [outer, outerGoal] = [parentOf(item), parentOf(goal)];
    if (!outer || !outerGoal || outer === outerGoal || !isApart(outer, outerGoal) || !alike(outer, outerGoal)) break;
    if (hasTwin(item) || hasTwin(goal) || !isPart(item, outer) || !isPart(goal, outerGoal)) break;
    [item, goal] = [outer, outerGoal];
  }
  return [item, goal];
}

const isInFlow = (element) => {
  const { position, display } = getComputedStyle(element);
  return display !== "none" && position !== "absolute" && position !== "fixed" && !matches(element, "script, style, template");
};
const neighbours = (element) => {
  const parent = parentOf(element);
  return parent ? Array.from(childrenOf(parent)).filter((other) => isInFlow(other) && areaOf(other) > 0) : [];
};

/** Returns "x" if the items of the list are side by side, and "y" if they are stacked. */
function axisOf(goal) {
  const all = neighbours(goal);
  const at = all.indexOf(goal);
  const other = all[at + 1] ?? all[at - 1];
  if (!other) {
    const { display, flexDirection } = getComputedStyle(parentOf(goal) ?? goal);
    return display.endsWith("flex") && flexDirection.startsWith("row") ? "x" : "y";
  }
  const [one, two] = [rectOf(goal), rectOf(other)];
  return Math.min(one.bottom, two.bottom) - Math.max(one.top, two.top) > Math.min(one.height, two.height) / 2 ? "x" : "y";
}

/** Returns the position of an element relative to its parent's content, independent of scrolling, and its size. */
function standing(element) {
  const { left, top, width, height } = rectOf(element);
  const around = element.ownerSVGElement ?? parentOf(element);
  if (!around) return { x: left, y: top, width, height };
  const outer = rectOf(around);
  return { x: left - outer.left + around.scrollLeft, y: top - outer.top + around.scrollTop, width, height };
}

const textOf = (element) => engine.collapse(textContent(element) ?? "");
const labelOf = (element) => {
  const text = engine.collapse(engine.nameOf(element, engine.roleOf(element) ?? "") || "") || textOf(element);
  return text.length > LONGEST_LABEL ? `${text.slice(0, LONGEST_LABEL - 1)}\u2026` : text;
};

const SLIDES = "[aria-valuenow], input[type=range]";
const shownValueOf = (element) =>
  getAttribute(element, "aria-valuetext") ??
  getAttribute(element, "aria-valuenow") ??
  (localName(element) === "input" ? element.value : null);
/** Returns the sliders in and around an element (`chain[0]`), as `[element, value]`. */
function valuesOf(chain) {
  const sliders = chain.slice(0, 3).filter((element) => matches(element, SLIDES));
  return [...sliders, ...engine.queryAll(chain[0], SLIDES)].map((element) => [element, shownValueOf(element)]);
}

/** Returns a hash of a canvas's pixels; null for other elements, or if the pixels cannot be read. */
function drawingOf(node) {
  if (!(node instanceof HTMLCanvasElement) || !node.width || !node.height) return null;
  try {
    const copy = new OffscreenCanvas(node.width, node.height).getContext("2d", { willReadFrequently: true });
    copy.drawImage(node, 0, 0);
    const pixels = new Uint32Array(copy.getImageData(0, 0, node.width, node.height).data.buffer);
    let hash = 0;
    // The shift mixes high bits into low ones: black pixels differ only in their highest byte.
    for (const pixel of pixels) {
      hash = Math.imul(hash ^ pixel, 0x9e3779b1);
      hash ^= hash >>> 15;
    }
    return hash;
  } catch {
    return null;
  }
}

/**
 * Returns a fingerprint of the document: the boxes of all elements, and its text. Boxes of elements in `moved` are shifted back by `dx`
 * and `dy`.
 */
function print({ moved = null, dx = 0, dy = 0 } = {}) {
  const { scrollX, scrollY } = window;
  const boxes = engine
    .queryAll(document, "*")
    .slice(0, MOST_ELEMENTS)
    .map((element) => {
      const [backX, backY] = moved && contains(moved, element) ? [dx, dy] : [0, 0];
      const { left, top, width, height } = rectOf(element);
      const value = element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement ? element.value : "";
      // Adds 0.01 so that half pixels are always rounded up, despite floating-point errors.
      return `${Math.round(left - backX + scrollX + 0.01)},${Math.round(top - backY + scrollY + 0.01)},${Math.round(width)},${Math.round(height)}${value}`;
    });
  return `${boxes.join(" ")} ${textContent(document.documentElement)}`;
}

/** Returns the set of all elements of the document, to recognize new ones later; null if there are too many. */
function everything() {
  const all = engine.queryAll(document, "*");
  return all.length <= MOST_ELEMENTS ? new WeakSet(all) : null;
}

/** Whether no text was selected before the drag. */
let unselected = false;

/** Records the state of the document before a drag. `target` is null if it is in another document. */
engine.noteDrag = (start, target, place) => {
  unselected = getSelection().isCollapsed;
  const [item, goal] = (target && place !== "into" && itemsOf(start, target)) || [null, null];
  const list = goal && parentOf(goal);
  const chain = chainOf(start);
  drag = {
    start,
    target,
    place,
    item,
    goal,
    list,
    chain,
    isNative: engine.isDraggable(start),
    axis: goal && axisOf(goal),
    children: new Set(list ? childrenOf(list) : []),
    wasAfter: item !== null && isAfter(item, goal),
    away: target && isApart(start, target) ? between(start, target) : null,
    from: rectOf(item ?? start),
    before: chain.map((element) => ({ element, parent: parentOf(element), siblings: siblingsOf(element), standing: standing(element) })),
    text: textOf(chain.find(textOf) ?? start),
    values: valuesOf(chain),
    drawing: drawingOf(start),
    print: print(),
    there: everything(),
    base: null,
    picked: false,
    style: styleOf(item ?? start),
    isHeld: true,
  };
  for (const kind of ["mouseup", "dragend"]) addEventListener(kind, noteRelease, { once: true, capture: true, passive: true });
};

/** Clears a text selection that an ineffective drag has made; otherwise the browser would drag the selected text at the next press. */
engine.unselectDragged = () => {
  const selection = getSelection();
  if (unselected && !selection.isCollapsed) selection.collapseToStart();
};

/** Returns the distance `{x, y}` from the centre of one element to that of another. */
function between(one, other) {
  const [from, to] = [rectOf(one), rectOf(other)];
  return { x: to.left + to.width / 2 - from.left - from.width / 2, y: to.top + to.height / 2 - from.top - from.height / 2 };
}

const styleOf = (element) => {
  const { position, transform } = getComputedStyle(element);
  return { position, transform };
};
const siblingsOf = (element) => {
  const parent = parentOf(element);
  return parent ? Array.from(childrenOf(parent)) : [];
};
const isAfter = (one, other) => Boolean(other.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING);

/* ---------------------------------------------------------------- under way */

/** Records the positions of the list's items after the dragged item was picked up. */
engine.notePickUp = () => {
  if (!drag?.goal) return;
  drag.base = new Map(Array.from(childrenOf(drag.list), (element) => [element, standing(element)]));
};

/** Returns how far an item has moved along the list since the pick-up, in pixels. */
function gaveWay(element) {
  const was = element && drag.base?.get(element);
  return was ? standing(element)[drag.axis] - was[drag.axis] : 0;
}

/**
 * Returns on which side of the goal item a drop would insert the dragged item now: `{side, elsewhere}`. `side` is "before", "after", or
 * null if it is not next to the goal; `elsewhere`: whether the page shows it at another position in the list.
 */
function sideNow() {
  const { goal, list, item, children, wasAfter } = drag;
  const all = Array.from(childrenOf(list)).filter((element) => isInFlow(element) && (areaOf(element) > 0 || element === item));
  const at = all.indexOf(goal);
  const isMoved = parentOf(item) === list && isInFlow(item) && (isAfter(item, goal) !== wasAfter || !children.has(item));
  // A new element in the list is a placeholder for the item, unless the other items are shifted by transforms.
  const isShifted = all.some((element) => element !== item && getComputedStyle(element).transform !== "none");
  const stands = isShifted ? [] : all.filter((element) => !children.has(element));
  const marker = isMoved ? item : stands.length === 1 ? stands[0] : null;
  if (marker) {
    const side = all[at - 1] === marker ? "before" : all[at + 1] === marker ? "after" : null;
    return { side, elsewhere: side === null };
  }
  return { side: sideGivenWay(all, at), elsewhere: false };
}

/** Determines the `side` of `sideNow` from the shifted positions of items, if the DOM order does not show it. */
function sideGivenWay(all, at) {
  const { goal, list, item, axis, wasAfter } = drag;
  // Items may be displaced only visually, by transforms.
  const rest = all.filter((element) => element !== item);
  const index = rest.indexOf(goal);
  const half = { x: drag.from.width, y: drag.from.height }[axis] / 2;
  const inList = parentOf(item) === list;
  const [own, previous, next] = [goal, rest[index - 1], rest[index + 1]].map(gaveWay);
  if (inList && !wasAfter) {
    if (own <= -half) return next <= -half ? null : "after";
    return all[at - 1] === item || previous <= -half ? "before" : sideInOrder(all, at);
  }
  if (own >= half) return previous >= half ? null : "before";
  return (inList && all[at + 1] === item) || next >= half ? "after" : sideInOrder(all, at);
}

const sideInOrder = (all, at) =>
  all[at - 1] === drag.item && isInFlow(drag.item) ? "before" : all[at + 1] === drag.item && isInFlow(drag.item) ? "after" : null;

/** Waits until an element has the same position in two frames, for `MOST_WAITED` frames at most. */
async function standsStill(element) {
  for (let frame = 0, last = ""; frame < MOST_WAITED; frame++) {
    const { left, top } = rectOf(element);
    const now = `${left} ${top}`;
    if (now === last) return;
    last = now;
    await engine.frames(1);
  }
}

/** Returns the point of the goal item to aim at, as fractions `{x, y}` of its box. */
function shares() {
  const { goal, place, axis, from } = drag;
  if (!goal) return { x: 0.5, y: 0.5 };
  if (place === "before" || place === "after") return { x: 0.5, y: 0.5, [axis]: place === "before" ? 0.2 : 0.8 };
  // Aims beyond the middle, since many lists make room only then.
  const box = rectOf(goal);
  const [way, size] =
    axis === "x"
      ? [box.left + box.width / 2 - from.left - from.width / 2, box.width]
      : [box.top + box.height / 2 - from.top - from.height / 2, box.height];
  const lean = Math.min(0.3, Math.max(0.12, 3 / (size || 1)));
  return { x: 0.5, y: 0.5, [axis]: 0.5 + Math.sign(way) * lean };
}

/**
 * Returns where to move the pointer during a drag: `{point, edge, side, elsewhere, out}`; null if the target is gone. `edge`: the point at
 * the edge of an area that must scroll first; `side`, `elsewhere`: see `sideNow`; `out`: offset that leaves the goal on the requested side.
 * `margin`: how far inside the scrolling area `point` must be; `still`: first waits until the target has stopped moving.
 */
engine.dragSight = async (node, position, { margin = 0, still = false } = {}) => {
  const here = drag?.target === node ? drag : null;
  const subject = (here?.goal && isConnected(here.goal) && !position && here.goal) || node;
  if (still) await standsStill(subject);
  if (!isConnected(subject)) return null;
  const { left, top, width, height } = rectOf(subject);
  const share = here && subject === here.goal ? shares() : { x: 0.5, y: 0.5 };
  let point = position ? engine.positioned(subject, position) : { x: left + width * share.x, y: top + height * share.y };
  const seen = engine.seenOf(subject);
  // The visible part of a large target is enough.
  if (!position && seen && subject === node && !here?.goal) point = { x: seen.x + seen.width / 2, y: seen.y + seen.height / 2 };
  const edge = engine.edgeTowards(subject, point, margin);
  const inList = Boolean(here?.goal) && isConnected(here.goal);
  const out = { x: 0, y: 0 };
  if (inList && share[here.axis] !== 0.5) out[here.axis] = (share[here.axis] - 0.5) * { x: width, y: height }[here.axis] * 1.4;
  const { side, elsewhere } = inList ? sideNow() : { side: null, elsewhere: false };
  return { point: { x: Math.round(point.x), y: Math.round(point.y) }, edge, side, elsewhere, out };
};

/** Whether an element or an ancestor allows native dragging. */
engine.isDraggable = (element) => {
  for (let node = element; node; node = node.parentNode ?? node.host)
    if (node instanceof HTMLElement && node.draggable && node.getAttribute("draggable")) return true;
  return false;
};

/** Like `isDraggable`, for the element at a point of the viewport. */
engine.isDraggableAt = (x, y) => {
  let seen = document.elementFromPoint(x, y);
  for (let inner = seen?.shadowRoot?.elementFromPoint(x, y); inner && inner !== seen; inner = seen.shadowRoot?.elementFromPoint(x, y))
    seen = inner;
  return engine.isDraggable(seen);
};

/** Records whether the page has changed since the drag began, which shows that it reacts to the drag. */
engine.noteCarried = () => {
  if (drag)
    drag.picked =
      print() !== drag.print ||
      (drag.drawing === null && drag.start instanceof HTMLCanvasElement) ||
      drawingOf(drag.start) !== drag.drawing;
};

/* ---------------------------------------------------------------------- end */

const REST = 3;
const MOST_FRAMES = 90;

/** Whether an item is still lifted out of its list: another position style, a transform, or a running animation. */
const isLifted = (item) => {
  if (!item || !isConnected(item)) return false;
  const { position, transform, pointerEvents } = getComputedStyle(item);
  return position !== drag.style.position || (transform !== drag.style.transform && pointerEvents === "none") || engine.isGliding(item);
};

/** Waits until the dragged element has stopped moving: after the drop, many pages animate it to its new or old position. */
async function atRest() {
  let last = "";
  for (let frame = 0, still = 0; frame < MOST_FRAMES && still < REST; frame++) {
    await engine.frames(1);
    const now = drag.chain
      .filter(isConnected)
      .map((element) => Object.values(standing(element)).map(Math.round))
      .join(" ");
    still = now === last && !isLifted(drag.item ?? drag.chain[0]) ? still + 1 : 0;
    last = now;
  }
}

/** Returns the items of the list that now contains the element: its visible siblings with the same tag, and itself. */
const itemsAround = (element) => neighbours(element).filter((other) => other === element || localName(other) === localName(element));

/** Whether an element is `other`, or a re-rendered replacement of it. */
const isOrReplaces = (element, other) =>
  element === other || (!isConnected(other) && alike(element, other) && textOf(element) === textOf(other));

function placeOf(element, from) {
  const all = itemsAround(element);
  const at = all.indexOf(element);
  const parent = parentOf(element);
  const { goal, place, target } = drag;
  const beside = all[place === "before" ? at + 1 : at - 1];
  const isBeside = Boolean(beside && target && goal) && (isOrReplaces(beside, goal) || contains(beside, target));
  return {
    kind: "order",
    place: at + 1,
    count: all.length,
    previous: at > 0 ? labelOf(all[at - 1]) : null,
    next: at >= 0 && at + 1 < all.length ? labelOf(all[at + 1]) : null,
    list: from !== null && from !== parent && parent ? listName(parent) : null,
    beside: place === "before" || place === "after" ? isBeside : null,
  };
}

/** Returns the name of a list: its accessible name, its first heading, or its id; null if there is none. */
function listName(list) {
  for (const element of chainOf(list).slice(0, 3)) {
    const named =
      getAttribute(element, "aria-label") ||
      (hasAttribute(element, "aria-labelledby") && engine.nameOf(element, engine.roleOf(element) ?? ""));
    const heading = named || engine.queryAll(element, "h1, h2, h3, h4, h5, h6, legend, caption").map(textOf).find(Boolean);
    if (heading) return engine.collapse(heading).slice(0, LONGEST_LABEL);
  }
  return getAttribute(list, "id") || null;
}

/** Returns the new position (see `placeOf`) of the first recorded element whose order or parent has changed; null if there is none. */
function moved() {
  for (const { element, parent, siblings } of drag.before) {
    // Absolutely positioned elements have no order.
    if (!isConnected(element) || !itemsAround(element).includes(element)) continue;
    if (parentOf(element) !== parent) return placeOf(element, parent);
    const now = Array.from(childrenOf(parent));
    const stayed = siblings.filter((other) => now.includes(other));
    const at = now.filter((other) => stayed.includes(other)).indexOf(element);
    if (at !== stayed.indexOf(element)) return placeOf(element, parent);
  }
  return null;
}

/** Returns the new position of a dragged item that the page has re-rendered as a new element; null if there is none. */
function madeAnew() {
  const { text, chain, before, target, goal } = drag;
  const item = drag.item ?? chain[0];
  const noted = before.find(({ element }) => element === item) ?? before[0];
  const says = isConnected(item) ? textOf(item) : null;
  if (!text || says === text) return null;
  const lists = [goal && parentOf(goal), target, target && parentOf(target), noted.parent].filter((list) => list && isConnected(list));
  for (const list of lists) {
    const twins = engine.queryAll(list, localName(item)).filter((other) => other !== item && textOf(other) === text);
    if (twins.length === 1) return placeOf(twins[0], noted.parent);
  }
  return null;
}

function slid() {
  for (const [element, was] of drag.values) {
    const now = isConnected(element) ? shownValueOf(element) : was;
    if (now !== was) return { kind: "value", value: now, was, name: labelOf(element) };
  }
  return null;
}

const isEmpty = ({ width, height }) => width === 0 && height === 0;
const wayFrom = (was, now) => ({ dx: now.x - was.x, dy: now.y - was.y });

function shifted() {
  for (const { element, standing: was } of drag.before.slice(0, 4)) {
    if (!isConnected(element)) continue;
    const now = standing(element);
    if (isEmpty(now) && !isEmpty(was)) return { kind: "gone" };
    const { dx, dy } = wayFrom(was, now);
    if (Math.hypot(dx, dy) > NEAR) return movedBy(element, dx, dy);
    if (Math.abs(now.width - was.width) > NEAR || Math.abs(now.height - was.height) > NEAR) {
      return { kind: "sized", width: Math.round(now.width), height: Math.round(now.height) };
    }
  }
  return null;
}

function movedBy(element, dx, dy) {
  const { left, top } = rectOf(element);
  const [x, y, way, high] = [left, top, dx, dy].map(Math.round);
  return { kind: "moved", x, y, dx: way, dy: high, short: isShort(element) };
}

/** Returns a movement that is shorter than `NEAR`, if nothing else on the page has changed; otherwise null. */
function nudged() {
  for (const { element, standing: was } of drag.before.slice(0, 4)) {
    if (!isConnected(element)) continue;
    const { dx, dy } = wayFrom(was, standing(element));
    if (dx || dy) return isShort(element) && print({ moved: element, dx, dy }) === drag.print ? movedBy(element, dx, dy) : null;
  }
  return null;
}

/** `isShort` ignores an axis along which the target is not further away than this, in pixels. */
const SHORT_WAY = 8;
/** Whether the moved element covered less than half of the distance to the target. */
function isShort(element) {
  const { start, target, away } = drag;
  if (!away || !isConnected(start) || !isConnected(target) || contains(element, target)) return false;
  const [box, goal] = [rectOf(start), rectOf(target)];
  if (box.left < goal.right && goal.left < box.right && box.top < goal.bottom && goal.top < box.bottom) return false;
  const left = between(start, target);
  const ways = ["x", "y"].filter((axis) => Math.abs(away[axis]) > SHORT_WAY);
  return ways.length > 0 && ways.every((axis) => Math.abs(left[axis]) > Math.abs(away[axis]) / 2);
}

const isDrawn = (element) => {
  const { width, height } = rectOf(element);
  return (width > 0 || height > 0) && engine.isVisible(element);
};
/** Returns the largest SVG shape of a group, the one to click on. */
function pointedAt(element) {
  const shapes = [element, ...engine.queryAll(element, "*")].filter(
    (part) => engine.isShape(part) && localName(part) !== "g" && isDrawn(part),
  );
  return shapes.reduce((most, shape) => (areaOf(shape) > areaOf(most) ? shape : most), shapes[0] ?? element);
}

/** Returns the element nearest to the target that the drag has created, as `{ref, name}`; null if there is none. */
function made() {
  const { there, target } = drag;
  if (!there || !target || !isConnected(target)) return null;
  const isNew = (element) => !there.has(element) && isDrawn(element) && (areaOf(element) > 1 || engine.isShape(element));
  const around = [...chainOf(target), target.ownerSVGElement].filter(Boolean);
  for (const place of around) {
    const found = engine.queryAll(place, "*").filter(isNew);
    if (!found.length) continue;
    const outer = found.filter((element) => !found.some((other) => other !== element && contains(other, element)));
    const one = outer.find((element) => textOf(element)) ?? outer[0];
    const shown = one.ownerSVGElement ? pointedAt(one) : one;
    const name = engine.preview(one).slice(0, 80);
    return { ref: engine.refOf(shown), name: labelOf(one) || engine.hintOf(shown) || name };
  }
  return null;
}

const HANDLE_CURSOR = /grab|move|all-scroll|-resize/;
/** Returns a possible drag handle in or around the element, as `{ref, name}`: by cursor, class or `draggable`; null if there is none. */
function handle() {
  const { start, chain } = drag;
  if (!isConnected(start)) return null;
  const isHandle = (element) =>
    engine.isVisible(element) &&
    (HANDLE_CURSOR.test(getComputedStyle(element).cursor) ||
      getAttribute(element, "draggable") === "true" ||
      /handle|grip/i.test(getAttribute(element, "class") ?? ""));
  const others = [
    ...engine.queryAll(start, "*").slice(0, 200),
    ...chain
      .slice(1)
      .flatMap((element) => [element, ...childrenOf(element)])
      .slice(0, 50),
  ];
  const found = others.find((element) => element !== start && isHandle(element) && !HANDLE_CURSOR.test(getComputedStyle(start).cursor));
  return found ? { ref: engine.refOf(found), name: engine.preview(found).slice(0, 80) } : null;
}

/** Returns the result of the drag: `{kind, …}`, with `kind` order, value, moved, sized, drawn, gone, effect, none or unknown. */
engine.dragOutcome = async () => {
  if (!drag) return { kind: "unknown" };
  await atRest();
  const { start, drawing, picked } = drag;
  const now = drawingOf(start);
  const found =
    moved() ??
    madeAnew() ??
    slid() ??
    shifted() ??
    (drawing !== null && now !== drawing ? { kind: "drawn" } : null) ??
    (start instanceof HTMLCanvasElement && drawing === null ? { kind: "unknown" } : null) ??
    (!isConnected(start) ? { kind: "gone" } : null) ??
    (print() !== drag.print ? (nudged() ?? { kind: "effect", made: made() }) : null);
  removeEventListener("drop", noteLanding, { capture: true });
  const ended = isMissed(found)
    ? noneOf({ picked, refused: dragged, taken: false })
    : (found ?? noneOf({ picked, refused, taken: taken || landed }));
  if (landed && ended.kind === "moved") ended.short = false;
  drag = null;
  return ended;
};

const noneOf = (what) => ({ kind: "none", ...what, native: drag.isNative || dragged, handle: handle() });

/** Whether a native drag ended without a drop event or a new position in a list. Drops in other frames are not detected. */
function isMissed(found) {
  if (!found || landed || !drag.target || found.kind === "order" || found.kind === "value") return false;
  return dragged || (drag.isNative && held && !started);
}
