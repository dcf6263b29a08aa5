// Computes how a document appears to users and to assistive technology: flat tree, visibility, roles, names, states.

// Uses the methods of the prototypes: in `<form><input name=getAttribute>`, the input shadows the form's method in every world.
const bound = (method) => Function.prototype.call.bind(method);
const getter = (type, property) => bound(Object.getOwnPropertyDescriptor(type.prototype, property).get);
const assignedNodes = bound(HTMLSlotElement.prototype.assignedNodes);
const boxOf = bound(Element.prototype.getBoundingClientRect);
const boxesOf = bound(Element.prototype.getClientRects);
const isBoxVisible = bound(Element.prototype.checkVisibility);
const closest = bound(Element.prototype.closest);
const attributeOf = bound(Element.prototype.getAttribute);
const hasOwnAttributes = bound(Element.prototype.hasAttributes);
/** element → the role and states that scripts set through `ElementInternals`, as equivalent ARIA attributes. */
const internals = new WeakMap();
let hasInternals = false;
const native = (engine.native = {
  assignedNodes: (slot) => (slot instanceof HTMLSlotElement ? assignedNodes(slot) : []),
  checkVisibility: (element, options) => {
    const shown = element instanceof HTMLAreaElement ? imageOf(element) : element;
    return shown !== null && isBoxVisible(shown, options);
  },
  contains: bound(Node.prototype.contains),
  getAttribute: (element, name) => attributeOf(element, name) ?? (hasInternals ? (internals.get(element)?.[name] ?? null) : null),
  hasAttribute: bound(Element.prototype.hasAttribute),
  hasAttributes: (element) => hasOwnAttributes(element) || (hasInternals && internals.has(element)),
  matches: bound(Element.prototype.matches),
  querySelector: bound(Element.prototype.querySelector),
  querySelectorAll: bound(Element.prototype.querySelectorAll),
  rectOf: (element) => (element instanceof HTMLAreaElement ? shapeOf(element) : boxOf(element)),
  rectsOf: (element) => (element instanceof HTMLAreaElement ? [shapeOf(element)] : boxesOf(element)),
  rootOf: bound(Node.prototype.getRootNode),
  attributeNames: bound(Element.prototype.getAttributeNames),
  childNodes: getter(Node, "childNodes"),
  children: getter(Element, "children"),
  firstChild: getter(Node, "firstChild"),
  isConnected: getter(Node, "isConnected"),
  localName: getter(Element, "localName"),
  nextSibling: getter(Node, "nextSibling"),
  nodeType: getter(Node, "nodeType"),
  parentNode: getter(Node, "parentNode"),
  shadowRoot: getter(Element, "shadowRoot"),
  slotOfElement: getter(Element, "assignedSlot"),
  slotOfText: getter(Text, "assignedSlot"),
  textContent: getter(Node, "textContent"),
  textData: getter(CharacterData, "data"),
});
const { getAttribute, hasAttribute, localName, nodeType, firstChild, nextSibling, parentNode } = native;

const QUERIES = { 1: Element, 9: Document, 11: DocumentFragment };
/** `querySelectorAll` on a document, a shadow root or an element. */
const queryAll = (engine.queryAll = (root, selector) =>
  Array.from(QUERIES[nodeType(root)].prototype.querySelectorAll.call(root, selector)));
const ELEMENT = 1;
const TEXT = 3;
const VISIBLE_BOX = { visibilityProperty: true };

/* --------------------------------------------------------------- image maps */

/** Returns the image that uses the image map of an `<area>`; null if there is none. */
function imageOf(area) {
  const map = closest(area, "map");
  const name = map && native.getAttribute(map, "name");
  return name ? native.rootOf(area).querySelector(`img[usemap="#${CSS.escape(name)}"]`) : null;
}

/** Returns a box inside the shape of an `<area>`, in viewport coordinates; without size if there is none. */
function shapeOf(area) {
  const image = imageOf(area);
  if (!image) return boxOf(area);
  const outer = boxOf(image);
  const across = image.offsetWidth ? outer.width / image.offsetWidth : 1;
  const down = image.offsetHeight ? outer.height / image.offsetHeight : 1;
  // The coordinates are relative to the border box.
  const { offsetWidth: width, offsetHeight: height } = image;
  const box = boxInShape(area.shape.toLowerCase(), area.coords.split(/[\s,;]+/).map(Number), width, height);
  const [left, right] = [box.left, box.right].map((x) => Math.min(Math.max(x, 0), width));
  const [top, bottom] = [box.top, box.bottom].map((y) => Math.min(Math.max(y, 0), height));
  return new DOMRect(outer.left + left * across, outer.top + top * down, (right - left) * across, (bottom - top) * down);
}

/** Returns a box that lies completely inside a shape of an image map, in pixels of the image. */
function boxInShape(shape, numbers, width, height) {
  const nothing = { left: 0, top: 0, right: 0, bottom: 0 };
  if (shape === "default") return { ...nothing, right: width, bottom: height };
  if (!numbers.every(Number.isFinite)) return nothing;
  if (/^circ/.test(shape)) {
    const [x, y, radius] = numbers;
    const half = radius * Math.SQRT1_2;
    return { left: x - half, top: y - half, right: x + half, bottom: y + half };
  }
  if (!/^poly/.test(shape)) {
    const [x1, y1, x2, y2] = numbers;
    return { left: Math.min(x1, x2), top: Math.min(y1, y2), right: Math.max(x1, x2), bottom: Math.max(y1, y2) };
  }
  return widestSpan(Array.from({ length: numbers.length >> 1 }, (_, at) => numbers.slice(2 * at, 2 * at + 2))) ?? nothing;
}

