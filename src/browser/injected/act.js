// Actions on an element from inside the document: focus, selection, setting values that keys cannot enter, and reading properties.
const { checkVisibility, getAttribute, hasAttribute, isConnected, localName, textContent, rootOf } = engine.native;
const own = (method) => Function.prototype.call.bind(method);
const focusOn = own(HTMLElement.prototype.focus);
const focusOnSvg = own(SVGElement.prototype.focus);
const closest = own(Element.prototype.closest);
const matches = own(Element.prototype.matches);
const blurFrom = own(HTMLElement.prototype.blur);
const dispatch = own(EventTarget.prototype.dispatchEvent);
const selectInput = own(HTMLInputElement.prototype.select);
const selectArea = own(HTMLTextAreaElement.prototype.select);
const setterOf = (type, property) => own(Object.getOwnPropertyDescriptor(type.prototype, property).set);
const setInput = setterOf(HTMLInputElement, "value");
const setArea = setterOf(HTMLTextAreaElement, "value");
const setSelected = setterOf(HTMLOptionElement, "selected");

/** Returns the kind of an element in the format that `ElementKind` in Rust parses. */
const called = (engine.called = (node) => {
  if (node instanceof HTMLInputElement && node.type === "range") {
    const step = /^(?:1?|any)$/.test(node.step) ? "" : `[step=${node.step}]`;
    return `input[type=range][min=${node.min || 0}][max=${node.max || 100}]${step}`;
  }
  if (node instanceof HTMLInputElement) return `input[type=${node.type}]`;
  if (node.isContentEditable) return "editable";
  return localName(node)
    .replace(/[^\w-]/g, "")
    .slice(0, 40);
});

/** Thrown for a node of the wrong kind. The message is `<needed> <found>`, which Rust parses as `Needed` and `ElementKind`. */
class WrongElement extends Error {}
Object.defineProperty(WrongElement.prototype, "name", { value: "WrongElement" });
engine.wrongElement = (needed, node) => new WrongElement(`${needed} ${called(node)}`);

/** Thrown for a node that was removed from the document. */
class StaleElement extends Error {}
Object.defineProperty(StaleElement.prototype, "name", { value: "StaleElement" });

/** Returns the control of the label that contains the node; without such a label, or if the node is itself a control, the node. */
const controlOf = (engine.controlOf = (node) => {
  if (!(node instanceof Element) || matches(node, `${PRESSED},${engine.FIELD}`) || node.isContentEditable) return node;
  return closest(node, "label")?.control ?? node;
});
const PRESSED = "a,button,input,[role=link],[role=button]";

/* ------------------------------------------------------------------- focus */

/** Whether the node is focused, or the focused element is inside the contenteditable node. */
const isFocused = (engine.isFocused = (node) => {
  const root = rootOf(node);
  const active = root.activeElement;
  // In a frame without focus, `activeElement` is the element that was last focused, or the body.
  if (window.parent !== window && !document.hasFocus()) return false;
  return active === node || Boolean(active && node.isContentEditable && engine.native.contains(node, active));
});

engine.focus = (node) => {
  if (!isFocused(node)) (node instanceof SVGElement ? focusOnSvg : focusOn)(node, { preventScroll: false });
  // An editable body counts as focused if nothing else is, but has no caret yet.
  if (node === document.body && node.isContentEditable && getSelection().rangeCount === 0) engine.caretToEnd(node);
  return isFocused(node);
};

engine.blur = (node) => {
  if (node instanceof HTMLElement) blurFrom(node);
};

/** Selects the whole content of a field. */
engine.selectAll = (node) => {
  if (node instanceof HTMLInputElement) selectInput(node);
  else if (node instanceof HTMLTextAreaElement) selectArea(node);
  else {
    const selection = getSelection();
    const range = document.createRange();
    range.selectNodeContents(node);
    selection.removeAllRanges();
    selection.addRange(range);
  }
};

