async () => {
  const seen = (type, options = {}) =>
    new Promise((done) => {
      const entries = [];
      let observer;
      try {
        observer = new PerformanceObserver((list) => entries.push(...list.getEntries()));
        observer.observe({ type, buffered: true, ...options });
      } catch {
        done(entries);
        return;
      }
      // Buffered entries are delivered in a later task.
      setTimeout(() => {
        entries.push(...observer.takeRecords());
        observer.disconnect();
        done(entries);
      }, 60);
    });
  const [paints, largest, shifts, events, long] = await Promise.all([
    seen("paint"),
    seen("largest-contentful-paint"),
    seen("layout-shift"),
    seen("event", { durationThreshold: 16 }),
    seen("longtask"),
  ]);
  const describe = (element) => {
    if (!element || !element.tagName) return null;
    const id = element.id ? `#${element.id}` : "";
    return (
      element.tagName.toLowerCase() +
      id +
      Array.from(element.classList, (name) => `.${name}`)
        .slice(0, 3)
        .join("")
    );
  };
  // CLS: the largest sum of shifts in a session window: gaps of at most 1 s, at most 5 s in total.
  let [worst, sum, first, last, mover] = [0, 0, 0, 0, null];
  for (const shift of shifts.filter((one) => !one.hadRecentInput)) {
    if (sum && (shift.startTime - last > 1000 || shift.startTime - first > 5000)) sum = 0;
    if (!sum) first = shift.startTime;
    last = shift.startTime;
    sum += shift.value;
    if (sum > worst) [worst, mover] = [sum, describe(shift.sources?.[0]?.node)];
  }
  const longest = new Map();
  for (const event of events) {
    if (event.interactionId) longest.set(event.interactionId, Math.max(longest.get(event.interactionId) ?? 0, event.duration));
  }
  const delays = [...longest.values()].sort((a, b) => b - a);
  // Not every browser supports all these entry types.
  const tells = (type) => PerformanceObserver.supportedEntryTypes.includes(type);
  const lcp = largest.at(-1);
  const navigation = performance.getEntriesByType("navigation")[0];
  const resources = performance.getEntriesByType("resource");
  return {
    ttfb: navigation ? navigation.responseStart : null,
    load: navigation?.loadEventEnd || null,
    fcp: paints.find((paint) => paint.name === "first-contentful-paint")?.startTime ?? null,
    lcp: lcp ? lcp.startTime : null,
    lcpElement: lcp ? describe(lcp.element) : null,
    lcpUrl: lcp?.url || null,
    cls: tells("layout-shift") ? worst : null,
    shifted: mover,
    inp: delays.length ? delays[Math.min(delays.length - 1, Math.floor(delays.length / 50))] : null,
    interactions: delays.length,
    longTasks: tells("longtask") ? long.length : null,
    blocked: long.reduce((all, task) => all + Math.max(0, task.duration - 50), 0),
    requests: resources.length,
    bytes: resources.reduce((all, one) => all + (one.transferSize || 0), navigation?.transferSize ?? 0),
  };
};
