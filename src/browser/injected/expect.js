// Checks expectations about elements, and returns their actual values.

/** Compares matching elements with an expectation. Returns `{matches, received}`, with `missing` if there is no element. */
engine.expect = (chain, root, what, expected, testId) => {
  if (what === "title") return { matches: isText(document.title, expected), received: document.title };
  const found = engine.select(chain, root);
  if (LISTS[what]) return LISTS[what](found, expected);
  const element = found[0];
  if (found.length > 1 && what !== "attached" && what !== "detached") engine.pick(chain, root, testId);
  if (!element) return { matches: what === "hidden" || what === "detached", received: null, missing: true };
  const verdict = SINGLES[what](element, expected);
  return typeof verdict === "boolean" ? { matches: verdict, received: null } : verdict;
};

const squeezed = (text) =>
  text
    .replace(/[\u200b\u00ad]/g, "")
    .trim()
    .replace(/\s+/g, " ");

/** Whether a text matches the expected one: `{text | source, flags, part, ignoreCase, squeeze}`. */
function isText(received, { text, source, flags, part, ignoreCase, squeeze }) {
  const fold = (one) => (ignoreCase ? one.toLowerCase() : one);
  const given = squeeze ? squeezed(received) : received;
  if (source !== undefined) {
    const letters = ignoreCase === undefined ? flags : flags.replace("i", "") + (ignoreCase ? "i" : "");
    return received.search(new RegExp(source, letters)) !== -1;
  }
  const wanted = fold(squeeze ? squeezed(text) : text);
  return part ? fold(given).includes(wanted) : fold(given) === wanted;
}

const verdict = (received, expected) => ({ matches: isText(received, expected), received });
const textOf = (element, { drawn }) => (drawn ? (element.innerText ?? "") : engine.textOf(element));

/** Whether the received texts contain the expected ones in this order. */
function areAmong(received, expected) {
  let at = 0;
  for (const wanted of expected) {
    while (at < received.length && !isText(received[at], wanted)) at++;
    if (at++ >= received.length) return false;
  }
  return true;
}

const classesOf = (element) => element.classList;
const wordsOf = (text) => text.split(/\s+/).filter(Boolean);
const hasClasses = (element, { text }) => wordsOf(text).every((word) => classesOf(element).contains(word));

const LISTS = {
  count: (found, { count }) => ({ matches: found.length === count, received: found.length }),
  texts: (found, { texts, some }) => {
    const received = found.map((element) => textOf(element, texts[0] ?? {}));
    const matches = some
      ? areAmong(received, texts)
      : received.length === texts.length && received.every((text, at) => isText(text, texts[at]));
    return { matches, received };
  },
  classes: (found, { texts }) => {
    const received = found.map((element) => element.className?.baseVal ?? element.className);
    return { matches: received.length === texts.length && received.every((text, at) => isText(text, texts[at])), received };
  },
  classNames: (found, { texts }) => {
    const received = found.map((element) => element.className?.baseVal ?? element.className);
    return { matches: found.length === texts.length && found.every((element, at) => hasClasses(element, texts[at])), received };
  },
};

const outcome = (matches, received) => ({ matches, received });

