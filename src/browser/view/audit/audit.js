// Finds accessibility problems in a document. `this` is the injected engine.
(function () {
  const engine = this;
  const found = [];
  const short = (text) => (text.length > 60 ? `${text.slice(0, 59)}…` : text);
  const tell = (rule, element, what = "") => {
    found.push({ rule, ref: element ? engine.refOf(element) : null, tag: element ? element.localName : "", what: short(what) });
  };
  const all = [];
  const gather = (root) => {
    for (const element of root.querySelectorAll("*")) {
      all.push(element);
      if (element.shadowRoot) gather(element.shadowRoot);
    }
  };
  gather(document);
  const MOST = 20000;
  const looked = all.slice(0, MOST);
  const isHtml = document.documentElement instanceof HTMLElement;
  if (isHtml && !document.documentElement.lang.trim()) tell("language", document.documentElement);
  if (isHtml && window === window.top && !document.title.trim()) tell("title", document.documentElement);

  const CONTROLS = new Set(
    "button link checkbox radio textbox searchbox combobox listbox slider spinbutton switch tab menuitem menuitemcheckbox menuitemradio treeitem".split(
      " ",
    ),
  );
  const channel = (value) => (value / 255 <= 0.03928 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
  const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const parsed = (text) => {
    const numbers = /^rgba?\(([^)]+)\)$/
      .exec(text)?.[1]
      .split(/[\s,/]+/)
      .map(Number);
    return numbers && numbers.length >= 3 ? [numbers[0], numbers[1], numbers[2], numbers[3] ?? 1] : null;
  };
  const over = ([r, g, b, a], [x, y, z]) => [r * a + x * (1 - a), g * a + y * (1 - a), b * a + z * (1 - a)];
  /** Returns the background colour behind an element; null if unknown, such as over an image. */
  const behind = (element) => {
    const layers = [];
    for (let at = element; at; at = at.parentElement ?? at.getRootNode().host ?? null) {
      const style = getComputedStyle(at);
      if (style.backgroundImage !== "none" || style.opacity !== "1" || style.mixBlendMode !== "normal") return null;
      const colour = parsed(style.backgroundColor);
      if (!colour) return null;
      if (colour[3] > 0) layers.push(colour);
      if (colour[3] === 1) break;
    }
    return layers.reduceRight((under, layer) => over(layer, under), [255, 255, 255]);
  };
  let level = 0;
  const ids = new Map();
  for (const element of looked) {
    if (element.id) ids.set(element.id, (ids.get(element.id) ?? 0) + 1);
  }
  for (const element of looked) {
    for (const name of ["aria-labelledby", "aria-describedby", "aria-controls"]) {
      for (const id of (element.getAttribute(name) ?? "").split(/\s+/).filter(Boolean)) {
        if (name !== "aria-controls" && !element.getRootNode().getElementById?.(id)) tell("missing-id", element, `${name}: ${id}`);
      }
    }
    if (element.localName === "label" && element.htmlFor && (ids.get(element.htmlFor) ?? 0) > 1)
      tell("double-id", element, element.htmlFor);
    if (element.tabIndex > 0) tell("tab-order", element, `tabindex ${element.tabIndex}`);
    if (!engine.isVisible(element)) continue;
    const role = engine.roleOf(element) ?? "";
    const isHidden = element.closest("[aria-hidden=true]") !== null;
    if (isHidden) {
      if (element.tabIndex >= 0 && !element.disabled && CONTROLS.has(role)) tell("hidden-focus", element);
      continue;
    }
    const name = (engine.nameOf(element, role) ?? "").trim();
    if (CONTROLS.has(role) && !name && !element.disabled) tell("control-name", element, role);
    if ((role === "img" || role === "image") && !name) tell("image-name", element, element.getAttribute("src") ?? "");
    if (element.localName === "iframe" && !name && !element.title) tell("frame-name", element, element.getAttribute("src") ?? "");
    if (role === "heading") {
      const own = Number(element.getAttribute("aria-level") ?? element.localName.slice(1)) || 2;
      if (!name) tell("empty-heading", element);
      if (level && own > level + 1) tell("heading-order", element, `level ${own} after ${level}: ${name}`);
      level = own;
    }
    const text = Array.from(element.childNodes, (node) => (node.nodeType === Node.TEXT_NODE ? node.data : ""))
      .join("")
      .trim();
    if (text && !element.disabled && !(element instanceof SVGElement)) {
      const style = getComputedStyle(element);
      const [colour, ground] = [parsed(style.color), behind(element)];
      if (colour && ground && colour[3] > 0) {
        const [one, two] = [light(over(colour, ground)), light(ground)].sort((a, b) => b - a);
        const ratio = (one + 0.05) / (two + 0.05);
        const size = parseFloat(style.fontSize);
        const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
        if (ratio < (isLarge ? 3 : 4.5)) tell("contrast", element, `${ratio.toFixed(2)}: ${text}`);
      }
    }
  }
  const zoom = document.querySelector("meta[name=viewport]")?.content ?? "";
  if (/user-scalable\s*=\s*(?:no|0)\b|maximum-scale\s*=\s*1(?:\.0*)?\b/.test(zoom)) tell("no-zoom", null, zoom);
  return { found, looked: looked.length };
});
