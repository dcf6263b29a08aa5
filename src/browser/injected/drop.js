// Drops files and texts on an element in the page's main world with synthetic drag events, as Playwright does.
(element, [at, files, texts]) => {
  const dataTransfer = new DataTransfer();
  for (const [kind, text] of texts) dataTransfer.setData(kind, text);
  for (const [name, type, content] of files) {
    const bytes = Uint8Array.from(atob(content), (letter) => letter.charCodeAt(0));
    dataTransfer.items.add(new File([bytes], name, { type }));
  }
  const box = element.getBoundingClientRect();
  const [x, y] = at ?? [box.width / 2, box.height / 2];
  const place = { clientX: box.left + x, clientY: box.top + y };
  const tell = (kind) =>
    element.dispatchEvent(new DragEvent(kind, { bubbles: true, cancelable: true, composed: true, dataTransfer, ...place }));
  tell("dragenter");
  const isTaken = !tell("dragover");
  tell(isTaken ? "drop" : "dragleave");
  return isTaken;
};
