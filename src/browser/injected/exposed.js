// Exposes a function to the page. The engine implements it: it fetches queued calls through the same function, called with a `token` that
// no page knows. `where` is "everywhere", "empty" for the initial `about:blank` document of child frames (which their parent page can
// inspect), or "filled" for all other documents.
(name, token, where, keeps) => {
  const empty = globalThis !== top && location.href.startsWith("about:blank");
  if (where === (empty ? "filled" : "empty")) return;
  const calls = new Map();
  let [last, reported, wanted, waiting, asking] = [0, 0, [], null, []];
  const next = () => {
    const fetched = wanted.map((number) => [number, keeps ? [] : calls.get(number).given]);
    wanted = [];
    return fetched;
  };
  // A caller that fetches the next calls has already delivered the previous ones.
  const fetch = () => {
    reported = last - wanted.length;
    asking = asking.filter(([number, done]) => number > reported || done());
    return wanted.length ? next() : new Promise((done) => (waiting = done));
  };
  const answer = (what, number, value) => {
    if (what === "next") return fetch();
    if (what === "reported") return reported >= last ? undefined : new Promise((done) => asking.push([last, done]));
    const call = calls.get(number);
    if (what === "given") return call?.given[0];
    calls.delete(number);
    call?.[what](value);
  };
  const exposed = (...given) => {
    if (given[0] === token) return answer(...given.slice(1));
    return new Promise((done, fail) => {
      calls.set(++last, { given, done, fail });
      wanted.push(last);
      const give = waiting;
      waiting = null;
      give?.(next());
    });
  };
  // Binds the function: `toString` does not reveal the source of a bound function.
  globalThis[name] = Object.defineProperty(exposed.bind(), "name", { value: name, configurable: true });
};
