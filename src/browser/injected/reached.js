// Records how an action in another page affects this page: messages, storage events, cookie changes, and the DOM changes that follow.
const { contains, isConnected } = engine.native;
const { checkVisibility, parentNode, textContent } = engine.native;

const watches = new Map();
let newest = 0;
/** Whether the engine has found that the document changes without actions. */
let restless = false;
const MOST_NODES = 100;
const MOST_TEXTS = 3;
const LONGEST_TEXT = 120;

/** Yields the event targets and event types by which other pages can affect this page. */
function* ears() {
  yield [globalThis, "message"];
  yield [globalThis, "storage"];
  if (globalThis.cookieStore) yield [cookieStore, "change"];
  if (navigator.serviceWorker) yield [navigator.serviceWorker, "message"];
}

/** Starts recording events from other pages and DOM changes. Returns the number of this watch. */
engine.attend = () => {
  const watch = { heard: 0, changes: 0, last: performance.now(), nodes: new Set() };
  watch.hear = () => {
    watch.heard++;
    watch.last = performance.now();
  };
  watch.observer = new MutationObserver((records) => note(watch, records));
  watch.observer.observe(document, { subtree: true, childList: true, characterData: true, characterDataOldValue: true });
  for (const [place, kind] of ears()) place.addEventListener(kind, watch.hear);
  watches.set(++newest, watch);
  return newest;
};

/** Replaces numbers, so that a clock does not count as a change. */
const withoutNumbers = (text) => text.replace(/\d+/g, "0");

function note(watch, records) {
  for (const { type, target, oldValue, addedNodes, removedNodes } of records) {
    const textOf = (nodes) => Array.from(nodes, textContent).join("");
    const [before, after] = type === "characterData" ? [oldValue ?? "", target.data] : [textOf(removedNodes), textOf(addedNodes)];
    if (withoutNumbers(before) === withoutNumbers(after)) continue;
    watch.changes++;
    watch.last = performance.now();
    if (watch.nodes.size >= MOST_NODES) continue;
    for (const node of type === "characterData" ? [target] : addedNodes) watch.nodes.add(node);
  }
}

/** Returns the number of events from other pages (`heard`) and of text `changes`, the milliseconds since the latest of them (`quiet`),
 * whether the document changes without actions (`restless`), and its new `texts`. */
engine.attended = async (number) => {
  await new Promise((resolve) => setTimeout(resolve));
  const watch = watches.get(number);
  if (!watch) return { heard: 0, changes: 0, quiet: 0, restless, texts: [] };
  note(watch, watch.observer.takeRecords());
  const { heard, changes, last } = watch;
  return { heard, changes, quiet: performance.now() - last, restless, texts: textsOf(watch) };
};

function textsOf({ nodes }) {
  const elements = Array.from(nodes, (node) => (node instanceof Element ? node : parentNode(node)));
  const shown = [...new Set(elements)].filter((node) => node instanceof Element && isConnected(node) && checkVisibility(node));
  const outer = shown.filter((node) => !shown.some((other) => other !== node && contains(other, node)));
  const texts = outer.map((node) => engine.collapse(textContent(node)).slice(0, LONGEST_TEXT)).filter(Boolean);
  return [...new Set(texts)].slice(0, MOST_TEXTS);
}

engine.markRestless = () => {
  restless = true;
};

/** Stops the watch with this number. */
engine.unattend = (number) => {
  const watch = watches.get(number);
  if (!watch) return;
  watches.delete(number);
  watch.observer.disconnect();
  for (const [place, kind] of ears()) place.removeEventListener(kind, watch.hear);
};

/** Resolves when the tasks that are queued now have run. */
engine.turn = async () => {
  for (let turns = 0; turns < 2; turns++) await new Promise((resolve) => setTimeout(resolve));
};
