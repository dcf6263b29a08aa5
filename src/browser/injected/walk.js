// Reads a frame for a snapshot, as a flat list of nodes in reading order: `[depth]` is a group, `[depth, text]` is text and
// `[depth, role, ref, name, details?]` is an element. The depths define the tree. Rust code formats the list as text.
const { native, collapse, roleOf, nameOf, statesOf, refOf, slotted, firstFlatChild, shadowRootOf, INTERACTIVE_ROLES, SHADOW_HOSTS } =
  engine;
const { getAttribute, hasAttribute, localName, nodeType, firstChild, nextSibling, parentNode } = native;
const { CLIPPED, GONE, CUT, ANY_CUT, cutBy, isClippedAway, isShrunk, placed, isBlanked } = engine.sight;
const set = (text) => new Set(text.trim().split(/\s+/));
const ELEMENT = 1;
const TEXT = 3;
const VISIBLE_BOX = { visibilityProperty: true };
const DEEPEST = 700;

/** Tags whose elements are never rendered, or only as a part of another element. */
const SKIPPED = set(`base clippath datalist defs desc head lineargradient link map mask meta metadata noembed noframes noscript
  optgroup option param pattern radialgradient rp script source style symbol template title track`);
/** Tags of elements that are reported by name and value only. Their content is not walked. */
const CLOSED = set("audio canvas embed iframe frame img input math meter object progress select textarea video");
/** Roles that only style or group text. The snapshot lists their content without the element itself. */
const TRANSPARENT = set(`caption code emphasis generic insertion mark none presentation rowgroup strong subscript suggestion
  superscript term time`);
/** Roles whose accessible name is their content, so that the text is not repeated as a child. */
const NAMED_BY_CONTENT = set(`button checkbox heading link menuitem menuitemcheckbox menuitemradio option radio switch tab
  tooltip treeitem`);
/** Roles whose content is listed even inside an element that is named by its content. */
const SUBMENUS = set("dialog grid group listbox menu table tree");
const LONGEST_NAME_ALONE = 200;
const MOST_OPTIONS = 40;

// Bits that a walk passes from an element to its content (`around`).
const QUIET = 1; // the text is part of the reported name of an ancestor
const POINTER = 2; // an ancestor sets a cursor that signals clicks or drags, such as `pointer`
const LISTED = 4; // a clickable ancestor was reported
const DISABLED = 32; // an ancestor has aria-disabled
const PREFORMATTED = 64;
const UNREAD = 128; // outside the open modal dialog
const AWAY = 256; // an ancestor is positioned where scrolling cannot reach
const HELD = 16384; // an ancestor clips, scrolls or positions its content
const BLANKED = 512; // an ancestor hides text by a zero font size or a large indent
const ASIDE = 1 << 20; // an ancestor is aria-hidden
const INERT = 1 << 21; // visible, but inert

/* ------------------------------------------------------------------- frames */

const frameNumbers = new WeakMap();

/** Stores the engine's number of the frame that an `<iframe>` shows. */
engine.adoptFrame = (owner, frameNumber) => {
  frameNumbers.set(owner, frameNumber);
};

/* ----------------------------------------------------------- closed shadow roots */

const checkedHosts = new WeakMap(); // host → whether it seemed to have unreachable content when it was reported
let pendingHosts = [];

/** Returns the elements that may have a closed shadow root, and have not been returned before. */
engine.suspects = () => {
  const hosts = pendingHosts;
  pendingHosts = [];
  return hosts;
};

const isCustom = (tag) => tag.includes("-");

function noteSuspect(host, tag, hollow, everyHost) {
  if (shadowRootOf(host)) return;
  const before = checkedHosts.get(host);
  if (before === true || before === hollow) return;
  if (!hollow && !everyHost && !isCustom(tag)) return;
  if (isCustom(tag) && !hollow && !native.matches(host, ":defined")) return;
  checkedHosts.set(host, hollow);
  pendingHosts.push(host);
}

/* ---------------------------------------------------------- element internals */

/** The most custom elements whose `ElementInternals` are queried at a time. */
const MOST_CUSTOMS = 100;
const askedCustoms = new WeakSet();
const customs = new Set();

/** Records a custom element to query its `ElementInternals` for a role; again at each call if it has internals, which can change. */
const noteCustom = (engine.noteCustom = (element) => {
  if (!isCustom(localName(element)) || customs.size >= MOST_CUSTOMS) return false;
  if (askedCustoms.has(element) && !engine.hasInternals(element)) return false;
  if (hasAttribute(element, "role") || !native.matches(element, ":defined")) return false;
  customs.add(element);
  return true;
});

/** Returns the recorded custom elements, and clears the record. */
engine.customs = () => {
  const noted = [...customs];
  customs.clear();
  for (const element of noted) askedCustoms.add(element);
  return noted;
};

/* --------------------------------------------------------------------- walk */

/**
 * Reads the document for a snapshot. Options: `root` (start at this ref), `boxes` (adds `[x, y, width, height]`), `allRefs` (also gives
 * refs to texts, groups and shapes: `[depth, role, ref, text]`). Returns JSON: `{first, last, suspects, customs, cut?, unseen?, front?,
 * looks, drawn?, selected?, nodes}`. `unseen`: nothing is visible, so the nodes are hidden elements. `front`: the refs of the controls
 * above an overlay that covers the others. `drawn`: `{shapes, boxes}`, the counts of drawn elements without text.
 */
