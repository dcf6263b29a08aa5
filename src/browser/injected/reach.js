// Marks the elements of a snapshot that a press cannot reach, even after scrolling by a user. Does not scroll: elements in view are
// hit-tested; for all others, it computes from their position where scrolling could show them.
const { rectOf, rootOf, getAttribute, hasAttribute, localName } = engine.native;
const own = (method) => Function.prototype.call.bind(method);
const elementsAt = { document: own(Document.prototype.elementsFromPoint), root: own(ShadowRoot.prototype.elementsFromPoint) };
const elementAt = own(Document.prototype.elementFromPoint);
const closest = own(Element.prototype.closest);
const { SHARES, boxesOf, inside, isArea, overlap, pointAt, reaches, targetsOf, viewport } = engine.aiming;
const { holdsWhatIsFixed, isOnTop, overflowOfViewport } = engine.sight;
const { flatParent, within } = engine;

const CLIPS = /^(?:auto|scroll|hidden|clip|overlay)$/;
const SCROLLS = /^(?:auto|scroll|overlay)$/;
/** The most elements that are checked. Snapshots with more elements are not checked. */
const MOST = 5000;
/** The number of rows and columns of points in a box that are hit-tested if none of the usual points (`SHARES`) is free. */
const FINE = 6;
const GRID = 4;

/** Returns how far the content of a scroller can still move in each direction, in pixels: `{left, right, up, down}`. */
function slackOf(scroller, isX, isY, style, across = 1, down = 1) {
  const range = (position, size, port, isNegative) => {
    const room = Math.max(0, size - port);
    const [low, high] = isNegative ? [-room, 0] : [0, room];
    return [Math.max(0, high - position), Math.max(0, position - low)];
  };
  const isReversed = (axis) => style.display.includes("flex") && style.flexDirection === `${axis}-reverse`;
  const { scrollLeft, scrollTop, scrollWidth, scrollHeight, clientWidth, clientHeight } = scroller;
  const isLeft = (style.direction === "rtl") !== isReversed("row");
  const [left, right] = isX ? range(scrollLeft, scrollWidth, clientWidth, isLeft) : [0, 0];
  const [up, back] = isY ? range(scrollTop, scrollHeight, clientHeight, isReversed("column")) : [0, 0];
  return { left: left * across, right: right * across, up: up * down, down: back * down };
}

/** A cache of the clipping and scrolling ancestors of elements, for one check of the page. */
class Surroundings {
  constructor() {
    this.known = new Map();
    this.chains = { flow: new Map(), absolute: new Map(), fixed: new Map() };
    this.viewports = overflowOfViewport();
    this.view = viewport();
    const scroller = document.scrollingElement ?? document.documentElement;
    const style = getComputedStyle(this.viewports);
    const isLocked = window.frameElement && getAttribute(window.frameElement, "scrolling") === "no";
    const scrolls = (overflow) => !isLocked && !/hidden|clip/.test(overflow);
    const slack = slackOf(scroller, scrolls(style.overflowX), scrolls(style.overflowY), getComputedStyle(document.documentElement));
    this.page = { isPage: true, element: scroller, port: this.view, x: true, y: true, slack, outer: null };
    this.screen = { ...this.page, element: null, slack: { left: 0, right: 0, up: 0, down: 0 } };
  }

  of(element) {
    let known = this.known.get(element);
    if (!known) {
      const style = getComputedStyle(element);
      const { position, overflowX, overflowY } = style;
      const isBox = (overflowX !== "visible" || overflowY !== "visible") && style.display !== "contents" && style.display !== "inline";
      const isPages = element === document.documentElement || element === this.viewports;
      const [x, y] = isBox && !isPages ? [CLIPS.test(overflowX), CLIPS.test(overflowY)] : [false, false];
      const sticks = position === "sticky" && {
        x: style.left !== "auto" || style.right !== "auto",
        y: style.top !== "auto" || style.bottom !== "auto",
      };
      known = {
        position,
        sticks,
        style,
        isOnTop: position !== "static" && isOnTop(element),
        link: x || y ? this.link(element, style, x, y) : null,
      };
      this.known.set(element, known);
    }
    return known;
  }

  holdsFixed(element) {
    const known = this.of(element);
    known.holdsFixed ??= known.style.display !== "inline" && holdsWhatIsFixed(known.style);
    return known.holdsFixed;
  }

