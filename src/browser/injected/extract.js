// Extracts rows of data from a document, by a list of fields with selectors, or from a table. Adds its functions to `tasks`.
// A row is an array with the value of each field. A number is `[text, marks]`, with the decimal and group separators of its language.
// The value of a field with nested fields is again such an array.

const written = (language) => {
  try {
    if (Intl.NumberFormat.supportedLocalesOf(language).length === 0) return "";
    const style = { style: "currency", currency: "EUR", numberingSystem: "latn" };
    const parts = new Intl.NumberFormat(language, style).formatToParts(12345.6);
    const mark = (kind) => parts.find((part) => part.type === kind)?.value ?? " ";
    return mark("decimal") + mark("group");
  } catch {
    return ""; // Not a valid language tag.
  }
};
const languages = new Map();
const marksOf = (element) => {
  const language = element.closest("[lang]")?.getAttribute("lang") ?? "";
  if (!languages.has(language)) languages.set(language, written(language));
  return languages.get(language);
};

const forPeople = /^(aria-.*|alt|title|placeholder)$/i;
const textOf = (element) => (element.innerText ?? element.textContent ?? "").trim();
const readValue = (element, attribute) => {
  if (attribute === null) return textOf(element);
  if (attribute === "href" || attribute === "src") return element[attribute] ?? null;
  return element.getAttribute(attribute);
};

const isOn = (element) => {
  if (element.localName === "input" && /^(checkbox|radio)$/.test(element.type)) return element.checked;
  const state = element.getAttribute("aria-checked") ?? element.getAttribute("aria-pressed");
  return state === "true" ? true : state === "false" ? false : null;
};
const stateOf = (element, attribute) => {
  if (attribute === null) return String(isOn(element) ?? readValue(element, null));
  if (typeof element[attribute] === "boolean") return String(element[attribute]);
  const said = element.getAttribute(attribute);
  if (said === null) return "false";
  return said === "" || said === attribute ? "true" : said.trim();
};
const addressOf = (element, attribute) => {
  const written = readValue(element, attribute ?? (element.hasAttribute("src") ? "src" : "href"));
  try {
    return written === null || written === "" ? null : new URL(written, document.baseURI).href;
  } catch {
    return written;
  }
};

const read = (element, attribute, wanted) => {
  if (Array.isArray(wanted)) return rowOf(element, wanted);
  if (wanted === "state") return stateOf(element, attribute);
  if (wanted === "url") return addressOf(element, attribute);
  const text = readValue(element, attribute);
  if (wanted !== "number" || text === null) return text;
  return [text, attribute === null || forPeople.test(attribute) ? marksOf(element) : ""];
};
const rowOf = (root, fields) =>
  fields.map(([chain, attribute, several, wanted]) => {
    const found = chain === null ? [root] : engine.select(chain, root);
    if (several) return found.map((element) => read(element, attribute, wanted));
    return found.length === 0 ? null : read(found[0], attribute, wanted);
  });

/** Returns the row elements and a function that reads one: `{elements, read}`; for a table also `{names, count, total}`. */
const rowsBy = (chain, fields, root) => {
  if (fields === null) return tableRows(chain, root);
  const elements = chain === null ? [document.documentElement] : engine.select(chain, root);
  return { elements, read: (element) => rowOf(element, fields) };
};

/** Reads all rows in the document: `{rows}`; for a table also column names, number of tables found, and total number of rows. */
tasks.rows = (chain, fields, root) =>
  engine.asking(() => {
    const { elements, read, ...rest } = rowsBy(chain, fields, root);
    return { rows: elements.map(read), ...rest };
  });

/* -------------------------------------------------------------------- tables */

const TABLES = "table, [role=table], [role=grid], [role=treegrid]";
const GRIDS = "[role=table], [role=grid], [role=treegrid]";
const CELLS = "[role=cell], [role=gridcell], [role=rowheader], [role=columnheader]";
const isLayout = (table) => /^(presentation|none)$/.test(table.getAttribute("role") ?? "");
const numberOf = (element, attribute) => {
  const number = Number.parseInt(element.getAttribute(attribute) ?? "", 10);
  return Number.isInteger(number) ? number : null;
};
const isIn = (found, root) => found.closest(GRIDS) === root;