engine.walk = (options = {}) =>
  engine.remembering(() => {
    let walk = begun(new Walk(options), options);
    const isBare = !options.root && walk.nodes.every((node) => node.length === 1);
    if (isBare) {
      const all = begun(new Walk({ ...options, hiddenToo: true }), options);
      if (all.nodes.some((node) => node.length > 1)) walk = all;
    }
    if (walk.isSmall) void engine.notePlaces(walk.acting);
    const front = walk.hiddenToo ? [] : engine.sight.front(walk.acting);
    if (!walk.hiddenToo) engine.markReach(walk.usable);
    const selected = engine.selectedText();
    return JSON.stringify({
      first: engine.firstRef,
      last: engine.lastRef,
      suspects: pendingHosts.length,
      customs: customs.size,
      ...(walk.cut && { cut: walk.cut }),
      ...(walk.hiddenToo && { unseen: true }),
      ...(isPdf() && { pdf: true }),
      ...(front.length && { front: front.map(refOf) }),
      looks: engine.looksOf(walk.hiddenToo ? [] : walk.isSmall ? walk.pushed : walk.usable.map(([element]) => element), walk.isSmall),
      ...((walk.drawn.shapes || walk.drawn.boxes) && { drawn: walk.drawn }),
      ...(selected && { selected }),
      nodes: walk.nodes,
    });
  });

/** Whether a `select` with `appearance: base-select` shows its options. Tests that first: other browsers do not support `:open`. */
const isOpenPicker = (select) => getComputedStyle(select).appearance === "base-select" && native.matches(select, ":open");

/** Whether the browser shows the document in its PDF viewer. */
const isPdf = () => document.contentType === "application/pdf";

/** Returns the code of the error for which the browser shows a page of its own in this frame; null without an error. */
function frameError() {
  if (parent === self || !document.body) return null;
  if (location.protocol === "chrome-error:") {
    const code = document.getElementsByClassName("error-code")[0];
    return code ? native.textContent(code) : "blocked";
  }
  return /^about:neterror\?e=(\w+)/.exec(document.documentURI)?.[1] ?? null;
}

function begun(walk, { root }) {
  const error = frameError();
  if (error !== null) {
    walk.text = `did not load (${error})`;
    walk.speaker = document.body;
    walk.flush(0);
    return walk;
  }
  const starts = root ? [engine.byRef(root)] : engine.topElements();
  for (const start of starts) if (start && nodeType(start) === ELEMENT) walk.begin(start, Boolean(root));
  renewRecycled(walk);
  return walk;
}

const ENTRIES = set("option treeitem");
const entryNames = new WeakMap();
/** Gives new refs to the entries of a list that now show another item, as in lists that keep only their visible rows. */
function renewRecycled({ nodes, entries }) {
  const shown = new Set(entries.map(([, place]) => nodes[place][3]));
  for (const [element, place] of entries) {
    const [level, , , name] = nodes[place];
    const before = entryNames.get(element);
    entryNames.set(element, name);
    if (before === undefined || before === name || !(shown.has(before) || isOtherName(before, name))) continue;
    for (let at = place; at < nodes.length && (at === place || nodes[at][0] > level); at++) {
      const part = at === place ? element : nodes[at].length > 2 && nodes[at][2] > 0 && engine.byRef(nodes[at][2]);
      if (part) nodes[at][2] = engine.renewRef(part);
    }
  }
}

/** The maximum length of a field's value, and with all refs, which searches need, in UTF-16 code units. */
const LONGEST_VALUE = 2000;
const LONGEST_SEARCHED_VALUE = 500_000;

const COMMON_START = 3;
const isOtherName = (before, name) =>
  before.slice(0, COMMON_START) !== name.slice(0, COMMON_START) && !before.includes(name) && !name.includes(before);

/** Finds elements that may have a closed shadow root or `ElementInternals`. Returns their counts, and the last ref. */
engine.seekSuspects = () =>
  engine.remembering(() => {
    begun(new Walk({}), {});
    return { count: pendingHosts.length, customs: customs.size, last: engine.lastRef };
  });

class Walk {
  constructor({ boxes, allRefs, hiddenToo }) {
    this.nodes = [];
    this.text = "";
    this.boxes = boxes;
    this.allRefs = allRefs;
    this.hiddenToo = hiddenToo;
    /** The innermost element that contains all of the collected `text`. */
    this.speaker = null;
    /** Items of lists that are clickable as a whole; each counts as clickable. */
    this.items = new Set();
    this.notices = new Set();
    this.hoverTargets = new engine.HoverTargets();
    this.shapes = 0;
    /** The bits for which text is not listed: it is part of a reported name, or invisible. */
    this.unread = hiddenToo ? QUIET : QUIET | CUT | UNREAD;
    this.cut = 0;
    this.level = 0;
    this.active = engine.activeElement();
    this.isSmall = document.getElementsByTagName("*").length <= 2000;
    this.acting = [];
    /** Controls and clickable elements that are not inert, as `[element, node, isPlain]` (see `markReach`). */
    this.usable = [];
    /** Entries of lists and trees, as `[element, place]`: the place of the node in `nodes`. */
    this.entries = [];
    /** The elements that are listed in the snapshot. */
    this.pushed = [];
    /** The number of drawn SVG shapes and boxes without text, which are listed only with `allRefs`. */
    this.drawn = { shapes: 0, boxes: 0 };
    const page = document.documentElement;
    if (!page) return; // The document is still empty.
    const beyond = getComputedStyle(page).direction === "rtl" ? page.scrollWidth - page.clientWidth : 0;
    this.left = -beyond - window.scrollX;
    this.top = -window.scrollY;
    this.modal = engine.sight.openModal(this.active);
    this.viewportsOverflow = engine.sight.overflowOfViewport();
  }