/** Returns the widest horizontal span inside a polygon; null if there is none. */
function widestSpan(points) {
  const LINES = 24;
  const [low, high] = [Math.min(...points.map(([, y]) => y)), Math.max(...points.map(([, y]) => y))];
  let widest = null;
  for (let line = 1; line < LINES; line++) {
    const y = low + ((high - low) * line) / LINES;
    const crossings = points
      .map(([x1, y1], at) => [x1, y1, ...points[(at + 1) % points.length]])
      .filter(([, y1, , y2]) => y1 <= y !== y2 <= y)
      .map(([x1, y1, x2, y2]) => x1 + ((y - y1) / (y2 - y1)) * (x2 - x1))
      .sort((a, b) => a - b);
    for (let at = 0; at + 1 < crossings.length; at += 2) {
      const [left, right] = crossings.slice(at, at + 2);
      if (!widest || right - left > widest.right - widest.left) widest = { left, right, top: y - 0.5, bottom: y + 0.5 };
    }
  }
  return widest;
}

const isHtml = (element) => element instanceof HTMLElement;
const collapse = (engine.collapse = (text) => text.replace(/[\s\u200b]+/g, " ").trim());

/* ---------------------------------------------------------------- flat tree */

const closedRoots = new WeakMap();

/** Registers a closed shadow root. Default for `host`: `root.host`. */
engine.adoptClosedRoot = (host, root) => {
  closedRoots.set(host ?? root.host, root);
};

const shadowRootOf = (engine.shadowRootOf = (element) => native.shadowRoot(element) ?? closedRoots.get(element) ?? null);

/** Stores the `ElementInternals` attributes of each element (null: unknown). Returns whether any of them changed. */
engine.adoptInternals = (elements, found) => {
  let isNew = false;
  elements.forEach((element, at) => {
    const before = JSON.stringify(internals.get(element) ?? {});
    if (!found[at] || JSON.stringify(found[at]) === before) return;
    internals.set(element, found[at]);
    isNew = hasInternals = true;
  });
  return isNew;
};
engine.hasInternals = (element) => internals.has(element);

/** Tags that may have a shadow root, besides custom elements. */
const SHADOW_HOSTS = (engine.SHADOW_HOSTS = new Set(
  "article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span".split(" "),
));

const NO_NODES = [];
/** Returns the nodes that fill a `slot`; empty for other elements, and for a slot that shows its own content. */
const slotted = (engine.slotted = (element, tag) => (tag === "slot" ? native.assignedNodes(element) : NO_NODES));
/** Returns the first child of an element in the flat tree, if no nodes are slotted into it. */
const firstFlatChild = (engine.firstFlatChild = (element, tag) => {
  const root = SHADOW_HOSTS.has(tag) || tag.includes("-") ? shadowRootOf(element) : null;
  return firstChild(root ?? element);
});

/** Calls `visit` with each child in the flat tree. */
const eachFlatChild = (engine.eachFlatChild = (node, visit) => {
  const tag = nodeType(node) === ELEMENT ? localName(node) : "";
  const nodes = slotted(node, tag);
  if (nodes.length) return nodes.forEach(visit);
  for (let child = firstFlatChild(node, tag); child; child = nextSibling(child)) visit(child);
});

engine.flatChildren = (node) => {
  const children = [];
  eachFlatChild(node, (child) => children.push(child));
  return children;
};

/** Returns the parent in the flat tree; null for the root element and for detached nodes. */
const flatParent = (engine.flatParent = (node) => {
  // The parent of an `<area>` is the image that draws it, not the `<map>` that contains it.
  const image = node instanceof HTMLAreaElement ? imageOf(node) : null;
  if (image) return image;
  const slot = nodeType(node) === TEXT ? native.slotOfText(node) : nodeType(node) === ELEMENT ? native.slotOfElement(node) : null;
  if (slot) return slot;
  const parent = parentNode(node);
  if (!parent) return null;
  if (parent instanceof ShadowRoot) return parent.host;
  if (nodeType(parent) !== ELEMENT) return null;
  return parent;
});

/** Returns the element that receives key events in this document; null if it is the body, or if another frame has the focus. */
engine.keyTarget = () => {
  const active = engine.activeElement();
  const isHere = window.parent === window || document.hasFocus();
  return isHere && !(active instanceof HTMLIFrameElement) ? active : null;
};

const isEditor = (body) => (body.isContentEditable || document.designMode === "on") && document.hasFocus();

/** Returns the focused element, also inside shadow roots; null if it is the root, or a body that is no editor. */
engine.activeElement = () => {
  let active = document.activeElement;
  if (!active || active === document.documentElement || (active === document.body && !isEditor(active))) return null;
  for (let root = shadowRootOf(active); root?.activeElement; root = shadowRootOf(active)) active = root.activeElement;
  return active;
};

/** Returns the children of the root element except `head`: the body, and elements that scripts add beside it. */
engine.topElements = () => {
  const page = document.documentElement;
  if (!page || !document.body) return page ? [page] : [];
  return Array.from(native.children(page)).filter((element) => localName(element) !== "head");
};

/* --------------------------------------------------------------- visibility */

/** Whether the element, or with `display: contents` its content, is rendered: not hidden by display, visibility or content-visibility. */
engine.isVisible = (element) => {
  if (native.checkVisibility(element, VISIBLE_BOX)) {
    const box = native.rectOf(element);
    return (box.width > 0 && box.height > 0) || [...native.rectsOf(element)].some((part) => part.width && part.height);
  }
  if (getComputedStyle(element).display !== "contents") return false;
  return engine
    .flatChildren(element)
    .some((child) => (nodeType(child) === ELEMENT ? engine.isVisible(child) : nodeType(child) === TEXT && isTextDrawn(child)));
};

