// Actionability checks: whether an element can be acted on, and at which point. Each call checks once; the caller retries.
const { rectOf, rootOf, isConnected, getAttribute, hasAttribute, localName } = engine.native;
const own = (method) => Function.prototype.call.bind(method);
const { rectsOf } = engine.native;
const scrollIntoView = own(Element.prototype.scrollIntoView);
const scrollTo = (element, options) =>
  scrollIntoView(element instanceof HTMLAreaElement ? (engine.flatParent(element) ?? element) : element, options);
const scrollBy = own(Element.prototype.scrollBy);
const closest = own(Element.prototype.closest);
const matches = own(Element.prototype.matches);
const animationsOf = own(Element.prototype.getAnimations);
const pointIn = { document: own(Document.prototype.elementFromPoint), root: own(ShadowRoot.prototype.elementFromPoint) };

const LONGEST_NAME = 40;

/* ------------------------------------------------------------------ frames */

/** The default timeout for the next animation frame of a visible tab, in milliseconds. Hidden tabs draw no frames. */
const PATIENCE = 1000;
/** The timeout, in milliseconds, for a frame that is needed to detect movement: positions change only from frame to frame. */
const LONG_PATIENCE = 3000;
const IMPATIENCE = 60;
/** The timeout, in milliseconds, after which the last wait for a frame failed; 0 if a frame was drawn. */
let missed = 0;

/** Waits for the next animation frame. Returns false if a visible tab draws none in time; in a hidden tab, waits `IMPATIENCE` at most. */
const nextFrame = (longest = PATIENCE) =>
  new Promise((resolve) => {
    const isSeen = document.visibilityState === "visible";
    const wait = isSeen && missed < longest ? longest : IMPATIENCE;
    const timer = setTimeout(() => done(isSeen ? Math.max(missed, wait) : missed, !isSeen), wait);
    const before = timeNow();
    // If the timeline has not advanced, this is still the same frame, so asks for another one.
    const isNext = () => (isSeen && before !== null && timeNow() === before ? (frame = requestAnimationFrame(isNext)) : done(0, true));
    let frame = requestAnimationFrame(isNext);
    function done(next, drawn) {
      missed = next;
      clearTimeout(timer);
      cancelAnimationFrame(frame);
      resolve(drawn);
    }
  });

/** `timeNow()` is the time of the current frame on the document's animation timeline, in milliseconds. */
const timelineOf = own(Object.getOwnPropertyDescriptor(Document.prototype, "timeline").get);
const timeOf = own(Object.getOwnPropertyDescriptor(AnimationTimeline.prototype, "currentTime").get);
const timeNow = () => timeOf(timelineOf(document));

engine.frames = async (count) => {
  for (let i = 0; i < count; i++) await nextFrame();
};

/* -------------------------------------------------------------- rectangles */

const boxed = ({ left, top, right, bottom }) => ({ left, top, right, bottom });
const overlap = (a, b) => ({
  left: Math.max(a.left, b.left),
  top: Math.max(a.top, b.top),
  right: Math.min(a.right, b.right),
  bottom: Math.min(a.bottom, b.bottom),
});
const wide = (box) => box.right - box.left;
const high = (box) => box.bottom - box.top;
const isArea = (box) => wide(box) > 0 && high(box) > 0;
const isSame = (a, b) => a.left === b.left && a.top === b.top && a.right === b.right && a.bottom === b.bottom;
const sized = ({ left, top, right, bottom }) => ({ x: left, y: top, width: right - left, height: bottom - top });

/** Returns the box of the viewport without scrollbars: `{left, top, right, bottom}`, in CSS pixels. */
function viewport() {
  const root = document.compatMode === "BackCompat" && document.body ? document.body : document.documentElement;
  return { left: 0, top: 0, right: root?.clientWidth || innerWidth, bottom: root?.clientHeight || innerHeight };
}

/** Returns the visible content area of an element in viewport coordinates: its box without borders and scrollbars. */
function inside(element) {
  const outer = rectOf(element);
  const across = element.offsetWidth ? outer.width / element.offsetWidth : 1;
  const down = element.offsetHeight ? outer.height / element.offsetHeight : 1;
  const left = outer.left + element.clientLeft * across;
  const top = outer.top + element.clientTop * down;
  return { left, top, right: left + element.clientWidth * across, bottom: top + element.clientHeight * down };
}

const CLIPS = /^(?:auto|scroll|hidden|clip|overlay)$/;
const { holdsWhatIsFixed, isOnTop, overflowOfViewport } = engine.sight;

/** The ancestors that clip or scroll an element, from the inside out: `[element, style]`. */
function* clippers(element) {
  let { position } = getComputedStyle(element);
  const viewports = overflowOfViewport();
  let inner = element;
  for (let around = engine.flatParent(element); around && !isOnTop(inner); around = engine.flatParent(around)) {
    inner = around;
    const style = getComputedStyle(around);
    const holdsFixed = style.display !== "inline" && holdsWhatIsFixed(style);
    // A positioned element is clipped only by its containing block and the ancestors of that block.
    if (position === "fixed" && !holdsFixed) continue;
    if (position === "absolute" && style.position === "static" && !holdsFixed) continue;
    ({ position } = style);
    if (around === document.documentElement || around === viewports) continue;
    if (style.display === "contents" || style.display === "inline") continue;
    if (CLIPS.test(style.overflowX) || CLIPS.test(style.overflowY)) yield [around, style];
  }
}

