// Finds elements by a parsed selector (see `elements/selector.rs`): a chain of parts, each evaluated inside the matches of the previous.
// Also searches shadow roots. Results are in document order: the content of a shadow root follows the children of its host. For a
// single CSS selector, it follows all matches of the surrounding tree.

/** Thrown for an invalid selector. The message is `fault: reason`; `fault` is a variant of `SelectorFault` in Rust. */
class SelectorError extends Error {}
Object.defineProperty(SelectorError.prototype, "name", { value: "SelectorError" });

const ELEMENT = 1;
const TEXT = 3;
const {
  checkVisibility,
  contains,
  firstChild,
  getAttribute,
  hasAttribute,
  localName,
  matches,
  nextSibling,
  nodeType,
  parentNode,
  rectOf,
  rootOf,
  textData,
} = engine.native;
const queryAll = engine.queryAll;

const bound = (method) => Function.prototype.call.bind(method);
const getter = (type, property) => bound(Object.getOwnPropertyDescriptor(type.prototype, property).get);
const previousElement = getter(Element, "previousElementSibling");
const comparePosition = bound(Node.prototype.compareDocumentPosition);
const evaluateXPath = bound(Document.prototype.evaluate);
const documentElement = getter(Document, "documentElement");
const head = getter(Document, "head");
const describedByElements = getter(Element, "ariaDescribedByElements");
const labelledByElements = getter(Element, "ariaLabelledByElements");

const normalize = (text) =>
  text
    .replace(/[\u200b\u00ad]/g, "")
    .trim()
    .replace(/\s+/g, " ");

/* ------------------------------------------------------------ one question */

/** A cache for one synchronous call, during which the document cannot change. */
let memory = null;

/** Runs `work` with the cache. */
function asking(work) {
  if (memory) return work();
  memory = { hosts: new Map(), texts: new Map(), tests: new Map(), nthMatches: new Map(), beside: new Map() };
  try {
    return engine.remembering(work);
  } finally {
    memory = null;
  }
}

engine.asking = asking;

/* ------------------------------------------------------------- shadow trees */

/** The shadow hosts in the tree of `root`, a document or a shadow root; not those inside other shadow roots. */
function hostsOfTree(root) {
  let hosts = memory.hosts.get(root);
  if (!hosts) {
    hosts = queryAll(root, "*").filter(engine.shadowRootOf);
    memory.hosts.set(root, hosts);
  }
  return hosts;
}

function hostsBelow(scope) {
  if (nodeType(scope) !== ELEMENT) return hostsOfTree(scope);
  return hostsOfTree(rootOf(scope)).filter((host) => host !== scope && contains(scope, host));
}

/** Returns the descendants of `scope` that match a native CSS selector, including those in shadow roots unless `light` is true. */
function elementsBelow(scope, css = "*", light = false) {
  if (light) return queryAll(scope, css);
  const own = nodeType(scope) === ELEMENT ? engine.shadowRootOf(scope) : null;
  const roots = [own, ...hostsBelow(scope).map(engine.shadowRootOf)].filter(Boolean);
  const inTree = queryAll(scope, css);
  return roots.length ? inTree.concat(...roots.map((root) => elementsBelow(root, css))) : inTree;
}

/** Whether `a` precedes `b` in the same tree. */
const isBefore = (a, b) => Boolean(comparePosition(a, b) & Node.DOCUMENT_POSITION_FOLLOWING);

/** Returns the shadow hosts that contain an element, outermost first, followed by the element itself. */
function pathOf(element) {
  const path = [element];
  for (let root = rootOf(element); root instanceof ShadowRoot; root = rootOf(root.host)) path.unshift(root.host);
  return path;
}

function compareInDocument(a, b) {
  const [pathA, pathB] = [pathOf(a), pathOf(b)];
  for (let depth = 0; ; depth++) {
    const [stepA, stepB] = [pathA[depth], pathB[depth]];
    if (!stepA || !stepB) return stepA ? 1 : -1;
    if (stepA === stepB) continue;
    if (pathA.length > depth + 1 && contains(stepA, stepB)) return 1;
    if (pathB.length > depth + 1 && contains(stepB, stepA)) return -1;
    return isBefore(stepA, stepB) ? -1 : 1;
  }
}

