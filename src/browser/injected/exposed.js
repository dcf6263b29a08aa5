// A function of a page that somebody outside answers. Calls wait in a list until they are fetched, so nothing of the page is
// called from outside but this function, with a token that no page knows.
(name, token) => {
  const calls = new Map();
  let [last, wanted, waiting] = [0, [], null];
  const next = () => {
    const [number, ...rest] = wanted;
    wanted = rest;
    return [number, calls.get(number).given];
  };
  const answer = (what, number, value) => {
    if (what === "next") return wanted.length ? next() : new Promise((done) => (waiting = done));
    const call = calls.get(number);
    calls.delete(number);
    call?.[what](value);
  };
  globalThis[name] = (...given) => {
    if (given[0] === token) return answer(...given.slice(1));
    return new Promise((done, fail) => {
      calls.set(++last, { given, done, fail });
      wanted.push(last);
      const fetch = waiting;
      waiting = null;
      fetch?.(next());
    });
  };
}
