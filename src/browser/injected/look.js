// Describes visual properties: the computed style of elements, boxes and drawings without text, and the text selection.
const { native } = engine;
const { firstChild, matches, rectOf } = native;

/** The compared style properties of an element, by the names under which changes are reported. */
const PARTS = Object.entries({
  background: ({ backgroundColor, backgroundImage }) => `${backgroundColor} ${shortened(backgroundImage)}`,
  border: ({ borderWidth, borderStyle, borderColor }) => `${borderWidth} ${borderStyle} ${borderColor}`,
  "text color": ({ color }) => color,
  font: ({ fontWeight, fontStyle }) => `${fontWeight} ${fontStyle}`,
  "text decoration": ({ textDecorationLine }) => textDecorationLine,
  shadow: ({ boxShadow }) => boxShadow,
  opacity: ({ opacity }) => opacity,
});
const PARTS_OF_SHAPES = [...PARTS, ["fill", ({ fill }) => fill], ["stroke", ({ stroke }) => stroke]];
const LONGEST_IMAGE = 200;
const shortened = (image) => (image.length > LONGEST_IMAGE ? `${image.slice(0, LONGEST_IMAGE)} ${image.length}` : image);

/** The most elements whose style is recorded: of a small page, whose boards and grids are read whole, and of the controls of a large one. */
const MOST_LOOKS = 1000;
const MOST_CONTROLS = 200;
/** The number of ancestor levels in which a changed attribute counts as a cause of a changed style. */
const MOST_ABOVE = 1;
const UNDER_INPUT = ":hover, :focus-within";
/** Bits of a recorded style. TRANSIENT: hover or focus may cause it; RESTYLED: an attribute changed during the action may cause it, too. */
const TRANSIENT = 1;
const RESTYLED = 2;

/** The elements whose attributes have changed during the current action. */
let restyled = new WeakSet();
engine.forgetRestyled = () => {
  restyled = new WeakSet();
};
engine.noteRestyled = (element) => restyled.add(element);

function isRestyled(element) {
  for (let at = element, above = 0; at && above <= MOST_ABOVE; at = engine.flatParent(at), above++) if (restyled.has(at)) return true;
  return false;
}

/**
 * Returns the styles of elements: `{kinds, of}`. `kinds` are the distinct styles; `of` has `[ref, index in kinds, bits]` for each element.
 * Omits animated elements, which change without an action.
 */
engine.looksOf = (elements, isSmall) => {
  const animated = new Set(document.getAnimations().map((animation) => animation.effect?.target));
  const places = new Map();
  const kinds = [];
  const of = [];
  for (const element of elements.slice(0, isSmall ? MOST_LOOKS : MOST_CONTROLS)) {
    if (animated.has(element)) continue;
    const style = getComputedStyle(element);
    const parts = element instanceof SVGElement ? PARTS_OF_SHAPES : PARTS;
    const look = parts.map(([, read]) => read(style));
    const key = look.join("\n");
    if (!places.has(key)) places.set(key, kinds.push(Object.fromEntries(parts.map(([name], place) => [name, look[place]]))) - 1);
    const transient = matches(element, UNDER_INPUT) ? TRANSIENT : 0;
    of.push([engine.refOf(element), places.get(key), transient && isRestyled(element) ? TRANSIENT | RESTYLED : transient]);
  }
  return { kinds, of };
};

/** The smallest width and height, in pixels, of a counted box and of an SVG drawing; smaller ones are lines and icons. */
const LEAST_BOX = 10;
const LEAST_DRAWING = 80;
const isAtLeast = (element, least) => {
  const { width, height } = rectOf(element);
  return width >= least && height >= least;
};
const isPainted = (colour) => colour !== "transparent" && !/^rgba\(.*, 0\)$/.test(colour);

/** Whether an element is as large as the window, such as the backdrop of a dialog. */
const isBackdrop = (element) => {
  const { width, height } = rectOf(element);
  return width >= document.documentElement.clientWidth && height >= document.documentElement.clientHeight;
};

/** Whether an element is an empty box with a background or border, and not a backdrop. */
engine.isDrawnBox = (element, style) =>
  !firstChild(element) &&
  element instanceof HTMLElement &&
  (isPainted(style.backgroundColor) || style.backgroundImage !== "none" || parseFloat(style.borderTopWidth) > 0) &&
  isAtLeast(element, LEAST_BOX) &&
  !isBackdrop(element);

/** Whether an SVG shape belongs to a drawing that is larger than an icon. */
engine.isOfDrawing = (shape) => {
  const drawing = shape.ownerSVGElement;
  return Boolean(drawing) && isAtLeast(drawing, LEAST_DRAWING);
};

const LONGEST_SELECTION = 200;
/** Returns the selected text, truncated, and its full length: `{text, length}`; null without a selection, or in a password field. */
engine.selectedText = () => {
  const text = selectionIn(engine.activeElement()) ?? selectionOfPage();
  return text?.trim() ? { text: text.slice(0, LONGEST_SELECTION), length: text.length } : null;
};

function selectionIn(field) {
  if (!(field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement) || field.selectionStart === field.selectionEnd)
    return null;
  return engine.isSecret(field) ? "" : field.value.slice(field.selectionStart, field.selectionEnd);
}

function selectionOfPage() {
  const selection = getSelection();
  return selection && !selection.isCollapsed ? selection.toString() : null;
}
