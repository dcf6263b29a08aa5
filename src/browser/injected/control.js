// Form controls, native or custom: their kind, the value that they show, and the options that they offer.
const { checkVisibility, contains, getAttribute, isConnected, localName, matches, rectOf, rootOf, textContent } = engine.native;
const closest = Function.prototype.call.bind(Element.prototype.closest);
const { collapse, queryAll, roleOf } = engine;

const VISIBLE = { visibilityProperty: true };
const isDrawn = (element) => checkVisibility(element, VISIBLE);

/* ------------------------------------------------------------------- kinds */

const BY_ROLE = "combobox listbox slider spinbutton checkbox switch radio radiogroup textbox searchbox".split(" ");
const ROLES = BY_ROLE.map((role) => `[role=${role}]`).join(",");
const FIELD = (engine.FIELD = `input:not([type=hidden]),select,textarea,[contenteditable]:not([contenteditable=false]),${ROLES}`);

/** Whether a field is meant for the user, and not an internal input of a UI library. */
const isMet = (field) =>
  isDrawn(field) && !(getAttribute(field, "tabindex") === "-1" && engine.isHiddenFromAccessibility(field)) && !isKept(field);

/* -------------------------------------------------------------- kept fields */

/** Whether a field is a hidden value holder: invisible and not in the tab order, since a UI library draws a custom control instead. */
const isKept = (field) =>
  isOutOfOrder(field) && isDrawn(field) && isUnseen(field) && field !== engine.activeElement() && insteadOf(field) !== null;
engine.isKept = isKept;

const isOutOfOrder = (field) =>
  (field instanceof HTMLSelectElement || isTyped(field)) && Number.parseInt(getAttribute(field, "tabindex") ?? "0", 10) < 0;

/** Whether a field is invisible although rendered: transparent, without size, clipped, or positioned outside the scrollable area. */
function isUnseen(field) {
  if (!checkVisibility(field, { opacityProperty: true })) return true;
  const box = rectOf(field);
  if (box.width <= 1.5 || box.height <= 1.5 || box.right + scrollX <= 0 || box.bottom + scrollY <= 0) return true;
  return engine.sight.isClippedAway(getComputedStyle(field));
}

const DRAWN_INSTEAD = `${FIELD},[aria-haspopup=listbox],[tabindex="0"]`;
const AROUND = '[role=combobox],[aria-haspopup],[tabindex="0"]';
const MOST_LEVELS = 4;
const MOST_BESIDE = 3;

/** Returns the control that a UI library draws instead of a hidden value holder, around or beside it; null if there is none. */
function insteadOf(field) {
  const isInstead = (element) =>
    element !== field && matches(element, DRAWN_INSTEAD) && engine.isVisible(element) && !isOutOfOrder(element) && !sendsItself(element);
  const boxes = [];
  for (let box = field; box && boxes.length < MOST_LEVELS && !matches(box, HOLDERS); box = engine.flatParent(box)) boxes.push(box);
  const around = boxes.find((box) => isInstead(box) && matches(box, AROUND) && rectOf(box).height <= TALLEST);
  if (around) return around;
  const heldBy = (beside) => [beside, ...queryAll(beside, DRAWN_INSTEAD)].find(isInstead) ?? null;
  for (const box of boxes) {
    const found = besideIt(box, heldBy);
    if (found) return found;
  }
  return null;
}

/** Returns the first result of `heldBy` for the siblings of a box. If value holders and controls alternate, the first tells the order. */
function besideIt(box, heldBy) {
  const isPart = (element) => element && !matches(element, "label") && (isOutOfOrder(element) || heldBy(element));
  let first = box;
  while (isPart(first.previousElementSibling)) first = first.previousElementSibling;
  if (first !== box && !isOutOfOrder(first)) return heldBy(box.previousElementSibling);
  let beside = box.nextElementSibling;
  for (let count = 0; beside && count < MOST_BESIDE && !matches(beside, "label") && !isOutOfOrder(beside); count++) {
    const found = heldBy(beside);
    if (found) return found;
    beside = beside.nextElementSibling;
  }
  return null;
}
/** Whether a field has a `name` and so is submitted with its form. Such a field does not stand in for another one. */
const sendsItself = (element) => matches(element, "input,select,textarea") && (getAttribute(element, "name") ?? "") !== "";

