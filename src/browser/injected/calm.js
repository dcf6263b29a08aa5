// Determines whether a document is idle: nothing is loading or moving, and nothing has changed within `CALM_MS`.
const own = (method) => Function.prototype.call.bind(method);
const animationsOf = own(Document.prototype.getAnimations);
const { querySelector, textContent } = engine.native;

const CALM_MS = 200;
/** The time after the last call of `isCalm` until the mutation observer is removed. */
const LINGER_MS = 2000;
/** Animations with more time left than this do not count as activity. */
const LONGEST_MS = 5000;
const BUSY = "[aria-busy=true],progress:not([value])";

let watcher = null;
let ending = 0;
let changed = 0;

/** Whether the document is idle. The first call always returns false, since earlier changes are unknown. */
engine.isCalm = () => {
  const now = performance.now();
  if (!watcher) {
    changed = now;
    watcher = new MutationObserver(() => (changed = performance.now()));
    watcher.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  }
  if (watcher.takeRecords().length) changed = now;
  clearTimeout(ending);
  ending = setTimeout(() => {
    watcher?.disconnect();
    watcher = null;
  }, LINGER_MS);
  if (document.readyState !== "complete" || now - changed < CALM_MS || document.activeViewTransition) return false;
  const busy = document.documentElement && querySelector(document.documentElement, BUSY);
  return !(busy && engine.isVisible(busy)) && !animationsOf(document).some(isUnderWay);
};

/** Whether an animation ends soon, or is an endless one without text, such as a spinner. */
function isUnderWay({ playState, timeline, currentTime, effect }) {
  if (playState !== "running" || !(timeline instanceof DocumentTimeline)) return false;
  const left = effect.getComputedTiming().endTime - (currentTime ?? 0);
  if (left !== Infinity) return left > 0 && left <= LONGEST_MS;
  return effect.target !== null && !textContent(effect.target).trim() && engine.isVisible(effect.target);
}