  link(element, style, x, y) {
    const outer = rectOf(element);
    const across = element.offsetWidth ? outer.width / element.offsetWidth : 1;
    const down = element.offsetHeight ? outer.height / element.offsetHeight : 1;
    const slack = slackOf(element, SCROLLS.test(style.overflowX), SCROLLS.test(style.overflowY), style, across, down);
    const margin = Number.parseFloat(/[\d.]+px/.exec(style.overflowClipMargin ?? "")?.[0] ?? "0");
    const beyond = (overflow) => (overflow === "clip" ? margin : 0);
    const [aside, above] = [beyond(style.overflowX), beyond(style.overflowY)];
    const { left, top, right, bottom } = inside(element);
    const port = { left: left - aside, top: top - above, right: right + aside, bottom: bottom + above };
    return { isPage: false, element, port, x, y, slack };
  }

  /** Returns the chain of clipping and scrolling ancestors for children of `holder` positioned as `mode`: `flow`, `absolute` or `fixed`. */
  chain(holder, mode) {
    if (!holder) return mode === "fixed" ? this.screen : this.page;
    const chains = this.chains[mode];
    let found = chains.get(holder);
    if (found === undefined) {
      found = this.begun(holder, mode);
      chains.set(holder, found);
    }
    return found;
  }

  begun(holder, mode) {
    const { position, link } = this.of(holder);
    const passes = mode === "fixed" || (mode === "absolute" && position === "static");
    if (passes && !this.holdsFixed(holder)) return this.chain(flatParent(holder), mode);
    const outer = this.around(holder);
    return link ? { ...link, outer } : outer;
  }

  /** Returns the chain of clipping and scrolling ancestors of an element, innermost first, linked by `outer`. */
  around(element) {
    const { position, sticks, isOnTop: onTop } = this.of(element);
    if (onTop) return position === "absolute" ? this.page : this.screen;
    const mode = position === "fixed" || position === "absolute" ? position : "flow";
    const outer = this.chain(flatParent(element), mode);
    return sticks ? { sticks, outer } : outer;
  }

  /** Returns the scrollers that move an element: scroller → `{x, y}`. The nearest scroller does not move a sticky element. */
  movers(element) {
    const movers = new Map();
    let stuck = null;
    for (let link = this.around(element); link; link = link.outer) {
      if (link.sticks) {
        stuck = link.sticks;
        continue;
      }
      const { left, right, up, down } = link.slack;
      const x = left + right > 0.5 && !stuck?.x;
      const y = up + down > 0.5 && !stuck?.y;
      if (x || y) movers.set(link.element, { x, y });
      if (!link.isPage) stuck = null;
    }
    return movers;
  }

  /** Returns the visible part of a box (`now`) and the area in which scrolling can show it (`sweep`); `{cut}` if it is never visible. */
  place(element, box) {
    return this.placeIn(this.around(element), box);
  }

  placeIn(head, box) {
    let [now, sweep] = [box, box];
    for (let link = head; link; link = link.outer) {
      if (link.sticks) continue;
      now = cutBy(link, now);
      sweep = cutBy(link, moved(link, sweep));
      if (!isArea(sweep)) return { cut: link.isPage ? "off-screen" : "clipped" };
    }
    return { now: isArea(now) ? now : null, sweep };
  }

  /** Returns the area in which a box can be shown by the inner scrollers of its element, up to the first one in `others`. */
  placeBeside(element, box, others) {
    for (let link = this.around(element); link && !others.has(link.element); link = link.outer) {
      if (!link.sticks) box = cutBy(link, moved(link, box));
    }
    return box;
  }
}

const cutBy = ({ x, y, port }, part) => ({
  left: x ? Math.max(part.left, port.left) : part.left,
  right: x ? Math.min(part.right, port.right) : part.right,
  top: y ? Math.max(part.top, port.top) : part.top,
  bottom: y ? Math.min(part.bottom, port.bottom) : part.bottom,
});
const moved = ({ slack }, part) => ({
  left: part.left - slack.left,
  right: part.right + slack.right,
  top: part.top - slack.up,
  bottom: part.bottom + slack.down,
});
const holdsPoint = ({ left, top, right, bottom }, { x, y }) => x >= left && x < right && y >= top && y < bottom;

/** Returns `count` × `count` points, evenly spread over a box, as fractions `[x, y]` of its size. */
const grid = (count) =>
  Array.from({ length: count * count }, (_, at) => [((at % count) + 0.5) / count, (Math.floor(at / count) + 0.5) / count]);
const FINELY = grid(FINE);
const COARSELY = grid(GRID);

class Look {
  constructor() {
    this.around = new Surroundings();
    this.samples = null;
    /** Chains of scrolling ancestors in which nothing covers an element once it is scrolled into view. */
    this.free = new Set();
  }

