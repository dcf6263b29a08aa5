// Draws HTML over images. Runs in a separate hidden page, so that the recorded page cannot detect it.
() => {
  // Shows animations in their final state.
  const STILL = "*, *::before, *::after { animation-delay: -3600s !important; animation-play-state: paused !important; }";
  const UNSPEAKABLE = /[^\P{Cc}\t\n\r]|[\ufffe\uffff]/gu;
  let layers = [];

  /** Renders HTML as an image. Scripts in the HTML do not run, and its URLs are not loaded. */
  const drawn = async (html, width, height) => {
    const parsed = new DOMParser().parseFromString(html.replace(UNSPEAKABLE, ""), "text/html");
    const root = parsed.createElement("div");
    root.style.cssText = `position: relative; width: ${width}px; height: ${height}px; overflow: hidden`;
    const still = parsed.createElement("style");
    still.textContent = STILL;
    root.append(still, ...parsed.head.childNodes, ...parsed.body.childNodes);
    const inner = new XMLSerializer().serializeToString(root);
    const size = `width="${width}" height="${height}"`;
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" ${size}><foreignObject ${size}>${inner}</foreignObject></svg>`;
    const picture = new Image();
    picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
    await picture.decode();
    return picture;
  };
  return {
    async take(list, width, height) {
      layers = [];
      for (const [html, blurs] of list) layers.push([await drawn(html, width, height), blurs]);
    },
    async lay(jpeg) {
      const bytes = Uint8Array.from(atob(jpeg), (letter) => letter.charCodeAt(0));
      const picture = await createImageBitmap(new Blob([bytes], { type: "image/jpeg" }));
      const { width, height } = picture;
      const canvas = document.createElement("canvas");
      canvas.width = width;
      canvas.height = height;
      const brush = canvas.getContext("2d", { alpha: false });
      brush.drawImage(picture, 0, 0);
      picture.close();
      for (const [layer, blurs] of layers) {
        if (blurs) {
          const below = await createImageBitmap(canvas);
          brush.filter = "blur(2px)";
          brush.drawImage(below, 0, 0);
          brush.filter = "none";
          below.close();
        }
        brush.drawImage(layer, 0, 0, width, height);
      }
      // Not `toBlob`: in a hidden page, it takes a second.
      return canvas.toDataURL("image/jpeg", 0.9).split(",")[1];
    },
  };
};