/** Returns the control that a UI library draws instead of a hidden value holder: `{role, name, ref}`; null for other fields. */
engine.drawnInstead = (node) => {
  const field = engine.controlOf(node);
  const isOut = isOutOfOrder(field) && isDrawn(field) && isUnseen(field);
  return isOut ? drawnFor(insteadOf(field), field) : null;
};

/** Returns the control that is probably shown instead of any hidden field: `{role, name, ref}`; null if there is none. */
engine.shownInstead = (node) => {
  const field = engine.controlOf(node);
  return field instanceof HTMLSelectElement || isTyped(field) ? drawnFor(insteadOf(field), field) : null;
};
const drawnFor = (drawn, field) => {
  if (!drawn) return null;
  const { role, name, ref } = engine.inWords(drawn);
  return { role, name: (engine.nameOf(drawn) && name) || engine.nameOf(field) || name, ref };
};

/** Returns the accessible name of the hidden value holder (among `fields`) of a drawn control; "" if there is none. */
engine.keptNameOf = (drawn, fields) => {
  for (const field of fields) if (isKept(field) && insteadOf(field) === drawn) return engine.nameOf(field);
  return "";
};
engine.KEPT = "select[tabindex^='-'],input[tabindex^='-'],textarea[tabindex^='-']";

/** Returns the form control that a node stands for: itself, the control of its label, one that contains it, or the only one inside it. */
const fieldOf = (engine.fieldOf = (node) => {
  const control = engine.controlOf(node);
  if (!(control instanceof Element) || matches(control, FIELD)) return control;
  const around = closest(control, ROLES);
  if (around) return around;
  const inside = queryAll(control, FIELD).filter(isMet);
  const outermost = inside.filter((field) => !inside.some((other) => other !== field && contains(other, field)));
  return outermost.length === 1 ? outermost[0] : control;
});

const CHECKED = /^(?:checkbox|switch|radio|menuitemcheckbox|menuitemradio)$/;

/** Returns the kind of a control: "text", "select", "check", "range", "slider", "choice" (custom list), "group", "file" or "none". */
function kindOf(field) {
  if (field instanceof HTMLSelectElement) return "select";
  if (field instanceof HTMLInputElement) {
    if (/^(?:checkbox|radio)$/.test(field.type)) return "check";
    if (field.type === "file" || field.type === "range") return field.type;
  }
  const role = roleOf(field);
  if (CHECKED.test(role)) return "check";
  if (role === "slider") return "slider";
  if (/^(?:combobox|listbox)$/.test(role) && !field.list) return "choice";
  if (/^listbox$/.test(getAttribute(field, "aria-haspopup") ?? "") && !isTyped(field)) return "choice";
  if (role === "radiogroup" || (role === "group" && membersOf(field).length)) return "group";
  if (isTyped(field) || field.isContentEditable || field.editContext || document.designMode === "on") return "text";
  return role === "spinbutton" ? "slider" : "none";
}
const UNTYPED = /^(?:button|submit|reset|image|checkbox|radio|range|file|hidden)$/;
const isTyped = (field) => field instanceof HTMLTextAreaElement || (field instanceof HTMLInputElement && !UNTYPED.test(field.type));

/** Returns the `{kind}` of a node's control. If the control does not accept the value, also `{wrong, needed}`: actual and required kind. */
engine.control = (node, value) => {
  if (!isConnected(node)) return { kind: "gone" };
  const field = fieldOf(node);
  const kind = kindOf(field);
  if (value === null || !/^(?:text|range|none)$/.test(kind)) return { kind };
  const { wrong, needed } = engine.fieldFor(field, value);
  return { kind, wrong, needed };
};

