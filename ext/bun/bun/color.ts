// Bun.color (https://bun.com/docs/runtime/color): colours of CSS in other forms.
import { invalidType } from "bun/util";

const { fround } = Math;

/** The names of CSS (https://www.w3.org/TR/css-color-4/#named-colors). */
const names =
  "aliceblue:f0f8ff antiquewhite:faebd7 aqua:00ffff aquamarine:7fffd4 azure:f0ffff beige:f5f5dc bisque:ffe4c4 " +
  "black:000000 blanchedalmond:ffebcd blue:0000ff blueviolet:8a2be2 brown:a52a2a burlywood:deb887 cadetblue:5f9ea0 " +
  "chartreuse:7fff00 chocolate:d2691e coral:ff7f50 cornflowerblue:6495ed cornsilk:fff8dc crimson:dc143c cyan:00ffff " +
  "darkblue:00008b darkcyan:008b8b darkgoldenrod:b8860b darkgray:a9a9a9 darkgreen:006400 darkgrey:a9a9a9 " +
  "darkkhaki:bdb76b darkmagenta:8b008b darkolivegreen:556b2f darkorange:ff8c00 darkorchid:9932cc darkred:8b0000 " +
  "darksalmon:e9967a darkseagreen:8fbc8f darkslateblue:483d8b darkslategray:2f4f4f darkslategrey:2f4f4f " +
  "darkturquoise:00ced1 darkviolet:9400d3 deeppink:ff1493 deepskyblue:00bfff dimgray:696969 dimgrey:696969 " +
  "dodgerblue:1e90ff firebrick:b22222 floralwhite:fffaf0 forestgreen:228b22 fuchsia:ff00ff gainsboro:dcdcdc " +
  "ghostwhite:f8f8ff gold:ffd700 goldenrod:daa520 gray:808080 green:008000 greenyellow:adff2f grey:808080 " +
  "honeydew:f0fff0 hotpink:ff69b4 indianred:cd5c5c indigo:4b0082 ivory:fffff0 khaki:f0e68c lavender:e6e6fa " +
  "lavenderblush:fff0f5 lawngreen:7cfc00 lemonchiffon:fffacd lightblue:add8e6 lightcoral:f08080 lightcyan:e0ffff " +
  "lightgoldenrodyellow:fafad2 lightgray:d3d3d3 lightgreen:90ee90 lightgrey:d3d3d3 lightpink:ffb6c1 " +
  "lightsalmon:ffa07a lightseagreen:20b2aa lightskyblue:87cefa lightslategray:778899 lightslategrey:778899 " +
  "lightsteelblue:b0c4de lightyellow:ffffe0 lime:00ff00 limegreen:32cd32 linen:faf0e6 magenta:ff00ff maroon:800000 " +
  "mediumaquamarine:66cdaa mediumblue:0000cd mediumorchid:ba55d3 mediumpurple:9370db mediumseagreen:3cb371 " +
  "mediumslateblue:7b68ee mediumspringgreen:00fa9a mediumturquoise:48d1cc mediumvioletred:c71585 midnightblue:191970 " +
  "mintcream:f5fffa mistyrose:ffe4e1 moccasin:ffe4b5 navajowhite:ffdead navy:000080 oldlace:fdf5e6 olive:808000 " +
  "olivedrab:6b8e23 orange:ffa500 orangered:ff4500 orchid:da70d6 palegoldenrod:eee8aa palegreen:98fb98 " +
  "paleturquoise:afeeee palevioletred:db7093 papayawhip:ffefd5 peachpuff:ffdab9 peru:cd853f pink:ffc0cb plum:dda0dd " +
  "powderblue:b0e0e6 purple:800080 rebeccapurple:663399 red:ff0000 rosybrown:bc8f8f royalblue:4169e1 " +
  "saddlebrown:8b4513 salmon:fa8072 sandybrown:f4a460 seagreen:2e8b57 seashell:fff5ee sienna:a0522d silver:c0c0c0 " +
  "skyblue:87ceeb slateblue:6a5acd slategray:708090 slategrey:708090 snow:fffafa springgreen:00ff7f steelblue:4682b4 " +
  "tan:d2b48c teal:008080 thistle:d8bfd8 tomato:ff6347 turquoise:40e0d0 violet:ee82ee wheat:f5deb3 white:ffffff " +
  "whitesmoke:f5f5f5 yellow:ffff00 yellowgreen:9acd32";

