// Texts and attributes by CSS selectors: for each element of `each`, or for the page, a list with what each of the fields finds.
// A number comes with the marks that its language writes numbers with; of a part, which is fields itself, a list like the whole.
([each, fields]) => {
  const written = (language) => {
    try {
      if (Intl.NumberFormat.supportedLocalesOf(language).length === 0) return "";
      const style = { style: "currency", currency: "EUR", numberingSystem: "latn" };
      const parts = new Intl.NumberFormat(language, style).formatToParts(12345.6);
      const mark = (kind) => parts.find((part) => part.type === kind)?.value ?? " ";
      return mark("decimal") + mark("group");
    } catch {
      return ""; // There is no such language.
    }
  };
  const known = new Map();
  const marksOf = (element) => {
    const language = element.closest("[lang]")?.getAttribute("lang") ?? "";
    if (!known.has(language)) known.set(language, written(language));
    return known.get(language);
  };
  const forPeople = /^(aria-.*|alt|title|placeholder)$/i;
  const readValue = (element, attribute) => {
    if (attribute === null) return (element.innerText ?? element.textContent ?? "").trim();
    if (attribute === "href" || attribute === "src") return element[attribute] ?? null;
    return element.getAttribute(attribute);
  };
  const isOn = (element) => {
    if (element.localName === "input" && /^(checkbox|radio)$/.test(element.type)) return element.checked;
    const state = element.getAttribute("aria-checked") ?? element.getAttribute("aria-pressed");
    return state === "true" ? true : state === "false" ? false : null;
  };
  const state = (element, attribute) => {
    if (attribute === null) return String(isOn(element) ?? readValue(element, null));
    if (typeof element[attribute] === "boolean") return String(element[attribute]);
    const said = element.getAttribute(attribute);
    if (said === null) return "false";
    return said === "" || said === attribute ? "true" : said.trim();
  };
  const all = (root, selector) => (selector === "" ? [root] : Array.from(root.querySelectorAll(selector)));
  const read = (element, attribute, wanted) => {
    if (Array.isArray(wanted)) return item(element, wanted);
    if (wanted === "state") return state(element, attribute);
    const text = readValue(element, attribute);
    if (wanted !== "number" || text === null) return text;
    return [text, attribute === null || forPeople.test(attribute) ? marksOf(element) : ""];
  };
  const item = (root, fields) =>
    fields.map(([selector, attribute, several, wanted]) => {
      const found = all(root, selector);
      if (several) return found.map((element) => read(element, attribute, wanted));
      return found.length === 0 ? null : read(found[0], attribute, wanted);
    });
  const roots = each === null ? [document.documentElement] : Array.from(document.querySelectorAll(each));
  return roots.map((root) => item(root, fields));
};
