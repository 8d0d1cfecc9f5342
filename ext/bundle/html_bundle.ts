// HTMLBundle, what importing a page gives (https://bun.com/docs/bundler/fullstack), and which values of routes are pages.

/** A page that a program has imported, for the routes of Bun.serve. */
export class HTMLBundle {
  /** The path of the page. */
  declare readonly index: string;

  constructor(index: string) {
    Object.defineProperty(this, "index", { value: index, enumerable: true });
  }
}

/** The value of `import page from "./page.html"`. */
export function bundleOf(path: string): HTMLBundle {
  return new HTMLBundle(path);
}

/** A page that has been built already: what a module has imported when it was bundled for a server. */
export interface Manifest {
  index: string;
  files: { path: string; headers?: { [name: string]: string } }[];
}

/** Whether a route is a page. */
export function isPage(value: unknown): value is HTMLBundle | Manifest {
  if (value instanceof HTMLBundle) return true;
  if (typeof value !== "object" || value === null) return false;
  const { index, files } = value as { index?: unknown; files?: unknown };
  return typeof index === "string" && Array.isArray(files);
}
