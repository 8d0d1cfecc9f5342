# expected: written by hand
# Bun.WebView over a stand-in for the browser that speaks the protocol on its two pipes.
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cat > "$dir/browser.mjs" <<'X'
import fs from "node:fs";
const send = (message) => fs.writeSync(4, JSON.stringify(message) + "\0");
const answers = {
  "Target.createTarget": () => ({ targetId: "T" }),
  "Target.attachToTarget": () => ({ sessionId: "S" }),
  "Page.getFrameTree": () => ({ frameTree: { frame: { url: "http://page/" } } }),
  "Page.captureScreenshot": ({ format }) => ({ data: btoa(format) }),
};
let input = "";
fs.createReadStream(null, { fd: 3, encoding: "utf8" }).on("data", (chunk) => {
  const parts = (input + chunk).split("\0");
  input = parts.pop();
  for (const { id, method, params, sessionId } of parts.map((part) => JSON.parse(part))) {
    let result = answers[method]?.(params) ?? {};
    let error;
    if (method === "Runtime.evaluate") {
      const { expression } = params;
      if (expression === "document.title") result = { result: { value: "Title" } };
      else if (expression.includes("#button")) result = { result: { value: [10, 20] } };
      else if (expression.includes("throw")) {
        result = { result: {}, exceptionDetails: { text: "Uncaught", exception: { description: "Error: boom\n    at page:1" } } };
      } else if (expression.includes("forever")) continue;
      else result = { result: { value: { got: expression.replace(/^.*await \(/s, "").replace(/\n.*/s, "") } } };
    }
    if (method === "Page.navigate" && params.url.includes("bad")) result = { errorText: "net::ERR_NAME_NOT_RESOLVED" };
    if (method === "No.such") [result, error] = [undefined, { message: "'No.such' wasn't found" }];
    if (method.startsWith("Input.")) send({ sessionId, method: "Test.input", params: { method, ...params } });
    send({ id, sessionId, result, error });
    if (method === "Page.navigate" && result.errorText === undefined) {
      send({ sessionId, method: "Runtime.consoleAPICalled", params: { type: "log", args: [{ type: "string", value: "hi" }, { type: "object" }] } });
      send({ sessionId, method: "Page.loadEventFired", params: {} });
    }
  }
});
X
printf '#!/bin/sh\nexec "%s" "%s/browser.mjs"\n' "$BAO" "$dir" > "$dir/browser"
chmod +x "$dir/browser"
cat > "$dir/program.mjs" <<'X'
const show = async (name, f) => {
  try { console.log(name, JSON.stringify((await f()) ?? null)); } catch (error) { console.log(name, error.name, error.code, error.message); }
};
const logged = [];
const view = new Bun.WebView({ backend: "chrome", width: 300, height: 200, console: (...given) => logged.push(given) });
await show("cdp before", () => view.cdp("Page.enable"));
view.onNavigated = (...given) => console.log("navigated", ...given);
view.onNavigationFailed = (error) => console.log("failed", error.message);
const first = view.navigate("http://page/");
console.log(view.loading);
await first;
console.log(view.loading, view.url, view.title, JSON.stringify(logged));
await show("bad", () => view.navigate("http://bad/"));
await show("evaluate", () => view.evaluate("1 + 1"));
await show("throws", () => view.evaluate("throw 1"));
await show("two", () => Promise.all([view.evaluate("1"), view.evaluate("2")]));
await show("blob", async () => { const blob = await view.screenshot(); return [blob.type, await blob.text()]; });
await show("buffer", async () => `${await view.screenshot({ encoding: "buffer", format: "jpeg" })}`);
await show("base64", () => view.screenshot({ encoding: "base64", format: "webp" }));
await show("format", () => view.screenshot({ format: "gif" }));
view.addEventListener("Test.input", ({ data }) => console.log(JSON.stringify(data)));
await view.click("#button", { button: "right", modifiers: ["Shift", "Meta"] });
await view.click(1, 2);
await view.type("text");
await view.press("Enter");
await view.press("a", { modifiers: ["Control"] });
await view.scroll(0, 5);
await show("key", () => view.press("Nope"));
await show("modifier", () => view.press("a", { modifiers: ["Hyper"] }));
await show("no such", () => view.cdp("No.such"));
await show("params", () => view.cdp("Page.enable", 5));
await show("resize", () => view.resize(0, 5));
const never = view.evaluate("forever");
view.close();
await show("pending", () => never);
await show("closed", () => view.navigate("x"));
for (const options of [{ backend: "webkit" }, { backend: "x" }, { backend: { type: "chrome", argv: 5 } }, { backend: { type: "chrome", stdout: "pipe" } }, { backend: { type: "chrome", url: "ws://x", path: "y" } }, { width: 0 }, { console: {} }, { headless: false }, { url: 5 }]) {
  await show("options", () => new Bun.WebView(options));
}
await show("no new", () => Bun.WebView());
const other = new Bun.WebView();
await other.navigate("http://page/");
const pending = other.evaluate("forever");
Bun.WebView.closeAll();
await show("killed", () => pending);
process.env.BUN_CHROME_PATH = "";
process.env.PATH = "/nowhere";
X
BUN_CHROME_PATH="$dir/browser" "$BAO" "$dir/program.mjs"
echo "exit $?"
