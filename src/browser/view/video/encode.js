// Turns pictures into a video, in a page that nobody sees. Pages that are recorded know nothing of it.
(width, height, bitrate) => {
  const canvas = new OffscreenCanvas(width, height);
  const brush = canvas.getContext("2d", { alpha: false });
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

  /** What has been encoded since the last question. */
  const take = () => {
    if (failure) throw failure;
    const taken = done;
    done = [];
    return taken;
  };
  const encode = (at, keyFrame) => {
    const frame = new VideoFrame(canvas, { timestamp: at * 1000 });
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
