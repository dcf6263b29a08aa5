// Makes the iterators of DOM objects such as `Headers` iterable: in an isolated world of Firefox, they are not.
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
  // `FileSystemDirectoryHandle` exists only in secure contexts.
  if (globalThis.FileSystemDirectoryHandle) complete(FileSystemDirectoryHandle, "entries", "entries", "keys", "values");
  complete(ReadableStream, "values", "values");
})();
