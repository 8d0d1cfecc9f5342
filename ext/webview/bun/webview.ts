/** `Bun.WebView`: a page in a browser without a window (https://bun.com/docs/runtime/webview). */

import { type Browser, browserFor, killBrowser, type Launch } from "internal/webview/browser";
import { keyEvents, modifiersOf } from "internal/webview/keys";
import { optionsOf } from "internal/webview/options";
import { constructorOnly, invalidType } from "bun/util";

type Params = Record<string, unknown>;

/** Milliseconds for which an element is waited for. */
const WAIT = 30_000;

/** In the page: waits until an element can be clicked, or only exists, and gives its centre. */
const untilActionable = `async (selector, timeout, block) => {
  const until = performance.now() + timeout;
  let before;
  for (;;) {
    const element = document.querySelector(selector);
    if (element && block !== null) return void element.scrollIntoView({ block, behavior: "instant" });
    if (element) {
      const { left, top, width, height } = element.getBoundingClientRect();
      const [x, y] = [left + width / 2, top + height / 2];
      const is = [left, top, width, height].join();
      if (is === before && width > 0 && height > 0 && x >= 0 && y >= 0 && x < innerWidth && y < innerHeight) {
        const hit = document.elementFromPoint(x, y);
        if (hit === element || element.contains(hit)) return [x, y];
      }
      before = is;
    }
    if (performance.now() > until) throw new Error("timeout: element is not " + (block === null ? "actionable" : "there") + ": " + selector);
    await new Promise(requestAnimationFrame);
  }
}`;

function invalidState(message: string): Error {
  const error: NodeError = new Error(message);
  error.code = "ERR_INVALID_STATE";
  return error;
}

class WebView extends EventTarget {
  #browser: Browser | undefined;
  readonly #launch: Launch;
  #sessionId: string | undefined;
  #targetId: string | undefined;
  #attached: Promise<string> | undefined;
  #isClosed = false;
  #width: number;
  #height: number;
  #url = "";
  #title = "";
  /** What waits for the page to be loaded. */
  #loads: PromiseWithResolvers<void> | undefined;
  #isEvaluating = false;
  readonly #console: object | Function | undefined;
  /** Calls of listeners by types of events. */
  readonly #heard = new Map<string, number>();
  #onNavigated: ((url: string, title: string) => void) | null = null;
  #onNavigationFailed: ((error: Error) => void) | null = null;

  constructor(options?: unknown) {
    super();
    const { width, height, url, launch, console } = optionsOf(options);
    this.#launch = launch;
    this.#width = width;
    this.#height = height;
    this.#console = console;
    if (url !== undefined) this.navigate(url).catch(() => {});
  }

  /** Called with the URL and the title of each page that has been loaded. */
  get onNavigated(): ((url: string, title: string) => void) | null {
    return this.#onNavigated;
  }
  set onNavigated(listener: ((url: string, title: string) => void) | null) {
    this.#onNavigated = listener;
  }

  /** Called with the error if a page cannot be loaded. */
  get onNavigationFailed(): ((error: Error) => void) | null {
    return this.#onNavigationFailed;
  }
  set onNavigationFailed(listener: ((error: Error) => void) | null) {
    this.#onNavigationFailed = listener;
  }

  static closeAll(): void {
    killBrowser();
  }

  #check(): void {
    if (this.#isClosed) throw invalidState("WebView is closed");
  }

  /** Makes the page, when it is first needed. */
  #attach(): Promise<string> {
    return (this.#attached ??= (async () => {
      const browser = (this.#browser = browserFor(this.#launch));
      const { targetId } = await browser.call("Target.createTarget", { url: "about:blank" });
      this.#targetId = targetId as string;
      const { sessionId } = await browser.call("Target.attachToTarget", { targetId, flatten: true });
      const id = (this.#sessionId = sessionId as string);
      if (this.#isClosed) {
        this.#release();
        throw invalidState("WebView is closed");
      }
      browser.sessions.set(id, (method, params) => this.#event(method, params));
      await Promise.all([
        browser.call("Page.enable", {}, id),
        browser.call("Runtime.enable", {}, id),
        this.#setSize(this.#width, this.#height, id),
      ]);
      return id;
    })());
  }