/** Moves the caret behind the last character. */
engine.caretToEnd = (node) => {
  if (node instanceof HTMLTextAreaElement || (node instanceof HTMLInputElement && SELECTABLE.test(node.type))) {
    node.setSelectionRange(node.value.length, node.value.length);
  } else if (node.isContentEditable) {
    const selection = getSelection();
    selection.selectAllChildren(node);
    selection.collapseToEnd();
  }
};
const SELECTABLE = /^(?:text|search|url|tel|password)$/;

/** Whether everything in the field is selected, so that the next key replaces it. */
engine.isAllSelected = (node) => {
  if (node instanceof HTMLTextAreaElement || (node instanceof HTMLInputElement && SELECTABLE.test(node.type))) {
    return node.selectionStart === 0 && node.selectionEnd === node.value.length;
  }
  const text = getSelection().toString();
  return node instanceof HTMLInputElement ? text === node.value || text !== "" : text.trim() === (node.innerText ?? "").trim();
};

/** Whether the node is a contenteditable editor without a DOM selection. */
engine.isUnselected = (node) => node.isContentEditable && getSelection().isCollapsed;

/* -------------------------------------------------------------------- fill */

const DATED = /^(?:date|time|datetime-local|month|week)$/;
const FORMS = {
  date: "a date such as 2024-03-07",
  time: "a time such as 14:30",
  "datetime-local": "a date and time such as 2024-03-07T14:30",
  month: "a month such as 2024-03",
  week: "a week such as 2024-W10",
  color: "a colour such as #e66465",
  number: "a number",
  range: "a number within its limits",
};

/** Returns the value that an input of the same type and limits would have after it is set to `value`; "" if it rejects the value. */
function accepted(input, value) {
  const trial = document.createElement("input");
  for (const name of ["min", "max", "step"]) if (hasAttribute(input, name)) trial[name] = getAttribute(input, name);
  trial.type = input.type;
  setInput(trial, value);
  return trial.value;
}

/**
 * Returns how to enter a value into a field: `{kind, value, empty}`, with `kind` one of text, multiline, editable, date, range, color;
 * `{wrong, needed}` (actual element, required kind) if the field does not accept the value. `empty`: whether the field is empty now.
 */
engine.fieldFor = (node, value) => {
  const field = controlOf(node);
  if (field instanceof HTMLTextAreaElement) return { kind: "multiline", value, empty: field.value === "", proxy: engine.isProxy(field) };
  if (field instanceof HTMLInputElement) return inputFor(field, value);
  if (field.isContentEditable) return { kind: "editable", value, empty: (field.innerText ?? "").trim() === "" };
  if (field.editContext) return { kind: "editable", value, empty: engine.editedText(field).trim() === "" };
  if (rootOf(field).designMode === "on") return { kind: "editable", value, empty: false };
  return { wrong: called(field), needed: "text" };
};

/**
 * Checks a field before it is filled. Returns the result of `fieldFor`, or `{blocked}`. `select`: also focuses a text field and selects
 * its content; `force`: skips the actionability checks.
 */
engine.openField = (node, value, { force, select, again }) => {
  const field = engine.fieldFor(node, value);
  if (field.wrong) return field;
  const control = controlOf(node);
  const blocked = force ? null : engine.obstacle(control, { visible: true, enabled: true, editable: true });
  if (blocked) return blocked;
  if (SELECTED.has(field.kind) || field.kind === "editable") engine.noteText(control, field.value, { again });
  if (select && SELECTED.has(field.kind) && !field.proxy) {
    engine.focus(control);
    if (!field.empty) engine.selectAll(control);
  }
  return field;
};
const SELECTED = new Set(["text", "multiline"]);