const inOrder = (elements) => [...new Set(elements)].sort(compareInDocument);

/** Returns the parent element or, unless `light` is true, the shadow host; null at the top. */
function parentOf(element, light) {
  const parent = parentNode(element);
  if (!parent) return null;
  if (nodeType(parent) === ELEMENT) return parent;
  return !light && parent instanceof ShadowRoot ? parent.host : null;
}

/* --------------------------------------------------------------------- text */

const UNREAD = new Set(["script", "noscript", "style"]);
const isUnread = (node) => {
  if (nodeType(node) !== ELEMENT) return false;
  if (UNREAD.has(localName(node))) return true;
  const inHead = head(document);
  return Boolean(inHead) && contains(inHead, node);
};

/** Returns the text of a node: `{full, runs}`. `runs` are the pieces of its own text between its child elements. */
function textOf(node) {
  let text = memory.texts.get(node);
  if (!text) {
    text = readText(node);
    memory.texts.set(node, text);
  }
  return text;
}

function readText(node) {
  if (isUnread(node)) return { full: "", runs: [] };
  if (node instanceof HTMLInputElement && (node.type === "submit" || node.type === "button")) {
    return { full: node.value, runs: [node.value] };
  }
  let full = "";
  let run = "";
  const runs = [];
  for (let child = firstChild(node); child; child = nextSibling(child)) {
    const type = nodeType(child);
    if (type === TEXT) {
      run += textData(child);
      full += textData(child);
    } else if (type === ELEMENT) {
      if (run) runs.push(run);
      run = "";
      full += textOf(child).full;
    }
  }
  if (run) runs.push(run);
  const root = nodeType(node) === ELEMENT && engine.shadowRootOf(node);
  if (root) full += textOf(root).full;
  return { full, runs };
}

const normalized = (text) => (text.normalized ??= normalize(text.full));
const lowered = (text) => (text.lowered ??= normalized(text).toLowerCase());

function regex(source, flags) {
  try {
    return new RegExp(source, flags.replace("g", ""));
  } catch {
    throw new SelectorError("other: a regular expression in it is not valid");
  }
}

/** Returns a predicate over the result of `textOf` for a `TextTest` (Rust). */
function textTest(test) {
  let passes = memory.tests.get(test);
  if (!passes) {
    passes = makeTextTest(test);
    memory.tests.set(test, passes);
  }
  return passes;
}

function makeTextTest(test) {
  if (test.is === "regex") {
    const pattern = regex(test.source, test.flags);
    return (text) => text.full.search(pattern) !== -1;
  }
  const wanted = normalize(test.text);
  const part = wanted.toLowerCase();
  switch (test.is) {
    case "containing":
      return (text) => lowered(text).includes(part);
    case "whole":
      return (text) => normalized(text) === wanted;
    default:
      return (text) => (!wanted && !text.runs.length) || text.runs.some((run) => normalize(run) === wanted);
  }
}

/** Whether no child element of the element passes the test as well. */
function isSmallest(element, passes) {
  for (let child = firstChild(element); child; child = nextSibling(child)) {
    if (nodeType(child) === ELEMENT && passes(textOf(child))) return false;
  }
  const root = engine.shadowRootOf(element);
  return !(root && passes(textOf(root)));
}

function byText(root, { text: test }) {
  const passes = textTest(test);
  const found = [];
  const elements = elementsBelow(root);
  if (nodeType(root) === ELEMENT) elements.unshift(root);
  let miss = null;
  for (const element of elements) {
    // If an element does not contain the text, none of its descendants does.
    if (miss && test.is === "containing" && contains(miss, element)) continue;
    if (isUnread(element)) continue;
    if (!passes(textOf(element))) miss = element;
    else if (test.is === "run" || isSmallest(element, passes)) found.push(element);
  }
  return found;
}

