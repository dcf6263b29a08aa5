// What arrived of a text that is typed into a field: seen from the browser's own events, which tell where each part went.
const { isConnected, localName } = engine.native;
const { collapse, editedText } = engine;

const KINDS = ["keydown", "keypress", "beforeinput", "input"];
/** Of a longer text only the beginning is followed. */
const MOST_EVENTS = 20_000;
const MOST_STRAYS = 20;

let records = new WeakMap();
let typing = null;

/**
 * Notes that a text is about to be typed into a field: what it shows before, and from now on what arrives, and where. With `adds`,
 * the text comes behind what is there, or at the caret if that is "caret". With `again`, the field has made something else of the same text before.
 */
engine.noteText = (field, text, { adds = false, again = false } = {}) => {
  const shown = editedText(field);
  const last = again ? records.get(field) : null;
  const asked = adds === "caret" ? withText(field, shown, text) : adds ? shown + text : text;
  const [name, before] = [engine.nameOf(field), last?.before ?? shown];
  typing = { field, name, text, asked, before, adds, made: last && shown, arrivals: [], strays: [], held: false, full: false, heir: null };
  records.set(field, typing);
  for (const kind of KINDS) addEventListener(kind, note, { capture: true, passive: true });
};

/** What a field shows once a text is typed at its caret, or behind all where that is not known. */
function withText({ selectionStart, selectionEnd }, shown, text) {
  const isKnown = Number.isInteger(selectionStart);
  return isKnown ? shown.slice(0, selectionStart) + text + shown.slice(selectionEnd) : shown + text;
}

const isWithin = (target, field) => engine.within(field, target) || engine.within(target, field);

/** Forgets what was typed before: fields are now filled in another way. */
engine.forgetTyping = () => {
  typing = null;
  records = new WeakMap();
};

/** Whether an element has come in the place of a field that is gone: one of its kind and name, into which the text goes on. */
function succeeds(target, record) {
  const { field, name, heir } = record;
  if (isConnected(heir ?? field) || localName(target) !== localName(field) || target.type !== field.type) return false;
  if (engine.nameOf(target) !== name) return false;
  record.heir = target;
  return true;
}

/** Where a text that was typed is to be read: in the field, or in what has come in its place; null where neither is there. */
function placeOf(record) {
  const active = engine.activeElement();
  if (active) succeeds(active, record);
  const place = record.heir ?? record.field;
  return isConnected(place) ? place : null;
}

function note(event) {
  const [target] = event.composedPath();
  if (!typing || !event.isTrusted || !(target instanceof Element) || typing.arrivals.length >= MOST_EVENTS) return;
  const { field } = typing;
  const isOwn = isWithin(target, field) || target === typing.heir || succeeds(target, typing);
  if (event.type === "input") {
    if (!isOwn) return;
    typing.full ||= isSame(editedText(target), typing.asked) || isAdded(typing, editedText(target));
    // After the page has answered: a field that refuses a text does not hold it then.
    setTimeout(noteHeld, 0, typing);
  } else if (isOwn) typing.arrivals.push(event);
  else if (event.type === "beforeinput") noteStray(target, textOf(event));
}

function noteHeld(record) {
  const shown = editedText(record.heir ?? record.field);
  record.held ||= isSame(shown, record.asked);
  record.shrank ||= shown.length < record.length;
  record.length = shown.length;
}

function noteStray(element, text) {
  const last = typing.strays.at(-1);
  if (last?.element === element) last.text += text;
  else if (text && typing.strays.length < MOST_STRAYS) typing.strays.push({ element, text });
}

/** The text that an event brings. A key brings one only to a page that takes the key for itself. */
function textOf(event) {
  if (event.type === "beforeinput") return event.data ?? event.dataTransfer?.getData("text/plain") ?? "";
  const isText = [...event.key].length === 1 && !event.ctrlKey && !event.metaKey;
  return isText && event.defaultPrevented ? event.key : "";
}

const plain = (text) => text.replace(/\s+/g, "");
const isSame = (shown, asked) => collapse(shown) === collapse(asked);
/** Whether keys that went to where the caret was are in the text. */
const isAdded = ({ adds, before, text }, shown) => adds && shown !== before && collapse(shown).includes(collapse(text));
const hasArrived = ({ arrivals, text }) => plain(arrivals.map(textOf).join("")).includes(plain(text));

/** Whether the page has distributed a text over fields of its own accord, each of which is full: as a code of six digits is. */
function isSpread({ field, strays }) {
  const parts = [field, ...strays.map(({ element }) => element)];
  const isFull = ({ value = "", maxLength = -1 }) => maxLength > 0 && value.length >= maxLength;
  // Two signs in two fields may as well be a text whose end went astray.
  return parts.slice(0, -1).every(isFull) || (parts.length > 2 && parts.every(({ value = "" }) => [...value].length <= 1));
}

/** Whether the page shows a text somewhere. */
const pageShows = (text) => plain(document.body?.innerText ?? "").includes(plain(text));

const letters = (text) =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "");
const numbers = (text) => (text.match(/\d+/g) ?? []).map(Number).join(" ");
/** What a field lets through that takes digits only, or letters only. */
const SIEVES = [/\D/g, /[^\p{L}]/gu, /\d/g];

const NUMBER = /^\s*[-+]?[\d.,]+\s*$/;

