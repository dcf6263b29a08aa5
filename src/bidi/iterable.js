// Runs in an isolated world, where in Firefox the iterators of DOM objects such as `Headers` are not iterable.
(() => {
  if (Symbol.asyncIterator in ReadableStream.prototype) return;
  const give = (to, name, value) => Object.defineProperty(to, name, { value, writable: true, configurable: true });
  const itself = function () {
    return this;
  };
  for (const list of [new Headers(), new FormData(), new URLSearchParams()])
    give(Object.getPrototypeOf(list.keys()), Symbol.iterator, itself);
  const complete = (kind, usual, ...names) => {
    for (const name of names) {
      const own = kind.prototype[name];
      give(kind.prototype, name, function (...given) {
        return give(own.apply(this, given), Symbol.asyncIterator, itself);
      });
    }
    give(kind.prototype, Symbol.asyncIterator, kind.prototype[usual]);
  };
  // Only secure contexts have `FileSystemDirectoryHandle`.
  if (globalThis.FileSystemDirectoryHandle) complete(FileSystemDirectoryHandle, "entries", "entries", "keys", "values");
  complete(ReadableStream, "values", "values");
})();