const hasText = (element, test) => !isUnread(element) && textTest(test)(textOf(element));

/* ---------------------------------------------------------------------- css */

function nativeAll(scope, css, light) {
  try {
    return elementsBelow(scope, css || "*", light);
  } catch (error) {
    throw refusal(error);
  }
}

function nativeMatches(element, css) {
  try {
    return !css || matches(element, css);
  } catch (error) {
    throw refusal(error);
  }
}

const refusal = (error) =>
  error instanceof DOMException && error.name === "SyntaxError" ? new SelectorError("invalid_css: its CSS is not valid") : error;

function byCss(root, { native, list, light }) {
  if (native && nodeType(root) !== ELEMENT && (light || !hostsOfTree(root).length)) return nativeAll(root, native, true);
  return queryList(list, { scope: root, light });
}

/** Finds the matches of a selector list inside the scope. `context` is `{scope, light}`; with `light`, shadow roots are not searched. */
function queryList(list, context) {
  const found = list.map((complex) => queryComplex(complex, context));
  return found.length === 1 ? found[0] : inOrder(found.flat());
}

const SIBLINGS = new Set(["+", "~"]);

function queryComplex(complex, context) {
  const last = complex.at(-1);
  const candidates = candidatesFor(complex, last, context);
  const found = candidates.filter(
    (element) => matchesCompound(element, last, context) && matchesLeft(element, complex, complex.length - 1, context),
  );
  // Sorts matches of a layout pseudo-class, such as `:near()`, by distance.
  const beside = last.functions.find(({ is }) => is === "beside");
  if (!beside) return found;
  const away = new Map(found.map((element) => [element, distance(element, beside, context)]));
  return found.sort((a, b) => away.get(a) - away.get(b));
}

function candidatesFor(complex, last, context) {
  for (const test of last.functions) {
    if (test.is === "scope") return [scopeElement(context)].filter(Boolean);
    if (test.is === "light") return queryList(test.list, { ...context, light: true });
    if (test.is === "nthMatch") return [nthMatch(test, context)].filter(Boolean);
  }
  // `:scope + a` matches siblings of the scope.
  const beside = complex.length > 1 && SIBLINGS.has(complex[1].combinator) && namesScope(complex[0]);
  const around = beside && nodeType(context.scope) === ELEMENT ? parentNode(context.scope) : null;
  return nativeAll(around ?? context.scope, last.css, context.light);
}

const scopeElement = ({ scope }) => {
  if (nodeType(scope) === ELEMENT) return scope;
  return scope instanceof Document ? documentElement(scope) : null;
};

const matchesList = (element, list, context) =>
  list.some((complex) => matchesCompound(element, complex.at(-1), context) && matchesLeft(element, complex, complex.length - 1, context));

const matchesCompound = (element, compound, context) =>
  nativeMatches(element, compound.css) && compound.functions.every((test) => passes(element, test, context));

const namesScope = (compound) =>
  compound.functions.some(({ is, list }) => is === "scope" || list?.some((complex) => complex.some(namesScope)));

/** Whether the selector parts left of `complex[index]` match ancestors or preceding siblings of `element`. */
function matchesLeft(element, complex, index, context) {
  const { combinator } = complex[index];
  if (!combinator) return true;
  const step = SIBLINGS.has(combinator) ? previousElement : (node) => (node === context.scope ? null : parentOf(node, context.light));
  const oneStep = combinator === ">" || combinator === "+";
  for (let node = step(element); node; node = oneStep ? null : step(node)) {
    // The scope itself matches only if the selector contains `:scope`.
    if (node === context.scope && !namesScope(complex[index - 1])) return false;
    if (matchesCompound(node, complex[index - 1], context) && matchesLeft(node, complex, index - 1, context)) return true;
  }
  return false;
}