/** Returns the file input for a node; often it is hidden beside the button that opens it. Null if there is none or more than one. */
engine.fileInputOf = (node) => {
  const isFiles = (field) => field instanceof HTMLInputElement && field.type === "file";
  const control = engine.controlOf(node);
  for (let box = control; box && box !== document.documentElement; box = engine.flatParent(box)) {
    if (isFiles(box)) return box;
    const inside = queryAll(box, "input[type=file]");
    if (inside.length) return inside.length === 1 ? inside[0] : null;
  }
  return null;
};

/** The radio buttons or checkboxes of a group. */
const membersOf = (group) => queryAll(group, "input[type=radio],input[type=checkbox],[role=radio],[role=checkbox]");

/* ------------------------------------------------------------------- shown */

/** Returns the visible text of an element, without `select` elements and parts for which `isOut` returns true. */
function drawnText(element, isOut) {
  const parts = [];
  const read = (node) => {
    if (node instanceof Text) parts.push(node.data);
    else if (node instanceof Element && !(node instanceof HTMLSelectElement) && isDrawn(node) && !isOut(node)) {
      if (/^(?:block|flex|grid|list-item)$/.test(getComputedStyle(node).display)) parts.push(" ");
      engine.eachFlatChild(node, read);
    }
  };
  engine.eachFlatChild(element, read);
  return collapse(parts.join(""));
}

const ASIDE =
  "label,legend,[aria-hidden=true],[aria-live],[role=alert],[role=status],[role=log],[role=listbox],[role=tooltip],[role=dialog],svg,script,style";
const HOLDERS = "body,html,form,fieldset,dialog,[role=dialog],[role=group],[role=radiogroup],table,main";
/** The largest height, in pixels, of a box that can count as the visual frame of a field. */
const TALLEST = 200;

/** Yields the control and its ancestors, innermost first, as long as they contain no other field. */
function* boxesAround(field) {
  yield field;
  let levels = 0;
  for (let box = engine.flatParent(field); box && levels < 6; box = engine.flatParent(box), levels++) {
    if (matches(box, HOLDERS) || rectOf(box).height > TALLEST) return;
    const others = queryAll(box, FIELD).filter((other) => other !== field && !contains(other, field) && !contains(field, other));
    if (others.some((other) => isMet(other) && !isPopup(other, field))) return;
    yield box;
  }
}
const isPopup = (other, field) => listsOf(field).some((list) => list === other || contains(list, other));

/** Returns the selected items of a multi-select control that shows them in its own listbox. */
function pickedIn(field) {
  const lists = queryAll(field, "[role=listbox]").map((list) => [list, itemsIn(list)]);
  // A list that appeared when the control opened contains the options, not the selection.
  const closed = lists.filter(
    ([list, items]) => !hasCome(list) && items.length && items.every(isSelected) && !queryAll(list, "input").length,
  );
  return closed.length === 1 && kindOf(field) === "choice" ? closed[0][1] : [];
}

/** Returns the texts of the options that a control shows as selected. */
function shownChoice(field) {
  if (roleOf(field) === "listbox") return itemsIn(field).filter(isSelected).map(itemText);
  const picked = pickedIn(field);
  if (picked.length) return picked.map(itemText);
  const typed = typedIn(field);
  if (typed && collapse(typed.value)) return [collapse(typed.value)];
  const name = engine.nameOf(field);
  const lists = listsOf(field);
  const described = (getAttribute(typed ?? field, "aria-describedby") ?? "").split(/\s+/).filter(Boolean);
  const labels = new Set(field.ariaLabelledByElements ?? []);
  const isOut = (part) =>
    part !== field &&
    (matches(part, ASIDE) || lists.includes(part) || described.includes(part.id) || (labels.has(part) && !contains(field, part)));
  for (const box of boxesAround(field)) {
    const text = drawnText(box, isOut);
    if (text && text !== name) return [text];
  }
  // Falls back to the control's own text, which equals its name for a button.
  const own = drawnText(field, isOut);
  return own ? [own] : [];
}

