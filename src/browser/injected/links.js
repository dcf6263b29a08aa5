// Returns the links of the document as [URL, whether marked nofollow], its canonical URL, its directives for robots, and its content type.
() => {
  const MOST = 5000;
  const links = [];
  const resolved = (address) => {
    try {
      return new URL(address, document.baseURI).href;
    } catch {
      return null;
    }
  };
  const collect = (root) => {
    for (const element of root.querySelectorAll("a[href], area[href]")) {
      const url = links.length < MOST && resolved(element.getAttribute("href"));
      if (url) links.push([url, /(^|\s)nofollow(\s|$)/i.test(element.getAttribute("rel") ?? "")]);
    }
    for (const element of root.querySelectorAll("*")) if (element.shadowRoot) collect(element.shadowRoot);
  };
  collect(document);
  const canonical = document.querySelector('link[rel~="canonical" i][href]')?.getAttribute("href");
  const robots = [...document.querySelectorAll('meta[name="robots" i], meta[name="patchright-mcp" i]')];
  return {
    links,
    canonical: canonical ? resolved(canonical) : null,
    robots: robots.map((meta) => (meta.getAttribute("content") ?? "").replace(/[^\w:-]+/g, ",")).join(","),
    contentType: document.contentType,
  };
};
