// Installs a fake clock in the page's main world. The engine controls it through `Date.now(token, …)`, with a `token` unknown to pages.
// All times are in milliseconds. `ticks` is the time that has passed on the fake clock since it was installed.
(token, { origin, state }) => {
  const real = Object.fromEntries(["setTimeout", "clearTimeout"].map((name) => [name, globalThis[name].bind(globalThis)]));
  const [RealDate, realNow, evaluate] = [Date, Date.now.bind(Date), globalThis.eval];
  const elapsed = performance.now.bind(performance);
  const callbacks = new Map();
  const FIRST = 1e9;
  let last = FIRST;
  let [ticks, base, since, flows, fixed, offset] = [0, 0, 0, false, null, 0];
  let [turning, pump] = [false, 0];

  const passed = () => (flows && !turning ? (ticks = Math.max(ticks, base + elapsed() - since)) : ticks);
  const now = () => fixed ?? Math.floor(passed() + offset);
  const set = (state) => {
    ({ ticks, flows, fixed, offset } = state);
    // Adds the real time that has passed since the engine recorded the state.
    [base, since] = [ticks + Math.max(realNow() - state.at, 0), elapsed()];
  };

  // The page's timers and animation frames.
  const earliest = () => {
    let found = null;
    for (const each of callbacks.values()) if (!found || each.due < found.due) found = each;
    return found;
  };
  const later = (call, delay, interval) => {
    callbacks.set(++last, { id: last, call, interval, due: passed() + Math.max(delay, turning ? 1 : 0) });
    schedule();
    return last;
  };
  const run = (each) => {
    if (each.interval === undefined) callbacks.delete(each.id);
    else each.due = ticks + Math.max(each.interval, 1);
    each.call();
  };

  // While the clock runs: uses one real timer, for the earliest callback.
  const schedule = () => {
    real.clearTimeout(pump);
    const next = flows && !turning && earliest();
    if (next) pump = real.setTimeout(flow, Math.max(next.due - passed(), 0));
  };
  const flow = () => {
    const reached = passed();
    const due = [...callbacks.values()].filter((each) => each.due <= reached).sort((a, b) => a.due - b.due);
    for (const each of due) {
      try {
        if (callbacks.has(each.id)) run(each);
      } catch (error) {
        reportError(error);
      }
    }
    schedule();
  };

  // While the engine advances the clock: yields to the event loop after each callback, so that promises resolve.
  const { port1, port2 } = new MessageChannel();
  const waiting = [];
  port1.onmessage = () => waiting.shift()();
  const breath = () => new Promise((done) => (waiting.push(done), port2.postMessage(null)));
  const skipTo = (target) => {
    const missed = [...callbacks.values()].filter((each) => each.due < target).sort((a, b) => a.due - b.due);
    for (const each of missed) {
      callbacks.delete(each.id);
      callbacks.set(each.id, Object.assign(each, { due: target }));
    }
  };
  const turn = async ({ state, skips }) => {
    const failures = [];
    passed();
    turning = true;
    if (skips) skipTo(state.ticks);
    for (let next = earliest(); next && next.due <= state.ticks; next = earliest()) {
      ticks = Math.max(ticks, next.due);
      try {
        run(next);
      } catch (error) {
        failures.push(error);
      }
      await breath();
    }
    turning = false;
    set(state);
    schedule();
    if (failures.length) throw failures[0];
  };

  // Replaces the time functions of the page, such as `setTimeout` and `performance.now`, by proxies.
  const instead = (owner, name, handler) => {
    const apply = (target, self, given) => handler(given, target, self);
    const own = owner && Object.getOwnPropertyDescriptor(owner, name);
    if (own) Object.defineProperty(owner, name, { ...own, value: new Proxy(own.value, { apply }) });
  };
  const written = (f, given) => () => (typeof f === "function" ? f.apply(globalThis, given) : evaluate(String(f)));
  const wait = (delay) => Number(delay) || 0;
  instead(globalThis, "setTimeout", ([f, delay, ...given]) => later(written(f, given), wait(delay)));
  instead(globalThis, "setInterval", ([f, delay, ...given]) => later(written(f, given), wait(delay), wait(delay)));
  instead(globalThis, "requestAnimationFrame", ([f]) => later(() => f(ticks), 16 - (passed() % 16)));
  const idle = { didTimeout: false, timeRemaining: () => 50 };
  instead(globalThis, "requestIdleCallback", ([f]) => later(() => f(idle), 1));
  for (const name of ["clearTimeout", "clearInterval", "cancelAnimationFrame", "cancelIdleCallback"])
    instead(globalThis, name, ([id], clear) => void (id > FIRST ? callbacks.delete(Number(id)) : clear(id)));
  instead(globalThis.Performance?.prototype, "now", () => passed());
  Object.defineProperty(Performance.prototype, "timeOrigin", { get: () => origin, enumerable: true, configurable: true });
  instead(RealDate, "now", ([asked, what]) => (asked === token ? turn(what) : now()));
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, given, made) => Reflect.construct(target, given.length ? given : [now()], made),
    apply: () => new RealDate(now()).toString(),
  });
  RealDate.prototype.constructor = Date;
  const formats = Intl.DateTimeFormat.prototype;
  const { get: formatOf } = Object.getOwnPropertyDescriptor(formats, "format");
  Object.defineProperty(formats, "format", {
    configurable: true,
    get() {
      const format = formatOf.call(this);
      return (moment = now()) => format(moment);
    },
  });
  instead(formats, "formatToParts", ([moment = now()], parts, self) => parts.call(self, moment));
  const { Temporal } = globalThis;
  const zoned = (zone = Temporal.Now.timeZoneId()) => Temporal.Instant.fromEpochMilliseconds(now()).toZonedDateTimeISO(zone);
  instead(Temporal?.Now, "instant", () => zoned("UTC").toInstant());
  instead(Temporal?.Now, "zonedDateTimeISO", ([zone]) => zoned(zone));
  for (const kind of ["PlainDateTime", "PlainDate", "PlainTime"])
    instead(Temporal?.Now, `p${kind.slice(1)}ISO`, ([zone]) => zoned(zone)[`to${kind}`]());
  set(state);
};