const range = document.createRange();
/** Returns the bounding box of a text node's text. */
const textRect = (engine.textRect = (text) => {
  range.selectNodeContents(text);
  return range.getBoundingClientRect();
});
const isTextDrawn = (text) => {
  const box = textRect(text);
  return box.width > 0 && box.height > 0;
};

/** Whether the element or an ancestor is aria-hidden or inert. */
engine.isHiddenFromAccessibility = (element) => {
  for (let node = element; node; node = flatParent(node)) {
    if (isAriaHidden(node) || hasAttribute(node, "inert")) return true;
  }
  return false;
};

/** Whether `aria-hidden` is set and effective: browsers ignore it on the root, the body, and ancestors of the focused element. */
const isAriaHidden = (engine.isAriaHidden = (element) => {
  if (getAttribute(element, "aria-hidden") !== "true") return false;
  if (element === document.body || element === document.documentElement) return false;
  const active = document.activeElement;
  return !(active && active !== document.body && native.contains(element, active));
});

/* -------------------------------------------------------------------- roles */

const words = (text) => new Set(text.trim().split(/\s+/));

const ARIA_ROLES = words(`alert alertdialog application article banner blockquote button caption cell checkbox code
  columnheader combobox complementary contentinfo definition deletion dialog directory document emphasis feed figure form
  generic grid gridcell group heading img image insertion link list listbox listitem log main mark marquee math menu menubar
  menuitem menuitemcheckbox menuitemradio meter navigation none note option paragraph presentation progressbar radio
  radiogroup region row rowgroup rowheader scrollbar search searchbox separator slider spinbutton status strong subscript
  suggestion superscript switch tab table tablist tabpanel term textbox time timer toolbar tooltip tree treegrid treeitem`);

/** Roles of elements that can be acted on. */
engine.INTERACTIVE_ROLES = words(`button checkbox combobox link listbox menuitem menuitemcheckbox
  menuitemradio option radio scrollbar searchbox slider spinbutton switch tab textbox treeitem`);

const CONTENT_NAMED_ROLES = words(`button cell checkbox columnheader gridcell heading link menuitem menuitemcheckbox
  menuitemradio option radio row rowheader switch tab tooltip treeitem`);

const GLOBAL_ARIA = `[aria-atomic],[aria-busy],[aria-controls],[aria-current],[aria-describedby],[aria-details],
  [aria-dropeffect],[aria-flowto],[aria-grabbed],[aria-keyshortcuts],[aria-label],[aria-labelledby],[aria-live],
  [aria-owns],[aria-relevant],[aria-roledescription]`;

const SECTIONS = words("article aside nav section");
const SECTION_ROLES = words("article complementary navigation region");

/** Whether an element is in a sectioning element, so that its `header` or `footer` role does not apply. `mainToo`: `main` counts as one. */
function isInSection(element, mainToo) {
  for (let node = parentNode(element); node; node = parentNode(node)) {
    if (nodeType(node) !== ELEMENT) continue;
    const role = getAttribute(node, "role");
    const tag = localName(node);
    if (role ? SECTION_ROLES.has(role) || (mainToo && role === "main") : SECTIONS.has(tag) || (mainToo && tag === "main")) return true;
  }
  return false;
}

const hasOwnName = (element) =>
  Boolean(getAttribute(element, "aria-label")?.trim() || getAttribute(element, "title")?.trim()) || Boolean(labelledBy(element).length);

const closestTag = (element, names) => {
  for (let node = parentNode(element); node && nodeType(node) === ELEMENT; node = parentNode(node)) {
    if (names.has(localName(node))) return node;
  }
  return null;
};
const TABLE = words("table");

/** A cache for one synchronous walk, during which the document cannot change; null between walks. */
let memory = null;

/** Runs `work` with the cache. Without it, each lookup of labels or tables searches the whole document. */
engine.remembering = (work) => {
  memory = {
    tables: new WeakMap(),
    labels: new Map(),
    generated: new Map(),
    painted: new Map(),
    bare: new Map(),
    large: undefined,
    counts: undefined,
  };
  try {
    return work();
  } finally {
    memory = null;
  }
};

/** Returns the role of the table that contains `element`. It decides whether the element is a row, a cell or neither. */
function tableRole(element) {
  const parent = parentNode(element);
  const known = isAsWritten ? null : memory?.tables;
  let role = known?.get(parent);
  if (role === undefined) {
    const table = closestTag(element, TABLE);
    role = table ? (known?.get(table) ?? roleOf(table)) : "";
    known?.set(table ?? parent, role).set(parent, role);
  }
  return role;
}
const IN_TABLE = { table: true, grid: true, treegrid: true };
const cellRole = (element) => {
  const role = tableRole(element);
  return role === "table" ? "cell" : role === "grid" || role === "treegrid" ? "gridcell" : "generic";
};

function headerCellRole(element) {
  if (!IN_TABLE[tableRole(element)]) return "generic";
  const scope = (getAttribute(element, "scope") ?? "").toLowerCase();
  if (scope === "row" || scope === "rowgroup") return "rowheader";
  if (scope === "col" || scope === "colgroup") return "columnheader";
  // A `th` without `scope` is a row header if its row contains a `td`, unless it is in `thead`.
  const row = parentNode(element);
  if (row && parentNode(row) && localName(parentNode(row)) === "thead") return "columnheader";
  for (let cell = row && firstChild(row); cell; cell = nextSibling(cell)) {
    if (nodeType(cell) === ELEMENT && localName(cell) === "td") return "rowheader";
  }
  return "columnheader";
}

/** Whether layout tables keep their table roles, and list items their role. Set by `asWritten`. */
let isAsWritten = false;

/** Runs `work` with roles computed from the markup only, without layout heuristics. Role selectors use this in every browser. */
engine.asWritten = (work) => {
  isAsWritten = true;
  try {
    return work();
  } finally {
    isAsWritten = false;
  }
};
engine.writtenRoleOf = (element) => engine.asWritten(() => roleOf(element));

