// Computes hints that distinguish elements without an accessible name: class names, ids, the name of an icon, a colour.
const { native } = engine;
const { getAttribute, hasAttribute, localName, querySelector, querySelectorAll } = native;

const LONGEST = 40;
const SAYING = ["data-tooltip", "data-title", "data-original-title", "data-bs-original-title", "data-tip", "data-icon"];
const VALUES = [
  "data-value",
  "data-color",
  "data-action",
  "data-command",
  "data-key",
  "data-date",
  "data-name",
  "data-type",
  "data-id",
  "data-index",
  "data-testid",
];
const PICTURES = "svg,use,i,span,img,[class]";
/** Class names of icons, by the prefixes of common icon sets. */
const ICON =
  /^(?:fa|fas|bi|mdi|glyphicon|icon|icons|ui-icon|codicon|lucide|pi|ri|ti|ph|el-icon|anticon|octicon|feather|tabler-icon|material-icons|oi|la|typcn|dashicons|uil|bx|bxs|cil|ion|k-i|mce-i|ql|jp|svg)[-_]{1,2}(.+)$/;
const NO_ICON =
  /^(?:fa-(?:fw|lg|xs|sm|[0-9]x|solid|regular|brands|light|spin)|ui-icon$|icon-(?:btn|button|wrapper|container|large|small)|(?:icon|svg)s?$)/;
/** Class names and ids that build tools generate. */
const MADE_UP =
  /^(?:css|sc|jsx?|svelte|emotion|jss|ng)-|[0-9a-f]{6,}|^[a-z]{1,2}$|[A-Z][a-z]*[0-9][A-Za-z0-9]*$|_[a-zA-Z0-9]{5,}$|^:|^\w*\d{3,}\w*$/;

const tokens = (element) => (getAttribute(element, "class") ?? "").trim().split(/\s+/).filter(Boolean);
const short = (text) => {
  const plain = engine.collapse(text);
  return plain.length > LONGEST ? `${plain.slice(0, LONGEST - 1)}…` : plain;
};