/** The sixteen colours of a terminal that stand for the 16th to 255th of 256; recorded from Bun. */
const sixteen =
  "0444cc2644cc2264cc2226ccaaaaecaaaaae1544cc3844cc2264cc2226ccaaaaecaaaaae1154cc1154cc3384cc2226ccaaaaecaaaaae11" +
  "15cc1115cc1115cc3337ccaaaaecaaaaae9999dc9999dc9999dc9999dcbbbb7caaaaae99999d99999d99999d99999d99999dbbbbbf0000" +
  "00888888777777ffffff";

let byName: Map<string, number> | undefined;
let byValue: Map<number, string> | undefined;

function namedColors(): Map<string, number> {
  if (byName === undefined) {
    byName = new Map();
    byValue = new Map();
    for (const entry of names.split(" ")) {
      const [name, hex] = entry.split(":");
      const value = parseInt(hex!, 16);
      byName.set(name!, value);
      const known = byValue.get(value);
      if (known === undefined || name!.length < known.length) byValue.set(value, name!);
    }
  }
  return byName;
}

/** Red, green, blue and alpha from 0 to 255. */
type Color = [number, number, number, number];

const clamp = (value: number) => Math.max(0, Math.min(255, Math.round(value)));

function hexColor(digits: string): Color | undefined {
  if (!/^[0-9a-f]+$/i.test(digits)) return undefined;
  const full = digits.length <= 4 ? digits.replace(/./g, "$&$&") : digits;
  if ((full.length !== 6 && full.length !== 8) || digits.length === 5 || digits.length === 7) return undefined;
  const at = (index: number) => parseInt(full.slice(index, index + 2), 16);
  return [at(0), at(2), at(4), full.length === 8 ? at(6) : 255];
}

const numeric = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?/i;

/** A number, or a percentage of `whole`; NaN for anything else. */
function component(text: string, whole: number, needsPercent = false): number {
  if (text === "none") return 0;
  const found = numeric.exec(text)?.[0];
  if (found === undefined) return NaN;
  const rest = text.slice(found.length);
  if (rest === "%") return (Number(found) / 100) * whole;
  return rest === "" && !needsPercent ? Number(found) : NaN;
}

function degrees(text: string): number {
  if (text === "none") return 0;
  const found = numeric.exec(text)?.[0];
  if (found === undefined) return NaN;
  const units: Record<string, number> = { "": 1, deg: 1, grad: 0.9, rad: 180 / Math.PI, turn: 360 };
  const unit = units[text.slice(found.length).toLowerCase()];
  if (unit === undefined) return NaN;
  const angle = (Number(found) * unit) % 360;
  return angle < 0 ? angle + 360 : angle;
}

function fromHsl(hue: number, saturation: number, lightness: number): [number, number, number] {
  const amplitude = saturation * Math.min(lightness, 1 - lightness);
  const channel = (offset: number) => {
    const k = (offset + hue / 30) % 12;
    return (lightness - amplitude * Math.max(-1, Math.min(k - 3, 9 - k, 1))) * 255;
  };
  return [channel(0), channel(8), channel(4)];
}

// https://www.w3.org/TR/css-color-4/#color-conversion-code, D50 white.
const white = [0.3457 / 0.3585, 1, (1 - 0.3457 - 0.3585) / 0.3585];
const EPSILON = 216 / 24389;
const KAPPA = 24389 / 27;

