// Collects signs of a challenge that only a human can pass, such as a captcha or a login. Does not change the page.
() => {
  "use strict";
  const boxes = [];
  const shown = (element) => {
    if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) return null;
    const box = element.getBoundingClientRect();
    const away = box.right <= 0 || box.bottom + scrollY <= 0;
    return away || box.width < 20 || box.height < 20 ? null : [box.width, box.height];
  };
  let fields = 0;
  let password = false;
  const stack = [document];
  while (stack.length > 0) {
    const root = stack.pop();
    for (const element of root.querySelectorAll("*")) {
      if (element.shadowRoot) stack.push(element.shadowRoot);
      const tag = element.localName;
      if (tag === "iframe") {
        const size = shown(element);
        if (size) boxes.push({ source: element.src, size });
      } else if (tag === "input" || tag === "textarea") {
        const kind = tag === "input" ? element.type : "text";
        if (["hidden", "submit", "button", "checkbox", "radio", "image", "reset"].includes(kind)) continue;
        if (!shown(element)) continue;
        if (kind === "password") password = true;
        else fields += 1;
      } else if (typeof element.className === "string" && element.className.includes("geetest_")) {
        const size = shown(element);
        if (size) boxes.push({ source: "geetest:", size });
      }
    }
  }
  const text = document.body?.innerText ?? "";
  return JSON.stringify({ boxes, fields, password, length: text.length, text: text.slice(0, 3000), title: document.title });
};
