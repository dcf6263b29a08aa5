// Serializes a value of any type that JSON cannot express, such as Map or NaN. Runs in the value's own world, only if the browser's
// serialization is incomplete. The first key of each object identifies its type, so the order of keys matters.
(function () {
  const DEEPEST = 500;
  const met = new Map();
  const list = [];
  let depth = 0;
  // Arrays and objects go into a flat list, after their content, and are referenced by index. This avoids deep nesting.
  const listed = (entry) => ({ at: list.push(entry) - 1 });
  const inside = (work) => {
    if (++depth > DEEPEST) throw new Error("Cannot serialize result: object reference chain is too long.");
    const result = work();
    depth--;
    return result;
  };
  const number = (value) => (met.set(value, met.size + 1), met.size);
  const bytes = (view) => Array.from(view, (item) => (typeof item === "bigint" ? { special: `${item}n` } : tell(item)));
  const tell = (value) => {
    switch (typeof value) {
      case "undefined":
      case "symbol":
      case "function":
        return { special: "undefined" };
      case "bigint":
        return { special: `${value}n` };
      case "number":
        return Object.is(value, -0) ? { special: "-0" } : Number.isFinite(value) ? value : { special: String(value) };
      case "object":
        break;
      default:
        return value;
    }
    if (value === null) return null;
    if (value === globalThis) return "ref: <Window>";
    if (globalThis.Document && value instanceof Document) return "ref: <Document>";
    if (globalThis.Node && value instanceof Node) return "ref: <Node>";
    if (value instanceof Date && !Number.isNaN(value.getTime())) return { date: value.toJSON() };
    if (value instanceof URL) return { url: value.toJSON() };
    if (value instanceof RegExp) return { regex: value.source, zflags: value.flags };
    if (value instanceof Error) {
      const { name, message } = value;
      const head = `${name}: ${message}`;
      const stack = value.stack ?? "";
      return { error: message, zname: name, zstack: stack.startsWith(head) ? stack : `${head}\n${stack}` };
    }
    if (met.has(value)) return { again: met.get(value) };
    if (Array.isArray(value)) {
      const at = number(value);
      return listed({ a: inside(() => Array.from(value, (item) => tell(item))), n: at });
    }
    if (ArrayBuffer.isView(value) && !(value instanceof DataView)) return listed({ a: bytes(value), n: number(value) });
    if (value instanceof Map) return { map: 1, n: number(value) };
    if (value instanceof Set) return { set: 1, n: number(value) };
    const at = number(value);
    const entries = [];
    let holdsValues = false;
    for (const key of Object.keys(value)) {
      let member;
      try {
        member = value[key];
      } catch {
        continue;
      }
      entries.push([key, inside(() => tell(member))]);
      holdsValues ||= typeof member !== "function";
    }
    if (!holdsValues && typeof value.toJSON === "function") return tell(value.toJSON());
    return listed({ o: entries, n: at });
  };
  const value = tell(this);
  return { list, value };
});
