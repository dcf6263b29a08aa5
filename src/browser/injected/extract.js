// Texts and attributes by CSS selectors: for each element of `each`, or for the page, a list with what each of the fields finds.
([each, fields]) => {
  const told = (element, attribute) => {
    if (attribute === null) return (element.innerText ?? element.textContent ?? "").trim();
    if (attribute === "href" || attribute === "src") return element[attribute] ?? null;
    return element.getAttribute(attribute);
  };
  const all = (root, selector) => (selector === "" ? [root] : Array.from(root.querySelectorAll(selector)));
  const roots = each === null ? [document.documentElement] : Array.from(document.querySelectorAll(each));
  return roots.map((root) =>
    fields.map(([selector, attribute, several]) => {
      const found = all(root, selector).map((element) => told(element, attribute));
      return several ? found : (found[0] ?? null);
    }),
  );
};
