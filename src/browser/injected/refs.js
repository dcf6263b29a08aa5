// Ref numbers of nodes. A number is never reused, even by later documents, except if a node replaces another one (`takeOver`).
const numbers = new WeakMap();
const nodes = new Map();
let next = firstRef;

/** The smallest ref number of this document. It also identifies the document. */
engine.firstRef = firstRef;

Object.defineProperty(engine, "lastRef", { get: () => next - 1 });

/** Assigns only numbers from `first` on. Used when a document is shown again (back/forward cache) after others have used lower numbers. */
engine.from = (first) => {
  next = Math.max(next, first);
  return engine;
};

/** Returns the ref number of a node. The first call assigns the number. */
engine.refOf = (node) => {
  let number = numbers.get(node);
  if (number === undefined) {
    number = next++;
    numbers.set(node, number);
    nodes.set(number, new WeakRef(node));
    if (nodes.size > sweepAt) sweep();
  }
  return number;
};

/** Assigns the number of a removed node to the node that replaces it. Takes pairs `[old, new]`; returns those that it applied. */
engine.takeOver = (pairs) =>
  pairs.filter(([old, now]) => {
    const node = nodes.get(now)?.deref();
    const gone = nodes.get(old)?.deref();
    if (!node || old < firstRef || (gone && engine.native.isConnected(gone))) return false;
    if (gone) numbers.delete(gone);
    numbers.set(node, old);
    nodes.set(old, new WeakRef(node));
    return true;
  });

/** Gives a node a new ref number, so that refs to what it was before no longer find it. Returns the number. */
engine.renewRef = (node) => {
  nodes.delete(numbers.get(node));
  numbers.delete(node);
  return engine.refOf(node);
};

/** Whether a node already has a ref number. */
engine.hasRef = (node) => numbers.has(node);

let sweepAt = 50_000;
/** Removes the entries of garbage-collected nodes, so that the map does not grow without limit. */
function sweep() {
  for (const [number, node] of nodes) if (!node.deref()) nodes.delete(number);
  sweepAt = Math.max(50_000, nodes.size * 2);
}

/** Returns the node with a ref number; null if it was removed from the document. */
engine.byRef = (number) => {
  const node = nodes.get(number)?.deref();
  if (!node) {
    nodes.delete(number);
    return null;
  }
  return engine.native.isConnected(node) ? node : null;
};