function passes(element, test, context) {
  switch (test.is) {
    case "any":
      return matchesList(element, test.list, context);
    case "none":
      return !matchesList(element, test.list, context);
    case "has":
      return queryList(test.list, { ...context, scope: element }).length > 0;
    case "light":
      return matchesList(element, test.list, { ...context, light: true });
    case "nthMatch":
      return nthMatch(test, context) === element;
    case "beside":
      return distance(element, test, context) < Infinity;
    case "scope":
      return element === scopeElement(context);
    case "visible":
      return engine.isVisible(element);
    case "text":
      return hasText(element, test.text) && isSmallest(element, textTest(test.text));
    case "hasText":
      return hasText(element, test.text);
    default:
      throw new SelectorError("other: it asks for what is not known");
  }
}

const NEAR = 50;

/** Returns the distance to the nearest element of a layout pseudo-class (`:right-of()`); infinite if all are on another side or too far. */
function distance(element, test, context) {
  const { side, list } = test;
  const most = test.most ?? (side === "near" ? NEAR : Infinity);
  let found = memory.beside.get(test);
  if (!found) memory.beside.set(test, (found = queryList(list, { ...context, scope: document })));
  const gaps = found.filter((other) => other !== element).map((other) => gap(rectOf(element), rectOf(other), side, most));
  return Math.min(...gaps, Infinity);
}

/** Returns the distance of a box from another on one side, plus how far it extends beyond the other across; infinite if over `most`. */
function gap(box, other, side, most) {
  const [left, right] = [other.left - box.right, box.left - other.right];
  const [above, below] = [other.top - box.bottom, box.top - other.bottom];
  if (side === "near") {
    const away = [left, right, above, below].reduce((sum, part) => sum + Math.max(part, 0), 0);
    return away > most ? Infinity : away;
  }
  const away = { leftOf: left, rightOf: right, above, below }[side];
  if (away < 0 || away > most) return Infinity;
  const [before, after] = side.endsWith("Of")
    ? [box.top - other.top, other.bottom - box.bottom]
    : [box.left - other.left, other.right - box.right];
  return away + Math.max(before, 0) + Math.max(after, 0);
}

function nthMatch(test, context) {
  let scopes = memory.nthMatches.get(test);
  if (!scopes) memory.nthMatches.set(test, (scopes = new Map()));
  if (!scopes.has(context.scope)) scopes.set(context.scope, queryList(test.list, context)[test.index - 1] ?? null);
  return scopes.get(context.scope);
}

/* --------------------------------------------------- attributes, labels, paths */

function valueTest(test) {
  if (test.is === "regex") {
    const pattern = regex(test.source, test.flags);
    return (value) => value.search(pattern) !== -1;
  }
  if (test.is === "whole") return (value) => value === test.text;
  const part = test.text.toLowerCase();
  return (value) => value.toLowerCase().includes(part);
}

function byAttribute(root, { name, value }) {
  const passes = valueTest(value);
  return elementsBelow(root, `[${CSS.escape(name)}]`).filter((element) => passes(getAttribute(element, name)));
}

/** The texts that label an element: those of `aria-labelledby`, or its `aria-label`, or those of its `<label>`s. */
function labelTexts(element) {
  const named = hasAttribute(element, "aria-labelledby") ? labelledByElements(element) : null;
  if (named?.length) return Array.from(named, textOf);
  const label = getAttribute(element, "aria-label");
  if (label?.trim()) return [{ full: label, runs: [label] }];
  if (!matches(element, LABELLED)) return [];
  return Array.from(engine.labelsOf(element), textOf);
}
const LABELLED = "button, meter, output, progress, select, textarea, input:not([type=hidden i])";

function byLabel(root, { text }) {
  const passes = textTest(text);
  return elementsBelow(root, `[aria-labelledby], [aria-label], ${LABELLED}`).filter((element) => labelTexts(element).some(passes));
}

