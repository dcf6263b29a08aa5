// Replaces `WebSocket` in the page. The engine decides how each new socket is routed: it connects directly ("leave"), the engine mocks
// the server ("open"), or the engine relays messages between page and server ("connect").
(name) => {
  const Native = WebSocket;
  const sockets = new Map();
  const ask = globalThis[name];
  let last = 0;

  const bytes = (text) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const encoded = (buffer) => {
    const part = 0x8000;
    const view = new Uint8Array(buffer);
    let text = "";
    for (let at = 0; at < view.length; at += part) text += String.fromCharCode(...view.subarray(at, at + part));
    return { base64: btoa(text) };
  };
  const packed = (data) => {
    if (typeof data === "string") return { text: data };
    if (data instanceof Blob) return data.arrayBuffer().then(encoded);
    if (ArrayBuffer.isView(data)) return encoded(data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength));
    return data instanceof ArrayBuffer ? encoded(data) : { text: String(data) };
  };
  const unpacked = (data) => ("text" in data ? data.text : bytes(data.base64));

  class Routed extends EventTarget {
    static CONNECTING = 0;
    static OPEN = 1;
    static CLOSING = 2;
    static CLOSED = 3;
    CONNECTING = 0;
    OPEN = 1;
    CLOSING = 2;
    CLOSED = 3;
    #id = ++last;
    #url;
    #protocols;
    #protocol = "";
    #state = 0;
    #binaryType = "blob";
    #server = null;
    #alone = false;
    #unsent = [];
    #reports = Promise.resolve();
    #next = 0;
    #early = new Map();
    #handlers = {};

    constructor(url, protocols) {
      super();
      try {
        this.#url = new URL(url, document.baseURI);
      } catch {
        return new Native(url, protocols);
      }
      this.#url.protocol = this.#url.protocol.replace(/^http/, "ws");
      if (!/^wss?:$/.test(this.#url.protocol) || this.#url.hash) return new Native(url, protocols);
      this.#protocols = [protocols ?? []].flat();
      sockets.set(this.#id, this);
      this.#tell({ what: "created", url: this.url, protocols: this.#protocols });
    }

    get url() {
      return this.#url.href;
    }
    get protocol() {
      return this.#protocol;
    }
    get extensions() {
      return this.#server?.extensions ?? "";
    }
    get readyState() {
      return this.#state;
    }
    get bufferedAmount() {
      return this.#server?.bufferedAmount ?? 0;
    }
    get binaryType() {
      return this.#binaryType;
    }
    set binaryType(kind) {
      if (kind !== "blob" && kind !== "arraybuffer") return;
      this.#binaryType = kind;
    }

    send(data) {
      if (this.#state === 0) {
        throw new DOMException("Failed to execute 'send' on 'WebSocket': Still in CONNECTING state.", "InvalidStateError");
      }
      if (this.#state !== 1) return;
      if (this.#alone) this.#server.send(data);
      else this.#pass("sent", data);
    }

    close(code, reason) {
      if (code !== undefined && code !== 1000 && (code < 3000 || code > 4999)) {
        throw new DOMException(
          "Failed to execute 'close' on 'WebSocket': The close code must be either 1000, or between 3000 and 4999.",
          "InvalidAccessError",
        );
      }
      if (this.#state > 1) return;
      this.#state = 2;
      if (this.#alone) this.#server.close(code, reason);
      else this.#tell({ what: "closed", code, reason });
    }

    #tell(news) {
      this.#reports = this.#reports.then(() => void ask({ socket: this.#id, ...news }));
    }

    #pass(what, data) {
      const message = packed(data);
      this.#reports = this.#reports.then(async () => void ask({ socket: this.#id, what, data: await message }));
    }

    // Instructions of the engine are numbered, since they may arrive out of order.
    #direct(number, what, value) {
      this.#early.set(number, [what, value]);
      while (this.#early.has(this.#next)) {
        const [what, value] = this.#early.get(this.#next);
        this.#early.delete(this.#next++);
        this.#do(what, value);
      }
    }

    #do(what, value) {
      if (what === "leave") {
        this.#alone = true;
        this.#connect();
      } else if (what === "connect") {
        this.#connect();
      } else if (what === "open") {
        this.#open("");
      } else if (what === "receive") {
        this.#receive(unpacked(value));
      } else if (what === "send") {
        if (this.#server?.readyState === 1) this.#server.send(unpacked(value));
        else this.#unsent.push(unpacked(value));
      } else if (what === "close") {
        this.#close(value.code ?? 1005, value.reason ?? "", value.wasClean);
      } else if (what === "closeServer") {
        this.#server?.close(value.code ?? undefined, value.reason ?? undefined);
      }
    }

    #connect() {
      const server = (this.#server = new Native(this.url, this.#protocols));
      server.binaryType = this.#alone ? this.#binaryType : "arraybuffer";
      server.onopen = () => {
        for (const data of this.#unsent.splice(0)) server.send(data);
        this.#open(server.protocol);
      };
      server.onmessage = ({ data }) => (this.#alone ? this.#receive(data) : this.#pass("received", data));
      server.onerror = () => this.dispatchEvent(new Event("error"));
      server.onclose = ({ code, reason, wasClean }) => {
        if (this.#alone) this.#close(code, reason, wasClean);
        else this.#tell({ what: "serverClosed", code, reason, wasClean });
      };
    }

    #open(protocol) {
      if (this.#state !== 0) return;
      this.#state = 1;
      this.#protocol = protocol;
      this.dispatchEvent(new Event("open"));
    }

    #receive(data) {
      if (this.#state > 1) return;
      this.#open("");
      if (data instanceof Uint8Array) {
        data = this.#binaryType === "blob" ? new Blob([data]) : data.buffer;
      }
      this.dispatchEvent(new MessageEvent("message", { data, origin: this.#url.origin }));
    }

    #close(code, reason, wasClean) {
      if (this.#state === 3) return;
      this.#state = 3;
      sockets.delete(this.#id);
      this.dispatchEvent(new CloseEvent("close", { code, reason, wasClean }));
    }

    static {
      const direct = (id, ...rest) => sockets.get(id)?.#direct(...rest);
      Object.defineProperty(this, name, { value: direct });
      for (const kind of ["open", "message", "error", "close"]) {
        Object.defineProperty(this.prototype, `on${kind}`, {
          configurable: true,
          enumerable: true,
          get() {
            return this.#handlers[kind] ?? null;
          },
          set(handler) {
            this.removeEventListener(kind, this.#handlers[kind]);
            this.#handlers[kind] = typeof handler === "function" ? handler : null;
            if (this.#handlers[kind]) this.addEventListener(kind, this.#handlers[kind]);
          },
        });
      }
    }
  }

  Object.defineProperty(Routed, "name", { value: "WebSocket" });
  globalThis.WebSocket = Routed;
};
