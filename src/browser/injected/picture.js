// Support for screenshots: stops animations, and masks parts of the image.

const animated = (root) => {
  const inner = engine.queryAll(root, "*").map(engine.shadowRootOf).filter(Boolean);
  return [...root.getAnimations(), ...inner.flatMap(animated)];
};
const stopped = [];

/** Finishes finite animations, and resets infinite ones to their start. */
engine.stopAnimations = () => {
  for (const animation of animated(document)) {
    if (animation.playState === "finished" || animation.playState === "idle" || !animation.effect) continue;
    if (Number.isFinite(animation.effect.getComputedTiming().endTime)) {
      animation.finish();
    } else {
      animation.cancel();
      stopped.push(animation);
    }
  }
};

engine.resumeAnimations = () => {
  for (const animation of stopped.splice(0)) animation.play();
};

/** Whether this document may show a text caret, which a screenshot should hide. */
engine.hasCaret = () => {
  let active = document.activeElement;
  for (let root = active && engine.shadowRootOf(active); root?.activeElement; root = engine.shadowRootOf(active))
    active = root.activeElement;
  return Boolean(active) && typeof engine.isEditable(active) === "boolean";
};

/** Paints boxes over parts of a screenshot, on a canvas that the page cannot see. Returns the image as base64. */
engine.covered = async (picture, type, quality, color, boxes) => {
  const bytes = Uint8Array.from(atob(picture), (letter) => letter.charCodeAt(0));
  const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
  const canvas = new OffscreenCanvas(image.width, image.height);
  const context = canvas.getContext("2d");
  context.drawImage(image, 0, 0);
  context.fillStyle = color;
  for (const { x, y, width, height } of boxes) context.fillRect(x, y, width, height);
  const blob = await canvas.convertToBlob({ type, ...(quality === null ? {} : { quality: quality / 100 }) });
  const reader = new FileReader();
  await new Promise((done) => ((reader.onload = done), reader.readAsDataURL(blob)));
  return reader.result.slice(reader.result.indexOf(",") + 1);
};
