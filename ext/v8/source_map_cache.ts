// The source maps of scripts that a report of NODE_V8_COVERAGE has, as Node writes them beside the counts
// (https://nodejs.org/api/cli.html#source-map-cache).

/** URL of a script, URL of its map as the script has it, lengths of its lines. */
type Mapped = [url: string, map: string, lineLengths: number[]];

interface SourceMapData {
  sourceRoot?: string;
  sources?: string[];
}

/** Sources as URLs of their own. */
function absolute(base: string, data: SourceMapData): SourceMapData {
  data.sources = (data.sources ?? []).map((source) => {
    try {
      return new URL((data.sourceRoot ?? "") + source, base).href;
    } catch {
      return source;
    }
  });
  data.sourceRoot = "";
  return data;
}

/** The text of a `data:` URL; undefined for other types than JSON. */
function textOf(url: string): string | undefined {
  const comma = url.indexOf(",");
  const [type, ...parameters] = url.slice("data:".length, comma).split(";");
  if (type !== "application/json") return undefined;
  const text = url.slice(comma + 1);
  return parameters.at(-1) === "base64" ? Buffer.from(text, "base64").toString() : decodeURIComponent(text);
}

/** The map; else the URL that names none. */
function mapOf(script: string, map: string): { data: SourceMapData | null; url: string | null } {
  try {
    if (map.startsWith("data:")) {
      const text = textOf(map);
      return { data: text === undefined ? null : absolute(script, JSON.parse(text)), url: null };
    }
    const place = new URL(map, script);
    return { data: absolute(place.href, JSON.parse(require("node:fs").readFileSync(place, "utf8"))), url: null };
  } catch {
    return { data: null, url: map.startsWith("data:") ? null : map };
  }
}

/** Native entry: takes and gives JSON. */
export function cacheOf(list: string): string {
  const cache: Record<string, unknown> = { __proto__: null as never };
  for (const [url, map, lineLengths] of JSON.parse(list) as Mapped[]) {
    const { data, url: place } = mapOf(url, map);
    cache[url] = { lineLengths, data, url: place };
  }
  return JSON.stringify(cache);
}