  begin(start, partly) {
    if (partly) this.modal = null;
    this.element(start, 0, this.modal ? UNREAD : 0);
    this.flush(0);
  }

  /** Adds the collected text as a node. Called before each node that is not text. */
  flush(depth) {
    if (!this.text) return;
    const all = this.text;
    const text = this.keepsLines ? all.replace(/[^\S\n]+/g, " ").trim() : collapse(all);
    this.keepsLines = false;
    this.text = "";
    if (!text || engine.isIcon(text)) return;
    const words = this.allRefs ? text : engine.withoutIcons(text);
    // Keeps one space at each end, which separates words from adjacent nodes.
    const spaced = `${/^\s/.test(all) ? " " : ""}${words}${/\s$/.test(all) ? " " : ""}`;
    this.nodes.push(this.allRefs ? [depth, "text", refOf(this.speaker), spaced] : [depth, spaced]);
    this.speaker = null;
  }

  textNode(node, data, around) {
    if (around & AWAY && this.isAway(engine.textRect(node)) && !isScrolledAway(node)) return;
    if (around & PREFORMATTED) this.keepsLines = true;
    if (this.allRefs) this.speaker = this.text ? holderOf(this.speaker, engine.flatParent(node)) : engine.flatParent(node);
    this.text += data;
  }

  /** Collects the text that a style sheet adds before or after an element's content. */
  generated(element, text, around) {
    if (around & PREFORMATTED) this.keepsLines = true;
    if (this.allRefs) this.speaker = this.text ? holderOf(this.speaker, element) : element;
    this.text += text;
  }

  /** Whether the text directly in an element is visible. */
  showsText(element, style, around) {
    if (this.hiddenToo) return true;
    style ??= getComputedStyle(element);
    return this.isVisible(style) && !(around & BLANKED && isBlanked(style));
  }

  /** Whether `visibility` is `visible`. Keeps the last answer, since reading a property of a style is slow. */
  isVisible(style) {
    if (style !== this.lastStyle) [this.lastStyle, this.lastVisible] = [style, style.visibility === "visible"];
    return this.lastVisible;
  }

  isAway(box) {
    return box.right <= this.left || box.bottom <= this.top;
  }

  children(element, depth, around, style = null) {
    if (this.level >= DEEPEST) {
      this.cut++;
      return;
    }
    this.level++;
    let seen = 0;
    let hollow = false;
    let shows = around & this.unread ? false : undefined;
    const folded = element instanceof HTMLDetailsElement && !element.open;
    const [before, after] = shows === false ? NOTHING_PAINTED : engine.paintedAround(element);
    if (before) this.generated(element, before, around);
    const tag = localName(element);
    const nodes = slotted(element, tag);
    let [child, at] = [nodes[0] ?? firstFlatChild(element, tag), 0];
    while (child) {
      const type = nodeType(child);
      if (folded && !(type === ELEMENT && localName(child) === "summary")) {
        // The content of closed `details` is hidden.
      } else if (type === TEXT) {
        const data = native.textData(child);
        if (!/\S/.test(data)) {
          this.text += " ";
        } else if ((shows ??= this.showsText(element, style, around))) this.textNode(child, data, around);
      } else if (type === ELEMENT) {
        seen++;
        if (this.element(child, depth, around) === HOLLOW) hollow = true;
      }
      child = nodes.length ? nodes[++at] : nextSibling(child);
    }
    if (after) this.generated(element, after, around);
    this.level--;
    if (hollow) noteSuspect(element, tag, true, true);
    else if (isCustom(tag) || SHADOW_HOSTS.has(tag)) {
      const empty = seen === 0 && !firstChild(element) && element.offsetWidth > 0 && element.offsetHeight > 0;
      noteSuspect(element, tag, empty, this.isSmall);
    }
  }

