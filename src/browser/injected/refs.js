// Numbers for nodes. A number is not reused, not even in the next document, except for a node that replaced another (`takeOver`).
const numbers = new WeakMap();
const nodes = new Map();
let next = firstRef;

/** The smallest number that this document may use. It identifies the document. */
engine.firstRef = firstRef;

Object.defineProperty(engine, "lastRef", { get: () => next - 1 });

/** Continues at `first` or above, for a document that is shown again after others have used lower numbers. */
engine.from = (first) => {
  next = Math.max(next, first);
  return engine;
};

/** Returns the number of a node, which it receives at the first call. */
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

/** Gives nodes the numbers of gone nodes that they replace. Takes pairs `[old, new]` of numbers; returns those that it has changed. */
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

/** Whether a node already has a number. */
engine.hasRef = (node) => numbers.has(node);

let sweepAt = 50_000;
/** Removes the numbers of nodes that no longer exist, so that a page that stays open for days does not fill the memory. */
function sweep() {
  for (const [number, node] of nodes) if (!node.deref()) nodes.delete(number);
  sweepAt = Math.max(50_000, nodes.size * 2);
}

/** Returns the node with a number; null if it has left the document. */
engine.byRef = (number) => {
  const node = nodes.get(number)?.deref();
  if (!node) {
    nodes.delete(number);
    return null;
  }
  return engine.native.isConnected(node) ? node : null;
};
