// Tracks how much of a typed text arrives in a field, and in which other fields, by listening to trusted input events.
const { isConnected, localName } = engine.native;
const { collapse, editedText } = engine;

const KINDS = ["keydown", "keypress", "beforeinput", "input"];
/** The most events that are recorded for one typed text. */
const MOST_EVENTS = 20_000;
const MOST_STRAYS = 20;

let records = new WeakMap();
let typing = null;
/** Reports that the text of the next record has arrived. */
let receipt = null;

/**
 * Starts recording the input events of a text that will be typed into a field. `adds`: false replaces the field's text, true appends,
 * "caret" inserts at the caret. `again`: the same text was typed before, and the field changed it.
 */
engine.noteText = (field, text, { adds = false, again = false } = {}) => {
  const shown = editedText(field);
  const last = again ? records.get(field) : null;
  const asked = adds === "caret" ? withText(field, shown, text) : adds ? shown + text : text;
  const [name, before] = [engine.nameOf(field), last?.before ?? shown];
  typing = { field, name, text, asked, before, adds, made: last && shown, arrivals: [], strays: [], held: false, full: false, heir: null };
  Object.assign(typing, { receipt: receipt ?? last?.receipt, needed: plain(text).length, received: 0, shownBefore: timesShown(text) });
  receipt = null;
  records.set(field, typing);
  for (const kind of KINDS) addEventListener(kind, note, { capture: true, passive: true });
};

/** Returns the expected text of a field after typing at its caret, or at the end if the position of the caret is unknown. */
function withText({ selectionStart, selectionEnd }, shown, text) {
  const isKnown = Number.isInteger(selectionStart);
  return isKnown ? shown.slice(0, selectionStart) + text + shown.slice(selectionEnd) : shown + text;
}

/** Resolves as soon as the next text that is recorded has arrived. */
engine.textReceipt = () =>
  new Promise((resolve) => {
    receipt = resolve;
  });

const isWithin = (target, field) => engine.within(field, target) || engine.within(target, field);

/** Discards the records of typed texts. Called before an action that changes fields without typing. */
engine.forgetTyping = () => {
  typing = null;
  records = new WeakMap();
};

/** Discards the record of the text typed into a field. Called before a suggestion for it is chosen. */
engine.forgetText = (node) => {
  records.delete(engine.controlOf(node));
};

/** Whether an element of the same kind and name has replaced the removed field of a record. If so, stores it as `heir`. */
function succeeds(target, record) {
  const { field, name, heir } = record;
  if (isConnected(heir ?? field) || localName(target) !== localName(field) || target.type !== field.type) return false;
  if (engine.nameOf(target) !== name) return false;
  record.heir = target;
  return true;
}

/** Returns the element that now holds the typed text: the field or its replacement; null if both were removed. */
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
    if (isOwn) typing.full ||= isSame(editedText(target), typing.asked) || isAdded(typing, editedText(target));
    noteArrival(typing);
    if (!isOwn) return;
    // Reads the field after the page has handled the event and may have rejected the text.
    setTimeout(noteHeld, 0, typing);
  } else if (isOwn) {
    typing.arrivals.push(event);
    if (event.type === "beforeinput") typing.received += textOf(event).length;
    // The page may handle a key itself, and cancel it.
    if (event.type === "keydown") setTimeout(noteKey, 0, typing, event);
  } else if (event.type === "beforeinput") noteStray(target, textOf(event));
}

function noteKey(record, event) {
  record.received += textOf(event).length;
  noteArrival(record);
}

function noteArrival(record) {
  if (!record.receipt) return;
  // Comparing the whole text at each key would take too long.
  const isWhole = record.received >= record.needed && (hasArrived(record) || (isSpread(record) && hasArrived(record, record.strays)));
  if (!record.full && !isWhole) return;
  record.receipt();
  record.receipt = null;
}

function noteHeld(record) {
  const shown = editedText(record.heir ?? record.field);
  record.held ||= isSame(shown, record.asked);
  record.shrank ||= shown.length < record.length;
  record.length = shown.length;
}

function noteStray(element, text) {
  typing.received += text.length;
  const last = typing.strays.at(-1);
  if (last?.element === element) last.text += text;
  else if (text && typing.strays.length < MOST_STRAYS) typing.strays.push({ element, text });
}