  element(element, depth, around) {
    const tag = localName(element);
    if (SKIPPED.has(tag)) return;
    if (isCustom(tag)) noteCustom(element);
    const attributes = native.hasAttributes(element);
    if (attributes) {
      if (!this.hiddenToo && hasAttribute(element, "inert")) {
        if (around & UNREAD || !isNotice(element)) return;
        around = this.inert(element, around);
      } else if (around & UNREAD && isOpenPopover(element)) around = this.inert(element, around);
      if (!this.hiddenToo && engine.isAriaHidden(element)) {
        if (!isPaintedAside(element) || (!this.allRefs && isGutter(element))) return;
        around |= ASIDE;
      }
      const disabled = getAttribute(element, "aria-disabled");
      if (disabled === "true") around |= DISABLED;
      else if (disabled === "false") around &= ~DISABLED;
    }
    const role = attributes ? roleOf(element) : engine.implicitRole(element, tag);
    if (INTERACTIVE_ROLES.has(role)) return this.control(element, tag, role, depth, around);
    if (around & QUIET && !attributes && !firstChild(element) && !isCustom(tag)) return;

    const style = getComputedStyle(element);
    const display = style.display;
    if (display === "none" && !this.hiddenToo) return;
    if (display === "") return HOLLOW; // A child without a slot, so its parent has a closed shadow root.
    if (tag === "br") {
      this.text += around & PREFORMATTED ? "\n" : " ";
      return;
    }
    if (element === this.modal) around &= ~UNREAD;
    if (!WITHOUT_OVERFLOW.has(display)) {
      if (style.contentVisibility === "hidden" && !this.hiddenToo) return;
      around = this.surroundings(element, style, around, attributes);
    } else {
      if (around & ANY_CUT && display !== "contents") around = placed(element, style, around, 0);
      if (display === "table-cell" && (style.position !== "static" || style.overflow !== "visible")) around |= HELD;
    }
    if (attributes && isBlanked(style)) around |= BLANKED;
    const pointer = hasHand(style.cursor);
    let clickable = this.mayBeClicked(element, tag, pointer, around, attributes);
    around = pointer ? around | POINTER : around & ~POINTER;
    const outside = around & (UNREAD | GONE);
    const drawn = this.hiddenToo || (!outside && ((!attributes && HOLDERS.has(role)) || this.isVisible(style)));
    if (clickable && !(drawn && (display === "contents" || native.checkVisibility(element)))) clickable = 0;

    const quiet = around & QUIET && !SUBMENUS.has(role) && !CLOSED.has(tag) && !(this.allRefs && role === "img");
    if (drawn && !clickable && !quiet && (!TRANSPARENT.has(role) || this.notices.has(element))) {
      return this.listed(element, tag, role === "none" ? "generic" : role, depth, around, false, 0, style);
    }
    if (drawn && clickable) return this.listed(element, tag, role === "none" ? "generic" : role, depth, around, false, clickable, style);
    if (drawn && display !== "contents" && !(around & (this.unread | CUT))) this.countDrawn(element, tag, display, style);
    if (this.allRefs && drawn && !(around & QUIET)) {
      if (isDrawnShape(element, tag)) this.shape(element, depth);
      else if (attributes && tag !== "label" && getAttribute(element, "title")?.trim()) return this.titled(element, depth, around, style);
      else if (engine.isDrawnBox(element, style)) this.shape(element, depth);
    }
    return this.transparent(element, tag, depth, around, display, style);
  }

  countDrawn(element, tag, display, style) {
    if (isDrawnShape(element, tag)) this.drawn.shapes += engine.isOfDrawing(element);
    else if (display !== "inline") this.drawn.boxes += engine.isDrawnBox(element, style);
  }

  /** Marks a visible element as inert, such as a toast outside an open modal dialog. Returns the bits for its content. */
  inert(element, around) {
    this.notices.add(element);
    return (around & ~UNREAD) | INERT;
  }

  control(element, tag, role, depth, around) {
    if (MAY_BE_KEPT.has(tag) && !this.allRefs && !this.hiddenToo && engine.isKept(element)) return;
    if (around & ANY_CUT || role === "listbox") around = this.surroundings(element, getComputedStyle(element), around, true);
    if (this.hiddenToo || native.checkVisibility(element, VISIBLE_BOX)) {
      if (this.hiddenToo || (!(around & UNREAD) && (!(around & GONE) || isLabelledInput(element, tag)))) {
        return this.listed(element, tag, role, depth, around, true, 0, null);
      }
      return CLOSED.has(tag) ? undefined : this.children(element, depth, around);
    }
    const style = getComputedStyle(element);
    if (style.display === "") return HOLLOW;
    if (style.display === "none" || CLOSED.has(tag)) return;
    if (style.display === "contents" && style.visibility === "visible") {
      return this.listed(element, tag, role, depth, around, true, 0, style);
    }
    return this.children(element, depth, around);
  }

  /** Walks the content without listing the element itself. A block element becomes a group of its parts. */
  transparent(element, tag, depth, around, display, style) {
    if (tag === "label" && !(around & QUIET)) around = this.label(element, depth, around);
    if (tag === "legend" || tag === "caption" || tag === "figcaption") around |= QUIET;
    if (tag === "pre") around |= PREFORMATTED;
    if (display.startsWith("inline") || display === "contents") return this.children(element, depth, around, style);
    this.flush(depth);
    const place = this.nodes.length;
    this.nodes.push(this.allRefs ? [depth, "generic", refOf(element), ""] : [depth]);
    this.children(element, depth + 1, around, style);
    this.flush(depth + 1);
    if (this.nodes.length === place + 1) this.nodes.pop();
  }

  /** Handles a `label`: its text is not listed, since it names the control. If the control is invisible, lists the label as the control. */
  label(element, depth, around) {
    const control = element.control;
    if (!control || !(INTERACTIVE_ROLES.has(roleOf(control)) || CLOSED.has(localName(control)))) return around;
    if (native.checkVisibility(control, VISIBLE_BOX)) {
      const isNamed = hasAttribute(control, "aria-label") || hasAttribute(control, "aria-labelledby");
      const elsewhere = isNamed && nameOf(control) !== collapse(native.textContent(element));
      return elsewhere ? around : around | QUIET | LISTED;
    }
    if (!(control instanceof HTMLInputElement) || control.type === "hidden") return around;
    this.flush(depth);
    const role = roleOf(control);
    const name = nameOf(control, role) || collapse(native.textContent(element));
    this.usable.push([element, this.push(element, depth, role, name, this.details(control, role, around)), false]);
    this.acting.push(element);
    return around | QUIET | LISTED;
  }

