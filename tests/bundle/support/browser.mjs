// As much of a browser as pages of the development server need: elements, scripts, WebSockets, a console that is kept.
import { createContext, runInContext } from "node:vm";

class Element {
  constructor(tag) {
    this.tagName = tag.toUpperCase();
    this.children = [];
    this.attributes = {};
    this.style = {};
    this.parentNode = null;
    this.text = "";
  }
  get dataset() {
    return { bunCss: this.attributes["data-bun-css"] };
  }
  get href() {
    return this.attributes.href;
  }
  get textContent() {
    return this.text + this.children.map((child) => child.textContent).join("");
  }
  set textContent(text) {
    this.text = text;
    this.children = [];
  }
  get nextSibling() {
    return this.parentNode?.children[this.parentNode.children.indexOf(this) + 1] ?? null;
  }
  setAttribute(name, value) {
    this.attributes[name] = value;
  }
  addEventListener() {}
  attachShadow() {
    return (this.shadowRoot = new Element("shadow"));
  }
  insertBefore(child, before) {
    child.remove();
    const at = before === null || before === undefined ? this.children.length : this.children.indexOf(before);
    this.children.splice(at, 0, child);
    child.parentNode = this;
    this.added?.(child);
    return child;
  }
  appendChild(child) {
    return this.insertBefore(child, null);
  }
  replaceChildren(...children) {
    this.children = [];
    for (const child of children) this.appendChild(child);
  }
  remove() {
    if (this.parentNode === null) return;
    this.parentNode.children.splice(this.parentNode.children.indexOf(this), 1);
    this.parentNode = null;
  }
  *all() {
    for (const child of this.children) {
      yield child;
      yield* child.all();
    }
  }
}

/** A tab that shows one page. */
export class Browser {
  constructor(url) {
    this.url = new URL(url);
    this.logs = [];
    this.reloads = 0;
    this.sockets = [];
    this.waiting = [];
  }

  /** Loads the page and runs its scripts. */
  async load() {
    for (const socket of this.sockets.splice(0)) {
      socket.onclose = socket.onmessage = () => {};
      socket.close();
    }
    const response = await fetch(this.url);
    this.status = response.status;
    this.html = await response.text();
    const browser = this;
    const connected = Promise.withResolvers();
    const head = new Element("head");
    const body = new Element("body");
    head.added = (element) => {
      if (element.tagName === "SCRIPT") browser.#runBlob(element);
    };
    for (const [tag] of this.html.matchAll(/<link[^>]*>/g)) {
      const link = new Element("link");
      for (const [, name, value] of tag.matchAll(/([\w-]+)="([^"]*)"/g)) link.setAttribute(name, value);
      if (link.attributes.rel === "stylesheet") head.appendChild(link);
    }
    this.head = head;
    this.body = body;
    const log = (kind) => (...values) => {
      this.logs.push(kind === "" ? values.map(String).join(" ") : `${kind}: ${values.map(String).join(" ")}`);
      for (const wake of this.waiting.splice(0)) wake();
    };
    this.window = createContext({
      console: { log: log(""), info: () => {}, warn: (text) => log("warn")(String(text).split("\n")[0]), error: log("error"), debug: log("") },
      document: {
        head,
        body,
        createElement: (tag) => new Element(tag),
        addEventListener() {},
        querySelectorAll: () => [...head.all()].filter(({ tagName, attributes }) => tagName === "STYLE" || attributes.rel === "stylesheet"),
        getElementById: (id) => ((this.byId ??= {})[id] ??= new Element("div")),
      },
      location: {
        href: this.url.href,
        origin: this.url.origin,
        pathname: this.url.pathname,
        reload: () => {
          this.reloads++;
          log("")("[reload]");
          this.loading = this.load();
        },
      },
      sessionStorage: { getItem: () => null, setItem() {}, removeItem() {} },
      addEventListener() {},
      WebSocket: class extends WebSocket {
        constructor(url) {
          super(url);
          browser.sockets.push(this);
          this.addEventListener("message", ({ data }) => {
            if (new Uint8Array(data)[0] === "n".charCodeAt(0)) connected.resolve();
          });
        }
      },
      URL: Object.assign(class extends URL {}, { createObjectURL: (blob) => this.#keep(blob), revokeObjectURL() {} }),
      fetch: (url, init) => fetch(new URL(url, this.url), init),
      Blob, URLSearchParams, TextDecoder, setTimeout, clearTimeout, setInterval, clearInterval, queueMicrotask,
    });
    this.window.globalThis = this.window;
    for (const [, place] of this.html.matchAll(/<script[^>]* src="([^"]+)"/g)) {
      const script = await (await fetch(new URL(place, this.url))).text();
      runInContext(script, this.window, { filename: place });
    }
    // The server knows of it.
    await connected.promise;
  }

  #keep(blob) {
    const url = `blob:${this.url.origin}/${Math.random()}`;
    (this.blobs ??= new Map()).set(url, blob);
    return url;
  }

  #runBlob(script) {
    const { window } = this;
    this.blobs.get(script.src).text().then((code) => {
      if (window === this.window) runInContext(code, window, { filename: "hmr.js" });
    });
  }

  /** The lines of the console up to one that is this text (or fits an expression). */
  async until(line) {
    const fits = (text) => (typeof line === "string" ? text === line : line.test(text));
    for (;;) {
      const at = this.logs.findIndex(fits);
      if (at !== -1) return this.logs.splice(0, at + 1);
      await new Promise((wake) => this.waiting.push(wake));
    }
  }

  /** Waits until something holds: the page has no event for it. */
  async when(holds) {
    while (!holds()) await new Promise((wake) => setTimeout(wake, 5));
  }

  eval(code) {
    return runInContext(code, this.window);
  }

  /** The text of all styles that the server has put into the page. */
  get styles() {
    return [...this.head.all()].filter(({ tagName }) => tagName === "STYLE").map(({ textContent }) => textContent.replace(/\s+/g, " ").trim());
  }

  /** The errors that the overlay shows. */
  get errors() {
    const overlay = [...this.body.all()].find(({ tagName }) => tagName === "BUN-HMR");
    if (overlay === undefined || overlay.style.display !== "block") return [];
    return [...overlay.shadowRoot.all()].filter(({ className }) => className === "b-msg" || className === "message-desc").map(({ textContent }) => textContent);
  }

  close() {
    for (const socket of this.sockets) {
      socket.onclose = () => {};
      socket.close();
    }
  }
}