const DATA_MARKS = "caption,thead,tfoot,th,colgroup,td[headers],td[scope],td[abbr]";

/** Whether a table is only used for layout: a single row or column, or nested tables, and no markup for data such as headers. */
function isLayoutTable(table) {
  if (isAsWritten) return false;
  const rows = table.rows;
  const isGrid = rows && rows.length > 1 && Array.prototype.some.call(rows, (row, index) => index < 20 && row.cells.length > 1);
  if (isGrid && !native.querySelector(table, "table")) return false;
  return !hasAttribute(table, "summary") && !native.matches(table, GLOBAL_ARIA) && !native.querySelector(table, DATA_MARKS);
}

function inputRole(input) {
  switch (input.type) {
    case "button":
    case "submit":
    case "reset":
    case "image":
    case "file":
      return "button";
    case "checkbox":
      return hasAttribute(input, "switch") ? "switch" : "checkbox";
    case "radio":
      return "radio";
    case "range":
      return "slider";
    case "number":
      return "spinbutton";
    case "hidden":
      return "none";
    case "search":
      return input.list ? "combobox" : "searchbox";
    case "text":
    case "email":
    case "tel":
    case "url":
      return input.list ? "combobox" : "textbox";
    default:
      return "textbox";
  }
}

function imageRole(image) {
  if (getAttribute(image, "alt") !== "") return "img";
  return hasOwnName(image) || hasAttribute(image, "tabindex") ? "img" : "none";
}

const LIST_PARENTS = words("ul ol menu");
const inList = (item) => {
  const parent = flatParent(item);
  if (!parent) return false;
  return native.hasAttributes(parent) ? roleOf(parent) === "list" : LIST_PARENTS.has(localName(parent));
};

const link = (element) => (hasAttribute(element, "href") || hasAttribute(element, "xlink:href") ? "link" : "generic");
const landmark = (role) => (element) => (isInSection(element, true) ? "generic" : role);
const named = (role) => (element) => (hasOwnName(element) ? role : "generic");

const IMPLICIT_ROLES = new Map(
  Object.entries({
    a: link,
    area: link,
    address: "group",
    article: "article",
    aside: (element) => (isInSection(element, false) && !hasOwnName(element) ? "generic" : "complementary"),
    audio: "audio",
    blockquote: "blockquote",
    button: "button",
    canvas: "canvas",
    caption: "caption",
    code: "code",
    dd: "definition",
    del: "deletion",
    details: "group",
    dfn: "term",
    dialog: "dialog",
    dt: "term",
    em: "emphasis",
    embed: "embed",
    fieldset: "group",
    figcaption: "caption",
    figure: "figure",
    footer: landmark("contentinfo"),
    form: "form",
    frame: "iframe",
    h1: "heading",
    h2: "heading",
    h3: "heading",
    h4: "heading",
    h5: "heading",
    h6: "heading",
    header: landmark("banner"),
    hgroup: "group",
    hr: "separator",
    iframe: "iframe",
    img: imageRole,
    input: inputRole,
    ins: "insertion",
    li: (item) => (isAsWritten || inList(item) ? "listitem" : "generic"),
    main: "main",
    mark: "mark",
    math: "math",
    menu: "list",
    meter: "meter",
    nav: "navigation",
    object: "object",
    ol: "list",
    optgroup: "group",
    option: "option",
    output: "status",
    p: "paragraph",
    progress: "progressbar",
    s: "deletion",
    search: "search",
    section: named("region"),
    select: (select) => (select.multiple || select.size > 1 ? "listbox" : "combobox"),
    strong: "strong",
    sub: "subscript",
    summary: (summary) => (isSummary(summary) ? "button" : "generic"),
    sup: "superscript",
    svg: "img",
    table: (table) => (isLayoutTable(table) ? "none" : "table"),
    tbody: (part) => (IN_TABLE[tableRole(part)] ? "rowgroup" : "generic"),
    td: cellRole,
    textarea: "textbox",
    tfoot: (part) => (IN_TABLE[tableRole(part)] ? "rowgroup" : "generic"),
    th: headerCellRole,
    thead: (part) => (IN_TABLE[tableRole(part)] ? "rowgroup" : "generic"),
    time: "time",
    tr: (row) => (IN_TABLE[tableRole(row)] ? "row" : "generic"),
    ul: "list",
    video: "video",
  }),
);

const isSummary = (summary) => {
  const details = parentNode(summary);
  if (!(details instanceof HTMLDetailsElement)) return false;
  for (let child = firstChild(details); child; child = nextSibling(child)) {
    if (nodeType(child) === ELEMENT && localName(child) === "summary") return child === summary;
  }
  return false;
};

const implicitRole = (engine.implicitRole = (element, tag) => {
  const role = IMPLICIT_ROLES.get(tag);
  return role === undefined ? "generic" : typeof role === "string" ? role : role(element);
});

/** Whether an element is focusable: a native control, or an element with `tabindex`. */
const isFocusable = (engine.isFocusable = (element) => {
  if (hasAttribute(element, "tabindex")) return true;
  switch (localName(element)) {
    case "a":
    case "area":
      return link(element) === "link";
    case "button":
    case "input":
    case "select":
    case "textarea":
      return !native.matches(element, ":disabled");
    case "summary":
      return isSummary(element);
    case "iframe":
    case "audio":
    case "video":
      return false;
    default:
      return isEditingHost(element);
  }
});

/** Whether an element has `contenteditable` itself, and does not only inherit it. */
const isEditingHost = (engine.isEditingHost = (element) => {
  const editable = getAttribute(element, "contenteditable");
  return editable !== null && editable.toLowerCase() !== "false" && isHtml(element) && element.isContentEditable;
});

