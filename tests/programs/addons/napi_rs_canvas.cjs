const { createCanvas, Path2D, loadImage } = require("@napi-rs/canvas");
(async () => {
  const canvas = createCanvas(60, 40);
  const c = canvas.getContext("2d");
  c.fillStyle = "#f80";
  c.fillRect(0, 0, 30, 40);
  c.fillStyle = "blue";
  c.fill(new Path2D("M40 10h10v10h-10z"));
  console.log(Array.from(c.getImageData(5, 5, 1, 1).data), Array.from(c.getImageData(45, 15, 1, 1).data));
  const png = await canvas.encode("png");
  const image = await loadImage(png);
  console.log(png.subarray(1, 4).toString(), image.width, image.height, c.measureText("").width);
  try {
    createCanvas(10, 10).getContext("webgl");
  } catch (e) {
    console.log(e.message);
  }
})();