/** Returns the text that an event enters. A key event counts only if the page cancels it and so handles the key itself. */
function textOf(event) {
  if (event.type === "beforeinput") return event.data ?? event.dataTransfer?.getData("text/plain") ?? "";
  const isText = [...event.key].length === 1 && !event.ctrlKey && !event.metaKey;
  return isText && event.defaultPrevented ? event.key : "";
}

const plain = (text) => text.replace(/\s+/g, "");
const isSame = (shown, asked) => collapse(shown) === collapse(asked);
/** Whether the field's text has changed and contains the text that was typed at the caret. */
const isAdded = ({ adds, before, text }, shown) => adds && shown !== before && collapse(shown).includes(collapse(text));
/** Whether a text that should replace the old one stands beside it. If a prefix is part of the field's format, this is so only once. */
const keepsOldText = ({ adds, before, asked }, shown) =>
  !adds && letters(before) !== "" && [before + asked, asked + before].some((text) => isSame(shown, text));
/** Whether the whole text has arrived in its field, or there and in the fields of `strays`. */
const hasArrived = ({ arrivals, text }, strays = []) =>
  plain([...arrivals.map(textOf), ...strays.map((stray) => stray.text)].join("")).includes(plain(text));

/**
 * Whether a text that was typed key by key lacks characters that the page did not cancel. Either the field filters them, or the page
 * lost them while it was busy: only typing the text again tells.
 */
function lacksCharacters({ arrivals, text, asked, before }, { value, maxLength }, shown) {
  const isFull = maxLength > 0 && shown.length >= maxLength;
  if (shown === before || typeof value !== "string" || isFull || !isSubsequence(shown, asked)) return false;
  const entered = arrivals.filter(({ type, defaultPrevented }) => type === "beforeinput" && !defaultPrevented).map(textOf);
  return entered.length > 1 && plain(entered.join("")).includes(plain(text));
}

function isSubsequence(part, whole) {
  let at = 0;
  for (const character of whole) if (part.startsWith(character, at)) at += character.length;
  return at === part.length;
}

/** Whether the page has distributed the text over several fields on purpose, such as a one-time code with one field per digit. */
function isSpread({ field, strays }) {
  const parts = [field, ...strays.map(({ element }) => element)];
  const isFull = ({ value = "", maxLength = -1 }) => maxLength > 0 && value.length >= maxLength;
  // Requires more than two fields: with two, the second character may have gone to the wrong field.
  return parts.slice(0, -1).every(isFull) || (parts.length > 2 && parts.every(({ value = "" }) => [...value].length <= 1));
}

/** Whether an editor shows the first and the last line of a text that replaces its content, but not all lines between. */
function lacksInnerLine({ adds, asked }, shown) {
  const lines = asked.split("\n").map(collapse).filter(Boolean);
  const drawn = shown.split("\n").map(collapse);
  const shows = (line) => drawn.some((other) => other.includes(line));
  return !adds && lines.length > 2 && shows(lines[0]) && shows(lines.at(-1)) && !lines.every(shows);
}

/** How often the page contains the text. `textContent` needs no layout. */
const timesShown = (text) => plain(document.body?.textContent ?? "").split(plain(text)).length - 1;

const letters = (text) =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "");
const numbers = (text) => (text.match(/\d+/g) ?? []).map(Number).join(" ");
/** Patterns of the characters that a field may remove: all but digits, all but letters, or digits. */
const SIEVES = [/\D/g, /[^\p{L}]/gu, /\d/g];

const NUMBER = /^\s*[-+]?[\d.,]+\s*$/;

function isNumberMade(field, asked, shown) {
  const [wanted, held, min, max, step] = [asked, shown, field.min || "-Infinity", field.max || "Infinity", field.step || 1].map(Number);
  const limited = Math.min(Math.max(wanted, min), max);
  return held === limited || (step > 0 && Math.abs(held - limited) < step && Math.abs(Math.round(held / step) * step - held) < 1e-9);
}

/** Whether a field's format, limits or allowed characters explain how the text `asked` became the text `shown`. */
function isMade(field, asked, shown, arrived, strict) {
  if (field.type === "number") return isNumberMade(field, asked, shown);
  const [wanted, held] = [letters(asked), letters(shown)];
  if (held === "") return false;
  if (held.includes(wanted) || (numbers(asked) === numbers(shown) && !/\p{L}/u.test(wanted))) return true;
  // Requires that all keys arrived: a field that was disabled while typing can also show only some characters.
  if (arrived && SIEVES.some((sieve) => letters(asked.replace(sieve, "")) === held)) return true;
  const isAtLimit = field.maxLength > 0 && shown.length >= field.maxLength;
  return wanted.startsWith(held) && (isAtLimit || (arrived && !strict));
}

