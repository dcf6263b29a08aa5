// Determines what hides an element from a user. During a walk from the root, each element passes the clipping that applies to its
// content down to its children, as bits.
const { matches } = engine.native;

const CLIPPED = 8; // inside a clipping box of at most one pixel
const GONE = 16; // inside a clipping box of zero size
// A box does not clip descendants whose containing block is outside it. So the two clipping bits exist three times:
// for in-flow, for absolutely positioned and for fixed descendants.
const CUT = CLIPPED | GONE;
const ABSOLUTE_SHIFT = 7;
const FIXED_SHIFT = 9;
const ANY_CUT = CUT | (CUT << ABSOLUTE_SHIFT) | (CUT << FIXED_SHIFT);

/** Returns the element whose `overflow` applies to the viewport, and which therefore clips nothing itself: the root or the body. */
const overflowOfViewport = () => {
  const page = document.documentElement;
  const { overflowX, overflowY, contain } = getComputedStyle(page);
  if (overflowX !== "visible" || overflowY !== "visible") return page;
  const { body } = document;
  return contain === "none" && body && getComputedStyle(body).contain === "none" ? body : page;
};

const widthOf = (element) => element.offsetWidth ?? element.clientWidth;
const heightOf = (element) => element.offsetHeight ?? element.clientHeight;

/** Returns the clipping bits that a box with a limited overflow adds for its content: `CLIPPED`, `CUT` or 0. */
function cutBy(element, style) {
  const { overflowX, overflowY } = style;
  const width = overflowX === "visible" ? Infinity : widthOf(element);
  const height = overflowY === "visible" ? Infinity : heightOf(element);
  if (width > 1 && height > 1) return 0;
  return width === 0 || height === 0 ? CUT : CLIPPED;
}

/** Whether `clip` or `clip-path` leaves nothing visible. */
const isClippedAway = (style) =>
  (style.position !== "static" && /^rect\((?:0|1)(?:px)?,? (?:0|1)(?:px)?,? (?:0|1)(?:px)?,? (?:0|1)(?:px)?\)$/.test(style.clip)) ||
  /^(?:inset\((?:50|100)%|circle\(0(?:px|%))/.test(style.clipPath);

/** Whether a transform leaves no width or no height: `scale(0)`, or a rotation that shows only the edge. */
const isShrunk = (element, box) => (box.width < 0.5 && widthOf(element) > 0) || (box.height < 0.5 && heightOf(element) > 0);

/** Whether an element is in the top layer, where its ancestors do not clip it. */
const isOnTop = (element) => matches(element, ":modal, :popover-open, :fullscreen");

/** Returns the clipping bits for an element's content: the parent's bits (`around`) selected by `position`, plus the element's `own`. */
function placed(element, style, around, own) {
  const { position } = style;
  let cut = around & CUT;
  if (isOnTop(element)) {
    around &= ~ANY_CUT;
    cut = 0;
  } else if (position === "absolute") cut = (around >> ABSOLUTE_SHIFT) & CUT;
  else if (position === "fixed") cut = (around >> FIXED_SHIFT) & CUT;
  cut |= own;
  around = (around & ~CUT) | cut;
  const holdsFixed = style.display !== "inline" && holdsWhatIsFixed(style);
  if (holdsFixed || position !== "static") around = (around & ~(CUT << ABSOLUTE_SHIFT)) | (cut << ABSOLUTE_SHIFT);
  if (holdsFixed) around = (around & ~(CUT << FIXED_SHIFT)) | (cut << FIXED_SHIFT);
  return around;
}

const CONTAINS = /paint|layout|strict|content/;
const MOVES = /transform|translate|rotate|scale|filter|perspective/;
const MOVED_BY = "transform translate rotate scale filter backdropFilter perspective".split(" ");
/** Whether a box is the containing block of its fixed and absolute descendants because of a transform, filter or containment. */
const holdsWhatIsFixed = (style) =>
  MOVED_BY.some((property) => style[property] !== "none") ||
  MOVES.test(style.willChange) ||
  CONTAINS.test(style.contain) ||
  style.contentVisibility === "auto";

/** Whether text is hidden by a font size of zero or a large negative `text-indent`. */
const isBlanked = (style) => style.fontSize === "0px" || Number.parseFloat(style.textIndent) < -500;

/** Returns the topmost open modal dialog, which makes everything outside it inert; null if there is none. */
function openModal(active) {
  const modals = Array.from(engine.native.querySelectorAll(document.documentElement, "dialog:modal"));
  return modals.findLast((modal) => active && engine.native.contains(modal, active)) ?? modals.at(-1) ?? null;
}

const SAMPLES = [0.06, 0.35, 0.65, 0.94];
const FEWEST_SAMPLES = 5;
const MOST_ACTING = 1500;
const LEAST_SHARE = 0.9;

/**
 * Returns the elements of `acting` (controls) above a backdrop that a page draws behind a custom dialog. Empty if there is no backdrop of
 * about the size of the viewport, or if it covers fewer controls than it leaves reachable.
 */
function front(acting) {
  if (acting.length < 2 || acting.length > MOST_ACTING || !document.body) return [];
  const shade = shadeOfPage();
  if (!shade) return [];
  const reached = [];
  let covered = 0;
  for (const element of acting) {
    const box = engine.native.rectOf(element);
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    if (box.width < 1 || x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) continue;
    const hit = engine.elementAt(x, y);
    if (hit === shade && !engine.within(element, shade)) covered++;
    else if (hit && engine.within(hit, element)) reached.push(element);
  }
  return covered > 0 && covered >= reached.length ? reached : [];
}

/** Returns the positioned element that covers nearly the whole viewport, such as a backdrop; null if there is none. */
function shadeOfPage() {
  const met = new Map();
  for (const x of SAMPLES) {
    for (const y of SAMPLES) {
      const hit = engine.elementAt(innerWidth * x, innerHeight * y);
      if (hit) met.set(hit, (met.get(hit) ?? 0) + 1);
    }
  }
  for (const [element, times] of met) {
    if (times < FEWEST_SAMPLES || element === document.body || element === document.documentElement) continue;
    const { position } = getComputedStyle(element);
    const box = engine.native.rectOf(element);
    const isLarge = box.width >= innerWidth * LEAST_SHARE && box.height >= innerHeight * LEAST_SHARE;
    if (isLarge && (position === "fixed" || position === "absolute")) return element;
  }
  return null;
}

engine.sight = {
  front,
  CLIPPED,
  GONE,
  CUT,
  ANY_CUT,
  overflowOfViewport,
  cutBy,
  isClippedAway,
  isShrunk,
  isOnTop,
  placed,
  holdsWhatIsFixed,
  isBlanked,
  openModal,
};
