// Reads a page as a person would read it: "text", "html", or "readable": the HTML of what is visible, reduced to its
// structure, as a JSON text of the main content and the rest; of one element only that. Runs in the isolated world and changes nothing.
(kind, part) => {
  "use strict";
  const body = part ?? document.body;
  if (kind === "html") {
    if (part) return part.outerHTML;
    const type = document.doctype ? `${new XMLSerializer().serializeToString(document.doctype)}\n` : "";
    return type + (document.documentElement?.outerHTML ?? "");
  }
  if (!body) {
    const text = document.documentElement?.textContent ?? "";
    return kind === "text" ? text : JSON.stringify({ main: escaped(text), rest: "" });
  }

  const SKIPPED = new Set(
    "script style noscript template iframe frame object embed svg canvas video audio map head link meta title datalist".split(" "),
  );
  const KEPT = new Set(
    "h1 h2 h3 h4 h5 h6 p ul ol li a table caption thead tbody tfoot tr th td pre code kbd samp blockquote strong b em i br hr img dl dt dd del s sup sub".split(
      " ",
    ),
  );

  const FIELDS = new Set(["input", "select", "textarea"]);
  /** What says what it does, or is nobody's business. */
  const UNTOLD = new Set("button color hidden image password reset submit".split(" "));

  const NO_PROSE = "a, button, nav, footer, aside, select, script, style, noscript, template, svg, [role=navigation]";
  const LABEL = 20;
  const LEAST_PROSE = 200;

  function escaped(text) {
    return text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);
  }

  function attributes(tag, element) {
    if (tag === "a") {
      const href = element.href;
      return typeof href === "string" && /^(https?|mailto|tel|ftp):/.test(href) ? ` href="${escaped(href)}"` : "";
    }
    if (tag === "img") {
      const source = element.currentSrc || element.src;
      const address = /^https?:/.test(source) ? source : "";
      return ` alt="${escaped(element.alt ?? "")}" src="${escaped(address)}"`;
    }
    if (tag === "code" || tag === "pre") {
      const language = /(?:^|\s)(?:language|lang)-[\w+#-]+/.exec(element.className);
      return language ? ` class="${language[0].trim()}"` : "";
    }
    if (tag === "ol" && element.start !== 1) return ` start="${element.start}"`;
    return "";
  }

  function children(element) {
    if (element.shadowRoot) return element.shadowRoot.childNodes;
    if (element instanceof HTMLSlotElement) {
      const assigned = element.assignedNodes();
      if (assigned.length > 0) return assigned;
    }
    return element.childNodes;
  }

  /** What a field shows that it holds; "" where that is nothing to be told. */
  function heldIn(field) {
    if (!field.checkVisibility({ visibilityProperty: true }) || UNTOLD.has(field.type)) return "";
    if (field.type === "checkbox") return field.checked ? "☑" : "☐";
    if (field.type === "radio") return field.checked ? "◉" : "○";
    if (field.type === "file") return Array.from(field.files, (file) => file.name).join(", ");
    if (field.localName === "select") return Array.from(field.selectedOptions, (option) => option.label).join(", ");
    const isSecret = getComputedStyle(field).webkitTextSecurity !== "none" || /-password\b/.test(field.getAttribute("autocomplete") ?? "");
    return isSecret ? "" : field.value.trim();
  }

  const nameOf = (field) =>
    field.getAttribute("aria-label") ||
    Array.from(field.labels ?? [], (label) => label.innerText.trim()).join(" ") ||
    field.placeholder ||
    "";

  /** What the fields hold, for the text of a page, which says nothing of that: a line each. */
  function heldInFields(root) {
    const fields = Array.from(root.querySelectorAll("input, select, textarea")).map((field) => [nameOf(field), heldIn(field)]);
    const lines = fields.filter(([, held]) => held).map(([name, held]) => (name ? `${name}: ${held}` : held));
    return lines.length ? `\n\n${lines.join("\n")}` : "";
  }

  // Deep documents exist that would exhaust the stack of a recursive walk, so this one keeps its own.
  function write(root, left) {
    const parts = [];
    const stack = [root];
    while (stack.length > 0) {
      const next = stack.pop();
      if (typeof next === "string") {
        parts.push(next);
        continue;
      }
      if (next.nodeType === Node.TEXT_NODE) {
        const parent = next.parentElement ?? next.parentNode?.host;
        const hidden = parent && getComputedStyle(parent).visibility !== "visible";
        if (!hidden) parts.push(escaped(next.data));
        continue;
      }
      if (next.nodeType !== Node.ELEMENT_NODE || next === left) continue;
      const tag = next.localName;
      if (SKIPPED.has(tag)) continue;
      if (FIELDS.has(tag)) {
        const label = next.labels?.length ? "" : next.getAttribute("aria-label");
        const held = escaped(heldIn(next)).replace(/\n/g, "<br>");
        if (held) parts.push(` ${label ? `${escaped(label)}: ` : ""}${held} `);
        continue;
      }
      const style = getComputedStyle(next);
      if (style.display === "none") continue;
      if (tag === "img" && !(next.alt || /^https?:/.test(next.currentSrc || next.src))) continue;
      let open = "";
      let close = "";
      if (KEPT.has(tag)) {
        open = `<${tag}${attributes(tag, next)}>`;
        if (tag !== "br" && tag !== "hr" && tag !== "img") close = `</${tag}>`;
      } else if (!style.display.startsWith("inline") && style.display !== "contents") {
        open = "<div>";
        close = "</div>";
      } else if (style.display !== "inline" && style.display !== "contents") {
        open = " "; // Boxes in a row stand apart.
        close = " ";
      }
      parts.push(open);
      stack.push(close);
      const inside = children(next);
      for (let index = inside.length - 1; index >= 0; index--) stack.push(inside[index]);
    }
    return parts.join("");
  }

  /** What is there to be read: what a page calls so, and in it the part that holds most of its prose. */
  function mainContent() {
    const visible = (element) => element.checkVisibility() && (element.innerText ?? "").trim().length > 0;
    let main = null;
    for (const selector of ["main, [role=main]", "article"]) {
      const found = [...document.querySelectorAll(selector)].filter(visible);
      if (found.length === 1) main ??= found[0];
    }
    const prose = proseOf(body);
    let part = main ?? body;
    if ((prose.get(part) ?? 0) < LEAST_PROSE) return main;
    for (;;) {
      const most = (prose.get(part) ?? 0) * 0.6;
      const next = [...part.children].find((child) => prose.get(child) > most);
      if (!next || KEPT.has(next.localName)) break;
      part = next;
    }
    return part === body ? main : part;
  }

  /** How much prose each element holds. Labels are none, nor is what links and buttons say. */
  function proseOf(root) {
    const prose = new Map();
    const left = new Set();
    const elements = [...root.querySelectorAll("*")];
    for (const element of elements) {
      if (left.has(element.parentElement) || element.matches(NO_PROSE) || !element.checkVisibility()) left.add(element);
    }
    for (const element of elements.reverse()) {
      if (left.has(element)) continue;
      let own = prose.get(element) ?? 0;
      for (const node of element.childNodes) {
        if (node.nodeType === Node.TEXT_NODE) own += Math.max(0, node.data.trim().length - LABEL);
      }
      prose.set(element, own);
      prose.set(element.parentElement, (prose.get(element.parentElement) ?? 0) + own);
    }
    return prose;
  }

  /** The heading of a page may stand above its main part. */
  function titleAbove(main) {
    if (main.querySelector("h1")) return "";
    const title = [...document.querySelectorAll("h1")].find((heading) => heading.checkVisibility());
    return title ? `<h1>${escaped(title.innerText ?? "")}</h1>` : "";
  }

  function textWithMainFirst() {
    const all = body.innerText ?? body.textContent ?? "";
    const main = mainContent()?.innerText?.trim();
    const at = main ? all.indexOf(main) : -1;
    if (at <= 0) return all;
    return `${main}\n\n---\n\n${all.slice(0, at).trim()}\n\n${all.slice(at + main.length).trim()}`;
  }

  if (part && kind === "text") return FIELDS.has(part.localName) ? heldIn(part) : (part.innerText ?? part.textContent) + heldInFields(part);
  if (part) return JSON.stringify({ main: write(part, null), rest: "" });
  if (kind === "text") return textWithMainFirst() + heldInFields(body);
  const main = mainContent();
  return JSON.stringify({ main: main ? titleAbove(main) + write(main, null) : "", rest: write(body, main) });
};
