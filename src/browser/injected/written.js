// Returns the document as HTML, with its doctype.
() => {
  const type = document.doctype ? new XMLSerializer().serializeToString(document.doctype) : "";
  return type + (document.documentElement?.outerHTML ?? "");
};
