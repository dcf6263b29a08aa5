// Adds a script or a style sheet to the document, and returns its element once it has loaded.
async ([kind, { src, text, type }]) => {
  const isSheet = kind === "style" && src;
  const element = document.createElement(isSheet ? "link" : kind);
  if (isSheet) element.rel = "stylesheet";
  if (type) element.type = type;
  if (!src) element.append(text);
  if (src) element[isSheet ? "href" : "src"] = src;
  let settled = Promise.resolve();
  if (src || kind === "style" || type === "module") {
    settled = new Promise((done, fail) => {
      element.onload = done;
      element.onerror = () => fail(new Error(src ? `Failed to load ${kind} at ${src}` : `Failed to load ${kind}`));
    });
  }
  let refused = false;
  if (!src && kind === "script") element.addEventListener("securitypolicyviolation", () => (refused = true));
  document.head.appendChild(element);
  if (src || kind === "style") await settled;
  // A Content Security Policy that blocks an inline script reports it only by an event a moment later.
  if (!src && kind === "script") await new Promise((done) => setTimeout(done));
  if (refused) throw new Error("The script was refused by the page's Content Security Policy");
  return element;
};