/** Returns the part of an element's box that its ancestors do not clip. The part may still be outside the viewport. */
function uncut(element, box) {
  for (const [around, style] of clippers(element)) {
    const { left, top, right, bottom } = inside(around);
    if (CLIPS.test(style.overflowX)) box = { ...box, left: Math.max(box.left, left), right: Math.min(box.right, right) };
    if (CLIPS.test(style.overflowY)) box = { ...box, top: Math.max(box.top, top), bottom: Math.min(box.bottom, bottom) };
  }
  return box;
}

/** Returns the boxes of an element: several for a link that wraps; the boxes of its content if its own have no area. */
function boxesOf(element) {
  const own = Array.from(rectsOf(element), boxed);
  const boxes = own.filter(isArea);
  if (boxes.length) return boxes;
  const { display, overflowX, overflowY } = getComputedStyle(element);
  if (own.length ? overflowX !== "visible" || overflowY !== "visible" : display !== "contents") return boxes;
  const inner = engine
    .flatChildren(element)
    .flatMap((child) =>
      child instanceof Element ? boxesOf(child) : child instanceof Text ? [boxed(engine.textRect(child))].filter(isArea) : [],
    );
  return inner.length || !own.length ? inner : ["::before", "::after"].flatMap((which) => generatedBox(element, own[0], which) ?? []);
}

const pixels = (value) => Number.parseFloat(value) || 0;

/** Returns the box of the `::before` or `::after` block (`which`) of an element without a size; null if it draws none. */
function generatedBox(element, own, which) {
  const style = getComputedStyle(element, which);
  const { content, display, position, transform } = style;
  if (/^(?:none|normal|)$/.test(content) || display === "none" || display === "inline" || transform !== "none") return null;
  const extra = (...sides) => sides.reduce((sum, side) => sum + pixels(style[`padding${side}`]) + pixels(style[`border${side}Width`]), 0);
  const isWhole = style.boxSizing === "border-box";
  const width = pixels(style.width) + (isWhole ? 0 : extra("Left", "Right"));
  const height = pixels(style.height) + (isWhole ? 0 : extra("Top", "Bottom"));
  const isAbsolute = position === "absolute";
  const holder = isAbsolute && getComputedStyle(element).position === "static" ? element.offsetParent : element;
  const from = holder === element ? own : holder ? inside(holder) : { left: -scrollX, top: -scrollY };
  const shift = (side) => pixels(style[`margin${side}`]) + (position === "static" ? 0 : pixels(style[side.toLowerCase()]));
  const [left, top] = [from.left + shift("Left"), from.top + shift("Top")];
  const box = { left, top, right: left + width, bottom: top + height };
  return isArea(box) ? box : null;
}

/** Returns the visible part of the element's first box that has one, clipped by ancestors and viewport; null if there is none. */
function seen(element) {
  const view = viewport();
  for (const box of boxesOf(element)) {
    const part = overlap(uncut(element, box), view);
    if (isArea(part)) return part;
  }
  return null;
}

engine.seenOf = (element) => {
  const part = seen(element);
  return part && sized(part);
};

/** The distance from the edge of a scrolling area, in pixels, at which the pointer of a drag makes the area scroll. */
const EDGE = 8;

/**
 * Returns where to hold the pointer of a drag so that the page scrolls towards the point `{x, y}` of the element: near the edge of the
 * scrolling area; null if the point is visible, at least `margin` pixels inside the area (if the area can scroll further).
 */
engine.edgeTowards = (element, { x, y }, margin = 0) => {
  const around = [...clippers(element)].map(([clipper]) => [clipper, inside(clipper)]).reverse();
  let shown = null;
  for (const [scroller, box] of [[document.scrollingElement ?? document.documentElement, viewport()], ...around]) {
    shown = shown ? overlap(shown, box) : box;
    if (!isArea(shown)) return null;
    const { scrollLeft: left, scrollTop: top, scrollWidth, scrollHeight, clientWidth, clientHeight } = scroller;
    const port = {
      left: shown.left + (left > 0 ? Math.min(margin, wide(shown) / 4) : 0),
      top: shown.top + (top > 0 ? Math.min(margin, high(shown) / 4) : 0),
      right: shown.right - (left + clientWidth < scrollWidth - 1 ? Math.min(margin, wide(shown) / 4) : 0),
      bottom: shown.bottom - (top + clientHeight < scrollHeight - 1 ? Math.min(margin, high(shown) / 4) : 0),
    };
    if (x >= port.left && x < port.right && y >= port.top && y < port.bottom) continue;
    const edge = (value, low, high, first, last) => Math.round(value < low ? first + EDGE : value >= high ? last - EDGE : value);
    return { x: edge(x, port.left, port.right, shown.left, shown.right), y: edge(y, port.top, port.bottom, shown.top, shown.bottom) };
  }
  return null;
};

/* ---------------------------------------------------------------- hit test */

/** Registers the shadow roots that contain a node: scripts can reach a closed shadow root only from a node inside it. */
function learnRoots(node) {
  for (let root = rootOf(node); root instanceof ShadowRoot; root = rootOf(root.host)) engine.adoptClosedRoot(root.host, root);
}

/** `elementFromPoint` that continues into shadow roots, including closed ones that are registered. */
engine.elementAt = elementAt;
function elementAt(x, y) {
  let element = pointIn.document(document, x, y);
  for (let root = element && engine.shadowRootOf(element); root; root = engine.shadowRootOf(element)) {
    const inner = pointIn.root(root, x, y);
    if (!inner || inner === element || rootOf(inner) !== root) break;
    element = inner;
  }
  return element;
}