/** Returns the table that a selector matches, or the first one inside its matches; without a selector, the first table of the document. */
const tableAt = (chain, root) => {
  const places = chain === null ? [root ?? document] : engine.select(chain, root);
  for (const place of places) {
    if (place.matches?.(TABLES) && !isLayout(place)) return { table: place, count: 1 };
    const inside = Array.from(place.querySelectorAll(TABLES)).filter((table) => !isLayout(table));
    const seen = inside.filter(engine.isVisible);
    const tables = seen.length > 0 ? seen : inside;
    if (tables.length > 0) return { table: tables[0], count: tables.length };
  }
  return { table: null, count: 0 };
};

/** Returns the rows of a table as `{element, cells, isHead}`. A cell is `{element, columns, rows, column, isHead}`, with spans. */
const linesOf = (table) => {
  if (table.localName !== "table" || /^(grid|treegrid)$/.test(table.getAttribute("role") ?? "")) return gridLines(table);
  const inHead = new Set(table.tHead?.rows ?? []);
  const body = Array.from(table.rows).filter((row) => row.parentNode !== table.tFoot && row.cells.length > 0);
  return body.map((element) => {
    const cells = Array.from(element.cells, (cell) => ({
      element: cell,
      columns: cell.colSpan,
      rows: cell.rowSpan === 0 ? Number.POSITIVE_INFINITY : cell.rowSpan,
      column: null,
      isHead: cell.localName === "th" && !/^row/.test(cell.getAttribute("scope") ?? ""),
    }));
    return { element, cells, isHead: inHead.has(element) || cells.every((cell) => cell.isHead) };
  });
};

/** Returns the rows of an ARIA grid. Joins the elements of a row that is split because of pinned columns. */
const gridLines = (table) => {
  const lines = [];
  const numbered = new Map();
  for (const element of table.querySelectorAll("[role=row], tr")) {
    if (!isIn(element, table)) continue;
    const found = Array.from(element.querySelectorAll(`${CELLS}, td, th`)).filter((cell) => cell.closest("[role=row], tr") === element);
    const cells = found.map((cell) => ({
      element: cell,
      columns: numberOf(cell, "aria-colspan") ?? cell.colSpan ?? 1,
      rows: numberOf(cell, "aria-rowspan") ?? cell.rowSpan ?? 1,
      column: numberOf(cell, "aria-colindex"),
      isHead: cell.getAttribute("role") === "columnheader" || (cell.localName === "th" && !cell.hasAttribute("role")),
    }));
    if (cells.length === 0) continue;
    const number = numberOf(element, "aria-rowindex");
    const known = number === null ? undefined : numbered.get(number);
    if (known) known.cells.push(...cells);
    else {
      const line = { element, cells };
      lines.push(line);
      if (number !== null) numbered.set(number, line);
    }
  }
  for (const line of lines) {
    if (line.cells.every((cell) => cell.column !== null)) line.cells.sort((a, b) => a.column - b.column);
    line.isHead = line.cells.every((cell) => cell.isHead);
  }
  return lines;
};

/** Returns the text in each column of a row, including cells that span from above. `open`: column → cell that spans into later rows. */
const textsOf = (line, open) => {
  const texts = [];
  const fill = () => {
    for (let from = open.get(texts.length); from; from = open.get(texts.length)) {
      if (--from.rows === 0) open.delete(texts.length);
      texts.push(from.text);
    }
  };
  for (const cell of line.cells) {
    fill();
    const text = engine.collapse(textOf(cell.element));
    for (let times = Math.min(cell.columns, 1000); times > 0; times--) {
      if (cell.rows > 1) open.set(texts.length, { text, rows: cell.rows - 1 });
      texts.push(text);
    }
  }
  fill();
  return texts;
};

/** Returns the column names, from the texts of the header rows. Duplicate names get a number. */
const namesOf = (heads, width) => {
  const names = [];
  for (let column = 0; column < width; column++) {
    const texts = [...new Set(heads.map((texts) => texts[column]).filter(Boolean))];
    const name = texts.join(" ") || `column ${column + 1}`;
    let own = name;
    for (let times = 2; names.includes(own); times++) own = `${name} ${times}`;
    names.push(own);
  }
  return names;
};