const explicitRole = (element, tag, text) => {
  for (const token of text.toLowerCase().split(/\s+/)) {
    if (!ARIA_ROLES.has(token)) continue;
    if (token === "image") return "img";
    if (token === "directory") return "list";
    if (token === "region" && !hasOwnName(element)) continue;
    if (token !== "none" && token !== "presentation") return token;
    return isFocusable(element) || native.matches(element, GLOBAL_ARIA) ? implicitRole(element, tag) : "none";
  }
  return implicitRole(element, tag);
};

/** Returns the ARIA role of an element, including `generic` and `none`. */
const roleOf = (engine.roleOf = (element) => {
  const tag = localName(element);
  const text = getAttribute(element, "role");
  const role = text ? explicitRole(element, tag, text) : implicitRole(element, tag);
  return role === "generic" && isEditingHost(element) ? "textbox" : role;
});

/* -------------------------------------------------------------------- names */

const labelledBy = (element) => (hasAttribute(element, "aria-labelledby") ? Array.from(element.ariaLabelledByElements ?? []) : []);

/** The text that CSS generates before or after an element. */
function generatedText(element, which) {
  if (memory && !mayGenerate(element, memory.generated, false)) return "";
  const { content, display } = getComputedStyle(element, which);
  if (GENERATES_NOTHING.test(content)) return "";
  const [shown, spoken] = content.split(ALTERNATIVE);
  const text = writtenText(element, which, spoken ?? shown);
  return text && !display.startsWith("inline") ? ` ${text} ` : text;
}

const NOTHING_PAINTED = Object.freeze(["", ""]);
/** The visible texts that CSS generates before and after an element's content, without icons. */
engine.paintedAround = (element) => {
  if (!memory) return [paintedText(element, "::before"), paintedText(element, "::after")];
  if (!mayGenerate(element, memory.painted, true)) return NOTHING_PAINTED;
  const alike = memory.painted.get(native.rootOf(element)) === null && isLarge() ? kindOf(element) : null;
  const none = (alike && memory.bare.get(alike)) || 0;
  if (none >= ENOUGH_ALIKE) return NOTHING_PAINTED;
  const painted = [paintedText(element, "::before"), paintedText(element, "::after")];
  if (alike) memory.bare.set(alike, painted[0] || painted[1] ? Number.NEGATIVE_INFINITY : none + 1);
  return painted;
};

/** In a large document with unreadable style sheets: after this many similar elements without generated text, assumes there is none. */
const ENOUGH_ALIKE = 8;
const LARGE = 2000;
const isLarge = () => (memory.large ??= document.getElementsByTagName("*").length > LARGE);
const kindOf = (element) => {
  const parent = parentNode(element);
  if (memory.parent !== parent) [memory.parent, memory.parentsKind] = [parent, ownKind(parent)];
  return `${ownKind(element)}>${memory.parentsKind}`;
};
const ownKind = (node) => {
  if (!node || nodeType(node) !== ELEMENT) return "";
  if (!native.hasAttributes(node)) return localName(node);
  return `${localName(node)} ${getAttribute(node, "class") ?? ""} ${native.attributeNames(node)}`;
};

function paintedText(element, which) {
  const style = getComputedStyle(element, which);
  const { content } = style;
  if (GENERATES_NOTHING.test(content) || style.display === "none" || style.visibility !== "visible") return "";
  if (style.opacity === "0" || style.fontSize === "0px" || engine.sight.isClippedAway(style)) return "";
  const text = writtenText(element, which, content.split(ALTERNATIVE)[0]).replace(/\p{Co}/gu, "");
  return text && !style.display.startsWith("inline") ? ` ${text} ` : text;
}

