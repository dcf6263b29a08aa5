// Reads a page or an element as "html", "text" or "readable" (HTML of the visible content, reduced to its structure). Returns "text" and
// "readable" as JSON `{main, rest}`: the main content and everything else. Runs in the isolated world and changes nothing.
(kind, part) => {
  "use strict";
  const { engine } = globalThis;
  const body = part ?? document.body;
  if (kind === "html") {
    if (part) return part.outerHTML;
    const type = document.doctype ? `${new XMLSerializer().serializeToString(document.doctype)}\n` : "";
    return type + (document.documentElement?.outerHTML ?? "");
  }
  if (document.contentType === "application/pdf") return JSON.stringify({ main: "", rest: "", pdf: true });
  if (!body) {
    const root = document.documentElement;
    // Without a body, reads only the text of the root element.
    const text = (root instanceof HTMLElement ? root.innerText : root?.textContent) ?? "";
    return JSON.stringify({ main: kind === "text" ? text : escaped(text), rest: "" });
  }

  const SKIPPED = new Set(
    "script style noscript template iframe frame object embed svg canvas video audio map head link meta title datalist".split(" "),
  );
  const KEPT = new Set(
    "h1 h2 h3 h4 h5 h6 p ul ol li a table caption thead tbody tfoot tr th td pre code kbd samp blockquote strong b em i br hr img dl dt dd del s sup sub".split(
      " ",
    ),
  );

  /** The SVG elements that can contain text. */
  const DRAWN = new Set("svg g a switch text tspan textPath foreignObject".split(" "));

  const FIELDS = new Set(["input", "select", "textarea"]);
  /** Input types whose value is a label or is not shown. */
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

  /** The most cells in which the text of a spanning cell (`rowspan`, `colspan`) is repeated; further ones stay empty. */
  const MOST_SPANNED = 20_000;
  /** In a table with more columns, the text of a `colspan` cell is written only once per row. */
  const MOST_COLUMNS = 300;
  /** The most characters of a spanning cell's text that are repeated. */
  const LONGEST_AGAIN = 80;

  const isDrawn = (element) => getComputedStyle(element).display !== "none";
  const byColumn = (one, other) => one.from - other.from;

  /**
   * Returns the rows of a table, each with a cell for every column: `{row, cells: [{cell, isAgain}]}`. A spanning cell is repeated in all
   * its rows and columns, with `isAgain` true after the first. A cell that spans all columns appears only in the first.
   */
  function rowsOf(table) {
    const rows = [];
    const begins = new Set();
    let carried = []; // Cells that span from the rows above, by column: {cell, from, to, rows}.
    let section = null;
    for (const row of Array.from(table.rows).filter(isDrawn)) {
      if (row.parentNode !== section) carried = [];
      section = row.parentNode;
      const own = [];
      let at = 0;
      let above = 0;
      for (const cell of Array.from(row.cells).filter(isDrawn)) {
        for (; carried[above]?.from <= at; above++) at = Math.max(at, carried[above].to);
        const to = Math.min(at + cell.colSpan, carried[above]?.from ?? Number.POSITIVE_INFINITY);
        own.push({ cell, from: at, to, rows: cell.rowSpan || Number.POSITIVE_INFINITY });
        begins.add(at);
        at = to;
      }
      const places = [...own, ...carried.map((span) => ({ ...span, isAgain: true }))].sort(byColumn);
      // Skips a row that contains only cells spanning from above.
      if (own.length) rows.push({ row, places });
      carried = [...own, ...carried].map((span) => ({ ...span, rows: span.rows - 1 })).filter((span) => span.rows > 0);
      carried.sort(byColumn);
    }
    // Omits columns in which no cell begins.
    const columns = [...begins].sort((one, other) => one - other);
    const places = new Map(columns.map((column, place) => [column, place]));
    const placeOf = (column) => places.get(column) ?? columns.findLastIndex((begin) => begin < column) + 1;
    const widthOf = ({ from, to }) => (columns.length > MOST_COLUMNS ? 1 : placeOf(to) - placeOf(from));
    return rows.map(({ row, places: spans }) => ({
      row,
      cells: spans.flatMap((span) => {
        const width = spans.length > 1 ? widthOf(span) : 1;
        return Array.from({ length: width }, (_, place) => ({ cell: span.cell, isAgain: Boolean(span.isAgain) || place > 0 }));
      }),
    }));
  }

  const isHead = ({ row, cells }) => row.parentNode.localName === "thead" || cells.every(({ cell }) => cell.localName === "th");

  /** The most characters of a cell in a table of data without a header row. */
  const LONGEST_CELL = 200;
  const STRUCTURE = "table,ul,ol,dl,form,pre,blockquote,h1,h2,h3,h4,h5,h6,p + p";
  /** Whether a table without a header row holds data, and is not there for the layout. */
  const isData = (table, rows) =>
    !/^(?:presentation|none)$/.test(table.getAttribute("role") ?? "") &&
    rows.length > 1 &&
    rows.every(({ cells }) => cells.length > 1) &&
    rows.every(({ cells }) => cells.every(({ cell }) => cell.textContent.trim().length <= LONGEST_CELL && !cell.querySelector(STRUCTURE)));

  /** Returns the visible value of a form field as text; "" if it shows none. */
  function heldIn(field) {
    if (!field.checkVisibility({ visibilityProperty: true }) || UNTOLD.has(field.type)) return "";
    if (field.type === "checkbox") return field.checked ? "☑" : "☐";
    if (field.type === "radio") return field.checked ? "◉" : "○";
    if (field.type === "file") return Array.from(field.files, (file) => file.name).join(", ");
    if (field.localName === "select") return Array.from(field.selectedOptions, (option) => option.label).join(", ");
    const isSecret = getComputedStyle(field).webkitTextSecurity !== "none" || /-password\b/.test(field.getAttribute("autocomplete") ?? "");
    return isSecret ? "" : field.value.trim();
  }

  /** Writes the content as HTML. */
  class Markup {
    parts = [];

    text(data) {
      this.parts.push(escaped(data));
    }

    field(text) {
      this.parts.push(` ${escaped(text).replace(/\n/g, "<br>")} `);
    }

    /** Writes the start of an element. Returns the text that closes it. */
    open(tag, element, style) {
      if (KEPT.has(tag)) {
        this.parts.push(`<${tag}${attributes(tag, element)}>`);
        return tag === "br" || tag === "hr" || tag === "img" ? "" : `</${tag}>`;
      }
      if (style.display.startsWith("inline") || style.display === "contents") {
        const gap = style.display === "inline" || style.display === "contents" ? "" : " "; // Inline boxes are separated.
        this.parts.push(gap);
        return gap;
      }
      this.parts.push("<div>");
      return "</div>";
    }

    openTable = () => this.parts.push("<table>");
    closeTable = () => this.parts.push("</table>");
    openRow = (isHead) => this.parts.push(isHead ? "<thead><tr>" : "<tbody><tr>");
    closeRow = (isHead) => this.parts.push(isHead ? "</tr></thead>" : "</tr></tbody>");
    openCell = (isHead) => this.parts.push(isHead ? "<th>" : "<td>");
    closeCell = (isHead) => this.parts.push(isHead ? "</th>" : "</td>");

    close(end) {
      this.parts.push(end);
    }

    /** Returns the plain text of the parts from index `start` on. */
    since(start) {
      const unescaped = (text) => text.replace(/&(amp|lt|gt|quot);/g, (_, name) => ({ amp: "&", lt: "<", gt: ">", quot: '"' })[name]);
      return unescaped(
        this.parts
          .slice(start)
          .join("")
          .replace(/<[^>]*>/g, " "),
      );
    }

    end = () => this.parts.join("");
  }

  const TRANSFORMS = {
    uppercase: (text) => text.toUpperCase(),
    lowercase: (text) => text.toLowerCase(),
    capitalize: (text) => text.replace(/(?<![\p{L}\p{N}'’])\p{L}/gu, (letter) => letter.toUpperCase()),
  };

  /** Writes the content as text. A number in `parts` is the required number of line breaks at that position. */
  class Plain {
    parts = [];
    /** Whether the text so far ends with white space. */
    isApart = true;

    text(data, style) {
      let text = (TRANSFORMS[style.textTransform] ?? String)(data);
      if (!/^(?:pre|pre-wrap|break-spaces)$/.test(style.whiteSpace)) {
        text = style.whiteSpace === "pre-line" ? text.replace(/[ \t]*\n[ \t]*/g, "\n") : text.replace(/[\t\n\r\f]/g, " ");
        text = text.replace(/ {2,}/g, " ").replace(this.isApart ? /^ / : /^(?!)/, "");
      }
      this.say(text);
    }

    say(text) {
      if (!text) return;
      this.parts.push(text);
      this.isApart = /\s$/.test(text);
    }

    field(text) {
      this.say(`${this.isApart ? "" : " "}${text} `);
    }

    endLine(lines) {
      this.parts.push(lines);
      this.isApart = true;
    }

    open(tag, element, style) {
      if (tag === "br") this.say("\n");
      const isBlock = element instanceof SVGElement ? tag === "text" : !/^(?:inline|contents)/.test(style.display);
      const lines = tag === "p" ? 2 : isBlock ? 1 : 0;
      if (lines) this.endLine(lines);
      return lines;
    }

    close(lines) {
      if (lines) this.endLine(lines);
    }

    openTable = () => this.endLine(1);
    closeTable = () => this.endLine(1);
    openRow = () => {};
    closeRow = () => this.endLine(1);
    openCell = () => {};
    closeCell = () => this.say("\t");

    since = (start) =>
      this.parts
        .slice(start)
        .map((part) => (typeof part === "number" ? " " : part))
        .join("");

    end() {
      let text = "";
      let lines = 0;
      for (const part of this.parts) {
        if (typeof part === "number") {
          lines = Math.max(lines, part);
        } else {
          text += (text ? "\n".repeat(lines) : "") + part;
          lines = 0;
        }
      }
      return text;
    }
  }

  // Iterates with an explicit stack, since recursion over a deep document would overflow the call stack.
  function write(root, left) {
    const out = kind === "text" ? new Plain() : new Markup();
    const stack = [root];
    /** Pushes steps one by one, since `push(...steps)` fails for very long lists. */
    const pushAll = (steps) => {
      for (let place = steps.length - 1; place >= 0; place--) stack.push(steps[place]);
    };
    const spoken = new Map(); // The texts of spanning cells.
    let spanned = 0;

    const again = (cell) => {
      if (spanned++ < MOST_SPANNED) out.text(spoken.get(cell), getComputedStyle(cell));
    };
    const listen = (cell, start) => {
      const text = Array.from(out.since(start).replace(/\s+/g, " ").trim());
      spoken.set(cell, text.slice(0, LONGEST_AGAIN).join("") + (text.length > LONGEST_AGAIN ? "…" : ""));
    };
    /** Returns the children of an element, with the texts that CSS generates before and after them. */
    const within = (element, style) => {
      const say = (text) => (text ? [() => out.text(text, style)] : []);
      const [before, after] = engine.paintedAround(element);
      return [...say(before), ...engine.flatChildren(element), ...say(after)];
    };
    const table = (element, rows) => {
      const steps = [out.openTable, ...Array.from(element.children).filter((child) => child.localName === "caption")];
      // Markdown has no tables without a header row.
      if (kind === "readable" && !isHead(rows[0]) && isData(element, rows)) {
        const empty = rows[0].cells.flatMap(() => [() => out.openCell(true), () => out.closeCell(true)]);
        steps.push(
          () => out.openRow(true),
          ...empty,
          () => out.closeRow(true),
        );
      }
      rows.forEach(({ cells }, place) => {
        const asHead = place === 0 && isHead(rows[0]);
        steps.push(() => out.openRow(asHead));
        for (const { cell, isAgain } of cells) {
          let start = 0;
          steps.push(() => {
            out.openCell(asHead);
            start = out.parts.length;
          });
          if (isAgain) steps.push(() => again(cell));
          else if (cell !== left) steps.push(() => pushAll([...within(cell, getComputedStyle(cell)), () => listen(cell, start)]));
          steps.push(() => out.closeCell(asHead));
        }
        steps.push(() => out.closeRow(asHead));
      });
      return [...steps, out.closeTable];
    };

    while (stack.length > 0) {
      const next = stack.pop();
      if (typeof next === "function") {
        next();
        continue;
      }
      if (next.nodeType === Node.TEXT_NODE) {
        const parent = next.parentElement ?? next.parentNode?.host;
        const style = parent && getComputedStyle(parent);
        if (style?.visibility === "visible") out.text(next.data, style);
        continue;
      }
      if (next.nodeType !== Node.ELEMENT_NODE || next === left) continue;
      const tag = next.localName;
      const isWord = kind === "text" && next instanceof SVGElement && DRAWN.has(tag);
      if (isWord ? false : SKIPPED.has(tag) || (kind === "text" && next instanceof SVGElement)) continue;
      if (FIELDS.has(tag)) {
        const label = next.labels?.length ? "" : next.getAttribute("aria-label") || next.placeholder;
        const held = heldIn(next);
        if (held) out.field(label ? `${label}: ${held}` : held);
        continue;
      }
      const style = getComputedStyle(next);
      if (style.display === "none") continue;
      if (tag === "img" && !(next.alt || /^https?:/.test(next.currentSrc || next.src))) continue;
      const rows = next instanceof HTMLTableElement || next instanceof HTMLTableSectionElement ? rowsOf(next) : [];
      if (rows.length) {
        pushAll(table(next, rows));
        continue;
      }
      const end = out.open(tag, next, style);
      stack.push(() => out.close(end));
      pushAll(within(next, style));
    }
    return out.end();
  }

  /** Returns the main content: the element marked as main or article, or the part of it that contains most of the prose. */
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

  /** Returns the number of prose characters in each element, without labels, links and buttons. */
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

  /** Returns the text of the page's `h1` if it is outside the main content; otherwise "". */
  function titleAbove(main) {
    if (main.querySelector("h1")) return "";
    const title = [...document.querySelectorAll("h1")].find((heading) => heading.checkVisibility());
    const text = title?.innerText ?? "";
    if (!text) return "";
    return kind === "text" ? `${text}\n\n` : `<h1>${escaped(text)}</h1>`;
  }

  return engine.remembering(() => {
    if (part) return JSON.stringify({ main: write(part, null), rest: "" });
    const main = mainContent();
    const rest = engine.topElements().map((element) => write(element, main));
    return JSON.stringify({ main: main ? titleAbove(main) + write(main, null) : "", rest: rest.filter(Boolean).join("\n") });
  });
};