const SINGLES = {
  attached: () => outcome(true, "attached"),
  detached: () => outcome(false, "attached"),
  visible: (element) => outcome(engine.isVisible(element), engine.isVisible(element) ? "visible" : "hidden"),
  hidden: (element) => outcome(!engine.isVisible(element), engine.isVisible(element) ? "visible" : "hidden"),
  enabled: (element) =>
    outcome(!engine.isDisabled(engine.wholeOf(element)), engine.isDisabled(engine.wholeOf(element)) ? "disabled" : "enabled"),
  disabled: (element) =>
    outcome(engine.isDisabled(engine.wholeOf(element)), engine.isDisabled(engine.wholeOf(element)) ? "disabled" : "enabled"),
  editable: (element) => outcome(engine.isEditableField(element), engine.isEditableField(element) ? "editable" : "readOnly"),
  readonly: (element) => outcome(!engine.isEditableField(element), engine.isEditableField(element) ? "editable" : "readOnly"),
  checked: (element, { checked, indeterminate }) => {
    const { checked: state, internals } = engine.checked(element);
    if (state === null && !internals) throw engine.wrongElement("checkable", element);
    const received = state === "mixed" ? "indeterminate" : state ? "checked" : "unchecked";
    return { ...outcome(indeterminate ? state === "mixed" : (state === true) === checked, received), internals };
  },
  empty: (element) => {
    const holds = "value" in element && !(element instanceof HTMLButtonElement) && !(element instanceof HTMLLIElement);
    const isEmpty = holds ? !element.value : !engine.textOf(element).trim();
    return outcome(isEmpty, isEmpty ? "empty" : "notEmpty");
  },
  focused: (element) => outcome(element.getRootNode().activeElement === element && document.hasFocus(), "inactive"),
  inViewport: async (element, { ratio }) => {
    const share = await new Promise((done) => {
      const observer = new IntersectionObserver((entries) => (observer.disconnect(), done(entries[0].intersectionRatio)));
      observer.observe(element);
      // Requests an animation frame, without which the browser does not call the observer.
      requestAnimationFrame(() => {});
    });
    const matches = share > 0 && share > (ratio ?? 0) - 1e-9;
    return outcome(matches, `viewport ratio ${share}`);
  },
  text: (element, expected) => verdict(textOf(element, expected), expected),
  class: (element, expected) => verdict(element.className?.baseVal ?? element.className, expected),
  className: (element, expected) => outcome(hasClasses(element, expected), element.className?.baseVal ?? element.className),
  hasAttribute: (element, { name }) => element.hasAttribute(name),
  attribute: (element, expected) => {
    const received = element.getAttribute(expected.name);
    return received === null ? { matches: false, received } : verdict(received, expected);
  },
  css: (element, expected) => verdict(getComputedStyle(element, expected.pseudo).getPropertyValue(expected.name), expected),
  id: (element, expected) => verdict(element.id, expected),
  value: (element, expected) => {
    const field = engine.controlOf(element);
    if (!("value" in field) || !/^(?:INPUT|TEXTAREA|SELECT)$/.test(field.nodeName)) throw engine.wrongElement("input", field);
    return verdict(field.value, expected);
  },
  values: (element, { texts }) => {
    const select = engine.controlOf(element);
    if (!(select instanceof HTMLSelectElement) || !select.multiple) throw engine.wrongElement("several_options", select);
    const received = Array.from(select.selectedOptions, (option) => option.value);
    return outcome(received.length === texts.length && received.every((text, at) => isText(text, texts[at])), received);
  },
  role: (element, expected) => verdict(engine.writtenRoleOf(element) ?? "", expected),
  name: (element, expected) => verdict(squeezed(engine.nameOf(element, engine.roleOf(element))), expected),
  description: (element, expected) => verdict(engine.describedAs(element), expected),
  errorMessage: (element, expected) => verdict(engine.errorMessageOf(element), expected),
};

/** Returns the error message of an invalid control, from ARIA or native validation; "" if the control is valid. */
engine.errorMessageOf = (element) => {
  const invalid = element.getAttribute("aria-invalid");
  const says = invalid !== null && invalid.trim() !== "" && invalid !== "false";
  if (!says && !(element.validity && !element.validity.valid)) return "";
  const others = element.ariaErrorMessageElements ?? [];
  if (!others.length && !element.hasAttribute("aria-errormessage")) return element.validationMessage ?? "";
  return squeezed(Array.from(others, (other) => engine.textOf(other)).join(" "));
};

/** Returns the accessibility tree of an element: an array of texts and of `{role, name, children, …}`. */
engine.ariaTree = (root) => {
  const inside = (element) => {
    const parts = [];
    for (const child of engine.flatChildren(element)) {
      if (child.nodeType === Node.TEXT_NODE) parts.push(child.data);
      else if (child.nodeType === Node.ELEMENT_NODE) parts.push(...outside(child));
    }
    return parts;
  };
  const outside = (element) => {
    if (engine.isHiddenFromAccessibility(element) || !element.checkVisibility({ visibilityProperty: true })) return [];
    const role = engine.roleOf(element);
    if (!role || /^(?:generic|none|presentation|text)$/.test(role)) {
      const parts = inside(element);
      return /^inline/.test(getComputedStyle(element).display) ? parts : [" ", ...parts, " "];
    }
    const name = squeezed(engine.nameOf(element, role) ?? "");
    const children = joined(element instanceof HTMLInputElement ? [isMarked(role) ? "" : element.value] : inside(element));
    const { checked, disabled, expanded, level, pressed, selected } = engine.statesOf(element, role);
    const states = { checked, disabled: disabled ?? (engine.isDisabled(element) || undefined), expanded, level, pressed, selected };
    const isName = children.length === 1 && children[0] === name;
    const url = role === "link" ? (element.getAttribute("href") ?? undefined) : undefined;
    return [{ role, name, ...states, url, children: isName ? [] : children }];
  };
  return engine.asWritten(() => joined(outside(root)));
};

/** Whether the `value` of inputs with this role is not visible to the user. */
const isMarked = (role) => /^(?:checkbox|radio|switch)$/.test(role);

/** Joins adjacent texts, with white space collapsed. */
function joined(parts) {
  const found = [];
  let text = "";
  const flush = () => {
    if (squeezed(text)) found.push(squeezed(text));
    text = "";
  };
  for (const part of parts) {
    if (typeof part === "string") text += part;
    else {
      flush();
      found.push(part);
    }
  }
  flush();
  return found;
}