function byXpath(root, { path }) {
  const inElement = nodeType(root) === ELEMENT;
  if (!inElement && !(root instanceof Document)) return [];
  const found = [];
  try {
    const nodes = evaluateXPath(
      document,
      inElement && path.startsWith("/") ? `.${path}` : path,
      root,
      null,
      XPathResult.ORDERED_NODE_ITERATOR_TYPE,
      null,
    );
    for (let node = nodes.iterateNext(); node; node = nodes.iterateNext()) if (nodeType(node) === ELEMENT) found.push(node);
  } catch (error) {
    if (error instanceof DOMException || error instanceof TypeError) throw new SelectorError("other: its XPath is not valid");
    throw error;
  }
  return found;
}

/* -------------------------------------------------------------------- roles */

const SAME_ROLE = { image: "img", presentation: "none", directory: "list" };

/** Whether the element is hidden from assistive technology. */
function isUnreported(element) {
  if (engine.isHiddenFromAccessibility(element)) return true;
  return !isRendered(element);
}

const VISIBLE_BOX = { visibilityProperty: true };
function isRendered(element) {
  if (checkVisibility(element, VISIBLE_BOX)) return true;
  // The options of a closed select have no boxes, but assistive technology lists them.
  if (localName(element) === "option") {
    for (let node = parentNode(element); node && nodeType(node) === ELEMENT; node = parentNode(node)) {
      if (localName(node) === "select") return isRendered(node);
    }
  }
  return (
    isContents(element) &&
    isAroundRendered(element) &&
    engine
      .flatChildren(element)
      .some((child) => (nodeType(child) === ELEMENT ? isRendered(child) : nodeType(child) === TEXT && textData(child).trim() !== ""))
  );
}

/** Whether an element is `display: contents`, and visible. */
const isContents = (element) => {
  const { display, visibility } = getComputedStyle(element);
  return display === "contents" && visibility === "visible";
};

/** Whether the nearest ancestor with a box is drawn. */
function isAroundRendered(element) {
  let node = engine.flatParent(element);
  while (node && isContents(node)) node = engine.flatParent(node);
  return !node || checkVisibility(node, VISIBLE_BOX);
}

function nameTest(test) {
  if (test.is === "regex") {
    const pattern = regex(test.source, test.flags);
    return (name) => name.search(pattern) !== -1 || engine.withoutIcons(name).search(pattern) !== -1;
  }
  const fold = (text) => (test.exact ? text : text.toLowerCase());
  const wanted = fold(normalize(test.text));
  const compare = COMPARISONS[test.compare];
  // Snapshots show names without the characters of icon fonts.
  return (name) => compare(fold(name), wanted) || compare(fold(engine.withoutIcons(name)), wanted);
}

const COMPARISONS = {
  is: (name, wanted) => name === wanted,
  isNot: (name, wanted) => name !== wanted,
  containing: (name, wanted) => name.includes(wanted),
  starting: (name, wanted) => name.startsWith(wanted),
  ending: (name, wanted) => name.endsWith(wanted),
  dashed: (name, wanted) => name === wanted || name.startsWith(`${wanted}-`),
  word: (name, wanted) => name.split(" ").includes(wanted),
};

/** Whether a role selector without other matches also finds visible `aria-hidden` elements, since snapshots list them. */
let takesPainted = false;

function byRole(root, wanted) {
  const role = SAME_ROLE[wanted.role] ?? wanted.role;
  const named = wanted.name && nameTest(wanted.name);
  const described = wanted.description && nameTest(wanted.description);
  const isMeant = (element) => {
    if (described && !described(descriptionOf(element, role))) return false;
    return !named || named(normalize(engine.nameOf(element, role)));
  };
  const all = elementsBelow(root).filter((element) => engine.writtenRoleOf(element) === role && hasStates(element, role, wanted));
  const found = all.filter((element) => (wanted.hiddenToo || !isUnreported(element)) && isMeant(element));
  if (found.length || wanted.hiddenToo || !takesPainted) return found;
  return all.filter((element) => engine.isVisible(element) && isMeant(element));
}