function isNumberMade(field, asked, shown) {
  const [wanted, held, min, max, step] = [asked, shown, field.min || "-Infinity", field.max || "Infinity", field.step || 1].map(Number);
  const limited = Math.min(Math.max(wanted, min), max);
  return held === limited || (step > 0 && Math.abs(held - limited) < step && Math.abs(Math.round(held / step) * step - held) < 1e-9);
}

/** Whether a field can have made what it shows of a text: by its format, its limits, or what it lets through. */
function isMade(field, asked, shown, arrived) {
  if (field.type === "number") return isNumberMade(field, asked, shown);
  const [wanted, held] = [letters(asked), letters(shown)];
  if (held === "") return false;
  if (held.includes(wanted) || (numbers(asked) === numbers(shown) && !/\p{L}/u.test(wanted))) return true;
  if (SIEVES.some((sieve) => letters(asked.replace(sieve, "")) === held)) return true;
  const isAtLimit = field.maxLength > 0 && shown.length >= field.maxLength;
  return wanted.startsWith(held) && (isAtLimit || arrived);
}

/**
 * What became of the text that was typed into a field: `gone`, the field is, and nothing had arrived; `cut`, it is, and a part had; `same`; `made`,
 * something that the field makes of it; `taken`, it arrived and is not shown; `strayed`, a part went to another field; `lost`. With `strict`, letters that are missing at the end are lost.
 */
function outcomeOf(record, place, strict) {
  const { asked } = record;
  const shown = editedText(place);
  if (isSame(shown, asked) || (record.keys && isAdded(record, shown))) return "same";
  if (record.strays.length) return isSpread(record) ? "made" : "strayed";
  // A mask without letters is as good as nothing.
  if (asked === "") return shown === record.before && letters(shown) !== "" ? "lost" : "made";
  const arrived = hasArrived(record);
  if (engine.isProxy(place))
    return collapse(shown).includes(collapse(asked)) ? "same" : arrived || shown !== record.before ? "taken" : "lost";
  if (collapse(shown) === "") return arrived && (record.keys || record.held || pageShows(record.text)) ? "taken" : "lost";
  if (shown === record.before && (record.adds || !arrived)) return "lost";
  if (record.again && shown !== record.again && asked.startsWith(shown)) return "lost";
  if (isMade(place, asked, shown, arrived && !strict)) return "made";
  // What it makes of a text twice is its own doing; another number is never what was asked for.
  const isCut = letters(asked).startsWith(letters(shown));
  const isMadeTwice = shown === record.made && (shown !== record.before || isCut);
  return isMadeTwice && !(NUMBER.test(asked) && NUMBER.test(shown)) ? "made" : "lost";
}

/** `{outcome, strays, shows}` of what was typed into a node last: where other parts of it went, and what it shows; null where nothing was. */
engine.outcome = (node, strict = false) => {
  const record = records.get(engine.controlOf(node));
  if (!record) return null;
  const place = placeOf(record);
  if (!place) return { outcome: record.full ? "taken" : record.arrivals.length ? "cut" : "gone", strays: [], shows: "" };
  const strays = record.strays.map(({ element }) => {
    const { role, name } = engine.inWords(element);
    return { role, name, shows: element.type === "password" ? "" : editedText(element) };
  });
  return { outcome: outcomeOf(record, place, strict), strays, shows: place.type === "password" ? "" : editedText(place) };
};

/** The end of a text that a field with a value does not show, though all its keys came; null where typing it again makes no difference. */
engine.missingEnd = (node) => {
  const record = records.get(engine.controlOf(node));
  const place = record && placeOf(record);
  if (typeof place?.value !== "string" || record.strays.length || engine.isProxy(place) || !hasArrived(record)) return null;
  const { value, maxLength } = place;
  const end = record.asked.slice(value.length);
  if (!end.trim() || !value.trim() || !record.asked.startsWith(value) || value === record.before || value === record.again) return null;
  if ((maxLength > 0 && value.length >= maxLength) || record.shrank) return null;
  record.again = value;
  return end;
};

/** What has come in the place of a field while a text went into it; null where nothing has. */
engine.heirOf = (field) => {
  const record = records.get(field);
  return record ? placeOf(record) : null;
};
engine.textBefore = (field) => records.get(field)?.before;

/** How a line break, or a tab, gets into a field: as a `text`, by its `key` where keys only pass through the field, or `never`. */
engine.breaksBy = (node) => {
  const field = engine.controlOf(node);
  if (engine.isProxy(field)) return "key";
  return field instanceof HTMLTextAreaElement || field.isContentEditable || document.designMode === "on" ? "text" : "never";
};
/** Like `noteTyping`, of keys that go to where the caret is. Whether the field is one that shows what is typed. */
engine.noteKeys = (node, text) => {
  const field = engine.controlOf(node);
  const isPlain = field instanceof HTMLTextAreaElement || (field instanceof HTMLInputElement && PLAIN.test(field.type));
  if (!isPlain || engine.isProxy(field) || /[\n\r\t]/.test(text)) return false;
  engine.noteText(field, text, { adds: true });
  typing.keys = true;
  return true;
};
const PLAIN = /^(?:text|search|url|tel|email|password)$/;
engine.noteTyping = (node, text, adds) => {
  const field = engine.controlOf(node);
  engine.noteText(field, text, { adds });
};
/** Whether keys enter a field part by part, or not at all: it is given its value as a whole. */
engine.isSetWhole = (node) => {
  const field = engine.controlOf(node);
  return field instanceof HTMLInputElement && WHOLE.test(field.type);
};
const WHOLE = /^(?:date|time|datetime-local|month|week|range|color)$/;