const tableRows = (chain, root) => {
  const { table, count } = tableAt(chain, root);
  if (table === null) return { elements: [], read: () => [], names: [], count };
  const lines = linesOf(table);
  const firstRow = lines.findIndex((line) => !line.isHead);
  const heads = firstRow < 0 ? lines : lines.slice(0, firstRow);
  const body = lines.slice(heads.length);
  const open = new Map();
  const texts = new Map();
  const above = heads.map((line) => textsOf(line, open));
  open.clear(); // Header cells do not span into the body.
  for (const line of body) texts.set(line.element, textsOf(line, open));
  const width = Math.max(0, ...above.map((row) => row.length), ...Array.from(texts.values(), (row) => row.length));
  const total = numberOf(table, "aria-rowcount");
  const names = namesOf(above, width);
  return {
    elements: body.map((line) => line.element),
    read: (element) => names.map((_, column) => texts.get(element)[column] ?? null),
    names,
    count,
    total: total === null || total < 0 ? null : Math.max(0, total - heads.length),
  };
};

/* --------------------------------------------------- lists that are scrolled */

const PATIENCE_MS = 500;
const BATCH_MS = 1000;
/** The most elements that are compared with their earlier content, to detect elements that are reused for other rows. */
const MOST_COMPARED = 500;
/** How many times to scroll back half the distance, to find rows that overlap with the previous ones. */
const MOST_TRIES = 6;
const NUMBERS = [
  "aria-rowindex",
  "aria-posinset",
  "data-index",
  "data-row-index",
  "data-rowindex",
  "row-index",
  "data-item-index",
  "data-row",
];

/** Resolves after the next animation frame, or after 60 ms if the tab draws none. */
const frame = () =>
  new Promise((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve));
    setTimeout(resolve, 60);
  });

const isPage = (scroller) => scroller === (document.scrollingElement ?? document.documentElement);

/** Returns the position of each row in the list from an attribute such as `aria-rowindex`; null if the page provides none. */
const numbersOf = (lines, state) => {
  for (const attribute of NUMBERS) {
    const numbers = lines.map(({ element }) => {
      const holder = element.closest(`[${attribute}]`) ?? element.querySelector(`[${attribute}]`);
      return holder && state.scroller.contains(holder) && holder !== state.scroller ? numberOf(holder, attribute) : null;
    });
    if (!numbers.includes(null) && isNumbering(numbers, lines, state)) return numbers;
  }
  return null;
};

/** Whether an attribute's numbers are positions in the list, and not numbers of recycled DOM elements or ids of records. */
const isNumbering = (numbers, lines, state) => {
  const isSorted = [1, -1].some((sign) => numbers.every((number, at) => at === 0 || sign * (number - numbers[at - 1]) > 0));
  if (!isSorted) return false;
  const before = byIndex(state);
  const near = nearness(state);
  const known = lines.map((line, at) => [line, before.get(numbers[at])]).filter(([, other]) => other);
  const others = known.filter(([line, other]) => line.text !== other.text && Math.abs(line.top - other.top) > near);
  return others.length * 2 <= known.length;
};

/** Returns the boxes of elements in coordinates of the scrolled content, independent of the scroll position. */
const boxesOf = (elements, scroller) => {
  const start = isPage(scroller) ? { top: -scroller.scrollTop, left: 0 } : scroller.getBoundingClientRect();
  const moved = isPage(scroller) ? 0 : scroller.scrollTop;
  return elements.map((element) => {
    const box = element.getBoundingClientRect();
    return { top: box.top - start.top + moved, bottom: box.bottom - start.top + moved, left: box.left - start.left };
  });
};

const isReady = (elements, scroller) => {
  if (elements.length === 0) return false;
  const boxes = boxesOf(elements, scroller);
  const end = Math.min(scroller.scrollTop + scroller.clientHeight, scroller.scrollHeight);
  const top = Math.min(...boxes.map((box) => box.top));
  const bottom = Math.max(...boxes.map((box) => box.bottom));
  // Tolerates a small gap at the end: the next step reads rows that are rendered later.
  return top <= scroller.scrollTop + 1 && bottom >= end - scroller.clientHeight / 10;
};