/** Returns the accessible description: from `aria-describedby`, `aria-description`, or a title that is not the name. */
function descriptionOf(element, role) {
  const describing = hasAttribute(element, "aria-describedby") ? describedByElements(element) : null;
  if (describing?.length) return normalize(Array.from(describing, (other) => textOf(other).full).join(" "));
  const words = normalize(getAttribute(element, "aria-description") ?? "");
  if (words) return words;
  const title = normalize(getAttribute(element, "title") ?? "");
  return title === normalize(engine.nameOf(element, role)) ? "" : title;
}

function hasStates(element, role, wanted) {
  const { checked, pressed, selected, expanded, level, disabled } = wanted;
  if (disabled !== undefined && engine.isDisabled(element) !== disabled) return false;
  if ([checked, pressed, selected, expanded, level].every((state) => state === undefined)) return true;
  const states = engine.statesOf(element, role);
  const isExpanded = localName(element) === "details" ? hasAttribute(element, "open") : states.expanded;
  return (
    (checked === undefined || (states.checked ?? false) === checked) &&
    (pressed === undefined || (states.pressed ?? false) === pressed) &&
    (selected === undefined || (states.selected ?? false) === selected) &&
    (expanded === undefined || isExpanded === expanded) &&
    (level === undefined || states.level === level)
  );
}

/* ------------------------------------------------------------------- chains */

const custom = new Map();

/** Finds elements with a custom selector engine. `source` is a JavaScript expression that evaluates to the engine. */
function byCustom(root, { source, body }) {
  if (!custom.has(source)) custom.set(source, (0, eval)(`(${source.trim().replace(/;$/, "")})`));
  return Array.from(custom.get(source).queryAll(root, body));
}

/** Finds an element by its ref number in a snapshot. */
function byRef(_root, { number }) {
  const node = engine.byRef(number);
  return node ? [node] : [];
}

const FINDERS = {
  ref: byRef,
  custom: byCustom,
  css: byCss,
  xpath: byXpath,
  text: byText,
  role: byRole,
  attribute: byAttribute,
  label: byLabel,
};

/** Selector parts that filter the elements found so far: each function returns whether to keep the element. */
const FILTERS = {
  has: (element, { chain }) => run(chain, element).length > 0,
  hasNot: (element, { chain }) => run(chain, element).length === 0,
  hasText: (element, { text }) => hasText(element, text),
  hasNotText: (element, { text }) => !hasText(element, text),
  visible: (element, { visible }) => engine.isVisible(element) === visible,
};

function run(chain, root) {
  const before = takesPainted;
  takesPainted ||= chain.at(-1)?.by === "painted";
  try {
    let found = [root];
    for (const part of chain) found = runPart(part, found, root);
    return found;
  } finally {
    takesPainted = before;
  }
}

function runPart(part, found, root) {
  if (FILTERS[part.by]) return found.filter((element) => nodeType(element) === ELEMENT && FILTERS[part.by](element, part));
  switch (part.by) {
    case "same":
    case "painted":
      return found;
    case "nth":
      return found.slice(part.index, part.index + 1 || undefined);
    case "and": {
      const also = new Set(run(part.chain, root));
      return found.filter((element) => also.has(element));
    }
    case "or":
      return inOrder([...found, ...run(part.chain, root)]);
    default: {
      const find = part.by === "chain" ? (within) => run(part.chain, within) : (within) => FINDERS[part.by](within, part);
      return found.length === 1 ? find(found[0]) : inOrder(found.flatMap(find));
    }
  }
}

/** The elements that a chain finds below `root` (null: the document), in document order. */
engine.select = (chain, root) => asking(() => run(chain, root ?? document).filter((node) => nodeType(node) === ELEMENT));

/** The first match; null if there is none. */
engine.first = (chain, root) => engine.select(chain, root)[0] ?? null;

/** Returns the text of each match: `innerText` if `drawn` is true, otherwise `textContent`. */
engine.textsOf = (chain, root, drawn) =>
  engine.select(chain, root).map((element) => (drawn ? element.innerText : element.textContent || ""));

