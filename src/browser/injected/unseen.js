// Finds the boxes in which a document shows texts that must be masked in screenshots.

engine.origin = () => self.origin;

const LETTER = /[\p{Alphabetic}\p{N}]/u;
/** Returns the letters and digits of a text as `[lower case letter, offset, length]`, with offset and length in UTF-16 units. */
const lettersOf = (text) => {
  const found = [];
  let at = 0;
  for (const letter of text) {
    if (LETTER.test(letter)) {
      const lower = letter.toLowerCase();
      found.push([[...lower].length === 1 ? lower : letter, at, letter.length]);
    }
    at += letter.length;
  }
  return found;
};
const joined = (letters) => letters.map(([letter]) => letter).join("");

const QUIET = new Set(["password", "hidden", "checkbox", "radio", "file", "image"]);
const FIELDS = "input, textarea, select";
/** Returns the text that a form field shows; "" for passwords. */
const shownBy = (field) => {
  if (field instanceof HTMLSelectElement) return Array.from(field.selectedOptions, (option) => option.label).join("\n");
  if (field instanceof HTMLInputElement && QUIET.has(field.type)) return "";
  return field.value || field.placeholder || "";
};

/** Returns the boxes of all text under `root` that matches a pattern or a literal. */
const placesIn = (root, patterns, literals) => {
  const places = [];
  const letters = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const boxes = (node, from, to) => {
    const range = document.createRange();
    range.setStart(node, from);
    range.setEnd(node, to);
    for (const box of range.getClientRects()) if (box.width && box.height) places.push(box);
  };
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const text = engine.native.textData(node);
    for (const literal of literals) {
      for (let at = text.indexOf(literal); at >= 0; at = text.indexOf(literal, at + 1)) boxes(node, at, at + literal.length);
    }
    for (const [letter, at, length] of lettersOf(text)) letters.push([letter, at, length, node]);
  }
  // A letter above U+FFFF has two units in a string, so `starts` maps each unit to its letter.
  const starts = [];
  for (const [index, [letter]] of letters.entries()) for (let part = 0; part < letter.length; part++) starts.push(index);
  const all = joined(letters);
  for (const pattern of patterns) {
    for (let at = all.indexOf(pattern); at >= 0; at = all.indexOf(pattern, at + 1)) {
      const part = letters.slice(starts[at], starts[at + pattern.length - 1] + 1);
      for (let first = 0; first < part.length; ) {
        let last = first;
        while (last + 1 < part.length && part[last + 1][3] === part[first][3]) last += 1;
        boxes(part[first][3], part[first][1], part[last][1] + part[last][2]);
        first = last + 1;
      }
    }
  }
  return places;
};

/** Returns the boxes of text and fields that show one of the texts. Compares `patterns` by letters and digits, `literals` exactly. */
engine.placesOf = (patterns, literals) => {
  const shows = (text) => {
    if (!text) return false;
    const letters = joined(lettersOf(text));
    return patterns.some((pattern) => letters.includes(pattern)) || literals.some((literal) => text.includes(literal));
  };
  const places = [];
  const look = (root) => {
    places.push(...placesIn(root, patterns, literals));
    for (const field of engine.queryAll(root, FIELDS)) if (shows(shownBy(field))) places.push(engine.native.rectOf(field));
    for (const element of engine.queryAll(root, "*")) {
      const inner = engine.shadowRootOf(element);
      if (inner) look(inner);
    }
  };
  look(document);
  return places.map(({ x, y, width, height }) => ({ x, y, width, height }));
};
