// Counts timers. Browsers number the timers of a document in the order in which they are set, whichever world sets them.

/** The number of timers that the engine has set. */
let ownTimers = 0;

/** Stands for the browser's `setTimeout` in the engine. */
const setTimeout = (...given) => {
  ownTimers++;
  return globalThis.setTimeout(...given);
};

/** Returns how many timers the page's own scripts have set so far. */
engine.pageTimers = () => {
  const id = setTimeout(() => {});
  clearTimeout(id);
  return id - ownTimers;
};
