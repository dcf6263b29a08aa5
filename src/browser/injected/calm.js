// Whether a document is idle: nothing loads, moves, or has just changed.
const own = (method) => Function.prototype.call.bind(method);
const animationsOf = own(Document.prototype.getAnimations);
const { querySelector, textContent } = engine.native;

const CALM_MS = 200;
/** How long changes are observed after the last query. */
const LINGER_MS = 2000;
/** Animations with more time left are not waited for. */
const LONGEST_MS = 5000;
const BUSY = "[aria-busy=true],progress:not([value])";

let watcher = null;
let ending = 0;
let changed = 0;

/** Whether the document is idle. Changes before the first call are unknown, so that call returns false. */
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
