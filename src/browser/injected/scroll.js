// Scrolling: finds scrollable elements, their scroll position, points where the wheel scrolls them, and elements that came into view.
const { rectOf } = engine.native;
const own = (method) => Function.prototype.call.bind(method);
const scrollBy = own(Element.prototype.scrollBy);
const pointIn = { document: own(Document.prototype.elementFromPoint), root: own(ShadowRoot.prototype.elementFromPoint) };
const { overflowOfViewport } = engine.sight;

/** If the page itself can scroll by fewer pixels than this, another scrollable element is preferred. */
const LEAST = 40;
const PAGES_WITHIN = new Set(["iframe", "frame", "object", "embed"]);

const pageOf = () => document.scrollingElement ?? document.documentElement;
const placeOf = (element, axis) =>
  axis === "x"
    ? { at: element.scrollLeft, all: element.scrollWidth, room: element.clientWidth }
    : { at: element.scrollTop, all: element.scrollHeight, room: element.clientHeight };

/** Returns the total scroll range of an element along an axis, in pixels; 0 if it does not scroll. */
function rangeOf(element, axis) {
  const { all, room } = placeOf(element, axis);
  if (all - room < 2 || room < 1) return 0;
  const viewports = overflowOfViewport();
  const isPage = element === pageOf();
  if (!isPage && element === viewports) return 0;
  const style = getComputedStyle(isPage ? viewports : element);
  const overflow = axis === "x" ? style.overflowX : style.overflowY;
  const scrolls = isPage ? overflow !== "hidden" && overflow !== "clip" : overflow === "auto" || overflow === "scroll";
  return scrolls ? all - room : 0;
}

const areaOf = (element) => {
  const part = engine.seenOf(element);
  return part ? part.width * part.height : 0;
};

/** Returns the scrollable descendant of `root` with the largest visible area. */
function largest(root, axis) {
  let best = { area: 0, element: null };
  for (const element of engine.queryAll(root, "*")) {
    if (!rangeOf(element, axis) || element === pageOf()) continue;
    const area = areaOf(element);
    if (area > best.area) best = { area, element };
  }
  return best;
}

/**
 * Returns the element to scroll along an axis. For a node: the node, its largest scrollable descendant if that fills most of it, or its
 * nearest scrollable ancestor. Without a node: the page or, if it does not scroll, its largest scrollable element. Null if nothing scrolls.
 */
engine.scrollerOf = (node, axis) => {
  if (node) {
    const element = node instanceof Element ? node : engine.flatParent(node);
    if (element && rangeOf(element, axis)) return element;
    const inner = element ? largest(element, axis) : { area: 0 };
    if (inner.area && inner.area * 2 >= areaOf(element)) return inner.element;
    for (let around = element; around; around = engine.flatParent(around)) if (rangeOf(around, axis)) return around;
    return null;
  }
  const page = pageOf();
  const range = rangeOf(page, axis);
  if (range >= LEAST) return page;
  return largest(document, axis).element ?? (range ? page : null);
};

const viewport = () => ({
  x: 0,
  y: 0,
  width: pageOf().clientWidth || innerWidth,
  height: Math.min(pageOf().clientHeight || innerHeight, innerHeight),
});
const portOf = (scroller) => (scroller === pageOf() ? viewport() : engine.seenOf(scroller));

/** Returns the innermost element at a point, including elements in shadow roots. */
function topAt(x, y) {
  let top = pointIn.document(document, x, y);
  for (let root = top && engine.shadowRootOf(top); root; root = engine.shadowRootOf(top)) {
    const inner = pointIn.root(root, x, y);
    if (!inner || inner === top) break;
    top = inner;
  }
  return top;
}

/** Whether the wheel at a point scrolls this element, and not a nested scrollable one. */
function reaches(scroller, axis, x, y) {
  const top = topAt(x, y);
  if (!top || PAGES_WITHIN.has(engine.native.localName(top))) return false;
  for (let around = top; around; around = engine.flatParent(around)) if (rangeOf(around, axis)) return around === scroller;
  return false;
}

const SPOTS = [0.5, 0.25, 0.75, 0.1, 0.9];

/**
 * Returns the scroll position `{at, most, room, isPage, point}`: current and largest offset, visible size, in pixels. At `point`, the wheel
 * scrolls the element by `distance` without other effects: the pointer's position if possible; null if there is no such point.
 */
engine.scrolled = (scroller, axis, pointer, distance) => {
  if (!engine.native.isConnected(scroller)) return null;
  const { at, all, room } = placeOf(scroller, axis);
  const port = portOf(scroller);
  let point = null;
  if (port) {
    const spots = SPOTS.flatMap((down) => SPOTS.map((across) => [port.x + port.width * across, port.y + port.height * down]));
    if (pointer && pointer[0] > port.x && pointer[0] < port.x + port.width && pointer[1] > port.y && pointer[1] < port.y + port.height) {
      spots.unshift(pointer);
    }
    const [dx, dy] = axis === "x" ? [distance, 0] : [0, distance];
    const isFree = ([x, y]) => reaches(scroller, axis, x, y) && !engine.wheelChanges({ x, y }, scroller, dx, dy);
    point = spots.find(isFree) ?? null;
  }
  return { at, most: Math.max(0, all - room), room, isPage: scroller === pageOf(), point };
};

/** Scrolls an element by `distance` pixels at once, even if the page sets `scroll-behavior: smooth`. */
engine.scrollAtOnce = (scroller, axis, distance) => {
  scrollBy(scroller, { [axis === "x" ? "left" : "top"]: distance, behavior: "instant" });
};

const STAYS = new Set(["fixed", "sticky"]);
/** Whether an element or an ancestor inside the scroller is fixed or sticky, so that scrolling does not move it. */
function stands(element, scroller) {
  for (let around = element; around && around !== scroller; around = engine.flatParent(around)) {
    if (STAYS.has(getComputedStyle(around).position)) return true;
  }
  return false;
}

/** Returns those of the ref numbers whose nodes came into view when the scroller scrolled by `moved` pixels. */
engine.cameIntoView = (scroller, axis, moved, numbers) => {
  const port = portOf(scroller);
  if (!port) return [];
  const [low, high] = axis === "x" ? [port.x, port.x + port.width] : [port.y, port.y + port.height];
  const isPage = scroller === pageOf();
  return numbers.filter((number) => {
    const node = engine.byRef(number);
    if (!(node instanceof Element) || (!isPage && !engine.native.contains(scroller, node))) return false;
    const box = rectOf(node);
    if (
      !box.width ||
      !box.height ||
      box.right <= port.x ||
      box.left >= port.x + port.width ||
      box.bottom <= port.y ||
      box.top >= port.y + port.height
    ) {
      return false;
    }
    const [start, end] = axis === "x" ? [box.left, box.right] : [box.top, box.bottom];
    const wasSeen = end + moved > low && start + moved < high;
    return !wasSeen && !stands(node, scroller);
  });
};