  /** Returns why a press cannot reach an element, `{kind, hit}`; null if it can. `isPlain`: only the page itself scrolls the element. */
  why(element, isPlain) {
    const quick = this.quickly(element, isPlain);
    if (quick !== undefined) return quick;
    let first = null;
    for (const target of targetsOf(element)) {
      const why = this.whyNot(target);
      if (!why) return null;
      first ??= why;
    }
    return first;
  }

  /** A fast version of `why` for elements out of view, the majority on a long page. Returns undefined if the full check is needed. */
  quickly(element, isPlain) {
    const { view, page } = this.around;
    const rect = rectOf(element);
    const { left, right, top, bottom } = rect;
    if (right - left <= 0 || bottom - top <= 0) return undefined;
    if (isPlain && bottom > 0 && top < view.bottom && right > 0 && left < view.right) return undefined;
    const { position, pointerEvents } = getComputedStyle(element);
    if (pointerEvents === "none" || (position !== "static" && position !== "relative")) return undefined;
    if (isPlain && this.veil?.free.length) {
      const { slack } = page;
      const isInReach = bottom + slack.down > 1 && top - slack.up < view.bottom - 1 && left >= 0 && right <= view.right;
      const step = view.right / GRID;
      if (isInReach && this.veil.free.some((x) => x >= left - step && x < right + step)) return null;
    }
    const head = isPlain ? page : this.around.chain(flatParent(element), "flow");
    const { now, cut, sweep } = this.around.placeIn(head, rect);
    if (now || cut) return undefined;
    if (head !== page) return this.free.has(head) ? null : undefined;
    this.veil ??= this.veiled();
    if (this.veil.hit) return { kind: "covered", hit: this.veil.hit };
    const step = view.right / GRID;
    return this.veil.free.some((x) => x >= sweep.left - step && x < sweep.right + step) ? null : undefined;
  }

  /** Returns the element that covers the whole viewport while the page scrolls (`hit`); otherwise the uncovered x positions (`free`). */
  veiled() {
    const { view, page } = this.around;
    this.samples ??= COARSELY.map((share) => sampled(pointAt(view, share)));
    const isFree = ({ hit }) => !hit || page.element === hit || !leaves({ x: false, y: true }, this.around.movers(hit).get(page.element));
    if (page.slack.up + page.slack.down <= 0.5) return { free: [] };
    const free = this.samples.filter(isFree);
    if (free.length) return { free: free.map(({ point }) => point.x) };
    return FINELY.some((share) => isFree(sampled(pointAt(view, share)))) ? { free: [] } : { hit: this.samples[0].hit, free: [] };
  }

  whyNot(target) {
    if (target instanceof HTMLAreaElement) return this.whyNotArea(target);
    const boxes = boxesOf(target);
    if (!boxes.length) return drawsItself(target) ? null : { kind: "hidden" };
    const style = getComputedStyle(target);
    if (style.pointerEvents === "none" && !closest(target, "svg") && !takesInside(target)) return { kind: "no pointer" };
    if (style.interactivity === "inert") return { kind: "inert" };
    let first = null;
    for (const box of boxes) {
      const why = this.whyNotAt(target, box, target);
      if (!why) return null;
      first ??= why;
    }
    return first;
  }

  /** Like `whyNot`, for an `<area>` of an image map: checks the box on the image. */
  whyNotArea(area) {
    const map = closest(area, "map");
    const name = map && getAttribute(map, "name");
    const image = name && engine.queryAll(rootOf(area), "img[usemap]").find((one) => getAttribute(one, "usemap") === `#${name}`);
    const numbers = (getAttribute(area, "coords") ?? "").split(",").map(Number);
    if (!image || numbers.length < 4 || numbers.some(Number.isNaN) || getAttribute(area, "shape") === "circle") return null;
    const { left, top } = inside(image);
    const [across, down] = [0, 1].map((axis) => numbers.filter((_, at) => at % 2 === axis));
    const box = {
      left: left + Math.min(...across),
      right: left + Math.max(...across),
      top: top + Math.min(...down),
      bottom: top + Math.max(...down),
    };
    return this.whyNotAt(area, box, image);
  }

  /** Like `whyNot`, for one box of the target. `anchor` is the element with which the box scrolls. */
  whyNotAt(target, box, anchor) {
    const place = this.around.place(anchor, box);
    if (place.cut) return { kind: place.cut };
    const { now, sweep } = place;
    if (!now) {
      const why = this.passes(anchor, box, sweep);
      if (!why) this.free.add(this.around.around(anchor));
      return why;
    }
    const { cover, point } = this.coverAt(target, now);
    if (cover === null) return null;
    if (!cover) return { kind: "off-screen" };
    const movers = this.around.movers(anchor);
    if (!movers.size) return unreached(target, cover, point);
    const others = this.around.movers(cover);
    if (!within(target, cover) && [...movers].some(([mover, by]) => leaves(by, others.get(mover)))) return this.passes(anchor, box, sweep);
    const isWhole = contains(now, box) || contains(rectOf(cover), box) || within(target, cover);
    return isWhole ? unreached(target, cover, point) : null;
  }

