// Playwright's API for programs that the MCP server runs. Its calls are messages to the server; this code cannot access pages.
(send, look, print, done) => {
  const { stringify, parse } = JSON;
  const LATE = ["element_not_found", "not_actionable", "wait_ran_out", "navigation_slow"];
  const pending = new Map();
  let last = 0;

  const call = (method, args) => {
    const at = new Error(method);
    const id = ++last;
    send(id, method, stringify(args));
    return new Promise((resolve, reject) => {
      pending.set(id, { resolve, reject, at, method: args.action?.do ?? args.what ?? args.name ?? method });
    });
  };
  const ask = (what, args) => {
    const answer = parse(look(what, stringify(args ?? {})));
    if (answer.error) throw new Error(answer.error);
    return answer.value;
  };
  const words = (text, exact) =>
    text instanceof RegExp ? { source: text.source, flags: text.flags } : { text: String(text), exact: !!exact };
  const REF = /^(c\d+)?(p\d+)?(f\d+)?e\d+$/;
  const selectorOf = (selector) => (REF.test(selector) ? `aria-ref=${selector}` : String(selector));
  const script = (what, args, all) => {
    const given = [...(all ? [all] : []), ...args.map((one) => stringify(one) ?? "undefined")].join(", ");
    if (typeof what === "function") return `(${all}) => (${what})(${given})`;
    // A string may be an expression or a function. The page evaluates it and calls the result if it is a function.
    return `(${all}) => { const it = (${what}\n); return typeof it === "function" ? it(${given}) : it; }`;
  };
  const pressed = (options = {}) => {
    const { button, clickCount, delay, modifiers, position, force, trial, steps } = options;
    return {
      button,
      count: clickCount,
      delay,
      modifiers: modifiers?.map((one) => (one === "ControlOrMeta" ? "Control" : one)),
      position,
      force: !!force,
      trial: !!trial,
      steps,
    };
  };
  const choices = (values) =>
    [values].flat().map((one) => {
      if (typeof one !== "object" || one === null) return { any: String(one) };
      const [kind] = ["value", "label", "index"].filter((kind) => one[kind] !== undefined);
      return { [kind]: one[kind] };
    });
  const matcher = (wanted) => {
    if (typeof wanted === "function") return (url) => wanted(new Address(url));
    if (wanted instanceof RegExp) return (url) => wanted.test(url);
    return (url) => ask("matches", { url, glob: String(wanted) });
  };
  class Address {
    constructor(href) {
      const [, origin = "", path = "/", search = "", hash = ""] =
        /^([a-z][a-z0-9+.-]*:\/\/[^/?#]*)?([^?#]*)(\?[^#]*)?(#.*)?$/i.exec(href) ?? [];
      Object.assign(this, { href, origin, pathname: path || "/", search, hash, host: origin.split("//")[1] ?? "" });
    }
    toString() {
      return this.href;
    }
  }

  const BY = {
    getByRole: (role, { name, exact, description, ...states } = {}) => {
      const { includeHidden, checked, disabled, expanded, level, pressed, selected } = states;
      const given = { checked, disabled, expanded, level, pressed, selected, include_hidden: includeHidden };
      return ask("role", {
        role,
        options: {
          states: given,
          ...(name !== undefined && { name: words(name, exact) }),
          ...(description !== undefined && { description: words(description, exact) }),
        },
      });
    },
    getByText: (text, { exact } = {}) => ask("by", { by: "text", words: words(text, exact) }),
    getByLabel: (text, { exact } = {}) => ask("by", { by: "label", words: words(text, exact) }),
    getByTestId: (text) => ask("by", { by: "testId", words: words(text) }),
    getByPlaceholder: (text, { exact } = {}) => ask("by", { by: "placeholder", words: words(text, exact) }),
    getByAltText: (text, { exact } = {}) => ask("by", { by: "alt", words: words(text, exact) }),
    getByTitle: (text, { exact } = {}) => ask("by", { by: "title", words: words(text, exact) }),
  };
  const filtered = ({ hasText, hasNotText, has, hasNot, visible } = {}) => {
    const given = {
      ...(hasText !== undefined && { has_text: words(hasText) }),
      ...(hasNotText !== undefined && { has_not_text: words(hasNotText) }),
      ...(has && { has: has.selector }),
      ...(hasNot && { has_not: hasNot.selector }),
      ...(visible !== undefined && { visible }),
    };
    return Object.keys(given).length ? ask("filter", given) : "";
  };
  /** Adds the `getBy…` and `locator` methods to a class. `within` creates a locator relative to the receiver. */
  const finders = (type, within) => {
    for (const [name, by] of Object.entries(BY)) {
      type.prototype[name] = function (...args) {
        return within(this, by(...args));
      };
    }
    type.prototype.locator = function (selector, options) {
      const inner = selector instanceof Locator ? `internal:chain=${stringify(selector.selector)}` : selectorOf(selector);
      return within(this, inner + filtered(options));
    };
    type.prototype.frameLocator = function (selector) {
      return new FrameLocator(this.locator(selector));
    };
  };

  // Playwright's locator methods that act on one element. Each converts its arguments to an action of the server.
  const ACTIONS = {
    click: (options) => ({ do: "click", ...pressed(options) }),
    dblclick: (options) => ({ do: "click", ...pressed(options), count: 2 }),
    hover: (options) => ({ do: "hover", ...pressed(options) }),
    tap: (options) => ({ do: "tap", ...pressed(options) }),
    fill: (value, options) => ({ do: "fill", value: String(value), force: !!options?.force }),
    clear: (options) => ({ do: "fill", value: "", force: !!options?.force }),
    type: (text, options) => ({ do: "type", text: String(text), delay: options?.delay }),
    pressSequentially: (text, options) => ({ do: "type", text: String(text), delay: options?.delay }),
    press: (key, options) => ({ do: "press", key: String(key), delay: options?.delay }),
    setChecked: (checked, options) => ({ do: "set_checked", checked: !!checked, ...pressed(options) }),
    check: (options) => ({ do: "set_checked", checked: true, ...pressed(options) }),
    uncheck: (options) => ({ do: "set_checked", checked: false, ...pressed(options) }),
    selectOption: (values, options) => ({ do: "select_option", choices: choices(values), force: !!options?.force }),
    selectText: (options) => ({ do: "select_text", force: !!options?.force }),
    focus: () => ({ do: "focus" }),
    blur: () => ({ do: "blur" }),
    scrollIntoViewIfNeeded: () => ({ do: "scroll_into_view" }),
    dispatchEvent: (event, init) => ({ do: "dispatch", event, init: init ?? {} }),
    textContent: () => ({ do: "text_content" }),
    innerText: () => ({ do: "inner_text" }),
    innerHTML: () => ({ do: "inner_html" }),
    inputValue: () => ({ do: "input_value" }),
    getAttribute: (name) => ({ do: "attribute", name: String(name) }),
    boundingBox: () => ({ do: "bounding_box" }),
    ariaSnapshot: (options) => ({ do: "aria_snapshot", depth: options?.depth }),
    isChecked: () => ({ do: "is_checked" }),
    isEnabled: () => ({ do: "is_enabled" }),
    isEditable: () => ({ do: "is_editable" }),
  };
  class Locator {
    constructor(frame, selector) {
      this.frame = frame;
      this.selector = selector;
    }
    _more(part) {
      return new Locator(this.frame, this.selector + part);
    }
    _call(method, options, more) {
      return call(method, { ...this.frame, selector: this.selector, timeout: options?.timeout, ...more });
    }
    _do(action, options) {
      return this._call("perform", options, { action });
    }
    first() {
      return this._more(" >> nth=0");
    }
    last() {
      return this._more(" >> nth=-1");
    }
    nth(index) {
      return this._more(` >> nth=${index | 0}`);
    }
    filter(options) {
      return this._more(filtered(options));
    }
    and(other) {
      return this._more(` >> internal:and=${stringify(other.selector)}`);
    }
    or(other) {
      return this._more(` >> internal:or=${stringify(other.selector)}`);
    }
    contentFrame() {
      return new FrameLocator(this);
    }
    page() {
      return pageOf(this.frame.page);
    }
    async isDisabled(options) {
      return !(await this.isEnabled(options));
    }
    isVisible() {
      return this._call("is_visible");
    }
    async isHidden() {
      return !(await this.isVisible());
    }
    count() {
      return this._call("count");
    }
    async all() {
      return Array.from({ length: await this.count() }, (_, index) => this.nth(index));
    }
    allTextContents() {
      return this._call("texts", {}, { drawn: false });
    }
    allInnerTexts() {
      return this._call("texts", {}, { drawn: true });
    }
    waitFor(options) {
      return this._call("wait_for", options, { state: options?.state ?? "visible" });
    }
    evaluate(what, arg, options) {
      return this._call("evaluate_element", options, { script: script(what, [arg], "element") });
    }
    evaluateAll(what, arg) {
      return this._call("evaluate_all", {}, { script: script(what, [arg], "elements") });
    }
    screenshot(options) {
      return this._call("screenshot", options);
    }
    snapshot(options) {
      return this._call("snapshot", options);
    }
    dragTo(target, options) {
      return this._call("drag", options, { target: target.selector });
    }
    toString() {
      return `locator(${stringify(this.selector)})`;
    }
  }
  class FrameLocator {
    constructor(owner) {
      this.owner_ = owner;
    }
    first() {
      return new FrameLocator(this.owner_.first());
    }
    last() {
      return new FrameLocator(this.owner_.last());
    }
    nth(index) {
      return new FrameLocator(this.owner_.nth(index));
    }
    owner() {
      return this.owner_;
    }
  }
  finders(Locator, (self, part) => self._more(` >> ${part}`));
  finders(FrameLocator, (self, part) => self.owner_._more(` >> internal:control=enter-frame >> ${part}`));

  class Frame {
    constructor(page, frame) {
      this.where_ = { page, frame };
    }
    url() {
      return ask("url", this.where_);
    }
    name() {
      return ask("name", this.where_);
    }
    page() {
      return pageOf(this.where_.page);
    }
    title() {
      return call("title", this.where_);
    }
    content() {
      return call("content", this.where_);
    }
    evaluate(what, arg) {
      return call("evaluate", { ...this.where_, script: script(what, [arg], "") });
    }
    $$(selector) {
      return this.locator(selector).all();
    }
    async $(selector) {
      const found = this.locator(selector).first();
      return (await found.count()) ? found : null;
    }
    $$eval(selector, what, arg) {
      return this.locator(selector).evaluateAll(what, arg);
    }
    $eval(selector, what, arg) {
      return this.locator(selector).first().evaluate(what, arg);
    }
    waitForTimeout(ms) {
      return call("sleep", { ms });
    }
    waitForSelector(selector, options) {
      const found = this.locator(selector).first();
      return found.waitFor(options).then(() => found);
    }
    waitForLoadState(state = "load", options) {
      return call("load_state", { ...this.where_, state, timeout: options?.timeout });
    }
    async waitForFunction(what, arg, options) {
      return call("wait_for_function", { ...this.where_, script: script(what, [arg], ""), timeout: options?.timeout });
    }
    async waitForURL(wanted, options) {
      const fits = matcher(wanted);
      const end = Date.now() + (options?.timeout ?? 30_000);
      for (let url = this.url(); !fits(url); ) {
        if (Date.now() >= end) throw new Error(`The address did not become ${wanted}: it is ${url}`);
        url = await call("wait_for_url_change", { ...this.where_, url, timeout: end - Date.now() });
      }
      return this.waitForLoadState("load", { timeout: Math.max(end - Date.now(), 1) });
    }
  }
  finders(Frame, (self, part) => new Locator(self.where_, part));
  for (const [name, action] of Object.entries(ACTIONS)) {
    // The last argument holds the options, if there are any.
    Locator.prototype[name] = function (...args) {
      return this._do(action(...args), args.at(-1));
    };
  }
  for (const name of [...Object.keys(ACTIONS), "isVisible", "isHidden", "isDisabled"]) {
    Frame.prototype[name] = function (selector, ...args) {
      return this.locator(selector)[name](...args);
    };
  }

  const responseOf = (page, { number, url, status, method }) => {
    const text = () => call("response_body", { page, number });
    const request = { url: () => url, method: () => method };
    const isOk = status >= 200 && status < 300;
    return { url: () => url, status: () => status, ok: () => isOk, request: () => request, text, json: async () => parse(await text()) };
  };
  const pages = new Map();
  class Page extends Frame {
    constructor(page) {
      super(page, null);
      const device = (kind, names) =>
        Object.fromEntries(names.map((name) => [name, (...args) => call("input", { page, what: kind + name, args })]));
      this.keyboard = device("keyboard.", ["down", "up", "press", "type", "insertText"]);
      this.mouse = device("mouse.", ["move", "down", "up", "click", "dblclick", "wheel"]);
      this.listeners_ = [];
    }
    context() {
      return context;
    }
    mainFrame() {
      return new Frame(this.where_.page, null);
    }
    frames() {
      return ask("frames", this.where_).map((frame) => new Frame(this.where_.page, frame));
    }
    frame(wanted) {
      const { name, url } = typeof wanted === "object" && !(wanted instanceof RegExp) ? wanted : { name: wanted };
      return this.frames().find((frame) => (name !== undefined ? frame.name() === name : matcher(url)(frame.url()))) ?? null;
    }
    isClosed() {
      return ask("closed", this.where_);
    }
    viewportSize() {
      return ask("viewport", this.where_);
    }
    async go_(method, options, more) {
      const given = await call(method, { ...this.where_, until: options?.waitUntil, timeout: options?.timeout, ...more });
      return given && { status: () => given.status, ok: () => given.status >= 200 && given.status < 300, url: () => given.url };
    }
    goto(url, options) {
      return this.go_("goto", options, { url: String(url) });
    }
    reload(options) {
      return this.go_("reload", options);
    }
    goBack(options) {
      return this.go_("back", options);
    }
    goForward(options) {
      return this.go_("forward", options);
    }
    setContent(html, options) {
      return this.go_("set_content", options, { html: String(html) });
    }
    bringToFront() {
      return call("front", this.where_);
    }
    close() {
      return call("close", this.where_);
    }
    screenshot(options) {
      return call("screenshot", { ...this.where_, full: !!options?.fullPage, timeout: options?.timeout });
    }
    snapshot() {
      return call("snapshot", this.where_);
    }
    on(event, listener) {
      if (event !== "dialog") throw new Error(`page.on(${stringify(event)}) is not available; "dialog" is`);
      this.listeners_.push(listener);
      return this;
    }
    once(event, listener) {
      const once = (dialog) => {
        this.off(event, once);
        return listener(dialog);
      };
      return this.on(event, once);
    }
    off(_event, listener) {
      this.listeners_ = this.listeners_.filter((one) => one !== listener);
      return this;
    }
    removeListener(event, listener) {
      return this.off(event, listener);
    }
    async waitForResponse(wanted, options) {
      const { page } = this.where_;
      const matches = typeof wanted === "function" ? wanted : (response) => matcher(wanted)(response.url());
      const end = Date.now() + (options?.timeout ?? 30_000);
      let { last } = ask("responses", { page });
      for (;;) {
        const now = ask("responses", { page, after: last });
        for (const one of now.list) {
          const response = responseOf(page, one);
          if (await matches(response)) return response;
        }
        if (Date.now() >= end) throw new Error(`no response came for ${wanted}`);
        last = now.last;
        await call("sleep", { ms: 50 });
      }
    }
    waitForEvent(event, options) {
      if (event === "dialog") {
        const late = call("sleep", { ms: options?.timeout ?? 30_000 }).then(() => {
          throw new Error("no dialog opened");
        });
        return Promise.race([new Promise((resolve) => this.once("dialog", resolve)), late]);
      }
      if (event !== "popup") throw new Error(`page.waitForEvent(${stringify(event)}) is not available; "popup" and "dialog" are`);
      return call("popup", { ...this.where_, timeout: options?.timeout }).then(pageOf);
    }
  }
  // An unknown name throws a clear error when it is read, instead of "not a function" when it is called.
  const strict = (type, what) => {
    const get = (name) => {
      if (typeof name === "symbol" || name === "then" || name === "toJSON") return undefined;
      throw new Error(`${what}.${name} is not available in programs`);
    };
    Object.setPrototypeOf(
      type.prototype,
      new Proxy(Object.prototype, { get: (target, name) => (name in target ? target[name] : get(name)) }),
    );
  };
  strict(Locator, "locator");
  strict(FrameLocator, "frameLocator");
  strict(Frame, "page");
  const pageOf = (number) => {
    if (!pages.has(number)) pages.set(number, new Page(number));
    return pages.get(number);
  };
  const context = {
    pages: () => ask("pages").map(pageOf),
    newPage: () => call("new_page", {}).then(pageOf),
    waitForEvent: (_event, options) => call("popup", { page: 0, any: true, timeout: options?.timeout }).then(pageOf),
    grantPermissions: (permissions) => call("grant", { permissions }),
  };

  const text = (wanted, how = {}) =>
    wanted instanceof RegExp ? { source: wanted.source, flags: wanted.flags, ...how } : { text: String(wanted), ...how };
  const lines = (wanted, how) =>
    Array.isArray(wanted) ? ["texts", { texts: wanted.map((one) => text(one, how)) }] : ["text", text(wanted, how)];
  const drawn = (options) => ({
    squeeze: true,
    drawn: !!options?.useInnerText,
    ...(options?.ignoreCase !== undefined && { ignoreCase: options.ignoreCase }),
  });
  const STATES = {
    toBeVisible: "visible",
    toBeHidden: "hidden",
    toBeEnabled: "enabled",
    toBeDisabled: "disabled",
    toBeEditable: "editable",
    toBeEmpty: "empty",
    toBeFocused: "focused",
    toBeAttached: "attached",
  };
  const EXPECTED = {
    toBeChecked: (options) => ["checked", { checked: options?.checked ?? true, indeterminate: !!options?.indeterminate }],
    toBeInViewport: () => ["inViewport", { ratio: 0 }],
    toHaveText: (wanted, options) => lines(wanted, drawn(options)),
    toContainText: (wanted, options) => {
      const [what, given] = lines(wanted, { part: true, ...drawn(options) });
      return [what, what === "texts" ? { ...given, some: true } : given];
    },
    toHaveValue: (wanted) => ["value", text(wanted)],
    toHaveValues: (wanted) => ["values", { texts: wanted.map((one) => text(one)) }],
    toHaveCount: (count) => ["count", { count }],
    toHaveAttribute: (name, wanted) => (wanted === undefined ? ["hasAttribute", { name }] : ["attribute", { ...text(wanted), name }]),
    toHaveClass: (wanted) => ["class", text(wanted)],
    toContainClass: (wanted) => ["className", text(wanted)],
    toHaveCSS: (name, wanted) => ["css", { ...text(wanted), name }],
    toHaveId: (wanted) => ["id", text(wanted)],
    toHaveRole: (wanted) => ["role", text(wanted)],
    toHaveAccessibleName: (wanted) => ["name", text(wanted, { squeeze: true })],
  };
  for (const [name, what] of Object.entries(STATES)) EXPECTED[name] = () => [what, {}];
  const same = (one, other) =>
    Object.is(one, other) ||
    (typeof one === "object" &&
      typeof other === "object" &&
      one &&
      other &&
      Array.isArray(one) === Array.isArray(other) &&
      Object.keys(one).length === Object.keys(other).length &&
      Object.keys(one).every((key) => same(one[key], other[key])));
  const VALUES = {
    toBe: (given, wanted) => Object.is(given, wanted),
    toEqual: same,
    toStrictEqual: same,
    toBeTruthy: (given) => !!given,
    toBeFalsy: (given) => !given,
    toBeNull: (given) => given === null,
    toBeUndefined: (given) => given === undefined,
    toBeDefined: (given) => given !== undefined,
    toContain: (given, wanted) => given.includes(wanted),
    toMatch: (given, wanted) => (wanted instanceof RegExp ? wanted.test(given) : given.includes(wanted)),
    toHaveLength: (given, wanted) => given.length === wanted,
    toBeGreaterThan: (given, wanted) => given > wanted,
    toBeGreaterThanOrEqual: (given, wanted) => given >= wanted,
    toBeLessThan: (given, wanted) => given < wanted,
    toBeLessThanOrEqual: (given, wanted) => given <= wanted,
  };
  const expectations = (given, not) => {
    const made = {};
    if (given instanceof Locator) {
      for (const [name, read] of Object.entries(EXPECTED)) {
        made[name] = (...args) => {
          const [what, expected] = read(...args);
          const timeout = args.find((one) => one && typeof one === "object" && "timeout" in one)?.timeout;
          return call("expect", { ...given.frame, selector: given.selector, name, what, expected, not, timeout });
        };
      }
    } else if (given instanceof Frame) {
      made.toHaveTitle = (wanted, options) =>
        call("expect", {
          ...given.where_,
          selector: "html",
          name: "toHaveTitle",
          what: "title",
          expected: text(wanted, { squeeze: true }),
          not,
          timeout: options?.timeout,
        });
      made.toHaveURL = async (wanted, options) => {
        const fits = matcher(wanted);
        const end = Date.now() + (options?.timeout ?? 5000);
        for (let url = given.url(); fits(url) === not; ) {
          if (Date.now() >= end) throw new Error(`expect(page)${not ? ".not" : ""}.toHaveURL(${wanted}): it is ${url}`);
          url = await call("wait_for_url_change", { ...given.where_, url, timeout: end - Date.now() });
        }
      };
    } else {
      for (const [name, fits] of Object.entries(VALUES)) {
        made[name] = (wanted) => {
          if (!!fits(given, wanted) === not)
            throw new Error(`expect(${shown(given)})${not ? ".not" : ""}.${name}(${wanted === undefined ? "" : shown(wanted)}) failed`);
        };
      }
    }
    return made;
  };
  const expect = (given) => Object.assign(expectations(given, false), { not: expectations(given, true) });

  const shown = (value) => {
    if (typeof value === "string") return value;
    if (value instanceof Error) return `${value.name}: ${value.message}`;
    if (value instanceof Locator || value instanceof RegExp || typeof value === "function" || typeof value === "symbol")
      return String(value);
    if (value instanceof Frame) return `page ${value.url()}`;
    const seen = new Set();
    const written = stringify(value, (_key, one) => {
      if (typeof one === "bigint") return `${one}n`;
      if (one instanceof Map) return Object.fromEntries(one);
      if (one instanceof Set) return [...one];
      if (typeof one === "object" && one !== null) {
        if (seen.has(one) && seen.size > 10_000) return "…";
        seen.add(one);
      }
      return one;
    });
    return written === undefined ? String(value) : written;
  };
  const log = (...values) => print(values.map((value) => (typeof value === "string" ? value : shown(value))).join(" "));
  const failure = (error) => {
    try {
      if (error instanceof Error)
        return {
          message: `${error.name === "Error" ? "" : `${error.name}: `}${error.message}`,
          stack: String(error.stack),
          near: error.near,
          id: error.id,
        };
      return { message: error === null ? "null, or out of memory (64 MB)" : shown(error), stack: "" };
    } catch {
      return { message: "the program threw something that cannot be shown", stack: "" };
    }
  };
  const timers = new Set();
  const later =
    (again) =>
    (what, ms = 0, ...args) => {
      const id = ++last;
      timers.add(id);
      const turn = () =>
        call("sleep", { ms: Math.max(Number(ms) || 0, again ? 10 : 0) }).then(() => {
          if (!timers.has(id)) return;
          if (again) turn();
          else timers.delete(id);
          return what(...args);
        });
      turn();
      return id;
    };

  const page = pageOf(0);
  const names = {
    page,
    context,
    expect,
    frame: page.mainFrame(),
    keyboard: page.keyboard,
    mouse: page.mouse,
    console: { log, info: log, warn: log, error: log, debug: log, table: log },
    print: log,
    setTimeout: later(false),
    setInterval: later(true),
    clearTimeout: (id) => timers.delete(id),
    clearInterval: (id) => timers.delete(id),
  };
  Object.assign(globalThis, names);
  const never = () => {};
  const ended = (value) => {
    try {
      done(stringify({ value: value === undefined ? undefined : shown(value) }));
    } catch (error) {
      done(stringify({ error: failure(error) }));
    }
  };
  // Uses `await`, not `then`: the program may have replaced methods of promises.
  const begin = async (program) => {
    try {
      const value = await program();
      ended(typeof value === "function" ? await value(page) : value);
    } catch (error) {
      done(stringify({ error: failure(error) }));
    }
  };
  const answer = (id, text) => {
    const waiting = pending.get(id);
    if (!waiting) return;
    pending.delete(id);
    const { value, error, code, near } = parse(text);
    if (error === undefined) return waiting.resolve(value);
    Object.assign(waiting.at, { message: error, name: LATE.includes(code) ? "TimeoutError" : "Error", code, near, id });
    waiting.reject(waiting.at);
  };
  // Lets the program's listeners answer first. Otherwise accepts an alert, and leaves any other dialog to the MCP client.
  const dialog = (text) => {
    const { page, type, message, defaultValue, number } = parse(text);
    const { listeners_ } = pageOf(page);
    let answered = false;
    const say = (accept, text) => {
      answered = true;
      return call("answer_dialog", { page, number, accept, text });
    };
    const it = {
      type: () => type,
      message: () => message,
      defaultValue: () => defaultValue,
      page: () => pageOf(page),
      accept: (text) => say(true, text),
      dismiss: () => say(false),
    };
    const heard = listeners_.map(async (listener) => listener(it));
    const rest = async () => {
      await Promise.allSettled(heard);
      // A listener may only resolve a promise, so that other code answers the dialog later. Waits 500 ms for that.
      if (!answered && heard.length > 0) await call("sleep", { ms: 500 });
      if (answered) return;
      await (type === "alert" ? say(true) : call("unanswered_dialog", { page, number, at: waiting() }));
    };
    rest().catch(never);
  };
  const waiting = () => stringify([...pending.values()].map(({ method, at }) => ({ method, stack: at.stack })));
  return { begin, answer, dialog, waiting };
};