  listed(element, tag, role, depth, around, acts, clickable, style) {
    const isDecoration = role === "img" && !acts && !clickable && !this.allRefs && around & ASIDE;
    if (role === "img" && !acts && !clickable && tag === "svg" && (isDecoration || !nameOf(element, role))) {
      return this.children(element, depth, around);
    }
    if (isDecoration) return;
    if (tag === "iframe" || tag === "frame" || frameNumbers.has(element)) return this.frame(element, depth);
    const fromContent = NAMED_BY_CONTENT.has(role);
    let name =
      role === "generic" && !clickable && !hasAttribute(element, "aria-label")
        ? ""
        : ROWS.has(role)
          ? authorName(element)
          : nameOf(element, role);
    if (!this.allRefs) name = engine.withoutIcons(name);
    if (role === "img" && !clickable && !this.allRefs && (around & QUIET || (!name && isTiny(element)))) return;
    this.flush(depth);
    const kept = acts && !this.allRefs && FIELD_ROLES.has(role) ? this.keptName(element) : "";
    if (kept && !name) name = kept;
    const details = this.details(element, role, around, tag);
    if (kept && kept !== name) details.w = kept;
    if (clickable) details.c = clickable;
    const isInert = around & INERT && (acts || clickable);
    if (isInert) details.m = "inert";
    if (around & QUIET && role === "img") details.z = 1;
    const node = this.push(element, depth, role, name, details);
    if (acts || clickable) {
      this.acting.push(element);
      if (!isInert) this.usable.push([element, node, !(around & HELD)]);
    }
    if (CLOSED.has(tag) || role === "textbox") {
      if (tag === "img" && hasAttribute(element, "usemap")) this.areas(element, depth + 1);
      if (!CLOSED.has(tag)) this.children(element, depth + 1, around | QUIET | LISTED);
      if (tag === "select" && (role === "listbox" || isOpenPicker(element))) this.options(element, depth + 1, role !== "listbox");
      if ((acts || clickable) && !isSaying(name)) this.hint(element, node, details);
      if (tag === "math") this.nodes.push([depth + 1, collapse(native.textContent(element))]);
      return;
    }
    let inside = around & ~QUIET;
    // In an element that only has a listener, the parts with a pointer cursor are the click targets.
    if (acts || clickable === 1 || (clickable && around & POINTER)) inside |= LISTED;
    if (clickable) for (const item of itemsIn(element, tag)) this.items.add(item);
    // If an element has no name, lists its visible content, even if that is aria-hidden.
    if (fromContent && name && name.length <= LONGEST_NAME_ALONE && !saysMore(element, name)) inside |= QUIET;
    else if (role === "combobox") inside |= QUIET;
    const place = this.nodes.length;
    this.children(element, depth + 1, inside, style);
    this.flush(depth + 1);
    const saysNothing = (inner) => inner.length === 1 || (this.allRefs && !inner[3]);
    if ((acts || clickable) && !isSaying(name) && this.nodes.slice(place).every(saysNothing)) this.hint(element, node, details);
    // Removes empty elements, most of which have hidden content. Keeps empty cells, which align the columns.
    if (this.nodes.length === place && EMPTY_IF_BARE.has(role) && !name && !acts && !clickable) this.nodes.pop();
  }

  /** Returns the name of the hidden field in which a UI library holds the value of this control; "" if there is none. */
  keptName(element) {
    this.kept ??= engine.queryAll(document, engine.KEPT);
    return this.kept.length ? engine.keptNameOf(element, this.kept) : "";
  }

  /** Adds a hint, such as a class name, that distinguishes an element without a name from others. */
  hint(element, node, details) {
    const hint = engine.hintOf(element);
    if (!hint) return;
    details.w = hint;
    node[4] = details;
  }

  /** Adds a node for a shape of a drawing, so that it has a ref to click. */
  shape(element, depth) {
    if (++this.shapes > MOST_SHAPES) return;
    this.flush(depth);
    const details = { z: 1 };
    const node = this.push(element, depth, "generic", svgTitle(element), details);
    this.hint(element, node, details);
  }

  /** Adds a node for an inline element with a tooltip (`title`). */
  titled(element, depth, around, style) {
    this.flush(depth);
    this.push(element, depth, "generic", collapse(getAttribute(element, "title")), { z: 1 });
    this.children(element, depth + 1, around, style);
    this.flush(depth + 1);
  }

  push(element, depth, role, name, details) {
    const node = [depth, role, refOf(element), name];
    if (this.boxes) {
      const box = native.rectOf(element);
      details.b = [box.x, box.y, box.width, box.height].map(Math.round);
    }
    for (const _ in details) {
      node.push(details);
      break;
    }
    if (ENTRIES.has(role) && name) this.entries.push([element, this.nodes.length]);
    this.nodes.push(node);
    this.pushed.push(element);
    return node;
  }

  frame(element, depth) {
    if (element.clientWidth <= 1 || element.clientHeight <= 1) return;
    this.flush(depth);
    const details = {};
    const number = frameNumbers.get(element);
    if (number !== undefined) details.f = number;
    if (this.boxes) {
      const box = native.rectOf(element);
      details.in = [Math.round(box.x + element.clientLeft), Math.round(box.y + element.clientTop)];
    }
    this.usable.push([element, this.push(element, depth, "iframe", nameOf(element, "iframe"), details)]);
  }

