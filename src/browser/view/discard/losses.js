// Reports what a reload of the document would lose (`"input"`, `"media"` or null), its title and its scroll position. Runs in
// the isolated world, with the engine as `this`, and changes nothing.
(function () {
  "use strict";
  const differs = (field) => {
    if (field.localName === "select") {
      const options = [...field.options];
      const byDefault = options.some((option) => option.defaultSelected);
      const first = field.multiple || field.size > 1 ? -1 : options.findIndex((option) => !option.disabled);
      return options.some((option, at) => option.selected !== (byDefault ? option.defaultSelected : at === first));
    }
    if (field.type === "checkbox" || field.type === "radio") return field.checked !== field.defaultChecked;
    if (field.type === "file") return field.files.length > 0;
    // Inputs of these two types have a value even if neither the page nor the user set one.
    if (["range", "color"].includes(field.type) && field.defaultValue === "") return false;
    return field.type !== "hidden" && field.value !== field.defaultValue;
  };
  let lost = null;
  const stack = [document];
  while (stack.length > 0 && !lost) {
    const root = stack.pop();
    for (const element of root.querySelectorAll("*")) {
      const tag = element.localName;
      const inside = this.shadowRootOf(element);
      if (inside) stack.push(inside);
      if (tag === "input" || tag === "textarea" || tag === "select") {
        // A script can make the user's input the default value, but `:user-valid` or `:user-invalid` still matches.
        if (differs(element) || element.matches(":user-valid, :user-invalid")) lost = "input";
        else if (element.matches(":focus") && element.value) lost = "input";
      } else if (element.isContentEditable && element.textContent.trim() !== "") lost = "input";
      else if ((tag === "video" || tag === "audio") && !element.paused && !element.ended) lost = "media";
      if (lost) break;
    }
  }
  if (document.fullscreenElement || document.pictureInPictureElement) lost ??= "media";
  const isEmpty = !document.body?.hasChildNodes() && document.scripts.length === 0;
  return { lost, isEmpty, title: document.title, scrolled: [scrollX, scrollY] };
});
