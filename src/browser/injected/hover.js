// Finds elements for which a CSS `:hover` rule shows other elements, such as menus that open without a script.
const { native, queryAll } = engine;

const SHOWS = ["display", "visibility", "opacity", "maxHeight", "height", "transform", "clipPath", "pointerEvents"];
const CONTROLS = "a[href], button, input, select, textarea, summary, [role=button], [role=link], [role=menuitem], [tabindex]";
const MOST_RULES = 60;

/** style sheet → its hover rules and number of rules. A cache, since reading a large style sheet takes milliseconds. */
const readSheets = new WeakMap();

/** Returns the hover rules of a document or shadow root: pairs of the selectors of the hovered element and of the shown element. */
function hoverRules(root) {
  const sheets = [...(root.styleSheets ?? []), ...(root.adoptedStyleSheets ?? [])];
  return sheets.flatMap(rulesOf).slice(0, MOST_RULES);
}

function rulesOf(sheet) {
  try {
    const { length } = sheet.cssRules;
    if (readSheets.get(sheet)?.length === length) return readSheets.get(sheet).found;
    const found = [...pairsIn(sheet.cssRules)].filter((pair) => pair.every(isSelector));
    readSheets.set(sheet, { length, found });
    return found;
  } catch {
    return []; // A cross-origin style sheet is not readable.
  }
}

function* pairsIn(rules) {
  for (const rule of rules) {
    if (rule.styleSheet) yield* pairsIn(rule.styleSheet.cssRules);
    else if (rule.selectorText?.includes(":hover") && SHOWS.some((name) => rule.style[name])) {
      yield* rule.selectorText.split(",").map(pointedAndShown).filter(Boolean);
    } else if (rule.cssRules && (rule.media === undefined || matchMedia(rule.media.mediaText).matches)) yield* pairsIn(rule.cssRules);
  }
}

/** Splits `outer:hover inner` and `outer:hover > inner` into the two selectors; null for other selectors. */
function pointedAndShown(selector) {
  const [before, after, ...more] = selector.trim().split(":hover");
  if (after === undefined || more.length || after.includes("::")) return null;
  const end = after.search(/[\s>+~]/);
  const inner = end < 0 ? "" : after.slice(end).trim();
  return inner && !/^[+~]/.test(inner) ? [`${before}${after.slice(0, end)}` || "*", `:scope ${inner}`] : null;
}

function isSelector(text) {
  try {
    native.matches(document.documentElement, text);
    return true;
  } catch {
    return false;
  }
}

/** Caches, for one walk, the elements that show other elements on hover and contain no visible control. */
engine.HoverTargets = class {
  constructor() {
    this.found = new Map();
  }

  /** Returns the elements of a root that show others on hover: element → selectors of the shown elements. */
  in(root) {
    if (!this.found.has(root)) {
      const targets = new Map();
      for (const [outer, inner] of hoverRules(root)) {
        for (const element of queryAll(root, outer)) targets.set(element, [...(targets.get(element) ?? []), inner]);
      }
      this.found.set(root, targets);
    }
    return this.found.get(root);
  }

  has(element) {
    const inner = this.in(native.rootOf(element)).get(element);
    if (!inner) return false;
    const shown = inner.flatMap((selector) => queryAll(element, selector));
    return shown.some((part) => !isSeen(part)) && !queryAll(element, CONTROLS).some(isSeen);
  }
};

const isSeen = (element) =>
  native.checkVisibility(element, { visibilityProperty: true, opacityProperty: true }) && engine.isVisible(element);
