// Returns the document as HTML, with its doctype and the content of open shadow roots.
() => {
  const roots = [];
  const visit = (root) => {
    for (const element of root.querySelectorAll("*")) {
      if (!element.shadowRoot) continue;
      roots.push(element.shadowRoot);
      visit(element.shadowRoot);
    }
  };
  visit(document);
  const html = document.documentElement;
  const shell = html.cloneNode(false).outerHTML;
  const end = shell.lastIndexOf("</");
  const type = document.doctype ? new XMLSerializer().serializeToString(document.doctype) : "";
  return type + shell.slice(0, end) + html.getHTML({ shadowRoots: roots }) + shell.slice(end);
};