  /** Hit-tests points of a box. Returns `{cover: null}` if the target is hit at one of them, else the first element hit and its point. */
  coverAt(target, box) {
    let [cover, point] = [undefined, null];
    const tries = (share) => {
      const at = pointAt(box, share);
      const hit = engine.elementAt(at.x, at.y);
      if (!hit) return false;
      if (reaches(hit, target)) {
        const outer = hitOutside(at);
        if (!outer) return true;
        if (cover === undefined) [cover, point] = [outer, at];
      } else if (cover === undefined) [cover, point] = [hit, at];
      return false;
    };
    if (SHARES.some(tries)) return { cover: null };
    const isPlain = cover && contains(rectOf(cover), box) && isBefore(cover, target, point);
    if (!isPlain && FINELY.some(tries)) return { cover: null };
    return { cover, point };
  }

  /** Returns `{kind, hit}` if an element covers the box wherever scrolling can show it; null otherwise. */
  passes(target, box, sweep) {
    const area = overlap(sweep, this.around.view);
    if (!isArea(area)) return null;
    const movers = this.around.movers(target);
    this.samples ??= COARSELY.map((share) => sampled(pointAt(this.around.view, share)));
    const isFree = ({ point, hit }) => {
      if (!hit || within(target, hit) || within(hit, target)) return true;
      const others = this.around.movers(hit);
      const shared = new Set([...movers].filter(([mover, by]) => !leaves(by, others.get(mover))).map(([mover]) => mover));
      if (shared.size === movers.size) return true;
      return shared.size > 0 && !holdsPoint(this.around.placeBeside(target, box, shared), point);
    };
    const points = this.samples.filter(({ point }) => holdsPoint(area, point));
    if (points.some(isFree)) return null;
    const hit = points[0]?.hit ?? sampled(pointAt(area, SHARES[0])).hit;
    // If a single element covers the whole area, the finer grid is not needed.
    const isPlain = hit && points.length > 0 && contains(rectOf(hit), area);
    if (!isPlain && FINELY.some((share) => isFree(sampled(pointAt(area, share))))) return null;
    return hit && { kind: "covered", hit };
  }
}

/** Whether a scroller moves an element (`by`) along an axis on which it does not move the other, covering element. */
const leaves = (by, other) => (by.x && !other?.x) || (by.y && !other?.y);

/** Returns the element in a same-origin parent document that covers this frame at a point; null if there is none. */
function hitOutside({ x, y }) {
  for (let [inner, owner] = [window, window.frameElement]; owner; [inner, owner] = [inner.parent, inner.parent.frameElement]) {
    ({ x, y } = engine.fromFrame(owner, { x, y }));
    const hit = elementAt(owner.ownerDocument, x, y);
    if (!hit) return null;
    if (hit !== owner && !within(hit, owner) && !owner.contains(hit) && rootOf(owner) === rootOf(hit)) return hit;
  }
  return null;
}

/** Whether an element without a box may still draw something: generated content or a shadow tree. */
const drawsItself = (element) =>
  ["::before", "::after"].some((part) => !/^(?:none|normal|)$/.test(getComputedStyle(element, part).content)) ||
  engine.shadowRootOf(element) !== null;

const sampled = (point) => ({ point, hit: engine.elementAt(point.x, point.y) });
const contains = (outer, inner) =>
  outer.left <= inner.left + 1 && outer.top <= inner.top + 1 && outer.right >= inner.right - 1 && outer.bottom >= inner.bottom - 1;

/** Whether a descendant receives the pointer events that the element itself ignores. */
const takesInside = (element) =>
  engine.queryAll(element, "*").some((part) => getComputedStyle(part).pointerEvents !== "none" && boxesOf(part).length > 0);

/** Whether the target is hit-testable at a point, below an element that covers it. */
function isBefore(cover, target, { x, y }) {
  if (within(target, cover)) return false;
  const root = rootOf(target);
  const all = root instanceof ShadowRoot ? elementsAt.root(root, x, y) : elementsAt.document(document, x, y);
  return all.some((element) => within(element, target));
}

