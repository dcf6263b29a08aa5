// Numbers for nodes. A number belongs to one node for ever: it is never used again, not by the next document either.
const numbers = new WeakMap();
const nodes = new Map();
let next = firstRef;

/** The smallest number that this document may use: it tells documents apart. */
engine.firstRef = firstRef;

Object.defineProperty(engine, "lastRef", { get: () => next - 1 });

/** Numbers below `first` are other documents' from now on: this one comes back after they were shown. */
engine.from = (first) => {
  next = Math.max(next, first);
  return engine;
};

/** The number of a node; the first question gives it one. */
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

/** Gives new nodes the numbers of old ones that are gone; of these pairs of numbers (old, new), those that it could. */
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

/** Whether a node has a number already. */
engine.hasRef = (node) => numbers.has(node);

let sweepAt = 50_000;
/** Forgets the numbers of nodes that no longer exist, so that a page that lives for days does not fill memory. */
function sweep() {
  for (const [number, node] of nodes) if (!node.deref()) nodes.delete(number);
  sweepAt = Math.max(50_000, nodes.size * 2);
}

/** The node of a number; null when it is gone from the document. */
engine.byRef = (number) => {
  const node = nodes.get(number)?.deref();
  if (!node) {
    nodes.delete(number);
    return null;
  }
  return engine.native.isConnected(node) ? node : null;
};