const within = (engine.within = (element, outer) => {
  for (let node = element; node; node = engine.flatParent(node)) if (node === outer) return true;
  return false;
});

const PRESSED =
  "a[href],button,summary,label,[role=button],[role=link],[role=checkbox],[role=radio],[role=switch],[role=tab],[role=option],[role^=menuitem]";
const ENTERED = "input,textarea,select,option,[contenteditable]:not([contenteditable=false])";

const BUTTON = "button,a[href],[role=button],[role=link]";

/** Returns the control that a click on the node activates. For a text span inside a button, this is the button. */
const meant = (node) => (closest(node, ENTERED) ? node : (closest(node, BUTTON) ?? closest(node, PRESSED) ?? node));

/** Whether a mouse press that hits the element `hit` acts on `node`: inside its control, on its label, or on the box that draws it. */
function reaches(hit, node) {
  if (within(hit, meant(node))) return true;
  // The `<area>` elements of an image map are not descendants of the image.
  if (hit instanceof HTMLAreaElement && node instanceof HTMLImageElement) {
    return node.useMap === `#${getAttribute(closest(hit, "map"), "name")}`;
  }
  const label = closest(hit, "label");
  return (label !== null && label.control === node) || isFacing(hit, node);
}

const FIELDS =
  "input:not([type=hidden]),select,textarea,[role=combobox],[role=checkbox],[role=radio],[role=switch],[role=slider],[role=spinbutton]";
/** The largest box, in pixels, that can count as the visual frame that a page draws around a field. */
const LARGEST_FACE = { width: 1200, height: 200 };

/**
 * Whether the hit element belongs to the visual frame of the field `node`: a box that contains no other field, or a part of that box.
 * An overlay does not count: it is larger than the frame, or shares a box with other fields.
 */
function isFacing(hit, node) {
  if (!matches(node, FIELDS)) return false;
  let face = node;
  while (face && !within(hit, face)) face = engine.flatParent(face);
  if (!face || matches(face, "body,html,form,fieldset,dialog,main,[role=dialog]")) return false;
  const { left, top, right, bottom, width, height } = rectOf(face);
  if (width > LARGEST_FACE.width || height > LARGEST_FACE.height) return false;
  const taker = closest(hit, `${PRESSED},${ENTERED}`);
  if (taker !== null && taker !== face && within(taker, face) && !within(node, taker)) return false;
  const cover = rectOf(hit);
  if (cover.left < left - 4 || cover.top < top - 4 || cover.right > right + 4 || cover.bottom > bottom + 4) return false;
  const others = engine.queryAll(face, FIELDS).filter((other) => other !== node && !within(other, node) && !within(node, other));
  return !others.some((other) => engine.isVisible(other) && getAttribute(other, "tabindex") !== "-1");
}

/** Whether the hit element is in another control inside the node, such as a button in a list item, which would receive the press. */
const interrupts = (hit, node) => {
  const taker = closest(hit, `${PRESSED},${ENTERED}`);
  return taker !== null && taker !== node && within(taker, node);
};

/** Returns `{tag, id, classes}` of an element for messages: the first class only, each name without special characters and shortened. */
const nameOf = (element) => {
  const plain = (text) => text.replace(/[^\w-]/g, "").slice(0, LONGEST_NAME);
  const id = plain(getAttribute(element, "id") ?? "");
  const first = plain((getAttribute(element, "class") ?? "").trim().split(/\s+/)[0]);
  return { tag: plain(localName(element)), ...(id && { id }), classes: first ? [first] : [] };
};

/** Describes the element that covers the node, for messages: the outermost one around `hit` that has an id or a class. */
function coverName(hit, node) {
  const cover = [];
  for (let part = hit; part && !within(node, part); part = engine.flatParent(part)) cover.unshift(part);
  const named = nameOf(cover.find((part) => getAttribute(part, "id") || getAttribute(part, "class")) ?? cover[0] ?? hit);
  const acts = closest(hit, `${PRESSED},${ENTERED}`) !== null || getComputedStyle(hit).cursor === "pointer" || engine.hears(hit);
  const dialog = engine.dialogOver(hit);
  return {
    ...named,
    ...(acts && { acts }),
    ...(dialog && { dialog }),
    shown: engine.shown(hit),
    ...(cover.length > 1 && { within: engine.shown(cover[0]) }),
  };
}

const SHARES = [
  [0.5, 0.5],
  [0.3, 0.5],
  [0.7, 0.5],
  [0.5, 0.25],
  [0.5, 0.75],
  [0.15, 0.2],
  [0.85, 0.2],
  [0.15, 0.8],
  [0.85, 0.8],
];

/** Rounds a coordinate to a whole pixel inside an interval, like a real mouse; returns the middle if the interval contains none. */
const whole = (value, low, high) => {
  const [first, last] = [Math.ceil(low), Math.ceil(high) - 1];
  return first <= last ? Math.min(Math.max(Math.round(value), first), last) : (low + high) / 2;
};
const pointAt = (box, [across, down]) => ({
  x: whole(box.left + wide(box) * across, box.left, box.right),
  y: whole(box.top + high(box) * down, box.top, box.bottom),
});