function fromLab(lightness: number, a: number, b: number): [number, number, number] {
  const fy = (lightness + 16) / 116;
  const fx = a / 500 + fy;
  const fz = fy - b / 200;
  const x = (fx ** 3 > EPSILON ? fx ** 3 : (116 * fx - 16) / KAPPA) * white[0]!;
  const y = lightness > KAPPA * EPSILON ? fy ** 3 : lightness / KAPPA;
  const z = (fz ** 3 > EPSILON ? fz ** 3 : (116 * fz - 16) / KAPPA) * white[2]!;
  const linear = [
    3.1341359569958707 * x - 1.6173863321612538 * y - 0.4906619460083532 * z,
    -0.978795502912089 * x + 1.916254567259524 * y + 0.03344273116131949 * z,
    0.07195537988411677 * x - 0.2289768264158322 * y + 1.405386058324125 * z,
  ];
  return linear.map((c) => {
    const size = Math.abs(c);
    return (size > 0.0031308 ? Math.sign(c) * (1.055 * size ** (1 / 2.4) - 0.055) : 12.92 * c) * 255;
  }) as [number, number, number];
}

function toLab(color: Color): [number, number, number] {
  const [r, g, b] = color.map((c) => {
    const value = c / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number, number];
  const xyz = [
    0.4360657468878917 * r + 0.3851515095901596 * g + 0.14307841996513868 * b,
    0.22249319175623702 * r + 0.7168870538238823 * g + 0.06061979053616537 * b,
    0.013923904500943465 * r + 0.09708128566574634 * g + 0.7140993584005155 * b,
  ];
  const f = xyz.map((value, index) => {
    const scaled = value / white[index]!;
    return scaled > EPSILON ? Math.cbrt(scaled) : (KAPPA * scaled + 16) / 116;
  });
  return [116 * f[1]! - 16, 500 * (f[0]! - f[1]!), 200 * (f[1]! - f[2]!)];
}

function functionColor(name: string, body: string): Color | undefined {
  let alpha = 1;
  let parts: string[];
  if (body.includes(",")) {
    parts = body.split(",").map((part) => part.trim());
    if (parts.length === 4) alpha = component(parts.pop()!, 1);
  } else {
    const [values, opacity, more] = body.split("/").map((part) => part.trim());
    if (more !== undefined) return undefined;
    if (opacity !== undefined) alpha = component(opacity, 1);
    parts = values!.split(/\s+/);
  }
  if (parts.length !== 3) return undefined;
  const [first, second, third] = parts as [string, string, string];
  let rgb: [number, number, number];
  switch (name) {
    case "rgb":
    case "rgba":
      rgb = [component(first, 255), component(second, 255), component(third, 255)];
      break;
    case "hsl":
    case "hsla":
      rgb = fromHsl(
        degrees(first),
        Math.max(0, Math.min(1, component(second, 1, true))),
        Math.max(0, Math.min(1, component(third, 1, true))),
      );
      break;
    case "hwb": {
      let gray = component(second, 1, true);
      let black = component(third, 1, true);
      if (gray + black > 1) [gray, black] = [gray / (gray + black), black / (gray + black)];
      rgb = fromHsl(degrees(first), 1, 0.5).map((c) => ((c / 255) * (1 - gray - black) + gray) * 255) as [
        number,
        number,
        number,
      ];
      break;
    }
    case "lab":
      rgb = fromLab(component(first, 100), component(second, 125), component(third, 125));
      break;
    case "lch": {
      const chroma = component(second, 150);
      const hue = (degrees(third) * Math.PI) / 180;
      rgb = fromLab(component(first, 100), chroma * Math.cos(hue), chroma * Math.sin(hue));
      break;
    }
    default:
      return undefined;
  }
  if (rgb.some(Number.isNaN) || Number.isNaN(alpha)) return undefined;
  return [clamp(rgb[0]), clamp(rgb[1]), clamp(rgb[2]), clamp(alpha * 255)];
}

function parse(text: string): Color | undefined {
  const trimmed = text.trim();
  if (trimmed.startsWith("#")) return hexColor(trimmed.slice(1));
  if (trimmed === "transparent") return [0, 0, 0, 0];
  const value = namedColors().get(trimmed);
  if (value !== undefined) return [value >> 16, (value >> 8) & 255, value & 255, 255];
  const call = /^([a-z]+)\(\s*([^()]*?)\s*\)$/i.exec(trimmed);
  return call === null ? undefined : functionColor(call[1]!.toLowerCase(), call[2]!.toLowerCase());
}

/** Red, green, blue and alpha by "r", "g", "b" and "a". */
type Channels = { [name: string]: unknown };

function colorOf(input: unknown): Color | undefined {
  switch (typeof input) {
    case "string":
      return parse(input);
    case "number": {
      const value = Math.trunc(input) >>> 0;
      return [(value >> 16) & 255, (value >> 8) & 255, value & 255, value >>> 24 || 255];
    }
    case "object":
      break;
    default:
      if (input === undefined) throw invalidType("Expected input to be a string, number, or object for 'color'.");
      return undefined;
  }
  if (input === null) return undefined;
  const integer = (value: unknown) => Math.max(0, Math.min(255, Math.trunc(value as number)));
  if (Array.isArray(input)) {
    if (input.length !== 3 && input.length !== 4) throw new Error("Expected array length 3 or 4");
    return [integer(input[0]), integer(input[1]), integer(input[2]), input.length === 4 ? integer(input[3]) : 255];
  }
  for (const name of ["r", "g", "b"]) {
    if (typeof (input as Channels)[name] !== "number")
      throw invalidType(`Expected ${name} to be a integer for 'color'.`);
  }
  const alpha = typeof (input as Channels).a === "number" ? integer((input as { a: number }).a * 255) : 255;
  return [integer((input as Channels).r), integer((input as Channels).g), integer((input as Channels).b), alpha];
}

/** A number of 32 bits with as few digits as tell it from others. */
function float(value: number): string {
  const single = fround(value);
  for (let digits = 1; digits < 10; digits++) {
    const text = Number(single.toPrecision(digits));
    if (fround(text) === single) return `${text}`;
  }
  return `${single}`;
}

const hex2 = (value: number) => value.toString(16).padStart(2, "0");

function css([r, g, b, a]: Color): string {
  let hex = hex2(r) + hex2(g) + hex2(b) + (a === 255 ? "" : hex2(a));
  if (/^(?:(.)\1)+$/.test(hex)) hex = hex.replace(/(.)./g, "$1");
  if (a === 255) {
    namedColors();
    const name = byValue!.get((r << 16) | (g << 8) | b);
    if (name !== undefined && name.length <= hex.length) return name;
  }
  return `#${hex}`;
}

function hsl([r, g, b]: Color): string {
  const channels = [fround(r / 255), fround(g / 255), fround(b / 255)];
  const most = Math.max(...channels);
  const least = Math.min(...channels);
  const range = fround(most - least);
  const lightness = fround(fround(most + least) / 2);
  let hue = 0;
  let saturation = 0;
  if (range !== 0) {
    saturation = fround(fround(most - lightness) / Math.min(lightness, fround(1 - lightness)));
    const [red, green, blue] = channels as [number, number, number];
    if (most === red) hue = fround(fround(green - blue) / range) + (green < blue ? 6 : 0);
    else if (most === green) hue = fround(fround(blue - red) / range) + 2;
    else hue = fround(fround(red - green) / range) + 4;
  }
  return `hsl(${float(fround(hue) * 60)}, ${float(fround(saturation * 100))}%, ${float(fround(lightness * 100))}%)`;
}

/** The number among 256 that is nearest: a place in the cube of six steps a side, or a gray. */
function of256([r, g, b]: Color): number {
  const steps = [0, 95, 135, 175, 215, 255];
  const step = (value: number) => (value < 48 ? 0 : value < 114 ? 1 : Math.trunc((value - 35) / 40));
  const [x, y, z] = [step(r), step(g), step(b)];
  const inCube = 16 + 36 * x + 6 * y + z;
  if (steps[x] === r && steps[y] === g && steps[z] === b) return inCube;
  const average = Math.trunc((r + g + b) / 3);
  const level = average > 238 ? 23 : Math.max(0, Math.trunc((average - 3) / 10));
  const gray = 8 + 10 * level;
  const distance = (u: number, v: number, w: number) => (u - r) ** 2 + (v - g) ** 2 + (w - b) ** 2;
  return distance(gray, gray, gray) < distance(steps[x]!, steps[y]!, steps[z]!) ? 232 + level : inCube;
}

function ansi16(color: Color): string {
  const index = parseInt(sixteen[of256(color) - 16]!, 16);
  return `\x1b[${index < 8 ? 30 + index : 82 + index}m`;
}

function ansi(color: Color): string {
  const { COLORTERM, TERM, FORCE_COLOR } = require("node:process").env;
  if (COLORTERM === "truecolor" || COLORTERM === "24bit" || FORCE_COLOR === "3")
    return formats["ansi-16m"]!(color) as string;
  if (/256/.test(TERM ?? "") || FORCE_COLOR === "2") return formats["ansi-256"]!(color) as string;
  return ansi16(color);
}

const formats: Record<string, (color: Color) => unknown> = {
  __proto__: null as never,
  "[rgb]": ([r, g, b]) => [r, g, b],
  "[rgba]": ([r, g, b, a]) => [r, g, b, a],
  "{rgb}": ([r, g, b]) => ({ r, g, b }),
  "{rgba}": ([r, g, b, a]) => ({ r, g, b, a: fround(a / 255) }),
  "ansi-256": (color) => `\x1b[38;5;${of256(color)}m`,
  "ansi-16": ansi16,
  "ansi-16m": ([r, g, b]) => `\x1b[38;2;${r};${g};${b}m`,
  ansi,
  css,
  hex: ([r, g, b]) => `#${hex2(r)}${hex2(g)}${hex2(b)}`,
  HEX: ([r, g, b]) => `#${(hex2(r) + hex2(g) + hex2(b)).toUpperCase()}`,
  hsl,
  lab(color) {
    const [lightness, a, b] = toLab(color);
    return `lab(${float(lightness)}% ${float(a)} ${float(b)})`;
  },
  number: ([r, g, b]) => (r << 16) | (g << 8) | b,
  rgb: ([r, g, b]) => `rgb(${r}, ${g}, ${b})`,
  rgba: ([r, g, b, a]) => `rgba(${r}, ${g}, ${b}, ${float(a / 255)})`,
};
const aliases: [string, string][] = [
  ["[r,g,b,a]", "[rgba]"],
  ["{r,g,b}", "{rgb}"],
  ["ansi_256", "ansi-256"],
  ["ansi256", "ansi-256"],
  ["ansi_16", "ansi-16"],
  ["ansi_16m", "ansi-16m"],
  ["ansi-24bit", "ansi-16m"],
  ["ansi-truecolor", "ansi-16m"],
];
for (const [alias, name] of aliases) formats[alias] = formats[name]!;

/**
 * A colour in another form; null for what is none.
 * @param input text of CSS, a number (0xRRGGBB), `{ r, g, b, a }` or `[r, g, b, a]`
 * @param format "css" (default), "hex", "HEX", "number", "rgb", "rgba", "hsl", "lab", "[rgb]", "[rgba]", "{rgb}", "{rgba}",
 *   "ansi", "ansi-16", "ansi-256", "ansi-16m"
 */
export function color(input: unknown, format: unknown = "css"): unknown {
  if (arguments.length === 0) throw invalidType("Expected input to be a string, number, or object for 'color'.");
  format ??= "css";
  if (typeof format !== "string") throw invalidType("Expected format to be a string for 'color'.");
  const write = formats[format];
  if (write === undefined) {
    throw invalidType(
      "format must be one of '[r,g,b,a]', '[rgb]', '[rgba]', '{r,g,b}', '{rgb}', '{rgba}', 'ansi_256', 'ansi-256', 'ansi_16', " +
        "'ansi-16', 'ansi_16m', 'ansi-16m', 'ansi-24bit', 'ansi-truecolor', 'ansi', 'ansi256', 'css', 'hex', 'HEX', 'hsl', " +
        "'lab', 'number', 'rgb' or 'rgba'",
    );
  }
  const found = colorOf(input);
  return found === undefined ? null : write(found);
}
Object.defineProperty(color, "length", { value: 2 });