/** The number of matches. */
engine.count = (chain, root) => engine.select(chain, root).length;

/** Returns the first match or null. In strict mode (`testId` is the test id attribute, not null), throws for several matches. */
engine.pick = (chain, root, testId) => {
  const found = engine.select(chain, root);
  if (testId === null || found.length < 2) return found[0] ?? null;
  const shown = found.slice(0, 10);
  const ways = shown.map((element) => engine.wayTo(element, testId));
  const several = new Error(JSON.stringify({ count: found.length, previews: shown.map(engine.preview), ways }));
  several.name = "NotUnique";
  throw several;
};

/** Returns the number of matches and of visible matches, and `[ref, role, name]` of the first ones: the visible ones, if there are any. */
engine.matches = (chain, root) => {
  const all = engine.select(chain, root);
  const seen = all.filter(engine.isVisible);
  return asking(() => {
    const found = (seen.length ? seen : all).slice(0, 10);
    const first = (found.length > 1 ? found.map(shownAs) : found).map((element) => {
      const role = engine.roleOf(element) ?? "";
      const name = normalize(engine.nameOf(element, role) || textOf(element).full);
      return [engine.refOf(element), role || localName(element), name.length > 60 ? `${name.slice(0, 59)}\u2026` : name];
    });
    return { all: all.length, seen: seen.length, first };
  });
};

const MOST_AROUND = 4;
/** Returns the control that contains an element if snapshots list the control instead of its parts. */
function shownAs(element) {
  if (engine.INTERACTIVE_ROLES.has(engine.roleOf(element))) return element;
  let around = engine.flatParent(element);
  for (let level = 0; around && level < MOST_AROUND; level++, around = engine.flatParent(around)) {
    if (engine.hasRef(around) && engine.INTERACTIVE_ROLES.has(engine.roleOf(around))) return around;
  }
  return element;
}

/** A short HTML preview of an element. */
engine.preview = (element) => {
  const attributes = Array.from(element.attributes, ({ name, value }) => (value === "" ? name : `${name}="${value}"`));
  let written = attributes.join(" ");
  if (written.length > 500) written = `${written.slice(0, 499)}\u2026`;
  const tag = localName(element);
  let text = normalize(engine.textContent(element) ?? "");
  if (text.length > 50) text = `${text.slice(0, 49)}\u2026`;
  const inside = element.children.length && !text ? "\u2026" : text;
  return VOID.has(tag) ? `<${tag}${written && ` ${written}`}/>` : `<${tag}${written && ` ${written}`}>${inside}</${tag}>`;
};

/** A node on one line, as a debugger shows it: short attributes first; the text only if there are no child elements. */
engine.shown = (node) => {
  const line = (text) => text.replace(/\n/g, "\u21b5").replace(/\t/g, "\u21c6");
  const short = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}\u2026` : text);
  if (nodeType(node) === TEXT) return line(`#text=${textData(node)}`);
  if (nodeType(node) !== ELEMENT) return line(node instanceof Comment ? `<!--${node.data}-->` : node.nodeName.toLowerCase());
  const attributes = Array.from(node.attributes).filter(({ name }) => name !== "style");
  const written = attributes.map(({ name, value }) => (value === "" && BOOLEAN.has(name) ? ` ${name}` : ` ${name}="${value}"`));
  const head = `<${localName(node)}${short(written.sort((a, b) => a.length - b.length).join(""), 500)}`;
  if (VOID.has(localName(node))) return line(`${head}/>`);
  const children = Array.from(node.childNodes);
  const isText = children.every((child) => nodeType(child) === TEXT);
  return line(`${head}>${isText ? short(engine.textContent(node) ?? "", 50) : "\u2026"}</${localName(node)}>`);
};
const BOOLEAN = new Set("checked selected disabled readonly multiple".split(" "));
const VOID = new Set("area base br col command embed hr img input keygen link menuitem meta param source track wbr".split(" "));

/* ------------------------------------------------------------------- ways back */