/** Returns why a press at a point does not reach the node: `{blocked, by}`. `hit` is the element at the point. */
function missedAs(node, hit, point) {
  if (!hit) return { blocked: "outside" };
  // During a view transition, images of the page cover the page itself.
  if (document.activeViewTransition) return { blocked: "moving" };
  const { kind } = engine.unreached(node, hit, point);
  const blocked = { inert: "inert", clipped: "clipped", hidden: "clipped", "no pointer": "pointerless" }[kind] ?? "covered";
  return blocked === "covered" ? { blocked, by: coverName(hit, node) } : { blocked };
}

/** Returns a point of the box at which a press reaches the node: `{point}`; if there is none, the obstacle: `{blocked, by}`. */
function freePoint(node, box, preferred) {
  let second = null;
  let why = null;
  for (const share of preferred ? [preferred, ...SHARES] : SHARES) {
    const point = pointAt(box, share);
    const hit = elementAt(point.x, point.y);
    if (!hit) continue;
    if (!reaches(hit, node)) why ??= [hit, point];
    else if (interrupts(hit, node)) second ??= point;
    else return { point };
  }
  return second ? { point: second } : missedAs(node, ...(why ?? []));
}

/* ------------------------------------------------------------------ states */

const TYPED = /^(?:text|search|url|tel|email|password|number|date|time|datetime-local|month|week)$/;

/** Returns true if text can be entered into the node, false if it is a read-only field, and null if it is not a field. */
engine.isEditable = (node) => {
  if (node instanceof HTMLTextAreaElement || (node instanceof HTMLInputElement && TYPED.test(node.type))) {
    return !node.readOnly && getAttribute(node, "aria-readonly") !== "true";
  }
  if (node.isContentEditable || node.editContext || document.designMode === "on") return true;
  return /^(?:textbox|searchbox|combobox|spinbutton)$/.test(getAttribute(node, "role") ?? "") && hasAttribute(node, "aria-readonly")
    ? false
    : null;
};

/** Returns the node if it is visible; otherwise its first visible label, or the node if it has none. */
const drawn = (node) => {
  if (engine.isVisible(node)) return node;
  const labels = node instanceof HTMLElement ? (node.labels ?? []) : [];
  return Array.from(labels).find(engine.isVisible) ?? node;
};

/** Returns the element in which an editor draws the text of its invisible input field; for all other nodes, the node itself. */
const standInOf = (node) => (engine.isProxy(node) ? (engine.faceOf(node) ?? node) : node);

/** Returns the elements that can be pressed to act on the node: the element that draws it, and its labels. */
const targetsOf = (node) => [...new Set([standInOf(node), drawn(node), ...labelsOf(node)])];
engine.aiming = { SHARES, boxesOf, inside, isArea, overlap, pointAt, reaches, targetsOf, viewport };

/** Whether the node is visible: its own box, or content that overflows its box of zero size. */
const isShown = (node) =>
  engine.isVisible(node) || (engine.native.checkVisibility(node, { visibilityProperty: true }) && boxesOf(node).length > 0);

/** Returns the first state that prevents an action on the node, as `{blocked}`; null if none. Checks only the given requirements. */
const obstacle = (engine.obstacle = (node, { visible, enabled, editable, hit }) => {
  if (!isConnected(node)) return { blocked: "missing" };
  if (visible && !isShown(standInOf(node))) return { blocked: "hidden" };
  if (enabled && (engine.isDisabled(node) || engine.isDisabled(meant(node)))) return { blocked: "disabled" };
  if (editable && engine.isEditable(node) === false) return { blocked: "readonly" };
  // While the pointer is locked, all presses go to the element that locked it.
  if (hit && document.pointerLockElement && !within(document.pointerLockElement, node)) return { blocked: "locked" };
  return null;
});

/* ------------------------------------------------------------------ scroll */

const ALIGNMENTS = ["center", "end", "start", "nearest"];

/** An element of which this many pixels are visible, per axis, is not scrolled into view. */
const ENOUGH = 24;
const showsEnough = (element) => {
  const part = seen(element);
  const box = boxesOf(element)[0];
  return Boolean(part && box) && wide(part) >= Math.min(wide(box), ENOUGH) && high(part) >= Math.min(high(box), ENOUGH);
};

/** Returns "area" if the node has a box with an area, "empty" if its box has no area, "none" without a box; null if detached. */
engine.shows = (node) => {
  if (!isConnected(node)) return null;
  const own = Array.from(rectsOf(node), boxed);
  if (own.some(isArea) || (!own.length && boxesOf(node).length)) return "area";
  return own.length ? "empty" : "none";
};

/** Scrolls as little as necessary to show all of the node, or as much of it as fits. */
engine.showWhole = (node) => {
  scrollTo(node, { block: "nearest", inline: "nearest", behavior: "instant" });
};

/** Scrolls the node to the middle, as far as possible. */
engine.showCentred = (node) => {
  scrollTo(node, { block: "center", inline: "nearest", behavior: "instant" });
};

/** Scrolls the node into view, without smooth scrolling. Each attempt uses another alignment; attempt 0 skips a visible node. */
function bringIntoView(node, attempt) {
  if (attempt === 0 && showsEnough(node)) return;
  const block = ALIGNMENTS[attempt % ALIGNMENTS.length];
  scrollTo(node, { block, inline: attempt ? block : "nearest", behavior: "instant" });
}