  /** Adds nodes for the links of an image map. */
  areas(image, depth) {
    const name = getAttribute(image, "usemap").replace(/^#/, "");
    const map = name && native.rootOf(image).querySelector(`map[name="${CSS.escape(name)}"]`);
    if (!map) return;
    for (const area of native.querySelectorAll(map, "area[href]")) {
      this.usable.push([area, this.push(area, depth, "link", nameOf(area, "link"), this.details(area, "link", 0, "area"))]);
    }
  }

  /** Adds nodes for the options of a `select`. `drawn`: the page renders its open picker, so the options can be clicked. */
  options(select, depth, drawn) {
    for (const option of select.options) {
      if (option.hidden) continue;
      const node = this.push(option, depth, "option", engine.optionText(option), this.details(option, "option", 0, "option"));
      if (!drawn) continue;
      this.acting.push(option);
      this.usable.push([option, node, false]);
    }
  }

  details(element, role, around, tag = localName(element)) {
    const details = {};
    const states = statesOf(element, role, tag);
    if (states.checked) details.k = states.checked === true ? 1 : 2;
    if (states.expanded !== undefined) details.x = states.expanded ? 1 : 0;
    if (states.selected) details.s = 1;
    if (states.pressed) details.p = states.pressed === true ? 1 : 2;
    if (states.level !== undefined) details.l = states.level;
    if (states.required) details.q = 1;
    if (states.readonly) details.r = 1;
    if (states.invalid) details.i = 1;
    if (around & DISABLED || (tag !== "fieldset" && engine.isDisabledControl(element, tag))) details.d = 1;
    if (this.notices.has(element)) details.m = "inert";
    if (element === this.active) details.a = 1;
    if (role === "link") {
      const url = hrefOf(element);
      if (url) details.u = url;
    }
    const value = tag === "input" && engine.isSecret(element) ? this.secret(element, details) : engine.valueOf(element, role);
    const longest = this.allRefs ? LONGEST_SEARCHED_VALUE : LONGEST_VALUE;
    if (value) details.v = value.length > longest ? `${value.slice(0, longest)}…` : value;
    if (tag === "input" && !PLAIN_TYPES.has(element.type)) details.t = element.type;
    if (tag === "select" && role === "combobox" && !isOpenPicker(element)) this.optionTexts(element, details);
    return details;
  }

  secret(element, details) {
    if (element.value) details.h = 1;
    return null;
  }

  optionTexts(select, details) {
    const options = select.options;
    const texts = [];
    for (let index = 0; index < options.length && texts.length < MOST_OPTIONS; index++) {
      if (!options[index].hidden) texts.push(engine.optionText(options[index]));
    }
    details.o = texts;
    if (options.length > texts.length) details.n = options.length - texts.length;
  }

  /** Returns why an element may be clickable: 1: cursor, markup or `tabindex`; 2: only a listener; 3: a hover rule; 0: not clickable. */
  mayBeClicked(element, tag, pointer, around, attributes) {
    if (tag === "body" || tag === "html") return 0;
    // The control of a label is listed instead.
    if (tag === "label" && element.control) return 0;
    if (pointer && this.beginsHand(element, around)) return !this.allRefs && isSizer(element) ? 0 : 1;
    if (attributes) {
      if (hasAttribute(element, "onclick") || getAttribute(element, "draggable") === "true") return 1;
      if (
        hasAttribute(element, "tabindex") &&
        element.tabIndex >= 0 &&
        !ONLY_FOCUSED.has(getAttribute(element, "role")) &&
        engine.isVisible(element)
      )
        return 1;
      if (tag === "a" && !(around & LISTED) && hasAttribute(element, "title")) return 2;
    }
    if (around & QUIET) return 0;
    if (tag === "li" && this.items.has(element)) return 2;
    if (attributes && this.hoverTargets.has(element)) return 3;
    return hearing.has(element) && isOneThing(element) && (this.allRefs || !isSizer(element)) ? 2 : 0;
  }

  /** Whether an element sets a pointer cursor that its parent does not have, or is an item of a clickable list. */
  beginsHand(element, around) {
    if (this.items.has(element)) return true;
    if (!(around & POINTER)) return !(around & LISTED);
    return !(around & QUIET) && getComputedStyle(element).cursor !== getComputedStyle(engine.flatParent(element) ?? element).cursor;
  }

  /**
   * Returns the bits for an element's content, with those for invisible content added: in a clipping box of zero size (GONE) or at most one
   * pixel, as for visually hidden text (CLIPPED), or outside the scrollable area (AWAY).
   */
  surroundings(element, style, around, attributes) {
    const { position } = style;
    const overflows = element === this.viewportsOverflow || style.overflow === "visible";
    let own = overflows ? 0 : cutBy(element, style);
    const isPlaced = position !== "static";
    if ((isPlaced && position !== "relative") || !overflows) around |= HELD;
    if (isPlaced || (attributes && style.transform !== "none")) {
      const box = native.rectOf(element);
      if (isPlaced && !(around & AWAY) && this.isAway(box)) around |= AWAY;
      if (isShrunk(element, box)) own |= CUT;
    }
    if (attributes && isClippedAway(style)) own |= CLIPPED;
    return around & ANY_CUT || own ? placed(element, style, around, own) : around;
  }
}

/** A walk that only collects the texts of a snapshot, without its structure. */
class Reader extends Walk {
  constructor() {
    super({});
    this.unread &= ~QUIET;
    this.frames = [];
    this.said = [];
    this.text = " ";
  }

  flush() {
    if (!this.text.endsWith(" ")) this.text += " ";
  }