const MOST_TEXT = 80;
const MEANS_NOTHING = new Set(["", "generic", "iframe", "none", "presentation"]);

const textIs = (text, exact) => ({ is: exact ? "whole" : "containing", text });
const attributeIs = ({ by, text, exact }) => ({ by: "attribute", name: by, value: textIs(text, exact) });

/** Converts a locator description to a selector part, by its kind. */
const WAYS = {
  testId: ({ text }, testId) => ({ by: "attribute", name: testId, value: textIs(text, true) }),
  role: ({ text, name, exact }) => ({
    by: "role",
    role: text,
    name: name && { is: "text", compare: exact ? "is" : "containing", text: name, exact },
  }),
  label: ({ text, exact }) => ({ by: "label", text: textIs(text, exact) }),
  placeholder: attributeIs,
  alt: attributeIs,
  title: attributeIs,
  text: ({ text, exact }) => ({ by: "text", text: textIs(text, exact) }),
};

/** Yields candidate locators of an element, best first. */
function* namesOf(element, testId) {
  const id = getAttribute(element, testId);
  if (id) yield { by: "testId", text: id };
  const role = engine.roleOf(element) ?? "";
  const name = MEANS_NOTHING.has(role) ? "" : engine.collapse(engine.nameOf(element, role) ?? "");
  if (name) yield { by: "role", text: role, name };
  const label = engine.labelsOf(element)?.[0];
  if (label) yield { by: "label", text: engine.collapse(label.textContent) };
  for (const by of ["placeholder", "alt", "title"]) {
    const text = getAttribute(element, by);
    if (text) yield { by, text };
  }
  const text = engine.collapse(textOf(element).full);
  if (text && text.length <= MOST_TEXT) yield { by: "text", text };
  if (!MEANS_NOTHING.has(role)) yield { by: "role", text: role };
}

/** Returns a locator for an element: `{by, text, name, exact}`, with `nth` if it has several matches. */
engine.wayTo = (element, testId) =>
  asking(() => {
    let among = null;
    for (const way of namesOf(element, testId)) {
      for (const exact of way.by === "testId" || (way.by === "role" && !way.name) ? [undefined] : [undefined, true]) {
        const found = run([WAYS[way.by]({ ...way, exact }, testId)], document);
        const nth = found.indexOf(element);
        if (found.length === 1 && nth === 0) return { ...way, exact };
        if (nth >= 0) among ??= { ...way, nth };
      }
    }
    if (among) return among;
    const text = pathTo(element);
    const found = elementsBelow(document, text);
    return { by: "css", text, nth: found.length > 1 ? found.indexOf(element) : undefined };
  });

/** Whether an id seems generated and so may differ after a reload: letters and digits often alternate in it. */
function isDrawnByLot(id) {
  const kinds = Array.from(id.replace(/[-_:]/g, ""), (letter) => (/\d/.test(letter) ? "digit" : "other"));
  const turns = kinds.filter((kind, at) => at > 0 && kind !== kinds[at - 1]).length;
  return kinds.length >= 8 && turns >= kinds.length / 4;
}

/** Returns the shortest unique CSS path to an element. Starts at an ancestor with an id, if there is one. */
function pathTo(element) {
  const steps = [];
  for (let at = element; at; at = at.parentElement) {
    if (at.id && !isDrawnByLot(at.id)) return [`[id=${JSON.stringify(at.id)}]`, ...steps].join(" > ");
    const same = Array.from(at.parentNode?.children ?? []).filter((other) => localName(other) === localName(at));
    steps.unshift(same.length > 1 ? `${localName(at)}:nth-of-type(${same.indexOf(at) + 1})` : localName(at));
    if (elementsBelow(document, steps.join(" > ")).length === 1) break;
  }
  return steps.join(" > ");
}

/** Returns all text in an element, including shadow roots. */
engine.textOf = (element) => asking(() => textOf(element).full);

engine.describedAs = (element) => asking(() => descriptionOf(element, engine.roleOf(element)));
