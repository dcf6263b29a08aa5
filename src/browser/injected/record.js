// Records the user's actions in this document, and reports each as a step through a binding of the isolated world. Ignores untrusted
// events. Computes the locator of an element before the page handles the event, since the page may remove the element.
(engine, testId) => {
  if (engine.stopRecording) return;
  const { checkVisibility, isConnected, localName, matches, nodeType, parentNode, rectOf } = engine.native;
  const PRESSED = "a[href],area,button,input,select,textarea,label,summary,option";
  const ROLES = "button link menuitem menuitemcheckbox menuitemradio option tab checkbox radio switch treeitem";
  const PRESSED_ROLE = ROLES.split(" ").map((role) => `[role~=${role}]`);
  const CHECKED = "input:is([type=checkbox i],[type=radio i])";
  /** Fields for which the browser provides a picker or a slider handle. */
  const PICKED = "input:is([type=date i],[type=time i],[type=datetime-local i],[type=month i],[type=week i],[type=color i],[type=range i])";
  const BUTTONS = "input:is([type=button i],[type=submit i],[type=reset i],[type=image i],[type=hidden i])";
  const FILES = "input[type=file i]";
  /** Selectors of fields with secret content; the most specific ones come first. */
  const SECRETS = {
    "[autocomplete~=cc-number i]": "card_number",
    "[autocomplete~=cc-csc i]": "card_code",
    "[autocomplete~=one-time-code i]": "one_time_code",
    "[autocomplete~=new-password i]": "new_password",
    "[autocomplete~=current-password i],[autocomplete~=password i],input[type=password i]": "password",
  };
  const MODIFIERS = ["Control", "Alt", "Meta", "Shift"];
  const SILENT_KEYS = "Alt AltGraph CapsLock Compose Control Dead Fn Hyper Meta NumLock Process ScrollLock Shift Super Unidentified";
  const EDITING = "Backspace Delete ArrowLeft ArrowRight Home End";
  const EDITING_LINES = `${EDITING} ArrowUp ArrowDown PageUp PageDown`;
  const isOneOf = (word, words) => words.split(" ").includes(word);

  const ending = new AbortController();
  const tell = (step) => globalThis.tellRecorded(JSON.stringify(step));
  const hear = (kind, handler) => {
    const guarded = (event) => event.isTrusted && handler(event);
    addEventListener(kind, guarded, { capture: true, passive: true, signal: ending.signal });
  };
  engine.stopRecording = () => {
    ending.abort();
    delete engine.stopRecording;
  };

  const secret = new WeakMap(); // field → its kind of secret, remembered if the page turns it into a plain text field
  let pressed = null; // the element at the last pointerdown, with its locator: { element, way }
  let last = null; // the locator of the last click
  let field = null; // the field being edited, with its locator from before the edit: { element, way }
  let entered = null; // the step of an Enter key press that may turn out to be a line break
  let dragged = null;

  const wayTo = (element) => {
    try {
      return engine.wayTo(element, testId);
    } catch {
      return null;
    }
  };
  const targetOf = (event) => {
    const [target] = event.composedPath();
    return nodeType(target) === Node.ELEMENT_NODE ? target : document.documentElement;
  };
  const above = (element) => {
    const parent = parentNode(element);
    return parent instanceof ShadowRoot ? parent.host : parent;
  };
  /** Returns the control that a press on the element activates: the nearest ancestor that is a control, or the element. */
  const meant = (element) => {
    for (let at = element; at instanceof Element; at = above(at)) {
      if (matches(at, PRESSED) || PRESSED_ROLE.some((role) => matches(at, role))) return at;
    }
    return element;
  };
  const isSeen = (element) => {
    const { width, height } = rectOf(element);
    return width > 1 && height > 1 && checkVisibility(element, { opacityProperty: true, visibilityProperty: true });
  };
  const isEditable = (element) => element instanceof HTMLElement && element.isContentEditable;
  /** Returns the outermost contenteditable ancestor of an element, or the element itself. */
  const fieldAround = (element) => {
    let at = element;
    while (isEditable(at) && isEditable(above(at))) at = above(at);
    return at;
  };
  const isTypedInto = (element) =>
    isEditable(element) ||
    localName(element) === "textarea" ||
    (localName(element) === "input" && ![CHECKED, PICKED, BUTTONS, FILES].some((kind) => matches(element, kind)));
  const hasLines = (element) => localName(element) !== "input";
  const fieldOf = (element) => {
    if (field?.element !== element) field = { element, way: wayTo(element) };
    const kind = Object.keys(SECRETS).find((selector) => matches(element, selector));
    if (kind && !secret.has(element)) secret.set(element, SECRETS[kind]);
    return field;
  };
  const modifiersOf = (event) => MODIFIERS.filter((name) => event.getModifierState(name));

  hear("pointerdown", (event) => {
    const element = meant(targetOf(event));
    pressed = { element, way: wayTo(element) };
  });

  /** Returns the locator for a click step; null if the click needs no step, since an event of the field reports its result. */
  const clickedOn = (event) => {
    const down = pressed;
    pressed = null;
    if (!down?.way) return null; // A key or a label caused the click event.
    const { element, way } = down;
    // Press and release on different elements do not make a click on the control.
    if (meant(targetOf(event)) !== element && isConnected(element)) return null;
    const control = element instanceof HTMLLabelElement ? element.control : element;
    if (control && localName(element) === "option") return null;
    if (control && (localName(control) === "select" || matches(control, FILES))) return null;
    if (control && matches(control, PICKED)) return null;
    if (control && matches(control, CHECKED) && isSeen(control)) return null;
    return way;
  };
  const onClick = (button) => (event) => {
    const way = clickedOn(event);
    if (!way) return;
    last = way;
    tell({ does: "click", way, button: button(event), modifiers: modifiersOf(event) });
  };
  hear(
    "click",
    onClick(() => "left"),
  );
  hear(
    "auxclick",
    onClick((event) => (event.button === 1 ? "middle" : "right")),
  );
  hear("dblclick", () => last && tell({ does: "double_click", way: last }));

  hear("beforeinput", (event) => {
    if (/^insert(Paragraph|LineBreak)$/.test(event.inputType)) entered = null;
    const element = fieldAround(targetOf(event));
    if (isTypedInto(element)) fieldOf(element);
  });
  hear("focusout", () => (field = null));
  hear("input", (event) => {
    const element = fieldAround(targetOf(event));
    if (isTypedInto(element)) {
      const { way } = fieldOf(element);
      const typed = isEditable(element) ? element.innerText.replace(/\n$/, "") : element.value;
      const kind = secret.get(element);
      tell(kind ? { does: "fill_secret", way, kind } : { does: "fill", way, text: typed });
    } else if (localName(element) === "input" && matches(element, PICKED)) {
      tell({ does: "fill", way: wayTo(element), text: element.value });
    }
  });
  hear("change", (event) => {
    const element = targetOf(event);
    if (element instanceof HTMLSelectElement) {
      const options = Array.from(element.selectedOptions, (option) => engine.optionText(option));
      tell({ does: "select", way: wayTo(element), options });
    } else if (localName(element) !== "input") {
      return;
    } else if (matches(element, CHECKED)) {
      if (isSeen(element)) tell({ does: "check", way: wayTo(element), checked: element.checked });
    } else if (matches(element, FILES)) {
      tell({ does: "files", way: wayTo(element), names: Array.from(element.files, (file) => file.name) });
    }
  });

  const isText = (key, event) => key.length === 1 && !(event.ctrlKey || event.metaKey || event.altKey);
  /** Whether another event of the field reports the effect of a key. */
  const isReported = (element, key, event) => {
    if (element instanceof HTMLSelectElement) return true;
    if (localName(element) === "input" && matches(element, CHECKED)) return key === " " || key.startsWith("Arrow");
    if (localName(element) === "input" && matches(element, PICKED)) return !isOneOf(key, "Enter Escape Tab");
    if (!isTypedInto(element)) return false;
    const edits = (event.ctrlKey || event.metaKey) && isOneOf(key.toLowerCase(), "a c v x y z");
    const pastes = event.shiftKey && key === "Insert";
    return isText(key, event) || edits || pastes || isOneOf(key, hasLines(element) ? EDITING_LINES : EDITING);
  };
  hear("keydown", (event) => {
    pressed = null;
    const { key } = event;
    const writes = event.getModifierState("AltGraph");
    if (event.isComposing || !key || isOneOf(key, SILENT_KEYS) || (writes && key.length === 1)) return;
    const element = fieldAround(targetOf(event));
    if (isReported(element, key, event)) return;
    // For a letter, Shift is already part of the key.
    const held = modifiersOf(event).filter((name) => name !== "Shift" || key.length > 1);
    const name = [...held, key === " " ? "Space" : key].join("+");
    const isSomewhere = element !== document.body && element !== document.documentElement;
    const way = isTypedInto(element) ? fieldOf(element).way : isSomewhere ? wayTo(element) : null;
    const step = { does: "press", way, key: name };
    // In a multi-line field, reports Enter only if no line break follows.
    if (key === "Enter" && isTypedInto(element) && hasLines(element)) entered = step;
    else tell(step);
  });
  hear("keyup", (event) => {
    if (event.key === "Enter" && entered) tell(entered);
    entered = null;
  });

  hear("dragstart", (event) => {
    pressed = null;
    dragged = wayTo(targetOf(event));
  });
  hear("drop", (event) => {
    if (dragged) tell({ does: "drag", way: dragged, onto: wayTo(targetOf(event)) });
    dragged = null;
  });
};
