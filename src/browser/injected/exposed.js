// A function of a page that somebody outside answers. Calls wait in a list until they are fetched, so nothing of the page is
// called from outside but this function, with a token that no page knows. Frames begin with an empty document, which a page can
// look into: there it is put only if it is meant to be `everywhere`, or only there if it is in all other documents already.
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
  // A caller that asks for the next calls has passed on those before.
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
  // A bound function has no source that could tell whose it is.
  globalThis[name] = Object.defineProperty(exposed.bind(), "name", { value: name, configurable: true });
};