/** Scrolls the scrollable ancestors of two nodes so that both are visible at once, if both fit. */
engine.showBoth = (one, other) => {
  const levels = [...[...clippers(one)].map(([element]) => [element, () => inside(element)]), [document.scrollingElement, viewport]];
  for (const [scroller, portOf] of levels) {
    if (!scroller || !within(other, scroller)) continue;
    const [first, second, port] = [rectOf(one), rectOf(other), portOf()];
    const needed = (start, end) => {
      const [low, high] = [Math.min(first[start], second[start]), Math.max(first[end], second[end])];
      const fits = high - low <= port[end] - port[start];
      const isShown = [first, second].every(
        (box) => Math.min(box[end], port[end]) - Math.max(box[start], port[start]) >= Math.min(box[end] - box[start], ENOUGH),
      );
      return isShown || !fits ? 0 : (low + high) / 2 - (port[start] + port[end]) / 2;
    };
    const [left, top] = [needed("left", "right"), needed("top", "bottom")];
    if (left || top) scrollBy(scroller, { left, top, behavior: "instant" });
  }
};

/** Returns the padding box of a node. The `position` option of actions is relative to its corner. */
function innerBox(node) {
  const { left, top, right, bottom } = rectOf(node);
  const style = getComputedStyle(node);
  const border = (side) => Number.parseFloat(style[`border${side}Width`]) || 0;
  const corner = { left: left + border("Left"), top: top + border("Top") };
  return { ...corner, right: Math.max(corner.left, right - border("Right")), bottom: Math.max(corner.top, bottom - border("Bottom")) };
}
/** Returns the padding box `{x, y, width, height}` of the element that draws the node; null if it has no area. */
engine.innerBoxOf = (node) => {
  const box = innerBox(standInOf(node));
  return isConnected(node) && isArea(box) ? sized(box) : null;
};

/** Converts a position relative to a node's padding box to viewport coordinates. */
const positioned = (engine.positioned = (node, { x, y }) => {
  const { left, top } = innerBox(node);
  return { x: left + x, y: top + y };
});

/** Scrolls the scrollable ancestors of a node so that a position inside the node is visible. */
function bringPositionIntoView(node, position) {
  const levels = [...[...clippers(node)].map(([element]) => [element, () => inside(element)]), [document.scrollingElement, viewport]];
  for (const [scroller, portOf] of levels) {
    const [here, port] = [positioned(node, position), portOf()];
    const left = here.x < port.left || here.x >= port.right ? here.x - (port.left + port.right) / 2 : 0;
    const top = here.y < port.top || here.y >= port.bottom ? here.y - (port.top + port.bottom) / 2 : 0;
    if (scroller && (left || top)) scrollBy(scroller, { left, top, behavior: "instant" });
  }
}

/** The distance, in pixels, that one notch of a mouse wheel scrolls. */
const NOTCH = 120;

/** Rounds a distance to whole wheel notches. Returns it unchanged if the area is not at least two notches larger than the node. */
function notched(distance, spare, attempt) {
  if (spare < 2 * NOTCH) return distance;
  const notches = distance / NOTCH;
  if (attempt % 3 === 0) return (Math.round(notches) || Math.sign(notches)) * NOTCH;
  return (attempt % 3 === 1 ? Math.ceil(notches) : Math.floor(notches)) * NOTCH;
}

/** Returns how far to scroll, `{dx, dy}` in pixels, to align the box in the visible area `port`. `attempt` selects the alignment. */
function needed(box, port, attempt, canScroll) {
  const axis = (start, end, low, high, backward, forward) => {
    const size = end - start;
    const room = high - low;
    const shown = Math.min(end, high) - Math.max(start, low);
    if (attempt === 0 && shown >= Math.min(size, ENOUGH, room)) return 0;
    const spare = room - size;
    const margin = Math.min(40, Math.max(0, spare) / 4);
    const aim = [low + spare / 2, high - size - margin, low + margin][attempt % 3];
    const distance = Math.min(Math.max(Math.round(start - aim), -backward), forward);
    return distance && notched(distance, spare, attempt);
  };
  const { scroller, x, y } = canScroll;
  const right = scroller.scrollWidth - scroller.clientWidth;
  const bottom = scroller.scrollHeight - scroller.clientHeight;
  const [left, top] = [Math.abs(scroller.scrollLeft), scroller.scrollTop];
  return {
    dx: x ? axis(box.left, box.right, port.left, port.right, left, right - left) : 0,
    dy: y ? axis(box.top, box.bottom, port.top, port.bottom, top, bottom - top) : 0,
  };
}

const SCROLLS = /^(?:auto|scroll|overlay)$/;
const scrolls = (element, style = getComputedStyle(element)) => ({
  scroller: element,
  x: SCROLLS.test(style.overflowX) && element.scrollWidth > element.clientWidth + 1,
  y: SCROLLS.test(style.overflowY) && element.scrollHeight > element.clientHeight + 1,
});
const rootScrolls = () => {
  const scroller = document.scrollingElement ?? document.documentElement;
  const { overflowX, overflowY } = getComputedStyle(scroller);
  return { scroller, x: !/hidden|clip/.test(overflowX), y: !/hidden|clip/.test(overflowY) };
};

/** Controls whose value the mouse wheel may change, natively while focused or through a listener of the page. */
const TURNED = "input,select:not([multiple],[size]:not([size='1'])),[role=spinbutton],[role=slider]";
const FRAMES = "iframe,frame,object,embed";

let wheelHearers = [];
/** Stores the elements with wheel listeners. `passive[i]`: whether the listener of the i-th element is passive. */
engine.adoptWheelHearers = (passive, ...elements) => {
  wheelHearers = elements.map((element, at) => ({ element, passive: passive[at] }));
};

