// The overlay of errors: those of the build, and what the program throws.

/* global config, emit, inspect */
let overlay;
let buildErrors = config.errors ?? [];
let runtimeErrors = [];
/** Whether the page has never run, so that it has to be loaded when its errors are gone. */
const isBroken = buildErrors.length !== 0;

const STYLE = `
  :host { position: fixed; inset: 0; z-index: 2147483647; background: #0008; overflow: auto; font: 14px/1.5 ui-monospace, monospace; }
  .root { max-width: 1000px; margin: 6vh auto; background: #181818; color: #eee; border-top: 4px solid #e5484d; border-radius: 6px;
    padding: 20px 24px; box-shadow: 0 12px 40px #000a; }
  h1 { font-size: 16px; margin: 0 0 12px; color: #ff6b6b; } .b-group { margin: 0 0 18px; }
  .file-name { background: none; border: 0; padding: 0; font: inherit; color: #7cc7ff; cursor: pointer; text-decoration: underline; }
  .log-label { color: #ff6b6b; font-weight: bold; } .log-label.warn { color: #ffc53d; } .b-msg { margin: 8px 0; white-space: pre-wrap; }
  .code-line { display: flex; white-space: pre; overflow-x: auto; background: #0d0d0d; padding: 4px 8px; border-radius: 4px; }
  .gutter { color: #777; margin-right: 12px; user-select: none; } .highlight-wrap { color: #ff6b6b; white-space: pre; }
  .space { visibility: hidden; } .trace { color: #aaa; white-space: pre-wrap; margin: 8px 0; } .dismiss { float: right; background: none;
    border: 1px solid #555; color: #aaa; border-radius: 4px; cursor: pointer; }`;

function element(tag, className, text, ...children) {
  const made = document.createElement(tag);
  if (className !== "") made.className = className;
  if (text !== undefined) made.textContent = text;
  for (const child of children) if (child !== undefined) made.appendChild(child);
  return made;
}

/** A name that opens the place in the editor. */
function place(file, line, column) {
  const button = element("button", "file-name", file);
  button.addEventListener("click", () => {
    const query = new URLSearchParams({ file, line: `${line ?? 1}`, column: `${column ?? 1}` });
    fetch(`/_bun/open-in-editor?${query}`, { method: "POST" });
  });
  return button;
}

function excerpt({ line, column, length, lineText }) {
  const code = element(
    "div",
    "code-line",
    undefined,
    element("span", "gutter", `${line}`),
    element("span", "", lineText),
  );
  const marks = element(
    "div",
    "highlight-wrap",
    undefined,
    element("span", "space", " ".repeat(Math.max(column - 1, 0))),
    element("span", "mark", "^".repeat(Math.max(length ?? 1, 1))),
  );
  return element("div", "excerpt", undefined, code, marks);
}

function draw() {
  const isShown = buildErrors.length !== 0 || runtimeErrors.length !== 0;
  if (overlay === undefined) {
    if (!isShown) return;
    overlay = document.createElement("bun-hmr");
    overlay.attachShadow({ mode: "open" });
    document.body.appendChild(overlay);
  }
  overlay.style.display = isShown ? "block" : "none";
  const root = element("div", "root");
  const dismiss = element("button", "dismiss", "Esc");
  dismiss.addEventListener("click", hide);
  root.appendChild(dismiss);
  if (buildErrors.length !== 0) {
    root.appendChild(
      element("h1", "", buildErrors.length === 1 ? "1 build error" : `${buildErrors.length} build errors`),
    );
    const groups = Map.groupBy?.(buildErrors, (error) => error.file) ?? grouped(buildErrors);
    for (const { 0: file, 1: errors } of groups) {
      const group = element("div", "b-group", undefined, place(file, errors[0].line, errors[0].column));
      for (const error of errors) {
        const message = element("div", "b-msg");
        message.appendChild(element("span", `log-label ${error.level}`, error.level));
        message.appendChild(element("span", "log-colon", ": "));
        message.appendChild(element("span", "log-text", error.text));
        if (error.line > 0) message.appendChild(excerpt(error));
        for (const note of error.notes ?? []) message.appendChild(element("div", "note", `note: ${note}`));
        group.appendChild(message);
      }
      root.appendChild(group);
    }
  }
  for (const { name, message, frames, shown } of runtimeErrors) {
    const box = element("div", "r-error");
    const head = element("h1", "message-desc", `${name}: ${message}`);
    box.appendChild(head);
    if (shown !== undefined) box.appendChild(excerpt(shown));
    for (const frame of frames) {
      const line = element("div", "trace", `at ${frame.name === "" ? "" : `${frame.name} `}`);
      line.appendChild(place(`${frame.file}:${frame.line}:${frame.column}`, frame.line, frame.column));
      box.appendChild(line);
    }
    root.appendChild(box);
  }
  overlay.shadowRoot.replaceChildren(element("style", "", STYLE), root);
}

function grouped(errors) {
  const groups = new Map();
  for (const error of errors) groups.set(error.file, [...(groups.get(error.file) ?? []), error]);
  return groups;
}

function hide() {
  if (overlay !== undefined) overlay.style.display = "none";
}

function hideRuntimeError() {
  if (runtimeErrors.length === 0) return;
  runtimeErrors = [];
  draw();
}

/** Shows an error of the program, with its places in the sources, and tells the server's terminal. */
function reportError(value, isShown, isRejection = false) {
  const isError = value instanceof Error || (typeof value === "object" && value !== null && "stack" in value);
  const name = isError ? (value.name ?? "Error") : "error";
  const message = isError ? String(value.message) : `Uncaught ${inspect(value)}`;
  const stack = isError ? String(value.stack ?? "") : "";
  emit("bun:error", value);
  const error = { name: isError && name === "Error" ? "error" : name, message, frames: [], shown: undefined };
  if (isShown) {
    runtimeErrors = [error];
    draw();
  }
  const body = JSON.stringify({ name, message, stack, url: location.href, isRejection });
  fetch("/_bun/report_error", { method: "POST", headers: { "content-type": "application/json" }, body })
    .then((response) => response.json())
    .then((mapped) => {
      error.frames = mapped.frames ?? [];
      error.shown = mapped.shown;
      if (runtimeErrors.includes(error)) draw();
    })
    .catch(() => {});
}

globalThis.addEventListener("error", (event) => {
  const value = event.error ?? event.message;
  if (value !== undefined && value !== null && value !== "") reportError(value, true);
});
globalThis.addEventListener("unhandledrejection", (event) => reportError(event.reason, true, true));
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") hide();
});