/**
 * Returns the outcome of a typed text: "same"; "reformatted" (the field reformatted it); "consumed" (accepted, but no longer shown);
 * "strayed" (a part went to another field); "lost". With `strict`, missing characters at the end count as lost.
 */
function outcomeOf(record, place, strict) {
  const { asked } = record;
  const shown = editedText(place);
  if (isSame(shown, asked) || (record.keys && isAdded(record, shown))) return "same";
  if (record.strays.length) return isSpread(record) ? "reformatted" : "strayed";
  // A remaining input mask without letters and digits counts as empty.
  if (asked === "") return shown === record.before && letters(shown) !== "" ? "lost" : "reformatted";
  const arrived = hasArrived(record);
  if (engine.isProxy(place)) {
    if (collapse(shown).includes(collapse(asked))) return "same";
    return (arrived || shown !== record.before) && !lacksInnerLine(record, shown) ? "consumed" : "lost";
  }
  if (collapse(shown) === "") {
    const isShownElsewhere = () => timesShown(record.text) > record.shownBefore;
    return arrived && (record.keys || record.held || isShownElsewhere()) ? "consumed" : "lost";
  }
  if (shown === record.before && (record.adds || !arrived)) return "lost";
  if (record.again && shown !== record.again && asked.startsWith(shown)) return "lost";
  if (keepsOldText(record, shown)) return "lost";
  if (strict && record.made === null && lacksCharacters(record, place, shown)) return "lost";
  if (isMade(place, asked, shown, arrived, strict)) return "reformatted";
  // If a field changes the text in the same way twice, it does so on purpose, unless the result is another number.
  const isCut = letters(asked).startsWith(letters(shown));
  const isMadeTwice = shown === record.made && (shown !== record.before || isCut);
  return isMadeTwice && !(NUMBER.test(asked) && NUMBER.test(shown)) ? "reformatted" : "lost";
}

/** Returns `{outcome, strays, shows}` of the last text typed into a node: see `outcomeOf`; other fields that received parts; shown text. */
engine.outcome = (node, strict = false) => {
  const record = records.get(engine.controlOf(node));
  if (!record) return null;
  const place = placeOf(record);
  if (!place) return { outcome: record.full ? "consumed" : record.arrivals.length ? "cut" : "gone", strays: [], shows: "" };
  const strays = record.strays.map(({ element }) => {
    const { role, name } = engine.inWords(element);
    return { role, name, shows: element.type === "password" ? "" : editedText(element) };
  });
  return { outcome: outcomeOf(record, place, strict), strays, shows: place.type === "password" ? "" : editedText(place) };
};

/** Returns the end of the typed text that the field lacks although all keys arrived; null if typing it again would not help. */
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

/** Returns the expected text of a field that lacks characters which the page may have lost; null if no text was lost or it was entered again. */
engine.incompleteText = (node) => {
  const record = records.get(engine.controlOf(node));
  const place = record && placeOf(record);
  if (!place || record.made !== null || record.strays.length || engine.isProxy(place)) return null;
  const shown = editedText(place);
  return !isSame(shown, record.asked) && lacksCharacters(record, place, shown) ? record.asked : null;
};

/** Returns the field that a text was typed into, or its replacement if it was removed; null if no text was typed or both are gone. */
engine.heirOf = (field) => {
  const record = records.get(field);
  return record ? placeOf(record) : null;
};
engine.textBefore = (field) => records.get(field)?.before;

/** Returns how to enter a line break or tab: as "text", by its "key" (editor with a hidden input field), or "never" (single-line field). */
engine.breaksBy = (node) => {
  const field = engine.controlOf(node);
  if (engine.isProxy(field)) return "key";
  return field instanceof HTMLTextAreaElement || field.isContentEditable || document.designMode === "on" ? "text" : "never";
};
/** Like `noteTyping`, for key presses at the caret. Returns false, and records nothing, if the field is not a plain text field. */
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
/** Whether a field must be set by script as a whole, such as a date or colour: keys enter the value only in parts or not at all. */
engine.isSetWhole = (node) => {
  const field = engine.controlOf(node);
  return field instanceof HTMLInputElement && WHOLE.test(field.type);
};
const WHOLE = /^(?:date|time|datetime-local|month|week|range|color)$/;
