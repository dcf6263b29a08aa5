// Exposes a function to the page that the engine answers. Calls are queued until the engine fetches them. It does so by the same
// function, with a token that no page knows. Child frames begin with an empty document, which a page can inspect: `where` is
// "filled" for all documents except those, "empty" for those only, or "everywhere".
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
  // Who fetches the next calls has already passed on the previous ones.
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
  // A bound function does not reveal its source.
  globalThis[name] = Object.defineProperty(exposed.bind(), "name", { value: name, configurable: true });
};