const isInert = (element) => {
  for (let node = element; node; node = flatParent(node)) if (hasAttribute(node, "inert")) return true;
  return false;
};

/** Whether an element is in an open popover, which is drawn even over a modal dialog outside of it. */
function isInPopover(element) {
  for (let node = element; node; node = flatParent(node)) if (engine.native.matches(node, ":popover-open")) return true;
  return false;
}

/** Returns why a press at a point of `node` hits the element `hit` instead: `{kind}`, with `hit` if the node is covered. */
const unreached = (engine.unreached = (node, hit, point) => {
  const target = node instanceof HTMLAreaElement ? (flatParent(node) ?? node) : node;
  if (isInert(target)) return { kind: "inert" };
  const style = getComputedStyle(target);
  if (style.interactivity === "inert") return { kind: "inert" };
  if (style.pointerEvents === "none") return { kind: "no pointer" };
  if (isBefore(hit, target, point)) return { kind: "covered", hit };
  const modal = engine.sight.openModal(engine.activeElement());
  if (modal && isInPopover(target) && !within(target, modal)) return { kind: "inert" };
  for (let around = target; around; around = flatParent(around)) {
    const { clipPath, backfaceVisibility, overflow, maskImage } = getComputedStyle(around);
    if (clipPath !== "none" || (overflow !== "visible" && around !== target) || (maskImage && maskImage !== "none"))
      return { kind: "clipped" };
    if (backfaceVisibility === "hidden") return { kind: "hidden" };
  }
  return within(target, hit) ? { kind: "no pointer" } : { kind: "covered", hit };
});

const DIALOG = "dialog,[role=dialog],[role=alertdialog],[aria-modal=true]";

/** Like `engine.dialogOver`. `dialogs` keeps the open dialogs for further calls. */
function coverOf(hit, dialogs) {
  let dialog = null;
  for (let node = hit; node && !dialog; node = flatParent(node)) {
    if (engine.native.matches(node, DIALOG)) dialog = node;
  }
  if (!dialog) {
    dialogs.all ??= engine.queryAll(document, DIALOG).filter(isOver);
    if (dialogs.all.length === 1) [dialog] = dialogs.all;
  }
  return dialog && engine.nameOf(dialog, "dialog");
}

/** Returns the name of the dialog that a covering element belongs to, or whose backdrop it is; null for other elements. */
engine.dialogOver = (hit) => coverOf(hit, {});

function isOver(dialog) {
  if (!engine.isVisible(dialog)) return false;
  const box = rectOf(dialog);
  const hit = engine.elementAt(box.left + box.width / 2, box.top + box.height / 2);
  return hit !== null && within(hit, dialog);
}

/** The number of consecutive elements of a long page (more than `LONG` elements) that are checked as one group. */
const STRIDE = 8;
const LONG = 400;

/** Returns `STRIDE` if that many elements from index `at` on are all below or all above the viewport of a long page; otherwise 0. */
function apart(look, listed, at) {
  const { view, page } = look.around;
  const end = at + STRIDE - 1;
  if (listed.length < LONG || end >= listed.length) return 0;
  for (let one = at; one <= end; one++) if (!listed[one][2]) return 0;
  const [first, last] = [rectOf(listed[at][0]), rectOf(listed[end][0])];
  const reachable = page.slack.down + page.slack.up > 0.5;
  const isBelow = first.top > view.bottom && last.top > view.bottom;
  return reachable && (isBelow || (first.bottom < 0 && last.bottom < 0)) ? STRIDE : 0;
}

/** Marks in the snapshot nodes which elements a press cannot reach. Takes `[element, node, isPlain]`; `isPlain`: only the page scrolls. */
engine.markReach = (listed) => {
  if (!listed.length || listed.length > MOST || !document.documentElement) return;
  const look = new Look();
  const dialogs = {};
  const covers = new Set();
  const mark = (node, why) => {
    const details = (node[4] ??= {});
    details.m = why.kind;
    if (!why.hit || covers.has(why.hit)) return;
    const name = coverOf(why.hit, dialogs);
    covers.add(why.hit);
    // Names a covering dialog only at the first element that it covers.
    if (name !== null) details.by = name;
  };
  let together = 0;
  for (let at = 0; at < listed.length; at++) {
    const [element, node, isPlain] = listed[at];
    if (!together) together = apart(look, listed, at);
    const isTogether = together > 0 && together-- > 0;
    if (isTogether && !look.veil?.hit && look.veil?.free.length && getComputedStyle(element).pointerEvents !== "none") continue;
    const why = localName(element) === "option" ? null : look.why(element, isPlain);
    if (why) mark(node, why);
  }
};
