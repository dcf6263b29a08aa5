// Determines the consequences of an action on an element, so that the user can be asked for consent first.

const { native } = engine;

const textOf = (element) =>
  [
    native.getAttribute(element, "aria-label"),
    element.value,
    element.innerText,
    native.getAttribute(element, "title"),
    ...engine.queryAll(element, "img[alt]").map((image) => image.alt),
  ]
    .filter((text) => typeof text === "string" && text.trim())
    .join(" ")
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, 200);

const isSubmit = (element) =>
  (element instanceof HTMLButtonElement && element.type === "submit") ||
  (element instanceof HTMLInputElement && (element.type === "submit" || element.type === "image"));

/** Returns whether a click on the element (or Enter, with `enters`) submits a form, and the name of the button: `{submits, name}`. */
engine.consequenceOf = (node, enters) => {
  const element = node instanceof Element ? node : node.parentElement;
  const press = element?.closest("button, a, input, summary, label, [role=button], [role=link], [role=menuitem], [onclick]") ?? element;
  const control = (press instanceof HTMLLabelElement && press.control) || press;
  if (!control) return { submits: false, name: "" };
  if (isSubmit(control)) return { submits: Boolean(control.form), name: textOf(control) };
  // A click on a container may hit a button inside it.
  if (!enters)
    return { submits: engine.queryAll(control, "button, input").some((inner) => isSubmit(inner) && inner.form), name: textOf(control) };
  const button = control.form && [...control.form.elements].find(isSubmit);
  return { submits: true, name: [button && textOf(button)].filter(Boolean).join(" ") };
};
