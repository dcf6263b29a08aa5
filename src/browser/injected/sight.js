// What hides an element from a person, found on the way down from the root: each element passes the clipping that applies to its
// content on to its children.
const { matches } = engine.native;

const CLIPPED = 8; // in a box too small to show anything
const GONE = 16; // in a box of no size at all
// A box that clips its in-flow content does not clip content that is positioned by a box outside of it. So the two bits for
// clipping are kept three times: for in-flow, for absolute and for fixed content.
const CUT = CLIPPED | GONE;
const ABSOLUTE_SHIFT = 7;
const FIXED_SHIFT = 9;
const ANY_CUT = CUT | (CUT << ABSOLUTE_SHIFT) | (CUT << FIXED_SHIFT);

/** The element whose overflow applies to the viewport, and which so clips nothing itself: the root, or the body instead. */
const overflowOfViewport = () => {
  const page = document.documentElement;
  const { overflowX, overflowY, contain } = getComputedStyle(page);
  if (overflowX !== "visible" || overflowY !== "visible") return page;
  const { body } = document;
  return contain === "none" && body && getComputedStyle(body).contain === "none" ? body : page;
};

const widthOf = (element) => element.offsetWidth ?? element.clientWidth;
const heightOf = (element) => element.offsetHeight ?? element.clientHeight;

/** The bits for what a box clips of its content. */
function cutBy(element, style) {
  if (style.overflow === "visible") return 0;
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

/** The bits for the content of an element, by its position: `around` are those of its parent, `own` those that it adds itself. */
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
/** Whether a box is the containing block of fixed and absolute content, whatever its own position. */
const holdsWhatIsFixed = (style) =>
  MOVED_BY.some((property) => style[property] !== "none") ||
  MOVES.test(style.willChange) ||
  CONTAINS.test(style.contain) ||
  style.contentVisibility === "auto";

/** Whether text has no size, or is indented out of sight. */
const isBlanked = (style) => style.fontSize === "0px" || Number.parseFloat(style.textIndent) < -500;

/** The modal dialog on top: while it is open, nothing outside it can be reached. */
function openModal(active) {
  const modals = Array.from(engine.native.querySelectorAll(document.documentElement, "dialog:modal"));
  return modals.findLast((modal) => active && engine.native.contains(modal, active)) ?? modals.at(-1) ?? null;
}

const SAMPLES = [0.06, 0.35, 0.65, 0.94];
const FEWEST_SAMPLES = 5;
const MOST_ACTING = 1500;
const LEAST_SHARE = 0.9;

/**
 * The elements of `acting` that can be reached while a backdrop as large as the viewport, as behind a page's own dialog, covers at
 * least as many others. Empty if there is no backdrop.
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

/** The positioned element that covers most of the viewport; null if no single element does. */
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
