// What changes in the document, and who could change it later: so that an action knows what to wait for.
const { parentNode, rootOf, slotOfElement } = engine.native;

let observer = null;
let changes = 0;
let last = 0;
let watches = 0;

/** Begins to watch the document, and the shadow roots around these nodes. Answers the number of this watch. */
engine.watch = (...nodes) => {
  observer?.disconnect();
  watches++;
  changes = 0;
  last = performance.now();
  observer = new MutationObserver((records) => {
    changes += records.length;
    last = performance.now();
  });
  const everything = { subtree: true, childList: true, attributes: true, characterData: true };
  observer.observe(document, everything);
  for (const node of nodes) {
    for (let root = rootOf(node); root instanceof ShadowRoot; root = rootOf(root.host)) observer.observe(root, everything);
  }
  return watches;
};

/**
 * `{changes, quiet}`: how many changes there were, and for how many milliseconds there has been none. Comes after the
 * timers that are due, so that a page that lags behind its own is not taken for one that rests.
 */
engine.watched = async () => {
  if (document.visibilityState === "visible") await new Promise((resolve) => setTimeout(resolve));
  const pending = observer?.takeRecords().length ?? 0;
  if (pending) {
    changes += pending;
    last = performance.now();
  }
  return { changes, quiet: performance.now() - last };
};

/** Ends a watch, unless another one has begun. */
engine.unwatch = (number) => {
  if (number !== watches) return;
  observer?.disconnect();
  observer = null;
};

/** Where an event goes on from a node. */
const above = (node) =>
  (node instanceof Element && slotOfElement(node)) || parentNode(node) || (node instanceof ShadowRoot ? node.host : null);

/** The way of an event from a node up to the document. */
const wayUp = (start) => {
  const way = [];
  for (let here = start; here; here = above(here)) way.push(here);
  return way;
};

/**
 * Everything that hears of input to the nodes, up to the document; then, behind a `null`, what hears of it when the
 * focus leaves where it is now.
 */
engine.hearers = (...nodes) => {
  const heard = new Set(nodes.flatMap((node) => [node, engine.controlOf(node)]).flatMap(wayUp));
  const left = wayUp(engine.activeElement()).filter((here) => !heard.has(here));
  return [...heard, null, ...left];
};

const ACTS = "a[href],area[href],button,input,select,summary,label,option,[contenteditable],[popovertarget],[commandfor],form,iframe,video,audio";

/** Whether the browser itself does something when the node is pressed. */
engine.hasDefaultAction = (node) => {
  for (let here = node; here; here = engine.flatParent(here)) {
    if (!engine.native.matches(here, ACTS)) continue;
    // A button that submits nothing and opens nothing only tells its listeners.
    const isPlain = here instanceof HTMLButtonElement && (here.type === "button" || !here.form) && !here.popoverTargetElement && !here.commandForElement;
    if (!isPlain) return true;
  }
  return false;
};