  push(element, _depth, role, name, details) {
    this.said.push([role, name], ...(details.o ?? []).map((option) => ["option", option]));
    if (details.v) this.said.push([`${role} value`, details.v]);
    const number = frameNumbers.get(element);
    if (role === "iframe" && number !== undefined) this.frames.push(number);
    return [];
  }

  hint() {}
}

/**
 * Counts how often a snapshot would contain a text, ignoring case: `{counts, frames, pdf}`. `counts`: by the role of the element that it
 * names, "ROLE value" for the values of fields, "text" for other texts; `frames`: the numbers of the child frames that it would contain.
 */
engine.tells = (text) =>
  engine.remembering(() => {
    const reader = new Reader();
    begun(reader, {});
    const wanted = collapse(text).toLowerCase();
    const counts = {};
    for (const [place, line] of [["text", reader.text], ...reader.said]) {
      const count = collapse(line).toLowerCase().split(wanted).length - 1;
      if (count) counts[place] = (counts[place] ?? 0) + count;
    }
    return { counts, frames: reader.frames, pdf: isPdf() };
  });

const MOST_SHAPES = 2000;
const DRAWN = set("circle ellipse image line path polygon polyline rect use");
const isDrawnShape = (element, tag) => DRAWN.has(tag) && element instanceof SVGElement;

function svgTitle(element) {
  for (let child = firstChild(element); child; child = native.nextSibling(child)) {
    if (nodeType(child) === ELEMENT && localName(child) === "title") return collapse(native.textContent(child));
  }
  return "";
}

const NOTHING_PAINTED = ["", ""];
const OPAQUE = { opacityProperty: true };

/**
 * Whether an aria-hidden element is visible to users: not transparent, clipped, without size, or outside the clipping box that contains it.
 * Snapshots list visible aria-hidden elements.
 */
function isPaintedAside(element) {
  const style = getComputedStyle(element);
  if (style.display === "contents") return true;
  if (!native.checkVisibility(element, OPAQUE) || isClippedAway(style)) return false;
  const box = native.rectOf(element);
  const isFlat = box.width <= 1 || box.height <= 1;
  if (isFlat && (style.overflow !== "visible" || !firstChild(element))) return false;
  return isFlat || !isCutOff(element, box, style);
}

/** Whether an aria-hidden element stands beside an editor, such as its line numbers. */
function isGutter(element) {
  for (let beside = firstChild(parentNode(element)); beside; beside = nextSibling(beside)) {
    if (beside !== element && beside.isContentEditable) return true;
  }
  return false;
}

const isOpenPopover = (element) => hasAttribute(element, "popover") && native.matches(element, ":popover-open");

const LARGEST_NOTICE = 0.25;
/** Whether an inert element is small and visible, such as a toast, and not the page behind a dialog. */
function isNotice(element) {
  const box = native.rectOf(element);
  return box.width * box.height <= LARGEST_NOTICE * innerWidth * innerHeight && isPaintedAside(element);
}

const CUTS = /hidden|clip/;
/** Whether a box is outside the page, or outside a clipping ancestor, however much the scrollers in between are scrolled. */
function isCutOff(element, { left, top, right, bottom }, { position }) {
  const page = document.documentElement;
  const end = Math.max(page.clientWidth, page.scrollWidth - window.scrollX);
  if (right <= -window.scrollX || bottom <= -window.scrollY || left >= end) return true;
  for (let around = engine.flatParent(element); around && around !== document.body && around !== page; around = engine.flatParent(around)) {
    if (position === "fixed") return false;
    const style = getComputedStyle(around);
    if (position === "absolute" && style.position === "static" && style.transform === "none") continue;
    position = style.position;
    if (style.overflow === "visible") continue;
    const edge = native.rectOf(around);
    if (CUTS.test(style.overflowX)) {
      if (right <= edge.left || left >= edge.right) return true;
    } else if (style.overflowX !== "visible") ({ left, right } = edge);
    if (CUTS.test(style.overflowY)) {
      if (bottom <= edge.top || top >= edge.bottom) return true;
    } else if (style.overflowY !== "visible") ({ top, bottom } = edge);
  }
  return false;
}

/** The innermost common ancestor of two elements. */
function holderOf(one, other) {
  while (one && !native.contains(one, other)) one = engine.flatParent(one);
  return one ?? other;
}

const HAND = /(?:pointer|grab|grabbing|move|zoom-in|zoom-out|-resize)$/;
const hasHand = (cursor) => cursor !== "auto" && HAND.test(cursor);

const THICKEST_EDGE = 12;
/** Whether an element is a resize handle at the edge of a draggable window. Listed only with `allRefs`. */
function isSizer(element) {
  if (firstChild(element)) return false;
  const { offsetWidth, offsetHeight } = element;
  const [thin, long] = [Math.min(offsetWidth, offsetHeight), Math.max(offsetWidth, offsetHeight)];
  return thin <= THICKEST_EDGE && (long > 2 * thin || /-resize$/.test(getComputedStyle(element).cursor));
}

/** Elements that are known to have pointer listeners, from queries over CDP. */
const hearing = new WeakSet();
engine.adoptHearers = (...elements) => {
  for (const element of elements) if (nodeType(element) === ELEMENT) hearing.add(element);
};

/** Whether an element is known to have a pointer listener. */
engine.hears = (element) => hearing.has(element);

const LARGEST_THING = 40;
const ACTING = "a[href],button,input,select,textarea,[role=button],[role=link],[tabindex]";
/** Whether an element with a listener is itself the click target, and not a container that handles events of many. */
const isOneThing = (element) =>
  element.getElementsByTagName("*").length <= LARGEST_THING &&
  !native.querySelector(element, ACTING) &&
  (element instanceof SVGElement || native.rectOf(element).width < innerWidth * 0.9 || native.rectOf(element).height < innerHeight / 2);

/** Roles whose `tabindex` does not mean that they are clickable: they are focusable for their items or for keyboard scrolling. */
const ONLY_FOCUSED = set("dialog alertdialog main radiogroup tablist tabpanel toolbar");

const LISTS = set("ul ol menu tbody table dl");
const LIST_ROLES = set("list listbox menu menubar tree grid rowgroup radiogroup tablist table group toolbar");
const CELLS = set("td th p");
const MOST_ITEMS = 500;

const isList = (element) => LISTS.has(localName(element)) || LIST_ROLES.has(getAttribute(element, "role"));

/** Returns the items of a list that is clickable as a whole, since its listener handles the clicks on all items. */
function itemsIn(element, tag) {
  if (tag === "tr") return [];
  const own = itemsOf(element);
  return own.length ? own : Array.from(native.children(element)).flatMap(itemsOfOpened);
}

/** Returns the items of a list inside a clickable element, such as a custom drop-down. */
function itemsOfOpened(part) {
  let list = part;
  while (native.children(list).length === 1 && !isList(list)) list = native.children(list)[0];
  if (!isList(list)) return [];
  const items = itemsOf(list);
  return items.every(isNamed) || [part, list].some((box) => OVER_THE_PAGE.has(getComputedStyle(box).position)) ? items : [];
}
const OVER_THE_PAGE = set("absolute fixed");

function itemsOf(element) {
  let holder = element;
  while (native.children(holder).length === 1 && !isList(holder)) holder = native.children(holder)[0];
  // Descends through lists with a single nested list, such as a table with only a `tbody`.
  while (native.children(holder).length === 1 && isList(native.children(holder)[0])) holder = native.children(holder)[0];
  const all = native.children(holder);
  const areItems = isList(holder);
  const fewest = areItems && all.length === 1 ? 1 : 2;
  if (all.length < fewest || all.length > MOST_ITEMS) return [];
  const kinds = new Map();
  for (const child of all) {
    const kind = `${localName(child)} ${(getAttribute(child, "class") ?? "").trim().split(/\s+/)[0]}`;
    kinds.set(kind, [...(kinds.get(kind) ?? []), child]);
  }
  const alike = [...kinds.values()].reduce((most, some) => (some.length > most.length ? some : most));
  if (alike.length < fewest || CELLS.has(localName(alike[0]))) return [];
  return areItems || alike.every(isNamed) ? alike : [];
}
/** Whether an item has an `id`, `role` or `data-` attribute. */
const isNamed = (item) => native.attributeNames(item).some((name) => name === "id" || name === "role" || name.startsWith("data-"));

/** The `display` values of boxes that cannot clip and are not positioned. */
const WITHOUT_OVERFLOW = set("inline table-row table-row-group table-header-group table-footer-group table-cell contents");
/** Roles of elements that only contain other content. */
const HOLDERS = set("cell columnheader gridcell list listitem paragraph row rowheader table");
const EMPTY_IF_BARE = set("alert article blockquote definition deletion figure form group list listitem log paragraph row status table");

const HOLLOW = Symbol("hollow");
const MAY_BE_KEPT = set("input select textarea");
const FIELD_ROLES = set("combobox listbox searchbox spinbutton textbox button");
const ROWS = set("cell columnheader gridcell listitem row rowheader");
const PLAIN_TYPES = set("button checkbox hidden image password radio range reset submit text");

const SHORTEST_SENTENCE = 8;
/** Whether an element that is named by a label shows words that the name lacks, such as a notice that is also its own button. */
function saysMore(element, name) {
  if (!hasAttribute(element, "aria-label")) return false;
  const text = collapse(native.textContent(element));
  const isSentence = text.length >= SHORTEST_SENTENCE && text.length <= LONGEST_NAME_ALONE && /\p{L} \p{L}/u.test(text);
  return isSentence && !name.toLowerCase().includes(text.toLowerCase());
}

/** Whether a name contains readable text, not only characters of an icon font. */
const isSaying = (name) => name !== "" && !engine.isIcon(name);

const authorName = (element) => (hasAttribute(element, "aria-label") || hasAttribute(element, "aria-labelledby") ? nameOf(element) : "");

const isLabelledInput = (element, tag) => tag === "input" && engine.labelsOf(element).length > 0;
const isTiny = (element) => element instanceof HTMLElement && (element.offsetWidth < 24 || element.offsetHeight < 24);

const { origin } = location;

/** `href` values without a destination, of links that a script handles. */
const NOWHERE = /^(?:#|javascript:(?:void|;|$|\/\/).*)$/i;

function hrefOf(element) {
  const href = (getAttribute(element, "href") ?? getAttribute(element, "xlink:href") ?? "").trim();
  if (NOWHERE.test(href)) return "";
  return href.startsWith(origin) && href[origin.length] === "/" ? href.slice(origin.length) : href;
}

/** Whether an ancestor is scrolled away from its start, so that scrolling back may show the node. */
function isScrolledAway(node) {
  for (let parent = engine.flatParent(node); parent; parent = engine.flatParent(parent)) {
    if (parent === document.documentElement || parent === document.body) continue;
    if (parent.scrollTop > 0 || parent.scrollLeft !== 0) return true;
  }
  return false;
}
