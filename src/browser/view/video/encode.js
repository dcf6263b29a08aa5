// Encodes images as a video. Runs in a separate hidden page, so that the recorded page cannot detect it.
(width, height, bitrate) => {
  const canvas = new OffscreenCanvas(width, height);
  const brush = canvas.getContext("2d", { alpha: false, willReadFrequently: true });
  brush.imageSmoothingQuality = "high";
  brush.fillStyle = "#fff";
  brush.fillRect(0, 0, width, height);
  let done = [];
  let failure = null;
  const encoder = new VideoEncoder({
    output: (chunk) => {
      const bytes = new Uint8Array(chunk.byteLength);
      chunk.copyTo(bytes);
      let binary = "";
      for (let at = 0; at < bytes.length; at += 8192) binary += String.fromCharCode(...bytes.subarray(at, at + 8192));
      done.push([Math.round(chunk.timestamp / 1000), chunk.type === "key", btoa(binary)]);
    },
    error: (error) => {
      failure = error;
    },
  });
  encoder.configure({ codec: "vp8", width, height, bitrate, latencyMode: "realtime" });

  // Players assume this range and matrix for videos without colour information. Frames from a canvas would have the full range.
  const colorSpace = { primaries: "bt709", transfer: "iec61966-2-1", matrix: "smpte170m", fullRange: false };
  const yuv = new Uint8Array((width * height * 3) / 2);
  const toYuv = (rgba) => {
    const half = width / 2;
    const blue = width * height;
    const red = blue + blue / 4;
    for (let y = 0; y < height; y += 2) {
      for (let x = 0; x < width; x += 2) {
        const first = y * width + x;
        let [r, g, b] = [0, 0, 0];
        for (const at of [first, first + 1, first + width, first + width + 1]) {
          const [pr, pg, pb] = [rgba[at * 4], rgba[at * 4 + 1], rgba[at * 4 + 2]];
          yuv[at] = 16.5 + 0.25679 * pr + 0.50413 * pg + 0.09791 * pb;
          r += pr;
          g += pg;
          b += pb;
        }
        const at = (y / 2) * half + x / 2;
        yuv[blue + at] = 128.5 + (-0.14822 * r - 0.29099 * g + 0.43922 * b) / 4;
        yuv[red + at] = 128.5 + (0.43922 * r - 0.36779 * g - 0.07143 * b) / 4;
      }
    }
  };

  /** Returns the chunks that were encoded since the last call. */
  const take = () => {
    if (failure) throw failure;
    const taken = done;
    done = [];
    return taken;
  };
  const frameAt = (at) => {
    const layout = { format: "I420", codedWidth: width, codedHeight: height, colorSpace, timestamp: at * 1000 };
    toYuv(brush.getImageData(0, 0, width, height).data);
    return new VideoFrame(yuv, layout);
  };
  const encode = (at, keyFrame) => {
    const frame = frameAt(at);
    encoder.encode(frame, { keyFrame });
    frame.close();
  };
  return {
    async add(jpeg, at, keyFrame) {
      const bytes = Uint8Array.from(atob(jpeg), (letter) => letter.charCodeAt(0));
      const picture = await createImageBitmap(new Blob([bytes], { type: "image/jpeg" }));
      const scale = Math.min(width / picture.width, height / picture.height, 1);
      brush.fillRect(0, 0, width, height);
      brush.drawImage(picture, 0, 0, picture.width * scale, picture.height * scale);
      picture.close();
      encode(at, keyFrame);
      return take();
    },
    async end(at, keyFrame) {
      encode(at, keyFrame);
      await encoder.flush();
      return take();
    },
  };
};