  #setSize(width: number, height: number, id: string): Promise<unknown> {
    const size = { width, height, deviceScaleFactor: 1, mobile: false };
    return this.#browser!.call("Emulation.setDeviceMetricsOverride", size, id);
  }

  async #call(method: string, params?: object): Promise<Params> {
    const id = await this.#attach();
    if (this.#isClosed) throw invalidState("WebView is closed");
    return this.#browser!.call(method, params, id);
  }

  #event(method: string, params: Params): void {
    if (method === "Page.loadEventFired") this.#loads?.resolve();
    else if (method === "Inspector.targetCrashed") this.#loads?.reject(new Error("the page crashed"));
    else if (method === "Runtime.consoleAPICalled" && this.#console !== undefined) this.#log(params);
    if ((this.#heard.get(method) ?? 0) > 0) this.dispatchEvent(new MessageEvent(method, { data: params }));
  }

  #log({ type, args }: Params): void {
    // An object comes as what the protocol says of it.
    const values = (args as Params[]).map((each) =>
      "value" in each ? each.value : each.type === "undefined" ? undefined : (each.unserializableValue ?? each),
    );
    const sink = this.#console!;
    if (typeof sink === "function") return void sink(type, ...values);
    const name = type === "warning" ? "warn" : `${type}`;
    const write = (sink as Record<string, unknown>)[name] ?? (sink as Record<string, unknown>).log;
    if (typeof write === "function") Reflect.apply(write, sink, values);
  }

  // The map counts, so that events without listeners cost nothing.
  override addEventListener(type: string, ...rest: [never, never?]): void {
    super.addEventListener(type, ...rest);
    this.#heard.set(type, (this.#heard.get(type) ?? 0) + 1);
  }

  override removeEventListener(type: string, ...rest: [never, never?]): void {
    super.removeEventListener(type, ...rest);
    this.#heard.set(type, Math.max(0, (this.#heard.get(type) ?? 0) - 1));
  }

  /** Starts a navigation by `begin`, which gives false if there is nowhere to go; fulfilled when the page is loaded. */
  async #load(begin: () => Promise<boolean>): Promise<void> {
    if (this.#loads !== undefined) throw invalidState("a navigation is under way");
    const loads = (this.#loads = Promise.withResolvers<void>());
    loads.promise.catch(() => {});
    try {
      if (await begin()) {
        this.#browser!.hold(1);
        await loads.promise.finally(() => this.#browser!.hold(-1));
      }
      const { frameTree } = await this.#call("Page.getFrameTree");
      this.#url = (frameTree as { frame: { url: string } }).frame.url;
      const { result } = await this.#call("Runtime.evaluate", { expression: "document.title", returnByValue: true });
      this.#title = `${(result as Params).value ?? ""}`;
    } catch (error) {
      if (!this.#isClosed) this.onNavigationFailed?.(error as Error);
      throw error;
    } finally {
      this.#loads = undefined;
    }
    if (!this.#isClosed) this.onNavigated?.(this.#url, this.#title);
  }

  get url(): string {
    return this.#url;
  }

  get title(): string {
    return this.#title;
  }

  get loading(): boolean {
    return this.#loads !== undefined;
  }

  navigate(url: unknown): Promise<void> {
    this.#check();
    if (typeof url !== "string") throw invalidType("navigate(url) expects a string");
    return this.#load(async () => {
      const { errorText } = await this.#call("Page.navigate", { url });
      if (typeof errorText === "string" && errorText !== "") throw new Error(errorText);
      return true;
    });
  }

  reload(): Promise<void> {
    this.#check();
    return this.#load(async () => {
      await this.#call("Page.reload");
      return true;
    });
  }

  #move(by: number): Promise<void> {
    this.#check();
    return this.#load(async () => {
      const { currentIndex, entries } = await this.#call("Page.getNavigationHistory");
      const entry = (entries as { id: number }[])[(currentIndex as number) + by];
      if (entry === undefined) return false;
      await this.#call("Page.navigateToHistoryEntry", { entryId: entry.id });
      return true;
    });
  }

  goBack(): Promise<void> {
    return this.#move(-1);
  }

  goForward(): Promise<void> {
    return this.#move(1);
  }

  /** The value of an expression in the page; what it throws rejects. */
  async #value(expression: string): Promise<unknown> {
    const { result, exceptionDetails } = await this.#call("Runtime.evaluate", {
      expression,
      returnByValue: true,
      awaitPromise: true,
      userGesture: true,
    });
    if (exceptionDetails !== undefined) {
      const { exception, text } = exceptionDetails as { exception?: Params; text: string };
      const stack = typeof exception?.description === "string" ? exception.description : undefined;
      const message = stack?.split("\n")[0]!.replace(/^\w*Error: /, "") ?? `${exception?.value ?? text}`;
      const error = new Error(message);
      if (stack !== undefined) error.stack = stack;
      throw error;
    }
    return (result as Params).value;
  }

  evaluate(script: unknown): Promise<unknown> {
    this.#check();
    if (typeof script !== "string") throw invalidType("evaluate(script) expects a string");
    if (this.#isEvaluating) throw invalidState("an evaluate() is under way");
    this.#isEvaluating = true;
    return this.#value(`(async () => { return await (${script}\n) })()`).finally(() => (this.#isEvaluating = false));
  }

  cdp(method: unknown, params?: unknown): Promise<unknown> {
    this.#check();
    if (typeof method !== "string") throw invalidType("cdp(method) expects a string");
    if (params !== undefined && (typeof params !== "object" || params === null)) {
      throw invalidType("cdp() params must be an object");
    }
    if (this.#sessionId === undefined) throw invalidState("there is no session yet: await navigate() first");
    return this.#call(method, params ?? {});
  }

  async screenshot(options?: unknown): Promise<unknown> {
    this.#check();
    const { format = "png", quality = 80, encoding = "blob" } = (options ?? {}) as Params;
    if (format !== "png" && format !== "jpeg" && format !== "webp") {
      throw invalidType('format must be "png", "jpeg" or "webp"');
    }
    if (!["blob", "buffer", "base64", "shmem"].includes(encoding as string)) {
      throw invalidType('encoding must be "blob", "buffer", "base64" or "shmem"');
    }
    const { data } = await this.#call("Page.captureScreenshot", format === "png" ? { format } : { format, quality });
    if (encoding === "base64") return data;
    const bytes = Buffer.from(data as string, "base64");
    if (encoding === "buffer") return bytes;
    if (encoding === "blob") return new Blob([bytes], { type: `image/${format}` });
    const name = `/bun-chrome-${process.pid}-${Date.now().toString(36)}${Math.random().toString(36).slice(2, 8)}`;
    require("node:fs").writeFileSync(`/dev/shm${name}`, bytes, { mode: 0o600, flag: "wx" });
    return { name, size: bytes.length };
  }

  async #mouse(x: number, y: number, options: Params): Promise<void> {
    const { button = "left", clickCount = 1, modifiers } = options;
    if (button !== "left" && button !== "right" && button !== "middle") {
      throw invalidType('button must be "left", "right" or "middle"');
    }
    const common = { x, y, button, clickCount, modifiers: modifiersOf(modifiers) };
    await this.#call("Input.dispatchMouseEvent", { type: "mousePressed", ...common });
    await this.#call("Input.dispatchMouseEvent", { type: "mouseReleased", ...common });
  }

  /** Clicks at a place, or at the centre of an element when it can be clicked. */
  async click(first: unknown, second?: unknown, third?: unknown): Promise<void> {
    this.#check();
    if (typeof first === "string") {
      const options = (second ?? {}) as Params;
      const [x, y] = (await this.#find(first, options.timeout, null)) as [number, number];
      return this.#mouse(x, y, options);
    }
    if (typeof first !== "number" || typeof second !== "number") {
      throw invalidType("click() expects a selector, or x and y");
    }
    return this.#mouse(first, second, (third ?? {}) as Params);
  }

  #find(selector: string, timeout: unknown, block: string | null): Promise<unknown> {
    const given = [selector, typeof timeout === "number" ? timeout : WAIT, block];
    return this.#value(`(${untilActionable})(${given.map((each) => JSON.stringify(each)).join()})`);
  }

  async type(text: unknown): Promise<void> {
    this.#check();
    if (typeof text !== "string") throw invalidType("type(text) expects a string");
    await this.#call("Input.insertText", { text });
  }

  async press(key: unknown, options?: unknown): Promise<void> {
    this.#check();
    if (typeof key !== "string") throw invalidType("press(key) expects a string");
    for (const event of keyEvents(key, modifiersOf((options as Params | undefined)?.modifiers))) {
      await this.#call("Input.dispatchKeyEvent", event);
    }
  }

  async scroll(dx: unknown, dy: unknown): Promise<void> {
    this.#check();
    if (typeof dx !== "number" || typeof dy !== "number") throw invalidType("scroll(dx, dy) expects numbers");
    const place = { x: this.#width / 2, y: this.#height / 2 };
    await this.#call("Input.dispatchMouseEvent", { type: "mouseWheel", ...place, deltaX: dx, deltaY: dy });
  }

  async scrollTo(selector: unknown, options?: unknown): Promise<void> {
    this.#check();
    if (typeof selector !== "string") throw invalidType("scrollTo(selector) expects a string");
    const { timeout, block = "center" } = (options ?? {}) as Params;
    if (!["start", "center", "end", "nearest"].includes(block as string)) {
      throw invalidType('block must be "start", "center", "end" or "nearest"');
    }
    await this.#find(selector, timeout, block as string);
  }

  async resize(width: unknown, height: unknown): Promise<void> {
    this.#check();
    const size = optionsOf({ width, height, backend: "chrome" });
    [this.#width, this.#height] = [size.width, size.height];
    await this.#setSize(size.width, size.height, await this.#attach());
  }

  /** Gives the page back, as far as there is one. */
  #release(): void {
    const browser = this.#browser;
    if (browser === undefined || browser.isClosed) return;
    if (this.#sessionId !== undefined) {
      browser.sessions.delete(this.#sessionId);
      browser.drop(this.#sessionId, invalidState("WebView is closed"));
    }
    if (this.#targetId !== undefined) browser.call("Target.closeTarget", { targetId: this.#targetId }).catch(() => {});
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#loads?.reject(invalidState("WebView is closed"));
    this.#release();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
  }
}

const { defineProperty, getOwnPropertyNames } = Object;
for (const name of getOwnPropertyNames(WebView.prototype)) {
  if (name !== "constructor") defineProperty(WebView.prototype, name, { enumerable: true });
}
defineProperty(WebView.prototype, Symbol.toStringTag, { value: "WebView", configurable: true });
defineProperty(WebView, "length", { value: 0 });

const Callable = constructorOnly(WebView);
defineProperty(WebView.prototype, "constructor", { value: Callable, writable: true, configurable: true });

export { Callable as WebView };