/** Whether an element with a wheel listener could consume a wheel event that should scroll this area. */
function takesWheel({ element, passive }, scroller) {
  if (!(element instanceof Element) || !isConnected(element) || within(scroller, element)) return false;
  if (element === document.body || element === document.documentElement) return false;
  const [box, view] = [rectOf(element), viewport()];
  const covers = box.left <= view.left && box.top <= view.top && box.right >= view.right && box.bottom >= view.bottom;
  // An element around everything, such as the root of a framework, cannot be avoided.
  return !(covers && passive);
}

/**
 * Whether scrolling by `dx` and `dy` with the wheel at this point could change the value of a control: one at the point, or one that
 * scrolling moves under the pointer.
 */
engine.wheelChanges = (point, scroller, dx, dy) => {
  const hearers = wheelHearers.filter((hearer) => takesWheel(hearer, scroller)).map(({ element }) => element);
  for (let node = elementAt(point.x, point.y); node && node !== scroller; node = engine.flatParent(node)) {
    if (matches(node, TURNED) || hearers.includes(node)) return true;
  }
  const active = engine.activeElement();
  const focused = active && [closest(active, TURNED), closest(active, FRAMES)].filter(Boolean);
  const [left, right] = [point.x + Math.min(dx, 0), point.x + Math.max(dx, 0)];
  const [top, bottom] = [point.y + Math.min(dy, 0), point.y + Math.max(dy, 0)];
  return [...(focused ?? []), ...hearers].some((element) => {
    const box = rectOf(element);
    return box.left <= right && box.right >= left && box.top <= bottom && box.bottom >= top;
  });
};

/** Whether the wheel at this point scrolls this scroller, and not a nested one, and changes no value. */
function wheelReaches(point, scroller, dx, dy) {
  if (engine.wheelChanges(point, scroller, dx, dy)) return false;
  const root = document.scrollingElement ?? document.documentElement;
  for (let node = elementAt(point.x, point.y); node; node = engine.flatParent(node)) {
    if (node === scroller) return true;
    if (localName(node) === "iframe" || localName(node) === "frame") return false;
    if (node === document.body || node === document.documentElement) break;
    const can = scrolls(node);
    if ((dx && can.x) || (dy && can.y)) return false;
  }
  return scroller === root;
}

/**
 * Returns the next wheel event that scrolls towards the node, outermost scroller first: `{point, dx, dy}`; null if the node is in view;
 * false if the wheel cannot scroll it into view. `part` is the box in the node that must be visible. Default: the whole node.
 */
engine.nextTurn = (node, attempt, pointer, part) => {
  learnRoots(node);
  if (!isConnected(node)) return false;
  let box = boxesOf(node)[0];
  if (!box) return false;
  if (part) {
    const { left, top } = inside(node);
    box = { left: left + part.x, top: top + part.y, right: left + part.x + part.width, bottom: top + part.y + part.height };
  }
  const view = viewport();
  const turns = [];
  const levels = [...clippers(node)].map(([element, style]) => [scrolls(element, style), inside(element)]);
  if (getComputedStyle(node).position !== "fixed") levels.push([rootScrolls(), view]);
  for (const [can, port] of levels) {
    const { dx, dy } = needed(box, port, attempt, can);
    if (dx || dy) turns.push({ scroller: can.scroller, port, dx, dy });
    box = { left: box.left - dx, top: box.top - dy, right: box.right - dx, bottom: box.bottom - dy };
  }
  const turn = turns.pop();
  if (!turn) return null;
  const port = overlap(turn.port, view);
  if (!isArea(port)) return false;
  const points = [...SHARES, [0.5, 0.1], [0.5, 0.9], [0.04, 0.5], [0.96, 0.5]].map((share) => pointAt(port, share));
  if (pointer && pointer.x >= port.left && pointer.x < port.right && pointer.y >= port.top && pointer.y < port.bottom)
    points.unshift(pointer);
  const point = points.find((candidate) => wheelReaches(candidate, turn.scroller, turn.dx, turn.dy));
  return point ? { point, dx: turn.dx, dy: turn.dy } : false;
};

/* --------------------------------------------------------------- movement */

const MOVES =
  /^(?:transform|translate|rotate|scale|zoom|left|right|top|bottom|flex.*|(?:offset|inset|margin|padding).+|.*(?:width|height|size))$/i;

/** Whether keyframes change the position or size of their element. */
function leadElsewhere(keyframes) {
  const named = keyframes.flatMap((keyframe) => Object.keys(keyframe)).filter((name) => MOVES.test(name));
  return named.some((name) => {
    const [first, ...rest] = keyframes.filter((keyframe) => name in keyframe).map((keyframe) => keyframe[name]);
    return rest.length === 0 || rest.some((value) => value !== first);
  });
}

/** Whether a running animation of the node or an ancestor changes its position or size. Counts only animations that `isMeant` accepts. */
function isAnimated(node, isMeant = () => true) {
  for (let part = node; part; part = engine.flatParent(part)) {
    for (const animation of animationsOf(part)) {
      const { playState, timeline, effect } = animation;
      if (playState !== "running" || !(timeline instanceof DocumentTimeline) || !isMeant(animation)) continue;
      if (leadElsewhere(effect.getKeyframes())) return true;
    }
  }
  return false;
}
const isUnderWay = ({ effect }) => effect.getComputedTiming().progress !== null;
/** The time after the start of an animation, in milliseconds, in which no movement may be visible yet. */
const BEGINNING_MS = 50;
/** Whether an animation is pending or has just started, so that equal boxes in two frames do not prove that nothing moves. */
function isBeginning({ pending, effect }) {
  const { progress, localTime, delay } = effect.getComputedTiming();
  return pending || (progress !== null && localTime - delay < BEGINNING_MS);
}

