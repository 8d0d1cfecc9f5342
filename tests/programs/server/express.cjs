const express = require("express"),
  cookieParser = require("cookie-parser"),
  cors = require("cors"),
  helmet = require("helmet"),
  morgan = require("morgan"),
  compression = require("compression"),
  multer = require("multer"),
  passport = require("passport"),
  serveStatic = require("serve-static"),
  fs = require("node:fs"),
  http = require("node:http"),
  zlib = require("node:zlib");
const { ask, listen, show } = require("./lib/client.cjs");
const lines = [];
const app = express();
app.disable("x-powered-by");
app.use(morgan(":method :url :status :res[content-length]", { stream: { write: (l) => lines.push(l.trim()) } }));
app.use(compression({ threshold: 500 }));
app.use("/api", cors({ origin: "http://a.example" }), express.json({ limit: "1kb" }), express.urlencoded({ extended: true }));
app.use(cookieParser("secret"));
app.get("/", (req, res) => res.send("<p>home</p>"));
app.get("/users/:id", (req, res, next) =>
  req.params.id === "0"
    ? next(Object.assign(new Error("no zero"), { status: 422 }))
    : res.json({ id: req.params.id, q: req.query, ip: req.ip, host: req.hostname }),
);
app.post("/api/echo", (req, res) =>
  res
    .status(201)
    .location("/x")
    .json({ body: req.body, type: req.is("json") }),
);
app
  .route("/multi")
  .put((req, res) => res.sendStatus(204))
  .delete((req, res) => res.redirect(303, "/"));
app.get("/cookie", (req, res) =>
  res
    .cookie("a", "b", { httpOnly: true, signed: true })
    .clearCookie("old")
    .end(JSON.stringify([req.cookies, req.signedCookies])),
);
app.get("/async", async () => {
  throw new TypeError("rejected");
});
app.get("/big", (req, res) => res.type("text").send("word ".repeat(1000)));
fs.mkdirSync("public");
fs.writeFileSync("public/f.txt", "static file");
app.use("/files", serveStatic("public", { maxAge: "1h" }));
app.get("/down", (req, res) => res.download("public/f.txt", "näme.txt"));
app.get("/stream", (req, res) => fs.createReadStream("public/f.txt").pipe(res));
app.post("/upload", multer().single("f"), (req, res) =>
  res.json({ name: req.file.originalname, size: req.file.size, mime: req.file.mimetype, fields: req.body }),
);
const admin = express.Router({ mergeParams: true });
admin.use((req, res, next) => (req.get("authorization") ? next() : res.status(401).set("WWW-Authenticate", "Basic").end()));
admin.get("/", (req, res) => res.format({ json: () => res.json({ admin: req.params.org }), text: () => res.send("admin") }));
app.use("/:org/admin", admin);
app.use("/safe", helmet(), (req, res) => res.vary("X").end("safe"));
passport.use({
  name: "fake",
  authenticate(req) {
    req.query.who ? this.success({ name: req.query.who }) : this.fail("no", 401);
  },
});
app.get("/who", passport.initialize(), passport.authenticate("fake", { session: false }), (req, res) => res.json(req.user));
app.use((req, res) => res.status(404).send("none here"));
app.use((err, req, res, next) =>
  res.status(err.status ?? 500).json({ error: err.type ? err.name : err.message, type: err.type }),
);
(async () => {
  const server = http.createServer(app),
    port = await listen(server);
  const json = { "content-type": "application/json" };
  await show(port, "/");
  await show(port, "/", { method: "HEAD" });
  await show(port, "/users/7?a[b]=1&c=d%20e");
  await show(port, "/users/0");
  await show(port, "/api/echo", { method: "POST", headers: json, body: '{"x":[1,"é"]}' });
  await show(port, "/api/echo", { method: "POST", headers: json, body: "{bad" });
  await show(port, "/api/echo", { method: "POST", headers: json, body: JSON.stringify("x".repeat(2000)) });
  await show(port, "/api/echo", {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: "a=1&b=2&a=3",
  });
  await show(port, "/api/echo", { method: "OPTIONS" });
  await show(port, "/multi", { method: "PUT" });
  await show(port, "/multi", { method: "DELETE" });
  await show(port, "/multi", { method: "PATCH" });
  await show(port, "/cookie", { headers: { cookie: "x=1; y=s%3Abad.sig" } });
  await show(port, "/async");
  const big = await ask(port, "/big", { headers: { "accept-encoding": "gzip" } });
  console.log(big.headers, zlib.gunzipSync(big.body).length);
  await show(port, "/files/f.txt");
  await show(port, "/files/f.txt", { headers: { range: "bytes=2-5" } });
  await show(port, "/files/../../etc/passwd");
  await show(port, "/down");
  await show(port, "/stream");
  await show(port, "/acme/admin");
  await show(port, "/acme/admin", { headers: { authorization: "x", accept: "text/plain" } });
  await show(port, "/safe");
  await show(port, "/who?who=me");
  await show(port, "/who");
  await show(port, "/nothing");
  const boundary = "XXB";
  await show(port, "/upload", {
    method: "POST",
    headers: { "content-type": `multipart/form-data; boundary=${boundary}` },
    body: `--${boundary}\r\nContent-Disposition: form-data; name="k"\r\n\r\nv\r\n--${boundary}\r\nContent-Disposition: form-data; name="f"; filename="a.png"\r\nContent-Type: image/png\r\n\r\n${"p".repeat(3000)}\r\n--${boundary}--\r\n`,
  });
  console.log(lines.join("\n"));
  server.close(() => console.log("closed"));
})();