/** Waits until rows fill the visible part and have all `needed` fields, for `PATIENCE_MS` at most. */
const settled = async (rowsNow, state, needed) => {
  const lacks = (row) => needed.some((field) => row[field] === null);
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    await frame();
    const done = engine.asking(() => {
      const { elements, read } = rowsNow();
      const others = elements.length > MOST_COMPARED ? elements.filter((element) => !state.known.has(element)) : elements;
      return isReady(elements, state.scroller) && !(needed.length > 0 && others.some((element) => lacks(read(element))));
    });
    if (done || performance.now() >= until) return;
  }
};

const beginning = (rowsNow) => {
  const { elements } = engine.asking(rowsNow);
  const scroller = engine.scrollerOf(elements[0]?.parentElement ?? null, "y");
  if (scroller) scroller.scrollTop = 0;
  return { scroller, known: new Map(), texts: new Map(), next: 0, at: 0, tries: 0, recycles: false, isNumbered: false };
};

/**
 * Reads rows of a list while scrolling down, for about a second: `{rows: [[index, row]], recycles, ended, isLost, total, names, count}`.
 * `isLost`: the rows' position in the list is unknown. `begin`: starts at the top. `needed`: fields without which a row is not loaded.
 */
tasks.roll = async (chain, fields, root, begin, needed) => {
  const until = performance.now() + BATCH_MS;
  const rowsNow = () => rowsBy(chain, fields, root);
  if (begin) engine.rolled = beginning(rowsNow);
  const state = engine.rolled;
  const { scroller } = state;
  const rows = [];
  for (;;) {
    if (scroller) await settled(rowsNow, state, needed);
    else if (state.tries > 0) await frame();
    const { elements, isTaken, rest } = engine.asking(() => {
      const { elements, read, ...rest } = rowsNow();
      return { elements, isTaken: take(elements, read, state, rows), rest };
    });
    const set = elements.map((element) => numberOf(element, "aria-setsize")).find((size) => size !== null && size >= 0);
    const answer = { ...rest, total: rest.total ?? set ?? null, recycles: state.recycles, rows, isLost: false };
    if (!isTaken) {
      state.tries += 1;
      if (state.tries > MOST_TRIES) return { ...answer, ended: true, isLost: true };
      if (scroller) scroller.scrollTop = (state.at + scroller.scrollTop) / 2;
      continue;
    }
    const at = scroller?.scrollTop ?? 0;
    state.at = at;
    state.tries = 0;
    const most = scroller ? scroller.scrollHeight - scroller.clientHeight : 0;
    if (at >= most - 1) return { ...answer, ended: true };
    const end = Math.max(0, ...boxesOf(elements, scroller).map((box) => box.bottom));
    scroller.scrollTop = Math.min(most, nextTop(state, at, end));
    if (performance.now() >= until) return { ...answer, ended: false };
  }
};

/** Returns the next scroll position. If rows have no numbers, keeps the last rows in view, to match them with the next ones. */
const nextTop = ({ isNumbered, scroller }, at, end) => {
  const height = scroller.clientHeight;
  return isNumbered ? Math.max(end - 2, at + height * 0.8) : Math.max(end - height * 0.35, at + height * 0.3);
};

/** Appends new or changed rows to `rows`. Returns false if their position in the list cannot be determined. */
const take = (elements, read, state, rows) => {
  const lines = linesNow(elements, read, state);
  const ordered = state.scroller ? [...lines].sort((a, b) => Math.round(a.top) - Math.round(b.top) || a.left - b.left) : lines;
  if (!setIndexes(ordered, state)) return false;
  for (const line of lines) {
    if (state.texts.get(line.index) === line.text) continue;
    rows.push([line.index, line.row ?? read(line.element)]);
    state.texts.set(line.index, line.text);
    state.next = Math.max(state.next, line.index + 1);
  }
  state.known = new Map(lines.map((line) => [line.element, line]));
  return true;
};

/** Returns the rows now in the document: `{element, row, text, top, bottom, left}`. In large lists, does not read known rows again. */
const linesNow = (elements, read, state) => {
  const { scroller, known } = state;
  const boxes = scroller ? boxesOf(elements, scroller) : [];
  const start = scroller?.scrollTop ?? 0;
  const end = start + (scroller?.clientHeight ?? 0);
  const readsAll = state.recycles || elements.length <= MOST_COMPARED;
  const lines = elements.map((element, at) => {
    const box = boxes[at];
    const before = known.get(element);
    if (before && !readsAll && !(box?.bottom > start && box.top < end)) return { element, text: before.text, ...box };
    const row = read(element);
    const text = JSON.stringify(row);
    if (before && before.text !== text) state.recycles = true;
    return { element, row, text, ...box };
  });
  const now = new Set(elements);
  for (const element of known.keys()) if (!now.has(element)) state.recycles = true;
  return lines;
};