const GENERATES_NOTHING = /^(?:none|normal|""|)$/;
const ALTERNATIVE = /(?<=["')]) \/ (?=")/;
const WRITTEN = /url\("(?:[^"\\]|\\.)*"\)|counters?\(((?:"(?:[^"\\]|\\.)*"|[^)"])*)\)|"((?:[^"\\]|\\.)*)"|attr\(([^\s,)]+)[^)]*\)/g;
const unescaped = (text) => text.replace(/\\(["\\])/g, "$1");
/** The text of the strings, attributes and counters in a `content` value, without its pictures. */
const writtenText = (element, which, content) =>
  Array.from(content.matchAll(WRITTEN), ([, counter, text, attribute]) => {
    if (counter) return countedText(element, which, counter);
    return attribute ? (getAttribute(element, attribute) ?? "") : unescaped(text ?? "");
  }).join("");

const COUNTER = /^([^\s,]+)(?:, "((?:[^"\\]|\\.)*)")?(?:, (\S+))?$/;
const letters = (value) => (value > 0 ? letters(Math.floor((value - 1) / 26)) + String.fromCharCode(97 + ((value - 1) % 26)) : "");
const NUMERALS = {
  decimal: String,
  "decimal-leading-zero": (value) => String(value).padStart(2, "0"),
  "lower-alpha": letters,
  "lower-latin": letters,
  "upper-alpha": (value) => letters(value).toUpperCase(),
  "upper-latin": (value) => letters(value).toUpperCase(),
};
/** The text of a counter; "" for unsupported numerals. */
function countedText(element, which, counter) {
  const [, name, between, numerals = "decimal"] = COUNTER.exec(counter) ?? [];
  if (!memory || !name || !NUMERALS[numerals]) return "";
  memory.counts ??= countAll();
  const values = memory.counts.get(element)?.[which]?.get(name) ?? [0];
  const shown = between === undefined ? values.slice(-1) : values;
  return shown.map(NUMERALS[numerals]).join(unescaped(between ?? ""));
}

const COUNTED = /(\S+) (-?\d+)/g;
/** Returns the CSS counter values of each element that shows one: `element → {"::before": name → values, outermost first}`. */
function countAll() {
  const counts = new Map();
  const standing = new Map();
  const begin = (name, value, level) => {
    const values = standing.get(name) ?? [];
    standing.set(name, values);
    if (level.has(name)) values.pop();
    level.add(name);
    values.push(value);
  };
  const apply = ({ counterReset, counterIncrement, counterSet }, level) => {
    const change = (text, make) => {
      if (text === "none") return;
      for (const [, name, number] of text.matchAll(COUNTED)) {
        if (!standing.get(name)?.length) begin(name, 0, level);
        const values = standing.get(name);
        values.push(make(values.pop(), Number(number)));
      }
    };
    if (counterReset !== "none") for (const [, name, number] of counterReset.matchAll(COUNTED)) begin(name, Number(number), level);
    change(counterIncrement, (value, number) => value + number);
    change(counterSet, (_, number) => number);
  };
  const note = (element, which, level) => {
    const style = getComputedStyle(element, which);
    if (GENERATES_NOTHING.test(style.content) && style.content !== '""') return;
    apply(style, level);
    if (!style.content.includes("counter")) return;
    const values = new Map(Array.from(standing, ([name, all]) => [name, [...all]]));
    counts.set(element, { ...counts.get(element), [which]: values });
  };
  const visit = (element, level, depth) => {
    const style = getComputedStyle(element);
    if (style.display === "none" || depth > DEEPEST_COUNTED) return;
    apply(style, level);
    const own = new Set(); // Counters created by the element's content. They end with the element.
    note(element, "::before", own);
    eachFlatChild(element, (child) => nodeType(child) === ELEMENT && visit(child, own, depth + 1));
    note(element, "::after", own);
    for (const name of own) standing.get(name).pop();
  };
  if (document.getElementsByTagName("*").length <= MOST_COUNTED) visit(document.documentElement, new Set(), 0);
  return counts;
}
const MOST_COUNTED = 20_000;
const DEEPEST_COUNTED = 500;

/** Whether a style sheet may generate text for an element. Matches selectors first, since reading the style of each element is slow. */
function mayGenerate(element, known, wordsOnly) {
  const root = native.rootOf(element);
  let selectors = known.get(root);
  if (selectors === undefined) {
    selectors = generatingSelectors(root, wordsOnly);
    known.set(root, selectors);
  }
  if (selectors === null) return true;
  return localName(element) === "q" || (selectors !== "" && native.matches(element, selectors));
}

const ICONS = /^["'][\p{Co}\s]*["']$/u;
/** Returns a selector that matches all elements with generated text; "" if there are none, null if a style sheet is unreadable. */
function generatingSelectors(root, wordsOnly) {
  const found = new Set();
  const read = (rules) => {
    for (const rule of rules) {
      const selector = rule.selectorText;
      if (selector !== undefined && /:(?:before|after)/i.test(selector)) {
        if (rule.cssRules?.length) return false;
        const content = rule.style.content;
        if (content && !/^(?:none|normal|""|'')$/.test(content) && !(wordsOnly && ICONS.test(content))) {
          if (/:(?:host|slotted|part)|[&]/.test(selector)) return false;
          found.add(selector.replace(/::?(?:before|after)/gi, ""));
        }
      } else if (rule.styleSheet ? !read(rule.styleSheet.cssRules) : rule.cssRules && !read(rule.cssRules)) return false;
    }
    return true;
  };
  try {
    const sheets = [...(root.styleSheets ?? []), ...(root.adoptedStyleSheets ?? [])];
    if (!sheets.every((sheet) => read(sheet.cssRules)) || found.size > 60) return null;
    const selectors = [...found].map((part) => part.replace(/(^|[\s>+~,(])(?=,|$|\))/g, "$1*")).join(",");
    if (selectors) native.matches(document.documentElement, selectors);
    return selectors;
  } catch {
    return null; // A cross-origin style sheet, or a selector that is invalid without its pseudo-element.
  }
}

const isNameHidden = (element) => {
  if (native.hasAttributes(element) && isAriaHidden(element)) return true;
  if (native.checkVisibility(element, VISIBLE_BOX)) return false;
  const style = getComputedStyle(element);
  return style.display !== "contents" || style.visibility !== "visible";
};

const optionText = (option) => collapse(getAttribute(option, "label") || native.textContent(option));
engine.optionText = optionText;

/** Returns the value of a control that is embedded in a label and so is part of the label's text; null for other elements. */
function embeddedValue(element, role) {
  switch (role) {
    case "textbox":
    case "searchbox":
      return "value" in element && !isSecret(element) ? element.value : native.textContent(element);
    case "combobox":
    case "listbox":
      if (element instanceof HTMLSelectElement) return Array.from(element.selectedOptions, optionText).join(" ");
      if ("value" in element) return element.value;
      return Array.from(native.querySelectorAll(element, "[aria-selected=true]"), native.textContent).join(" ");
    case "slider":
    case "spinbutton":
    case "scrollbar":
    case "progressbar":
    case "meter":
      return rangeValue(element) ?? "";
    default:
      return null;
  }
}

/** The state of one name computation: the visited elements, the depth, whether hidden nodes count. */
class NameSearch {
  constructor(hiddenToo, inReference) {
    this.seen = new Set();
    /** The elements that precede in the same `aria-labelledby` list. */
    this.visited = [];
    this.hiddenToo = hiddenToo;
    this.inReference = inReference;
    this.depth = 0;
  }
}

/** The text of the content of `element`, including generated content. */
function contentText(element, search, stopAt) {
  let text = generatedText(element, "::before");
  eachFlatChild(element, (child) => {
    const type = nodeType(child);
    if (type === TEXT) text += native.textData(child);
    else if (type === ELEMENT) text += partText(child, search, stopAt);
  });
  return text + generatedText(element, "::after");
}

const UNSPOKEN = words("script style template noscript head meta link datalist");
const SEPARATED = words("td th br tr li option");

/** Returns the text that an element contributes to an accessible name. */
function partText(element, search, stopAt) {
  const tag = localName(element);
  if (tag === "br") return " ";
  if (UNSPOKEN.has(tag) || search.seen.has(element) || search.depth > 60) return "";
  if (!search.hiddenToo && isNameHidden(element)) return "";
  search.seen.add(element);
  const role = roleOf(element);
  if (stopAt?.has(role)) return "";
  search.depth++;
  const text = ownText(element, role, tag, search, stopAt);
  search.depth--;
  const spaced = tag === "svg" || SEPARATED.has(tag) || getComputedStyle(element).display !== "inline";
  return spaced ? ` ${text} ` : text;
}

function ownText(element, role, tag, search, stopAt) {
  if (!search.inReference) {
    const referenced = referencedText(element, search);
    if (referenced) return referenced;
  }
  const value = embeddedValue(element, role);
  if (value !== null) return value;
  const label = getAttribute(element, "aria-label");
  if (label?.trim()) return label;
  const own = nativeName(element, tag, search);
  if (own) return own;
  if (role === "img" || tag === "svg" || tag === "iframe" || tag === "video" || tag === "audio")
    return getAttribute(element, "title") ?? "";
  return contentText(element, search, stopAt) || getAttribute(element, "title") || "";
}

function referencedText(element, search) {
  const targets = labelledBy(element);
  if (!targets.length) return "";
  return collapse(
    targets
      .map((target, place) => {
        const inner = new NameSearch(isNameHidden(target), true);
        inner.visited = targets.slice(0, place);
        inner.seen = new Set(search?.seen);
        inner.seen.delete(target);
        return partText(target, inner);
      })
      .join(" "),
  );
}

/** The first child element with this tag. */
const childTagged = (element, tag) => {
  for (let child = firstChild(element); child; child = nextSibling(child)) {
    if (nodeType(child) === ELEMENT && localName(child) === tag) return child;
  }
  return null;
};

const textOf = (element, search) => (element ? collapse(contentText(element, search ?? new NameSearch(isNameHidden(element), false))) : "");

const INPUT_BUTTONS = { submit: "Submit", reset: "Reset" };

/** Returns the name from native HTML markup (label, legend, caption, alt …), which takes precedence over content and `title`. */
function nativeName(element, tag, search) {
  switch (tag) {
    case "input":
    case "select":
    case "textarea":
    case "button":
    case "meter":
    case "output":
    case "progress":
      return controlName(element, tag, search);
    case "img":
    case "area":
      return getAttribute(element, "alt") ?? "";
    case "svg":
      return textOf(childTagged(element, "title") ?? usedTitle(element), new NameSearch(true, true));
    case "fieldset":
      return textOf(childTagged(element, "legend"));
    case "figure":
      return textOf(childTagged(element, "figcaption"));
    case "table":
      return textOf(childTagged(element, "caption")) || getAttribute(element, "summary") || "";
    case "optgroup":
    case "option":
      return getAttribute(element, "label") ?? "";
    default:
      return element instanceof SVGElement ? textOf(childTagged(element, "title"), new NameSearch(true, true)) : "";
  }
}

/** The title of the symbol that an SVG image uses. */
function usedTitle(svg) {
  const use = childTagged(svg, "use");
  const id = use && /^#(.+)/.exec(getAttribute(use, "href") ?? getAttribute(use, "xlink:href") ?? "")?.[1];
  const symbol = id ? native.querySelector(document.documentElement, `#${CSS.escape(id)}`) : null;
  return symbol && childTagged(symbol, "title");
}

function controlName(control, tag, search) {
  if (tag === "input") {
    if (control.type in INPUT_BUTTONS || control.type === "button") {
      const value = getAttribute(control, "value");
      if (value?.trim()) return value;
    }
    if (control.type === "image") {
      const alt = getAttribute(control, "alt") || getAttribute(control, "value");
      if (alt?.trim()) return alt;
    }
  }
  const labels = labelsOf(control).filter((label) => !search?.visited.includes(label));
  if (labels.length) {
    const text = labels
      .map((label) => {
        const inner = new NameSearch(false, true);
        inner.seen = new Set(search?.seen).add(control);
        return getAttribute(label, "aria-label")?.trim() || collapse(contentText(label, inner));
      })
      .join(" ");
    if (text.trim()) return text;
  }
  if (tag === "input" && control.type in INPUT_BUTTONS && !getAttribute(control, "title")) return INPUT_BUTTONS[control.type];
  if (tag === "input" && control.type === "image" && !getAttribute(control, "title")) return "Submit";
  return "";
}

/** The labels of a control, in document order. */
const labelsOf = (engine.labelsOf = (control) => {
  if (!memory) return Array.from(control.labels ?? []);
  const root = native.rootOf(control);
  let labels = memory.labels.get(root);
  if (!labels) {
    labels = new Map();
    for (const label of queryAll(root, "label")) {
      const labelled = label.control;
      if (labelled) labels.set(labelled, [...(labels.get(labelled) ?? []), label]);
    }
    memory.labels.set(root, labels);
  }
  return labels.get(control) ?? [];
});

/** The accessible name, by the "Accessible Name and Description Computation" specification. */
engine.nameOf = (element, role = roleOf(element)) => {
  if (role === "none") return "";
  const attributes = native.hasAttributes(element);
  if (attributes) {
    const referenced = referencedText(element);
    if (referenced) return referenced;
    const label = getAttribute(element, "aria-label");
    if (label?.trim()) return collapse(label);
  }
  const tag = localName(element);
  const own = nativeName(element, tag);
  if (own) return collapse(own);
  if (CONTENT_NAMED_ROLES.has(role)) {
    const search = new NameSearch(false, false);
    search.seen.add(element);
    const text = collapse(contentText(element, search, NESTED[role]));
    if (text) return text;
  }
  if (!attributes) return "";
  return collapse(getAttribute(element, "title") || fallbackName(element, tag, role));
};
const NESTED = { treeitem: words("group tree"), menuitem: words("menu"), listitem: words("list") };

function fallbackName(element, tag, role) {
  if (tag === "input" || tag === "textarea") {
    if (element.type === "file") return "Choose File";
    return getAttribute(element, "placeholder") || getAttribute(element, "aria-placeholder") || "";
  }
  return role === "textbox" || role === "combobox" ? getAttribute(element, "aria-placeholder") || "" : "";
}

/* ------------------------------------------------------------------- states */

const MASKABLE = words("text search tel url email");
/** Whether a field's value is secret. */
const isSecret = (engine.isSecret = (element) =>
  element instanceof HTMLInputElement &&
  (element.type === "password" ||
    /-password\b/.test(getAttribute(element, "autocomplete") ?? "") ||
    (MASKABLE.has(element.type) && element.value !== "" && getComputedStyle(element).webkitTextSecurity !== "none")));

function rangeValue(element) {
  const spoken = getAttribute(element, "aria-valuetext") || getAttribute(element, "aria-valuenow");
  if (spoken) return spoken;
  if (element instanceof HTMLInputElement) return element.value;
  if (element instanceof HTMLProgressElement) return element.position < 0 ? null : String(element.value);
  return element instanceof HTMLMeterElement ? String(element.value) : null;
}

const VALUED_ROLES = words("combobox meter progressbar scrollbar searchbox slider spinbutton textbox");

/** Returns the value of a field; null if it has none. Callers must not show values of fields for which `isSecret` is true. */
engine.valueOf = (element, role = roleOf(element)) => {
  if (!VALUED_ROLES.has(role)) return null;
  if (role !== "textbox" && role !== "searchbox" && role !== "combobox") return rangeValue(element);
  if (element instanceof HTMLSelectElement) return Array.from(element.selectedOptions, optionText).join(", ");
  if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) return element.value;
  if (role === "combobox") return collapse(getAttribute(element, "aria-valuetext") || comboboxText(element));
  if (element.editContext) return engine.editedText(element);
  return isHtml(element) ? element.innerText.replace(/\n$/, "") : native.textContent(element);
};

/** Returns the text of a combobox that is not an input, without the text of its list. */
const comboboxText = (element) => contentText(element, new NameSearch(false, true), words("listbox tree grid dialog menu"));

const isDisabledControl = (element, tag) => {
  switch (tag) {
    case "button":
    case "input":
    case "select":
    case "textarea":
    case "option":
    case "optgroup":
    case "fieldset":
      return native.matches(element, ":disabled");
    default:
      return tag.includes("-") && native.matches(element, ":disabled");
  }
};

/** Whether an element is disabled, natively or by ARIA, itself or through an ancestor. */
engine.isDisabled = (element) => {
  if (isDisabledControl(element, localName(element))) return true;
  for (let node = element; node; node = flatParent(node)) {
    const text = getAttribute(node, "aria-disabled");
    if (text !== null && text !== "") return text === "true";
  }
  return false;
};
engine.isDisabledControl = isDisabledControl;

const tristate = (text) => (text === "true" ? true : text === "mixed" ? "mixed" : text === "false" ? false : undefined);
const CHECKABLE = words("checkbox menuitemcheckbox menuitemradio option radio switch treeitem");
const SELECTABLE = words("cell columnheader gridcell option row rowheader tab treeitem");

/** `statesOf` returns `{checked, expanded, selected, pressed, level, required, readonly, invalid}`; inapplicable states are undefined. */
const NO_STATES = Object.freeze({});
engine.statesOf = (element, role = roleOf(element), tag = localName(element)) => {
  const levelled = role === "heading" && tag.length === 2;
  if (!native.hasAttributes(element) && tag !== "option" && !levelled && tag !== "summary" && tag !== "input") {
    return role === "heading" ? { level: 2 } : NO_STATES;
  }
  const states = {};
  const aria = (name) => getAttribute(element, `aria-${name}`);
  if (tag === "input" && (element.type === "checkbox" || element.type === "radio")) {
    states.checked = element.indeterminate && element.type === "checkbox" ? "mixed" : element.checked;
  } else if (CHECKABLE.has(role)) states.checked = tristate(aria("checked"));
  states.expanded = tag === "summary" && role === "button" ? parentNode(element).open : tristate(aria("expanded"));
  if (states.expanded === undefined && hasAttribute(element, "popovertarget")) {
    const popover = element.popoverTargetElement;
    if (popover) states.expanded = native.matches(popover, ":popover-open");
  }
  if (tag === "option") states.selected = element.selected;
  else if (SELECTABLE.has(role)) states.selected = tristate(aria("selected"));
  if (role === "button") states.pressed = tristate(aria("pressed"));
  const level = Number.parseInt(aria("level") ?? "", 10);
  if (level > 0) states.level = level;
  else if (role === "heading") states.level = levelled ? Number(tag[1]) : 2;
  if (tag === "input" || tag === "textarea" || tag === "select" || aria("required")) {
    states.required = aria("required") === "true" || hasAttribute(element, "required");
  }
  if (tag === "input" || tag === "textarea" || aria("readonly")) {
    states.readonly = aria("readonly") === "true" || hasAttribute(element, "readonly");
  }
  const invalid = aria("invalid");
  states.invalid = invalid ? invalid !== "false" : states.required !== undefined && native.matches(element, ":user-invalid");
  return states;
};
