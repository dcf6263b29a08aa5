async (task, argument) => {
  const done = (request) =>
    new Promise((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  const ended = (transaction) =>
    new Promise((resolve, reject) => {
      transaction.oncomplete = () => resolve();
      transaction.onerror = transaction.onabort = () => reject(transaction.error);
    });
  const ARRAYS = {
    i8: Int8Array,
    ui8: Uint8Array,
    ui8c: Uint8ClampedArray,
    i16: Int16Array,
    ui16: Uint16Array,
    i32: Int32Array,
    ui32: Uint32Array,
    f32: Float32Array,
    f64: Float64Array,
    bi64: BigInt64Array,
    bui64: BigUint64Array,
  };
  const toBase64 = (bytes) => {
    let text = "";
    for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
    return btoa(text);
  };
  const fromBase64 = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

  /** Whether the prototype of an object is null or an `Object.prototype` (in Firefox, possibly the one of the page's world). */
  const isPlainObject = (value) => {
    const prototype = Object.getPrototypeOf(value);
    return prototype === null || Object.getPrototypeOf(prototype) === null;
  };

  /** Thrown for a value that cannot be serialized, such as a `CryptoKey`. */
  class Unwritable extends Error {}

  // Encodes a value in the format of Playwright's storage state files, extended by `mp`, `st`, `bl` and `fl` (Map, Set, Blob, File).
  const encode = async (value, seen = new Map()) => {
    if (value === undefined) return { v: "undefined" };
    if (value === null) return { v: "null" };
    if (typeof value === "number") {
      if (Object.is(value, -0)) return { v: "-0" };
      return Number.isFinite(value) ? value : { v: String(value) };
    }
    if (typeof value === "boolean" || typeof value === "string") return value;
    if (typeof value === "bigint") return { bi: String(value) };
    if (value instanceof Date) return { d: value.toJSON() };
    if (value instanceof RegExp) return { r: { p: value.source, f: value.flags } };
    if (value instanceof Error) return { e: { n: value.name, m: value.message, s: value.stack ?? "" } };
    if (value instanceof ArrayBuffer) return { ab: { b: toBase64(new Uint8Array(value)) } };
    if (value instanceof Blob) {
      const kept = { b: toBase64(new Uint8Array(await value.arrayBuffer())), t: value.type };
      return value instanceof File ? { fl: { ...kept, n: value.name, m: value.lastModified } } : { bl: kept };
    }
    for (const [k, kind] of Object.entries(ARRAYS)) {
      if (value instanceof kind) {
        return { ta: { b: toBase64(new Uint8Array(value.buffer, value.byteOffset, value.byteLength)), k } };
      }
    }
    if (seen.has(value)) return { ref: seen.get(value) };
    const id = seen.size + 1;
    seen.set(value, id);
    const all = async (items) => {
      const encoded = [];
      for (const item of items) encoded.push(await encode(item, seen));
      return encoded;
    };
    if (Array.isArray(value)) return { a: await all(value), id };
    if (value instanceof Map) return { mp: await all([...value].flat()), id };
    if (value instanceof Set) return { st: await all(value), id };
    // IndexedDB does not store the classes of a page, so an object with another prototype is a built-in object.
    if (!isPlainObject(value)) throw new Unwritable();
    const o = [];
    for (const k of Object.keys(value)) o.push({ k, v: await encode(value[k], seen) });
    return { o, id };
  };
  const decode = (value, seen = new Map()) => {
    if (typeof value !== "object" || value === null) return value;
    if ("v" in value) return { undefined: undefined, null: null, NaN, Infinity, "-Infinity": -Infinity, "-0": -0 }[value.v];
    if ("bi" in value) return BigInt(value.bi);
    if ("d" in value) return new Date(value.d);
    if ("r" in value) return new RegExp(value.r.p, value.r.f);
    if ("ab" in value) return fromBase64(value.ab.b).buffer;
    if ("ta" in value) return new ARRAYS[value.ta.k](fromBase64(value.ta.b).buffer);
    if ("bl" in value) return new Blob([fromBase64(value.bl.b)], { type: value.bl.t });
    if ("fl" in value) return new File([fromBase64(value.fl.b)], value.fl.n, { type: value.fl.t, lastModified: value.fl.m });
    if ("e" in value) {
      const kind = /^(?:Eval|Range|Reference|Syntax|Type|URI)Error$/.test(value.e.n) ? globalThis[value.e.n] : Error;
      return Object.defineProperty(new kind(value.e.m), "stack", { value: value.e.s, configurable: true, writable: true });
    }
    if ("ref" in value) return seen.get(value.ref);
    if ("mp" in value || "st" in value) {
      const collection = "mp" in value ? new Map() : new Set();
      seen.set(value.id, collection);
      if ("st" in value) for (const item of value.st) collection.add(decode(item, seen));
      else for (let at = 0; at < value.mp.length; at += 2) collection.set(decode(value.mp[at], seen), decode(value.mp[at + 1], seen));
      return collection;
    }
    if ("a" in value) {
      const array = [];
      seen.set(value.id, array);
      for (const item of value.a) array.push(decode(item, seen));
      return array;
    }
    const object = {};
    seen.set(value.id, object);
    for (const { k, v } of value.o) object[k] = decode(v, seen);
    return object;
  };
  const isPlain = (value) => {
    if (value === null || typeof value === "boolean" || typeof value === "string") return true;
    if (typeof value === "number") return Number.isFinite(value) && !Object.is(value, -0);
    if (Array.isArray(value)) return value.every(isPlain);
    return typeof value === "object" && isPlainObject(value) && Object.values(value).every(isPlain);
  };
  const put = async (record, name, value) => {
    let plain = false;
    try {
      plain = isPlain(value);
    } catch {
      /* `isPlain` exceeds the call stack for a value that contains itself, which is not plain JSON. */
    }
    record[plain ? name : `${name}Encoded`] = plain ? value : await encode(value);
  };
  const keyPathOf = (path) => (Array.isArray(path) ? { keyPathArray: path } : path === null ? {} : { keyPath: path });

  const readStore = async (database, name) => {
    const store = database.transaction(name, "readonly").objectStore(name);
    const [keys, values] = await Promise.all([done(store.getAllKeys()), done(store.getAll())]);
    const { keyPath, autoIncrement } = store;
    const indexes = [...store.indexNames].map((name) => {
      const index = store.index(name);
      return { name, unique: index.unique, multiEntry: index.multiEntry, ...keyPathOf(index.keyPath) };
    });
    const records = [];
    for (const [at, value] of values.entries()) {
      const record = {};
      try {
        if (keyPath === null) await put(record, "key", keys[at]);
        await put(record, "value", value);
        records.push(record);
      } catch (error) {
        // Leaves out the whole record: a site recreates a missing record, but may fail on an incomplete one.
        if (!(error instanceof Unwritable)) throw error;
      }
    }
    return { name, records, indexes, autoIncrement, ...keyPathOf(keyPath) };
  };
  const readDatabases = async () => {
    const databases = [];
    for (const { name, version } of await indexedDB.databases()) {
      const database = await done(indexedDB.open(name));
      const stores = [];
      for (const store of database.objectStoreNames) stores.push(await readStore(database, store));
      database.close();
      databases.push({ name, version, stores });
    }
    return databases;
  };
  const writeDatabase = async ({ name, version, stores }) => {
    const opening = indexedDB.open(name, version);
    opening.onupgradeneeded = () => {
      for (const store of stores) {
        const made = opening.result.createObjectStore(store.name, {
          autoIncrement: store.autoIncrement,
          keyPath: store.keyPathArray ?? store.keyPath,
        });
        for (const index of store.indexes ?? []) {
          made.createIndex(index.name, index.keyPathArray ?? index.keyPath, { unique: index.unique, multiEntry: index.multiEntry });
        }
      }
    };
    const database = await done(opening);
    const filled = stores.filter((store) => store.records.length);
    if (filled.length) {
      const transaction = database.transaction(
        filled.map((store) => store.name),
        "readwrite",
      );
      for (const { name, records } of filled) {
        const store = transaction.objectStore(name);
        for (const record of records) {
          const value = "valueEncoded" in record ? decode(record.valueEncoded) : record.value;
          const key = "keyEncoded" in record ? decode(record.keyEncoded) : record.key;
          if (store.keyPath === null) store.put(value, key);
          else store.put(value);
        }
      }
      await ended(transaction);
    }
    database.close();
  };

  // The root of the origin private file system, which exists only in secure contexts.
  const rootFolder = () => navigator.storage?.getDirectory?.();
  const readFolder = async (folder, above = "") => {
    const found = [];
    for await (const [name, handle] of folder.entries()) found.push([name, handle]);
    found.sort(([a], [b]) => (a < b ? -1 : 1));
    const entries = [];
    for (const [name, handle] of found) {
      const path = above + name;
      if (handle.kind === "directory") entries.push({ path, type: "directory" }, ...(await readFolder(handle, `${path}/`)));
      else {
        const file = await handle.getFile();
        entries.push({ path, type: "file", base64: toBase64(new Uint8Array(await file.arrayBuffer())) });
      }
    }
    return entries;
  };
  const writeFile = async ({ path, type, base64 }) => {
    const folders = path.split("/");
    const name = folders.pop();
    let folder = await rootFolder();
    for (const inner of folders) folder = await folder.getDirectoryHandle(inner, { create: true });
    if (type === "directory") return void (await folder.getDirectoryHandle(name, { create: true }));
    const writable = await (await folder.getFileHandle(name, { create: true })).createWritable();
    await writable.write(fromBase64(base64 ?? ""));
    await writable.close();
  };
  const clearFiles = async () => {
    const root = await rootFolder();
    const names = [];
    for await (const name of root?.keys() ?? []) names.push(name);
    for (const name of names) await root.removeEntry(name, { recursive: true });
  };

  if (task === "read") {
    const entries = [];
    for (let at = 0; at < localStorage.length; at++) {
      const name = localStorage.key(at);
      entries.push({ name: name.toWellFormed(), value: localStorage.getItem(name).toWellFormed() });
    }
    const databases = argument.databases ? await readDatabases() : [];
    const root = argument.privateFiles && (await rootFolder());
    const opfs = root ? await readFolder(root) : [];
    return JSON.stringify({ localStorage: entries, indexedDB: databases, opfs });
  }
  if (task === "clear") {
    localStorage.clear();
    for (const { name } of await indexedDB.databases()) {
      const forgetting = indexedDB.deleteDatabase(name);
      // Does not wait for a blocked deletion: if a page has the database open, the browser deletes it once the page closes it.
      await new Promise((resolve) => (forgetting.onsuccess = forgetting.onerror = forgetting.onblocked = resolve));
    }
    await clearFiles();
    return "";
  }
  for (const { name, value } of argument.localStorage ?? []) localStorage.setItem(name, value);
  for (const database of argument.indexedDB ?? []) await writeDatabase(database);
  for (const entry of argument.opfs ?? []) await writeFile(entry);
  return "";
};