/** Sets `index`, the position in the list, of each row. Returns false if it cannot be determined. */
const setIndexes = (lines, state) => {
  const numbers = state.scroller ? numbersOf(lines, state) : null;
  state.isNumbered = numbers !== null;
  if (numbers) {
    for (const [at, line] of lines.entries()) line.index = numbers[at];
    return !leavesOut(numbers, state);
  }
  if (state.recycles) {
    const start = startOf(lines, state);
    for (const [at, line] of lines.entries()) line.index = start + at;
    return start !== null;
  }
  let { next } = state;
  for (const line of lines) line.index = state.known.get(line.element)?.index ?? next++;
  return true;
};

/** Whether scrolling has skipped row numbers. After `MOST_TRIES` attempts, assumes that the list itself has gaps. */
const leavesOut = (numbers, { next, tries, texts }) => {
  const first = Math.min(...numbers);
  return texts.size > 0 && first > next && tries < MOST_TRIES && Math.max(...numbers) - first < numbers.length;
};

const byIndex = ({ known }) => new Map(Array.from(known.values(), (line) => [line.index, line]));

/** Returns how many pixels a row may move because of late layout. If it moved as far as the list scrolled, it is another row. */
const nearness = ({ scroller, at }) => Math.max(1, Math.abs((scroller?.scrollTop ?? 0) - at) / 2);

/** The most frequent vote; `null` if there is none. */
const voted = (votes) => {
  const counts = new Map();
  for (const vote of votes) if (vote !== null) counts.set(vote, (counts.get(vote) ?? 0) + 1);
  return Array.from(counts).reduce((best, entry) => (entry[1] > best[1] ? entry : best), [null, 0])[0];
};

/**
 * Returns the list position of the first row. Matches the rows with the previous ones: by unchanged elements, by position, or by text.
 * Null if the match is ambiguous.
 */
const startOf = (lines, state) => {
  if (lines.length === 0 || state.texts.size === 0) return state.next;
  const before = byIndex(state);
  const near = nearness(state);
  const isAt = (line, other) => Math.abs(line.top - other.top) <= 1 && Math.abs(line.left - other.left) <= 1;
  const places = new Map(Array.from(before.values(), (line) => [Math.round(line.top), line]));
  const byElement = lines.map((line, at) => {
    const other = state.known.get(line.element);
    return other?.text === line.text && Math.abs(line.top - other.top) <= near ? other.index - at : null;
  });
  const byPlace = lines.map((line, at) => {
    const other = [0, -1, 1].map((off) => places.get(Math.round(line.top) + off)).find((other) => other && isAt(line, other));
    return other ? other.index - at : null;
  });
  const fit = (start) => {
    const said = lines.map((line, at) => [line, start + at]).filter(([, index]) => state.texts.has(index));
    const same = said.filter(([line, index]) => state.texts.get(index) === line.text);
    const isClear = said.every(
      ([line, index]) => state.texts.get(index) === line.text || (before.has(index) && isAt(line, before.get(index))),
    );
    if (!isClear || same.length === 0 || same.length * 2 < said.length) return null;
    return { start, isWhole: same.length === said.length, kinds: new Set(same.map(([line]) => line.text)).size };
  };
  const hints = [voted(byElement), voted(byPlace)].filter((start) => start !== null).flatMap((start) => fit(start) ?? []);
  const hint = hints.find((found) => found.isWhole);
  if (hint) return hint.start;
  const wholes = [];
  const first = Math.min(...before.keys()) - Math.ceil(lines.length / 2);
  for (let start = first; start < state.next; start++) {
    if (state.texts.get(start) !== lines[0].text) continue;
    const found = fit(start);
    if (found?.isWhole) wholes.push(found);
  }
  const kinds = Math.max(0, ...wholes.map((found) => found.kinds));
  const best = wholes.filter((found) => found.kinds === kinds);
  // Overlap in a single text is not sufficient, since consecutive rows can have the same text.
  if (best.length === 1 && kinds > 1) return best[0].start;
  return hints[0]?.start ?? null;
};
