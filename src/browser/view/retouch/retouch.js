// Draws numbered boxes on screenshots, and compares screenshots. Runs in a hidden page.
(() => {
  const opened = async (data) => {
    const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
    return createImageBitmap(new Blob([bytes]));
  };
  const canvasOf = (width, height) => {
    const canvas = new OffscreenCanvas(width, height);
    return [canvas, canvas.getContext("2d", { willReadFrequently: true })];
  };
  const written = async (canvas, type, quality) => {
    const blob = await canvas.convertToBlob({ type, quality });
    const bytes = new Uint8Array(await blob.arrayBuffer());
    let text = "";
    for (let at = 0; at < bytes.length; at += 32768) text += String.fromCharCode(...bytes.subarray(at, at + 32768));
    return btoa(text);
  };

  return {
    /** Outlines each box `[x, y, width, height]` on an image, and labels it with its number, counted from 1. */
    async label(data, boxes, type, quality) {
      const picture = await opened(data);
      const [canvas, pen] = canvasOf(picture.width, picture.height);
      pen.drawImage(picture, 0, 0);
      const size = Math.max(12, Math.round(Math.min(picture.width, picture.height) / 55));
      pen.font = `bold ${size}px sans-serif`;
      pen.textBaseline = "top";
      boxes.forEach(([x, y, width, height], index) => {
        const colour = `hsl(${(index * 137) % 360} 90% 35%)`;
        pen.strokeStyle = pen.fillStyle = colour;
        pen.lineWidth = 2;
        pen.strokeRect(x + 1, y + 1, Math.max(width - 2, 1), Math.max(height - 2, 1));
        const text = String(index + 1);
        const across = pen.measureText(text).width + 6;
        const left = Math.max(0, Math.min(x, picture.width - across));
        const top = Math.max(0, y >= size + 4 ? y - size - 4 : y);
        pen.fillRect(left, top, across, size + 4);
        pen.fillStyle = "white";
        pen.fillText(text, left + 3, top + 2);
      });
      return written(canvas, type, quality);
    },

    /** Compares two images. Returns the number of differing pixels, their bounding box, and an image that shows them in red. */
    async difference(before, after, type, quality) {
      const [old, fresh] = [await opened(before), await opened(after)];
      const [width, height] = [Math.max(old.width, fresh.width), Math.max(old.height, fresh.height)];
      const pixels = (picture) => {
        const [, pen] = canvasOf(width, height);
        pen.drawImage(picture, 0, 0);
        return pen.getImageData(0, 0, width, height);
      };
      const [first, second] = [pixels(old).data, pixels(fresh)];
      const data = second.data;
      let changed = 0;
      let [left, top, right, bottom] = [width, height, -1, -1];
      for (let at = 0; at < data.length; at += 4) {
        const apart = Math.max(
          Math.abs(data[at] - first[at]),
          Math.abs(data[at + 1] - first[at + 1]),
          Math.abs(data[at + 2] - first[at + 2]),
        );
        if (apart > 24) {
          const [x, y] = [(at / 4) % width, Math.floor(at / 4 / width)];
          [left, top, right, bottom] = [Math.min(left, x), Math.min(top, y), Math.max(right, x), Math.max(bottom, y)];
          changed++;
          data.set([230, 0, 60, 255], at);
        } else {
          const grey = 255 - (255 - (data[at] + data[at + 1] + data[at + 2]) / 3) * 0.3;
          data.set([grey, grey, grey, 255], at);
        }
      }
      const [canvas, pen] = canvasOf(width, height);
      pen.putImageData(second, 0, 0);
      const box = changed ? [left, top, right - left + 1, bottom - top + 1] : null;
      return { changed, all: width * height, box, picture: await written(canvas, type, quality) };
    },
  };
})();