const BASENAME = /([^/?#]+?)(?:\.\w{2,5})?(?:[?#].*)?$/;
const fileOf = (address) => {
  if (!address || /^(?:data|blob):/.test(address)) return "";
  const name = BASENAME.exec(address)?.[1] ?? "";
  return MADE_UP.test(name) ? "" : name;
};

/** The name of the icon that an element shows; "" if there is none. */
function iconIn(element) {
  const parts = [element, ...querySelectorAll(element, PICTURES)].slice(0, 12);
  for (const part of parts) {
    if (localName(part) === "use") {
      const href = getAttribute(part, "href") ?? getAttribute(part, "xlink:href") ?? "";
      const name = href.split("#")[1];
      if (name) return name;
    }
    if (localName(part) === "img") {
      const name = fileOf(getAttribute(part, "src"));
      if (name) return name;
    }
    const word = tokens(part).find((token) => ICON.test(token) && !NO_ICON.test(token));
    if (word) return word;
    const said =
      part === element ? "" : getAttribute(part, "data-icon") || getAttribute(part, "data-testid") || getAttribute(part, "title");
    if (said) return said;
  }
  return "";
}

/** Returns the class names that an element has and its siblings lack, as a CSS selector. */
function ownWords(element) {
  const words = tokens(element).filter((token) => !MADE_UP.test(token));
  const beside = [element.previousElementSibling, element.nextElementSibling].filter(Boolean);
  const shared = new Set(beside.flatMap(tokens));
  const own = words.filter((word) => !shared.has(word));
  const shown = (own.length ? own : beside.length ? [] : words).slice(0, 2);
  return shown.map((word) => `.${word}`).join("");
}

const NAMED_COLOURS = {
  "0,0,0": "black",
  "255,255,255": "white",
  "255,0,0": "red",
  "0,255,0": "lime",
  "0,128,0": "green",
  "0,0,255": "blue",
  "255,255,0": "yellow",
  "255,165,0": "orange",
  "128,0,128": "purple",
  "255,192,203": "pink",
  "165,42,42": "brown",
  "128,128,128": "grey",
  "0,255,255": "cyan",
  "255,0,255": "magenta",
  "0,128,128": "teal",
  "0,0,128": "navy",
  "128,128,0": "olive",
  "128,0,0": "maroon",
  "192,192,192": "silver",
};
function colourName(text) {
  const parts = /^rgba?\(([\d.]+), ([\d.]+), ([\d.]+)(?:, ([\d.]+))?\)$/.exec(text ?? "");
  if (!parts || parts[4] === "0") return "";
  const channels = parts.slice(1, 4).map((part) => Math.round(Number(part)));
  return NAMED_COLOURS[channels.join(",")] ?? `#${channels.map((channel) => channel.toString(16).padStart(2, "0")).join("")}`;
}

/** Returns the colour of a swatch or a shape if an adjacent sibling has another one; otherwise "". */
function colourOf(element) {
  const style = getComputedStyle(element);
  if (element instanceof SVGElement) return colourName(style.fill) || colourName(style.stroke);
  const own = colourName(style.backgroundColor);
  if (!own) {
    const inner = querySelector(element, "[style*='background']");
    return inner ? colourName(getComputedStyle(inner).backgroundColor) : "";
  }
  const beside = element.previousElementSibling ?? element.nextElementSibling;
  return !beside || colourName(getComputedStyle(beside).backgroundColor) !== own ? own : "";
}

const backgroundOf = (element) => fileOf(/^url\("([^"]+)"\)/.exec(getComputedStyle(element).backgroundImage)?.[1] ?? "");

const first = (element, names) => {
  for (const name of names) {
    const text = getAttribute(element, name)?.trim();
    if (text) return text;
  }
  return "";
};

/** Returns the value of a `data-` attribute for which the siblings have other values; "" if there is none. */
function ownData(element) {
  const beside = [element.previousElementSibling, element.nextElementSibling].filter(Boolean);
  const names = native.attributeNames(element).filter((name) => name.startsWith("data-"));
  const isOwn = (name) => {
    const text = getAttribute(element, name).trim();
    const others = beside.filter((other) => hasAttribute(other, name));
    return WORD.test(text) && !MADE_UP.test(text) && others.length > 0 && others.every((other) => getAttribute(other, name) !== text);
  };
  return getAttribute(element, names.find(isOwn) ?? "") ?? "";
}
const WORD = /^[\p{L}][\p{L}\d _-]{1,23}$/u;

/** Returns the id of an element as a CSS selector; "" if the element has none or the id looks generated. */
const plainId = (element) => {
  const id = getAttribute(element, "id") ?? "";
  return !id || MADE_UP.test(id) ? "" : `#${id}`;
};

const SHAPES = new Set("circle ellipse g image line path polygon polyline rect text use".split(" "));

const isField = (element) =>
  element instanceof HTMLInputElement || element instanceof HTMLSelectElement || element instanceof HTMLTextAreaElement;

/** Whether a text consists only of private-use Unicode characters, which icon fonts use. */
engine.isIcon = (name) => HAS_ICONS.test(name) && /^[\p{Co}\s]+$/u.test(name);
/** Removes the characters of icon fonts from a text. */
engine.withoutIcons = (text) => (HAS_ICONS.test(text) ? engine.collapse(text.replace(/\p{Co}+/gu, " ")) : text);
/** The private-use characters. Without the flag `u`, most texts are known at once to have none. */
const HAS_ICONS = /[\uE000-\uF8FF\uDB80-\uDBFF]/;

/** Returns a text that distinguishes an element without a name from its siblings; "" if there is none. */
engine.hintOf = (element) => {
  const isShape = element instanceof SVGElement && SHAPES.has(localName(element));
  const found = isShape ? [localName(element)] : [];
  const most = isShape ? 3 : 2;
  const add = (text) => {
    if (text && found.length < most && !found.includes(text)) found.push(text);
  };
  add(first(element, SAYING));
  if (engine.isIcon(engine.nameOf(element))) add(getAttribute(element, "title"));
  add(first(element, VALUES));
  add(getAttribute(element, "name"));
  if (!isShape) add(iconIn(element));
  if (!found.length || isShape) add(ownWords(element));
  if (!found.length || isShape) add(plainId(element));
  if (!found.length) add(ownData(element));
  if (isShape || (!isField(element) && found.every((text) => /^[\d\s,.-]*$/.test(text)))) add(colourOf(element));
  if (!found.length) add(backgroundOf(element));
  if (!found.length) add(fileOf(getAttribute(element, "href")));
  return short(found.join(", "));
};
engine.isShape = (element) => element instanceof SVGElement && SHAPES.has(localName(element));