engine.isGliding = (node) => isAnimated(node);

const SHOWS = /^(?:opacity|visibility|display|clip.*)$/;
const leadsIntoSight = (keyframes) => keyframes.some((keyframe) => Object.keys(keyframe).some((name) => SHOWS.test(name)));
/** Animations of ancestors that have more time left than this are not waited for. */
const LONGEST_OPENING_MS = 1000;

/** Whether an animation that shows, hides or moves an ancestor is running and ends within `LONGEST_OPENING_MS`. */
function isUnsettled(node) {
  for (let part = engine.flatParent(node); part; part = engine.flatParent(part)) {
    for (const { playState, timeline, currentTime, effect } of animationsOf(part)) {
      if (playState !== "running" || !(timeline instanceof DocumentTimeline)) continue;
      const left = effect.getComputedTiming().endTime - (currentTime ?? 0);
      if (!(left <= LONGEST_OPENING_MS)) continue;
      const keyframes = effect.getKeyframes();
      if (leadElsewhere(keyframes) || leadsIntoSight(keyframes)) return true;
    }
  }
  return false;
}

/** Waits until opening animations of the ancestors end. Pages often re-render the content then, so an earlier press would be lost. */
async function untilSettled(node) {
  if (!isUnsettled(node)) return;
  const until = performance.now() + LONGEST_OPENING_MS;
  while (performance.now() < until && isUnsettled(node)) if (!(await nextFrame())) return;
  for (let frame = 0; frame < STILL; frame++) await nextFrame();
}

/** The number of consecutive frames with the same box after which a node counts as stable. */
const STILL = 2;
/** The last known box of nodes, and the number of frames for which it was unchanged: node → `{box, frames}`. */
const places = new WeakMap();

/** Records the boxes of nodes over `STILL` frames, so that the stability check of a later action need not wait for frames. */
engine.notePlaces = async (nodes) => {
  const noted = [];
  for (const subject of nodes.map(drawn)) {
    const box = boxed(rectOf(subject));
    const known = places.get(subject);
    if (known && isSame(known.box, box)) continue;
    const place = { box, frames: 0 };
    places.set(subject, place);
    noted.push([subject, place]);
  }
  for (let frame = 0; frame < STILL && noted.length; frame++) {
    if (!(await nextFrame(LONG_PATIENCE))) return;
    for (const [subject, place] of noted) {
      if (isSame(place.box, boxed(rectOf(subject)))) place.frames++;
      else places.delete(subject);
    }
  }
};

/* ------------------------------------------------------------------- looks */

/**
 * Checks once whether a node is actionable. `need`: the requirements `{visible, enabled, editable, stable, soon_stable, hit, label}`;
 * `scroll`: the number of the scroll attempt, or null for no scrolling; `at`: the preferred point, as fractions of the visible part;
 * `position`: the required point in the padding box. Returns `{blocked, by}`, or `{clear, point}` (visible box and point in the viewport).
 */
engine.probe = async (node, { need, scroll = null, at = null, position = null }) => {
  learnRoots(node);
  const subject = need.label ? drawn(node) : standInOf(node);
  const state = () => obstacle(subject, need) ?? (subject !== node ? obstacle(node, { ...need, visible: false }) : null);
  let blocked = state();
  if (blocked) return blocked;
  if (scroll !== null) bringIntoView(subject, scroll);
  if (scroll !== null && position) bringPositionIntoView(subject, position);
  if (scroll !== null && need.hit) {
    await untilSettled(subject);
    blocked = state();
    if (blocked) return blocked;
  }
  if (need.stable) {
    const before = boxed(rectOf(subject));
    const known = places.get(subject);
    const isKnown = known && isSame(known.box, before) && !isAnimated(subject, isUnderWay);
    for (let frame = isKnown ? known.frames : 0; frame < STILL; frame++) {
      const drawn = await nextFrame(LONG_PATIENCE);
      if (!isConnected(subject)) return { blocked: "missing" };
      // Without a new frame, the box of a moving element does not change.
      if (!drawn && isAnimated(subject)) return { blocked: "moving" };
      if (!isSame(before, boxed(rectOf(subject)))) return { blocked: "moving" };
    }
    if (document.visibilityState === "visible" && isAnimated(subject, isBeginning)) return { blocked: "moving" };
    blocked = state();
    if (blocked) return blocked;
  }
  if (need.soon_stable) void engine.notePlaces([subject]);
  const found = where(subject, need, at, position);
  return (found.blocked && need.hit && !position && byLabel(node, need, at)) || found;
};

/** Returns the result of `where` for a label of a checkbox or radio button that is itself covered; null if no label can be pressed. */
function byLabel(node, need, at) {
  for (const label of labelsOf(node)) {
    bringIntoView(label, 0);
    const found = where(label, need, at, null);
    if (!found.blocked) return found;
  }
  return null;
}
const labelsOf = (node) =>
  node instanceof HTMLInputElement && /^(?:checkbox|radio)$/.test(node.type) ? Array.from(node.labels ?? []).filter(engine.isVisible) : [];