function inputFor(input, value) {
  const { type } = input;
  if (type in FORMS && value !== "") {
    const wanted = type === "color" ? colourOf(value.trim().toLowerCase()) : value.trim();
    const held = accepted(input, wanted);
    const isRight = type === "color" ? held === wanted : type === "range" ? Number(held) === Number(wanted) : held !== "";
    if (!isRight) return { wrong: called(input), needed: type };
    value = type === "number" ? wanted : held;
  }
  if (DATED.test(type)) return { kind: "date", value, empty: input.value === "" };
  if (type === "color" || type === "range") return { kind: type, value, empty: false };
  if (/^(?:text|search|url|tel|email|password|number)$/.test(type)) {
    return { kind: "text", value: value.replace(/[\r\n]/g, ""), empty: input.value === "" && !input.validity.badInput };
  }
  return { wrong: called(input), needed: "text" };
}

/** Converts any CSS colour to the format of a colour input. */
function colourOf(text) {
  const pen = new OffscreenCanvas(1, 1).getContext("2d");
  for (const way of [text, `#${text}`]) {
    for (const otherwise of ["#000001", "#000002"]) {
      pen.fillStyle = otherwise;
      pen.fillStyle = way;
      if (pen.fillStyle !== otherwise && /^#[0-9a-f]{6}$/.test(pen.fillStyle)) return pen.fillStyle;
    }
  }
  return text;
}

/** Returns the current value of the field, or the text of an editor. */
engine.heldBy = (node) => {
  const field = controlOf(node);
  return "value" in field ? field.value : (field.innerText ?? "");
};

/** Sets a value that keys cannot enter, and dispatches the events that the browser would. */
engine.setValue = (node, value) => {
  const field = controlOf(node);
  if (field.value === value) return;
  focusOn(field);
  (field instanceof HTMLTextAreaElement ? setArea : setInput)(field, value);
  tell(field);
};

const tell = (field) => {
  dispatch(field, new Event("input", { bubbles: true, composed: true }));
  dispatch(field, new Event("change", { bubbles: true }));
};

/** Returns where to press on a native slider for a value: `share` of its length; and how many `steps` the value is away. */
engine.slide = (node, value) => {
  const { direction, writingMode, appearance } = getComputedStyle(node);
  const min = Number(node.min || 0);
  const max = Math.max(Number(node.max || 100), min);
  const step = node.step === "any" ? null : Number(node.step) || 1;
  let share = max > min ? (Number(value) - min) / (max - min) : 0;
  if (direction === "rtl") share = 1 - share;
  const steps = step ? Math.round((Number(value) - Number(node.value)) / step) : null;
  return { share, steps, backwards: direction === "rtl", plain: writingMode.startsWith("horizontal") && appearance !== "none" };
};

/* ------------------------------------------------------------------- check */

/**
 * Returns `{checked, radio, found, internals}`. `checked`: true, false or "mixed"; null if the element is not checkable. `radio`: it cannot
 * be unchecked. `internals`: its `ElementInternals` must be queried and may define another state.
 */
engine.checked = (node) => {
  const control = controlOf(node);
  if (control instanceof HTMLInputElement && (control.type === "checkbox" || control.type === "radio")) {
    return { checked: control.indeterminate ? "mixed" : control.checked, radio: control.type === "radio" };
  }
  const internals = engine.noteCustom(control);
  const role = engine.roleOf(control);
  if (!/^(?:checkbox|radio|switch|menuitemcheckbox|menuitemradio|option|treeitem)$/.test(role))
    return { checked: null, found: called(control), internals };
  const text = getAttribute(control, "aria-checked");
  const isBox = /^(?:checkbox|radio|switch)$/.test(role);
  const checked = text === "true" ? true : text === "mixed" ? "mixed" : text === "false" || isBox ? false : null;
  return { checked, radio: role === "radio" || role === "menuitemradio", found: called(control), internals };
};

/* ------------------------------------------------------------------ select */

const isHiddenOption = (option) => option.hidden || (!checkVisibility(option) && getComputedStyle(option).display === "none");
const isDisabledOption = (option) =>
  option.disabled || (option.parentElement instanceof HTMLOptGroupElement && option.parentElement.disabled);

/** Whether an option matches a choice: `{value}`, `{label}`, `{index}`, or `{any}` (value or label). */
function isWanted(option, index, { any, value, label, index: wanted }) {
  if (any !== undefined) return option.value === any || engine.optionText(option) === engine.collapse(any);
  if (value !== undefined) return option.value === value;
  if (label !== undefined) return engine.optionText(option) === engine.collapse(label);
  return index === wanted;
}

const MOST_OPTIONS_SHOWN = 50;

/** Returns the indexes of options whose label equals the text, ignoring case; if none, that start with it; if none, that contain it. */
function likeTo(options, text) {
  const wanted = engine.collapse(text).toLowerCase();
  const labels = options.map((option) => engine.optionText(option).toLowerCase());
  const test = (is) => labels.flatMap((label, at) => (wanted !== "" && is(label) ? [at] : []));
  const ways = [(label) => label === wanted, (label) => label.startsWith(wanted), (label) => label.includes(wanted)];
  return ways.map(test).find((found) => found.length) ?? [];
}

/**
 * Returns the indexes of the options that match a text: by exact label; if none, by value; if none, by similar label. Of several with the
 * same label, prefers enabled ones, and returns only one if all have the same value.
 */
function meantBy(options, text) {
  const label = engine.collapse(text);
  const named = options.flatMap((option, at) => (engine.optionText(option) === label ? [at] : []));
  const open = named.filter((at) => !isDisabledOption(options[at]) && !isHiddenOption(options[at]));
  const labelled = open.length ? open : named.slice(0, 1);
  if (labelled.length) {
    return labelled.every((at) => options[at].value === options[labelled[0]].value) ? labelled.slice(0, 1) : labelled;
  }
  const byValue = options.findIndex((option) => option.value === text);
  return byValue >= 0 ? [byValue] : likeTo(options, text);
}

/** Returns the labels of options; if a label occurs more than once, with the value appended. */
function distinguished(options, places) {
  const labels = places.map((at) => engine.optionText(options[at]));
  return places.map((at, place) => {
    const isShared = labels.indexOf(labels[place]) !== labels.lastIndexOf(labels[place]);
    return isShared ? `${labels[place]} (value ${options[at].value})` : labels[place];
  });
}

/**
 * Resolves choices in a `select`: `{wanted: [index], selected: [index], multiple, list, steps}`. `first`: in a single-value `select`, takes
 * only the first match. `steps`: arrow key presses from the selected to the wanted option. Returns `{blocked}` if an option is disabled or
 * missing; if missing, with the labels of the `available` ones.
 */
engine.optionsFor = (node, choices, { first, force }) => {
  const select = controlOf(node);
  if (!(select instanceof HTMLSelectElement)) return { wrong: called(select) };
  const { multiple } = select;
  const blocked = force ? null : engine.obstacle(node, { visible: true, enabled: true });
  if (blocked) return { ...blocked, multiple };
  const options = Array.from(select.options);
  const wanted = [];
  let missing = false;
  let matching = null;
  for (const choice of choices) {
    const found =
      choice.like === undefined ? [options.findIndex((option, at) => isWanted(option, at, choice))] : meantBy(options, choice.like);
    if (found.length > 1) matching ??= distinguished(options, found.slice(0, MOST_OPTIONS_SHOWN));
    const index = found.length === 1 ? found[0] : -1;
    if (index < 0) missing = true;
    else if (!wanted.includes(index)) wanted.push(index);
  }
  const takesFirst = first && !multiple && wanted.length > 0;
  if (takesFirst) wanted.splice(0, wanted.length, Math.min(...wanted));
  if (missing && !takesFirst) {
    const places = Array.from(options.slice(0, MOST_OPTIONS_SHOWN).keys());
    return { blocked: "disabled", available: distinguished(options, places), matching, multiple };
  }
  if (wanted.some((index) => isDisabledOption(options[index]))) return { blocked: "disabled", multiple };
  const selected = options.flatMap((option, index) => (option.selected ? [index] : []));
  engine.noteChoice(
    select,
    wanted.map((index) => engine.optionText(options[index])),
  );
  return {
    wanted,
    selected,
    multiple,
    list: multiple || select.size > 1,
    steps: wanted.length === 1 ? stepsTo(options, select.selectedIndex, wanted[0]) : null,
  };
};

/** Whether the drop-down of a native `select` is open; true if the browser does not support `:open`. */
engine.showsPicker = (node) => !CSS.supports("selector(:open)") || matches(controlOf(node), ":open");

/** Returns the number of arrow key presses between two options, negative for upwards; disabled and hidden options are skipped. */
function stepsTo(options, from, to) {
  const stops = options.flatMap((option, index) => (isDisabledOption(option) || isHiddenOption(option) ? [] : [index]));
  const target = stops.indexOf(to);
  const start = stops.indexOf(from);
  return target < 0 || (start < 0 && from >= 0) ? null : target - start;
}

/**
 * Selects exactly these options. Dispatches `input` and `change` if the selection changes, or with `always`. Returns `{values, shows,
 * gone}`: the selected values; their labels if they differ from the requested ones, else null; whether the `select` was removed before.
 */
engine.setOptions = (node, indexes, always) => {
  const select = controlOf(node);
  const others = Array.from(select.options).filter((option, index) => option.selected !== indexes.includes(index));
  if (others.length || always) {
    focusOn(select);
    // On focus, the page may have removed the `select`.
    if (others.length && !isConnected(select)) return { values: [], shows: null, gone: true };
    // Without this, the browser selects an option of a single-value `select` by default.
    if (others.length && !indexes.length) select.selectedIndex = -1;
    for (const option of others) setSelected(option, indexes.includes(option.index));
    tell(select);
  }
  const { values, outcome } = engine.shownOptions(select);
  return { values: engine.selectedValues(select), shows: outcome === "lost" ? values.join(", ") : null, gone: false };
};

/**
 * Returns whether a control, or its replacement, still has the state that an action set (`{checked}` or `{values}`): `{held, twin, shows}`.
 * `twin`: it was replaced or removed; `shows`: its current state as text. If it is gone without a replacement, `held` is true.
 */
engine.stillHolds = (node, { checked, values }) => {
  const control = controlOf(node);
  const place = isConnected(control) ? control : twinOf(control);
  const twin = place !== control;
  if (!place) return { held: true, twin, shows: "" };
  if (values === undefined) {
    const { checked: now, internals } = engine.checked(place);
    return {
      internals,
      held: now === checked || now === null,
      twin,
      shows: now === true ? "checked" : now === false ? "not checked" : "partly checked",
    };
  }
  const shows = engine.shownOptions(place).values.join(", ");
  const held = twin ? sorted(engine.selectedValues(place)) === sorted(values) : engine.shownOptions(place).outcome !== "lost";
  return { held, twin, shows };
};
const sorted = (values) => [...values].sort().join("\n");

const CHANGING = /^(?:style|class|value|checked|disabled)$|^aria-(?:checked|busy|disabled|invalid)$/;
const marksOf = (element) => {
  const marks = Array.from(element.attributes, ({ name, value }) => (CHANGING.test(name) ? "" : `${name}=${value}`));
  return sorted(marks.filter(Boolean));
};
/** Returns the only element in the document with the same identifying attributes as a removed element; null if there is none. */
const twinOf = (engine.twinOf = (element) => {
  const marks = marksOf(element);
  const twins = engine.queryAll(document, localName(element)).filter((other) => marksOf(other) === marks);
  return /^(?:id|name|aria-label)=/m.test(marks) && twins.length === 1 ? twins[0] : null;
});

engine.selectedValues = (node) => Array.from(controlOf(node).selectedOptions, (option) => option.value);
engine.optionAt = (node, index) => controlOf(node).options[index] ?? null;

/* ------------------------------------------------------------------- files */

/** Returns the properties of a file input: `{multiple, folder}`, or `{disabled}` if disabled; `{wrong}` for other elements. */
engine.fileInput = (node) => {
  const input = controlOf(node);
  if (!(input instanceof HTMLInputElement) || input.type !== "file") return { wrong: called(input) };
  if (isConnected(input)) attached.add(input);
  if (engine.isDisabled(input)) return { disabled: true };
  return { multiple: input.multiple, folder: input.webkitdirectory };
};

/** Resolves at the next change event of a file input. The browser reads the files of a folder asynchronously. */
engine.whenFilesChange = (node) =>
  new Promise((done) => controlOf(node).addEventListener("change", () => done(null), { capture: true, once: true }));

/** File inputs that have been in the document. Others are used by scripts without being attached. */
const attached = new WeakSet();
const filesHeard = new WeakMap();
const noteFilesHeard = (event) => {
  const [field] = event.composedPath();
  const isSeen = isConnected(field) || !attached.has(field);
  if (filesHeard.has(field) && isSeen) filesHeard.set(field, Math.max(filesHeard.get(field), field.files.length));
};
/** Starts recording how many files a file input has at its input event, since many pages clear the input right after. */
engine.noteFiles = (node) => {
  const field = controlOf(node);
  filesHeard.set(field, 0);
  if (isConnected(field)) attached.add(field);
  for (const target of [window, field]) target.addEventListener("input", noteFilesHeard, { capture: true });
};
/** Returns the number of files that a file input has received since `noteFiles`; null if it was removed before it received any. */
engine.filesArrived = (node) => {
  const field = controlOf(node);
  const heard = filesHeard.get(field) ?? 0;
  filesHeard.delete(field);
  for (const target of [window, field]) target.removeEventListener("input", noteFilesHeard, { capture: true });
  return heard === 0 && attached.has(field) && !isConnected(field) ? null : Math.max(heard, field.files.length);
};
/** Returns the replacement of a removed file input; null if there is none, or if the input is still in the document. */
engine.fileHeir = (node) => {
  const field = controlOf(node);
  return isConnected(field) ? null : twinOf(field);
};

/** Changes the MIME types of the next files of a file input, before page scripts receive the input event. */
engine.retypeNextFiles = (node, types) => {
  const field = controlOf(node);
  const given = new AbortController();
  const retyped = (file, type) =>
    !type || type === file.type ? file : new File([file], file.name, { type, lastModified: file.lastModified });
  const retype = () => {
    given.abort();
    const list = new DataTransfer();
    Array.from(field.files, (file, at) => list.items.add(retyped(file, types[at])));
    field.files = list.files;
  };
  // Events of a detached input do not reach `window`.
  for (const target of [window, field]) target.addEventListener("input", retype, { capture: true, signal: given.signal });
};

/* -------------------------------------------------------------------- read */

engine.textContent = (node) => textContent(node);
engine.innerText = (node) => (node instanceof HTMLElement ? node.innerText : textContent(node));
engine.innerHTML = (node) => node.innerHTML;
engine.outerHTML = (node) => node.outerHTML;
engine.attribute = (node, name) => getAttribute(node, name);
engine.inputValue = (node) => {
  const field = controlOf(node);
  const isField = field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement || field instanceof HTMLSelectElement;
  return isField ? { value: field.value } : { wrong: called(field) };
};
engine.state = (node) => {
  const isThere = isConnected(node);
  const field = isThere ? controlOf(node) : node;
  const enabled = !engine.isDisabled(isThere ? engine.wholeOf(node) : node);
  const { checked, internals } = isThere ? engine.checked(node) : { checked: null };
  return {
    visible: isThere && engine.isVisible(node),
    enabled,
    editable: enabled && engine.isEditable(field) === true,
    checked,
    internals,
  };
};

/* ------------------------------------------------------------------- files */

/** Returns the first enabled file input of the document, even if it is hidden or in a shadow root. */
engine.fileInputs = (root = document) => {
  for (const element of root.querySelectorAll("*")) {
    if (element instanceof HTMLInputElement && element.type === "file" && !element.disabled) return element;
    const shadow = engine.shadowRootOf(element);
    const inside = shadow && engine.fileInputs(shadow);
    if (inside) return inside;
  }
  return null;
};

/* ----------------------------------------------------------------- library */

/** Dispatches an event. Its type determines the event class, such as `MouseEvent`. */
engine.dispatch = (node, type, init) => {
  // Some event classes exist only in secure contexts or on touch devices.
  const Kind = globalThis[EVENTS.find(([names]) => names.test(type))?.[1]] ?? Event;
  const known = init ?? {};
  const touches = (list) => (list ?? []).map((touch) => (touch instanceof Touch ? touch : new Touch({ target: node, ...touch })));
  if (Kind === globalThis.TouchEvent) {
    for (const name of ["touches", "targetTouches", "changedTouches"]) if (known[name]) known[name] = touches(known[name]);
  }
  dispatch(node, new Kind(type, { bubbles: true, cancelable: true, composed: true, ...known }));
};
const EVENTS = [
  [/^(?:auxclick|click|dblclick|contextmenu|mouse\w+)$/, "MouseEvent"],
  [/^key(?:down|up|press)$/, "KeyboardEvent"],
  [/^touch(?:start|end|move|cancel)$/, "TouchEvent"],
  [/^(?:pointer\w+|(?:got|lost)pointercapture)$/, "PointerEvent"],
  [/^(?:focus|blur|focusin|focusout)$/, "FocusEvent"],
  [/^(?:drag\w*|drop)$/, "DragEvent"],
  [/^wheel$/, "WheelEvent"],
  [/^device(?:motion)$/, "DeviceMotionEvent"],
  [/^device(?:orientation|orientationabsolute)$/, "DeviceOrientationEvent"],
  [/^(?:beforeinput|input)$/, "InputEvent"],
];

/** Returns the rendered text of an HTML element. Throws for other nodes. */
engine.innerTextOf = (node) => {
  if (!(node instanceof HTMLElement)) throw engine.wrongElement("html_element", node);
  return node.innerText;
};

engine.isEditableField = (node) => {
  const field = controlOf(node);
  const isField = [HTMLInputElement, HTMLTextAreaElement, HTMLSelectElement].some((kind) => field instanceof kind);
  const editable = isField ? !field.readOnly : engine.isEditable(field);
  if (editable === null || editable === undefined) {
    throw engine.wrongElement("editable", field);
  }
  return editable === true && !engine.isDisabled(field);
};

engine.isCheckedControl = (node) => {
  const { checked, internals } = engine.checked(node);
  if (checked === null && !internals) throw engine.wrongElement("checkable", node);
  return { checked: checked === true, internals };
};

/** Returns the control that contains a node (or whose label does); enabled checks apply to this whole control. */
engine.wholeOf = (node) => {
  const control = controlOf(node);
  const parts = "input, textarea, select, button, [role=button], [role=checkbox], [role=radio]";
  return (control instanceof Element && control.closest(parts)) || control;
};

engine.isInState = (node, state) => {
  if (!isConnected(node) && state !== "hidden") throw new StaleElement();
  switch (state) {
    case "visible":
      return engine.isVisible(node);
    case "hidden":
      return !isConnected(node) || !engine.isVisible(node);
    case "enabled":
      return !engine.isDisabled(engine.wholeOf(node));
    case "disabled":
      return engine.isDisabled(engine.wholeOf(node));
    case "editable":
      return engine.isEditableField(node);
    default:
      return standsStill(node);
  }
};

/** Whether the element's bounding box is unchanged after two frames. */
const standsStill = async (node) => {
  const before = JSON.stringify(node.getBoundingClientRect());
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  return before === JSON.stringify(node.getBoundingClientRect());
};

engine.selectText = (node) => {
  const field = controlOf(node);
  engine.selectAll(field);
  focusOn(field);
};

engine.parentOf = (node) => node.parentElement;

/** Returns the root element of a node's document. For it, the browser reports the frame. */
engine.documentElementOf = (node) => (node.ownerDocument ?? node).documentElement;