/** Returns the text of a field. For the hidden input field of an editor, returns the text that the editor draws. */
function editedText(field) {
  if (!isProxy(field)) return isTyped(field) ? field.value : (field.innerText ?? "").replace(/\u200b|\n+$/g, "");
  const face = faceOf(field);
  return face ? linesDrawnIn(face, field).join("\n") : (field.value ?? "");
}
engine.editedText = editedText;
/** Whether an editor has added closing brackets or quotation marks to the text that it was given, after two frames. */
engine.hasClosed = async (node, value) => {
  const field = engine.controlOf(node);
  if (!OPENING.test(value)) return false;
  await engine.frames(2);
  const shown = isProxy(field) ? editedText(field) : (field.innerText ?? "");
  return shown.startsWith(value) && CLOSING.test(shown.slice(value.length));
};
const OPENING = /[([{"'`]/;
const CLOSING = /^[)\]}"'`]+\s*$/;
/** Whether an editor with a hidden input field shows a text that differs from `value`, after two frames. */
engine.hasRewritten = async (node, value) => {
  const field = engine.controlOf(node);
  if (!isProxy(field)) return false;
  await engine.frames(2);
  return editedText(field) !== value;
};

/** Whether a field is the hidden input field of an editor: it receives keys, but is tiny or transparent; the text is drawn elsewhere. */
const isProxy = (engine.isProxy = (field) => {
  if (!(field instanceof HTMLTextAreaElement) && !field.editContext) return false;
  const { width, height } = rectOf(field);
  return width < 12 || height < 6 || getComputedStyle(field).opacity === "0";
});

/** Returns the box in which an editor draws the text of its hidden input field: the nearest ancestor of relevant size; null if none. */
const faceOf = (engine.faceOf = (field) => {
  for (let box = engine.flatParent(field); box && box !== document.body; box = engine.flatParent(box)) {
    const { width, height } = rectOf(box);
    if (width > 60 && height > 30) return box;
  }
  return null;
});

/** The largest difference, in pixels, between the top edges of text pieces on the same line. */
const LINE_SLACK = 4;

/** Returns the lines of text that an element draws, grouped by vertical position, without line numbers. */
function linesDrawnIn(element, field) {
  const parts = [];
  const read = (node) => {
    if (node instanceof Text) {
      const { left, top, width } = engine.textRect(node);
      if (width > 0) parts.push({ left, top, text: node.data.replace(/\u00a0/g, " ").replace(/\u200b/g, "") });
    } else if (node instanceof Element && node !== field && isDrawn(node)) engine.eachFlatChild(node, read);
  };
  read(element);
  parts.sort((one, other) => (Math.abs(one.top - other.top) > LINE_SLACK ? one.top - other.top : one.left - other.left));
  const lines = [];
  for (const part of parts) {
    const line = lines.at(-1);
    if (line && Math.abs(line[0].top - part.top) <= LINE_SLACK) line.push(part);
    else lines.push([part]);
  }
  const texts = isNumbered(lines) ? lines.map((line) => line.slice(1)) : lines;
  return texts.map((line) => line.map(({ text }) => text).join(""));
}

/** Whether each line begins with a separate text piece that is a consecutive line number. */
const isNumbered = (lines) =>
  lines.length > 0 &&
  lines.every(([first], at) => /^\d+$/.test(first.text) && Number(first.text) === Number(lines[0][0].text) + at) &&
  lines.some((line) => line.length > 1);

function shownText(field) {
  const text = editedText(field);
  const { outcome, strays } = engine.outcome(field) ?? {};
  return { values: text.trim() === "" ? [] : [text], unchanged: engine.textBefore(field) === text, outcome, strays };
}

const choices = new WeakMap();
/** Records the labels of the options that are about to be selected in a `select`. */
engine.noteChoice = (select, names) => choices.set(select, names);
/** Returns the selected options of a `select`. If they differ from those of `noteChoice`, `outcome` is "lost", or "consumed" if now empty. */
engine.shownOptions = (select) => {
  const selected = Array.from(select.selectedOptions);
  const values = selected.map(engine.optionText);
  const wanted = choices.get(select);
  const unchanged = Boolean(wanted) && [...wanted].sort().join("\n") !== [...values].sort().join("\n");
  if (!unchanged) return { values, unchanged };
  // Many pages run an action on selection, and then reset the `select` to its empty option.
  return { values, unchanged, outcome: selected.every(({ value }) => value === "") ? "consumed" : "lost" };
};

/** Returns the current value of a control: `{kind, values, checked, unchanged, secret, proxy, outcome, strays}`, each if applicable. */
engine.shownBy = (node) => {
  if (!isConnected(node)) {
    const heir = engine.heirOf(node);
    if (!heir) return shownByTwin(engine.controlOf(node)) ?? { kind: "gone", values: [], ...engine.outcome(node) };
    return { ...shownText(heir), ...engine.outcome(node), kind: "text", secret: heir.type === "password", proxy: isProxy(heir) };
  }
  const field = fieldOf(node);
  const kind = displays.has(field) ? "slider" : kindOf(field);
  switch (kind) {
    case "select":
      return { ...engine.shownOptions(field), kind };
    case "check":
      return { kind, values: [], checked: engine.checked(field).checked };
    case "file":
      return { kind, values: Array.from(field.files, (file) => file.name) };
    case "range":
      return { kind, values: [field.value] };
    case "slider": {
      const { now, text } = engine.sliderOf(field);
      return { kind, values: [text ?? (now === null ? "" : String(now))].filter(Boolean) };
    }
    case "choice":
      return { kind, values: shownChoice(field) };
    case "group":
      return {
        kind,
        values: membersOf(field)
          .filter((member) => engine.checked(member).checked === true)
          .map((member) => engine.nameOf(member)),
      };
    case "text":
      return { ...shownText(field), kind, secret: field.type === "password", proxy: isProxy(field) };
    default:
      return { kind, values: [] };
  }
};

/** Returns the value of the element that replaced a removed `select` or checkbox; null if there is none. */
function shownByTwin(field) {
  const twin = /^(?:select|check)$/.test(kindOf(field)) ? engine.twinOf(field) : null;
  if (!twin) return null;
  if (choices.has(field)) choices.set(twin, choices.get(field));
  return engine.shownBy(twin);
}
engine.allShownBy = (...nodes) => nodes.map(engine.shownBy);

/* ----------------------------------------------------------------- choices */

/** Returns the text input of a control, in which the user types to search for an option; null if there is none. */
function typedIn(field) {
  if (isTyped(field)) return field;
  const inside = queryAll(field, "input").filter((input) => isTyped(input) && isDrawn(input));
  return inside.length === 1 ? inside[0] : null;
}

const LISTS = "[role=listbox],[role=tree],[role=menu],[role=grid]";
const ITEMS = "[role=option],[role=treeitem],[role=menuitem],[role=menuitemradio],[role=menuitemcheckbox]";

/** Returns the lists that a control references by `aria-controls`, `aria-owns` or `aria-activedescendant`. */
function listsOf(field) {
  const speakers = [field, typedIn(field), closest(field, "[role=combobox]"), ...queryAll(field, "[aria-controls],[aria-owns]")].filter(
    Boolean,
  );
  const ids = speakers.flatMap((speaker) =>
    ["aria-controls", "aria-owns"].flatMap((name) =>
      (getAttribute(speaker, name) ?? "")
        .split(/\s+/)
        .filter(Boolean)
        .map((id) => rootOf(speaker).getElementById?.(id) ?? document.getElementById(id)),
    ),
  );
  const active = speakers.flatMap((speaker) => [
    speaker.ariaActiveDescendantElement && closest(speaker.ariaActiveDescendantElement, LISTS),
  ]);
  const controlled = speakers.flatMap((speaker) => [...(speaker.ariaControlsElements ?? []), ...(speaker.ariaOwnsElements ?? [])]);
  return [...new Set([...ids, ...controlled, ...active])].filter((list) => list && !contains(list, field));
}

/** All descendants in the flat tree. */
function* below(element) {
  for (const child of engine.flatChildren(element)) {
    if (child instanceof Element) {
      yield child;
      yield* below(child);
    }
  }
}

/** Whether a list is clipped to nothing, such as one that is only for assistive technology. */
function isShut(list) {
  for (let box = list, levels = 0; box && box !== document.body && levels < 4; box = engine.flatParent(box), levels++) {
    const { width, height } = rectOf(box);
    if ((width < 2 || height < 2) && getComputedStyle(box).overflow !== "visible") return true;
  }
  return false;
}

/** Returns the visible options in a list; without option roles, its children with text. */
function itemsIn(list) {
  const all = [...below(list)].filter((item) => isDrawn(item) && engine.isVisible(item) && !isShut(list));
  const items = all.filter((element) => matches(element, ITEMS));
  if (items.length || !matches(list, LISTS)) return items;
  return all.filter((element) => element.parentElement === list && collapse(element.innerText ?? ""));
}

const isSelected = (item) => [getAttribute(item, "aria-selected"), getAttribute(item, "aria-checked")].includes("true");
const itemText = (item) =>
  collapse(getAttribute(item, "aria-label") ?? "") ||
  drawnText(item, (part) => matches(part, "[aria-hidden=true],svg,button,[role=button]")) ||
  collapse(textContent(item));

let before = null;
/** Records the visible elements before a list opens, so that a list without ARIA roles is recognized as new. */
engine.noteDrawn = () => {
  engine.forgetTyping();
  before = new WeakSet(queryAll(document, "*").filter(isDrawn));
};
const hasCome = (element) => before !== null && !before.has(element);

/** Returns the elements that appeared since `noteDrawn`, outside the field, and directly contain text. */
function newTexts(field) {
  const come = queryAll(document.body, "*").filter(
    (element) =>
      hasCome(element) &&
      engine.isVisible(element) &&
      !contains(element, field) &&
      !contains(field, element) &&
      !isShut(element.parentElement),
  );
  return come.filter(
    (element) =>
      Array.from(element.childNodes).some((child) => child instanceof Text && collapse(child.data)) &&
      !/^(?:script|style)$/.test(localName(element)),
  );
}

const MOST_ITEMS = 1000;
let offered = [];

/** Returns the options of the lists that a field references. If none, and unless `owned`, those that appeared since `noteDrawn`. */
function itemsOf(field, owned = false) {
  if (kindOf(field) === "group") return membersOf(field);
  if (roleOf(field) === "listbox") return itemsIn(field);
  const lists = listsOf(field).filter((list) => isDrawn(list) && engine.isVisible(list));
  const items = lists.flatMap(itemsIn);
  if (items.length || owned) return [...new Set(items)];
  const come = queryAll(document, ITEMS).filter((item) => hasCome(item) && engine.isVisible(item) && !isShut(item.parentElement));
  return come.length ? come : newTexts(field);
}

/** Returns the current options: `{items: [{text, also, selected, disabled}], filter, proper, open, multiple}`. `also`: other texts. */
engine.choices = (node, { owned = false } = {}) => {
  const field = fieldOf(node);
  const isGroup = kindOf(field) === "group";
  offered = itemsOf(field, owned).slice(0, MOST_ITEMS);
  const items = offered.map((item) => ({
    text: isGroup ? engine.nameOf(item) : itemText(item),
    also: [getAttribute(item, "data-value"), getAttribute(item, "value"), getAttribute(item, "title"), collapse(textContent(item))].filter(
      Boolean,
    ),
    selected: isGroup ? engine.checked(item).checked === true : isSelected(item),
    disabled: engine.isDisabled(item),
  }));
  const speakers = [field, typedIn(field)].filter(Boolean);
  const open = speakers.some((speaker) => getAttribute(speaker, "aria-expanded") === "true");
  return {
    items,
    open,
    proper: isGroup || offered.some((item) => matches(item, ITEMS)),
    filter: filterOf(field) !== null,
    multiple: isMultiple(field),
  };
};
engine.choiceAt = (_, index) => offered[index] ?? null;

const isMultiple = (field) =>
  kindOf(field) === "group"
    ? membersOf(field).some((member) => roleOf(member) === "checkbox")
    : [field, ...listsOf(field), offered[0] && closest(offered[0], LISTS)].some(
        (list) => list && getAttribute(list, "aria-multiselectable") === "true",
      ) || queryAll(field, "select[multiple]").some(isKept);

/** Returns the field that filters the options by typing: the control's own input, or one that appeared with the list; null if none. */
function filterOf(field) {
  const own = typedIn(field);
  if (own) return own.readOnly || own.inputMode === "none" || engine.isDisabled(own) ? null : own;
  const isFilter = (input) => isTyped(input) && !input.readOnly && engine.isVisible(input) && hasCome(input);
  const active = engine.activeElement();
  if (active && active !== field && isFilter(active)) return active;
  let levels = 0;
  for (let box = offered[0]; box && box !== document.body && levels < 6; box = engine.flatParent(box), levels++) {
    const found = queryAll(box, "input").find(isFilter);
    if (found) return found;
  }
  return null;
}
engine.filterOf = (node) => filterOf(fieldOf(node));
engine.typedIn = (node) => typedIn(fieldOf(node));

/** Whether a list of the control has opened since `noteDrawn`. */
engine.isListOpen = (node) => {
  const field = fieldOf(node);
  return (
    roleOf(field) !== "listbox" &&
    kindOf(field) !== "group" &&
    isConnected(field) &&
    itemsOf(field).some((item) => isConnected(item) && hasCome(item))
  );
};
engine.isInDialog = (node) => closest(node, "dialog,[role=dialog],[role=alertdialog]") !== null;

/** Returns the nearest scrollable ancestor of the current options; null if there is none. */
engine.choicesScroller = () => {
  const [first] = offered;
  for (let box = first && engine.flatParent(first); box && box !== document.body; box = engine.flatParent(box)) {
    if (box.scrollHeight > box.clientHeight + 1 && getComputedStyle(box).overflowY !== "visible") return box;
  }
  return null;
};

/** Returns the visible box of a scrollable list, its scroll position (`scrolled`), and whether it is at the end; null if not scrollable. */
engine.choicesBox = () => {
  const box = engine.choicesScroller();
  if (!box) return null;
  const all = rectOf(box);
  const x = Math.max(all.left, 0);
  const y = Math.max(all.top, 0);
  const [width, height] = [Math.min(all.right, innerWidth) - x, Math.min(all.bottom, innerHeight) - y];
  const ended = box.scrollTop + box.clientHeight >= box.scrollHeight - 1;
  return { x, y, width, height, scrolled: box.scrollTop, ended };
};

/* ----------------------------------------------------------------- sliders */

const numberIn = (text) => {
  const found = /-?\d+(?:[.,]\d+)*/.exec((text ?? "").replace(/\u2212/g, "-"));
  return found ? Number(found[0].replace(/,(?=\d{3}\b)/g, "").replace(",", ".")) : null;
};
const attributeNumber = (element, name) => {
  const text = getAttribute(element, name);
  return text === null || text === "" || Number.isNaN(Number(text)) ? null : Number(text);
};

let numbers = new Map();
const displays = new WeakMap();
/** Records all texts with numbers before a slider moves, so that `findDisplay` recognizes the one that shows its value. */
engine.noteNumbers = () => {
  numbers = new Map();
  for (const [place, text] of textsWithNumbers()) numbers.set(place, text);
};
function* textsWithNumbers() {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_ELEMENT);
  for (let element = walker.nextNode(); element; element = walker.nextNode()) {
    if (isTyped(element)) yield [element, element.value];
    else if (element.childElementCount === 0 && /\d/.test(textContent(element))) yield [element, textContent(element)];
  }
}
/** Registers the element whose number has changed since `noteNumbers` as the display of the slider's value; of several, the nearest. */
engine.findDisplay = (node) => {
  const field = fieldOf(node);
  const here = rectOf(field);
  const apart = (element) => {
    let levels = 0;
    for (let around = field; around && !engine.native.contains(around, element); around = engine.flatParent(around)) levels++;
    const { top, left } = rectOf(element);
    return [levels, Math.abs(top - here.top) + Math.abs(left - here.left) / 4];
  };
  const changed = [...textsWithNumbers()].filter(([place, text]) => numbers.has(place) && numbers.get(place) !== text && isDrawn(place));
  const near = changed.map(([place]) => [place, ...apart(place)]);
  const [nearest] = near.sort((one, other) => one[1] - other[1] || one[2] - other[2]);
  if (nearest) displays.set(field, nearest[0]);
};

/** Returns the track of a custom slider: the nearest ancestor at least three times as long as the thumb. */
const trackOf = (thumb) => {
  const { width, height } = rectOf(thumb);
  for (let box = engine.flatParent(thumb), levels = 0; box && levels < 4; box = engine.flatParent(box), levels++) {
    const outer = rectOf(box);
    if (Math.max(outer.width / Math.max(width, 8), outer.height / Math.max(height, 8)) >= 3) return box;
  }
  return thumb;
};

/** Returns `{now, min, max, text, vertical, backwards}` of a custom slider. Unknown values are null. */
engine.sliderOf = (node) => {
  const thumb = fieldOf(node);
  const display = displays.get(thumb);
  const shown = display && (isTyped(display) ? display.value : textContent(display));
  const track = rectOf(trackOf(thumb));
  const { direction } = getComputedStyle(thumb);
  const vertical = getAttribute(thumb, "aria-orientation") === "vertical" || track.height > track.width * 1.5;
  return {
    now: attributeNumber(thumb, "aria-valuenow") ?? numberIn(shown),
    min: attributeNumber(thumb, "aria-valuemin"),
    max: attributeNumber(thumb, "aria-valuemax"),
    text: getAttribute(thumb, "aria-valuetext") || null,
    vertical,
    backwards: !vertical && direction === "rtl",
  };
};

/** Returns the point `{x, y}` on a slider's track at a fraction of its length, from 0 (minimum) to 1 (maximum). */
engine.pointOnTrack = (node, share) => {
  const thumb = fieldOf(node);
  const { left, top, width, height } = rectOf(trackOf(thumb));
  const { vertical, backwards } = engine.sliderOf(node);
  const along = vertical !== backwards ? 1 - share : share;
  return vertical ? { x: left + width / 2, y: top + height * along } : { x: left + width * along, y: top + height / 2 };
};

const PICKED = new Set(["date", "time", "month", "week", "datetime-local"]);
/** Returns the focused field if the browser offers a picker or a `datalist` for it; otherwise null. */
engine.helpedField = () => {
  let focused = document.activeElement;
  for (let root = focused && engine.shadowRootOf(focused); root?.activeElement; root = engine.shadowRootOf(focused))
    focused = root.activeElement;
  const helped = focused instanceof HTMLInputElement && (PICKED.has(focused.type) || focused.list);
  return helped && !focused.readOnly && !focused.disabled ? focused : null;
};
engine.helpFor = (field) => ({
  kind: PICKED.has(field.type) ? field.type : "text",
  value: field.value,
  min: field.min,
  max: field.max,
  step: field.step,
  options: Array.from(field.list?.options ?? [], (option) => option.value.slice(0, 200)).slice(0, 500),
});