/** Returns the first text node of a `treeitem`, where a click selects it: other parts expand it or are nested items. Else null. */
function wordsOfItem(node) {
  if (getAttribute(node, "role") !== "treeitem") return null;
  const isOther = (part) => matches(part, "[role=group],[role=tree],[role=treeitem],[role=img],svg,button,input,style,script");
  const find = (part) => {
    for (const child of engine.flatChildren(part)) {
      if (child instanceof Text ? /\S/.test(child.data) && isArea(boxed(engine.textRect(child))) : false) return child;
      const found = child instanceof Element && !isOther(child) && engine.isVisible(child) ? find(child) : null;
      if (found) return found;
    }
    return null;
  };
  return find(node);
}

function where(node, need, at, position) {
  const clear = seen(node);
  if (!position) {
    const words = need.hit && wordsOfItem(node);
    const spoken = words && overlap(uncut(words.parentElement, boxed(engine.textRect(words))), viewport());
    if (spoken && isArea(spoken)) {
      const { point } = freePoint(node, spoken, at);
      if (point) return { clear: sized(spoken), point };
    }
    if (!clear) return { blocked: need.visible || need.hit || rectsOf(node).length ? "outside" : "hidden" };
    if (!need.hit) return { clear: sized(clear), point: pointAt(clear, at ?? SHARES[0]) };
    const { point, ...why } = freePoint(node, clear, at);
    return point ? { clear: sized(clear), point } : why;
  }
  const point = positioned(node, position);
  const box = { left: point.x, top: point.y, right: point.x, bottom: point.y };
  const view = viewport();
  if (point.x < 0 || point.y < 0 || point.x >= view.right || point.y >= view.bottom) return { blocked: "outside" };
  const hit = elementAt(point.x, point.y);
  if (need.hit && (!hit || !reaches(hit, node))) return missedAs(node, hit, point);
  return { clear: sized(clear ?? box), point };
}

/** Checks right before a press whether it reaches the node at this point. Returns the same as `probe`. */
engine.confirm = (node, point, need) => {
  learnRoots(node);
  const subject = need.label ? drawn(node) : standInOf(node);
  const blocked = obstacle(subject, need);
  if (blocked) return blocked;
  const hit = elementAt(point.x, point.y);
  if (!hit) return { blocked: "outside" };
  return [subject, ...labelsOf(node)].some((target) => reaches(hit, target))
    ? { clear: sized(boxed(rectOf(subject))), point }
    : missedAs(subject, hit, point);
};

/** Describes the element that covers the node if a press hits `hit`; null if the press reaches the node. */
engine.missedBy = (node, hit) => {
  const subjects = [node, drawn(node), standInOf(node), ...labelsOf(node)];
  if (subjects.some((subject) => reaches(hit, subject))) return null;
  // For events from inside a closed shadow root, the hit element is the host.
  if (engine.shadowRootOf(hit) && within(node, hit)) return null;
  return coverName(hit, node);
};

/**
 * Like `probe`, for an `<iframe>` element: converts a point in the frame to this document's viewport, and checks that a press reaches it.
 */
engine.probeOwner = (owner, point, { hit, scroll = null }) => {
  learnRoots(owner);
  if (!isConnected(owner)) return { blocked: "missing" };
  let here = fromFrame(owner, point);
  const view = viewport();
  const isOutside = () => {
    const part = overlap(uncut(owner, inside(owner)), view);
    return !isArea(part) || here.x < part.left || here.y < part.top || here.x >= part.right || here.y >= part.bottom;
  };
  if (isOutside() && scroll !== null) {
    bringPoint(owner, point, scroll);
    here = fromFrame(owner, point);
  }
  if (!hit) return { clear: sized(inside(owner)), point: here };
  if (isOutside()) return { blocked: engine.isVisible(owner) ? "outside" : "hidden" };
  const found = elementAt(here.x, here.y);
  if (found === owner) return { clear: sized(inside(owner)), point: here };
  return { blocked: found ? "covered" : "outside", by: found && coverName(found, owner) };
};

/** Converts a point in a frame's viewport to the viewport of the document that embeds the frame. */
function fromFrame(owner, { x, y }) {
  const outer = rectOf(owner);
  const style = getComputedStyle(owner);
  const across = owner.offsetWidth ? outer.width / owner.offsetWidth : 1;
  const down = owner.offsetHeight ? outer.height / owner.offsetHeight : 1;
  return {
    x: outer.left + (owner.clientLeft + Number.parseFloat(style.paddingLeft) + x) * across,
    y: outer.top + (owner.clientTop + Number.parseFloat(style.paddingTop) + y) * down,
  };
}
engine.fromFrame = fromFrame;

/** Scrolls the ancestors of an `<iframe>` so that a point in the frame is centred in each of them. */
function bringPoint(owner, point, attempt) {
  scrollTo(owner, { block: ALIGNMENTS[attempt % 3], inline: "nearest", behavior: "instant" });
  for (const [scroller, port] of [
    ...[...clippers(owner)].map(([element]) => [element, inside(element)]),
    [document.scrollingElement, viewport()],
  ]) {
    if (!scroller) continue;
    const here = fromFrame(owner, point);
    const left = here.x < port.left || here.x >= port.right ? here.x - (port.left + port.right) / 2 : 0;
    const top = here.y < port.top || here.y >= port.bottom ? here.y - (port.top + port.bottom) / 2 : 0;
    if (left || top) scrollBy(scroller, { left, top, behavior: "instant" });
  }
}

/** Returns the element's bounding box `{x, y, width, height}` in the frame's viewport; null if it has no size or is detached. */
engine.boxOf = (node) => {
  const box = rectOf(node);
  return isConnected(node) && (box.width || box.height) ? sized(boxed(box)) : null;
};
