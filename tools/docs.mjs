// Writes the parts of the documents that follow from the code, and checks what the documents name:
//
//     bao tools/docs.mjs            writes what is between the markers `<!-- generated: NAME -->` and `<!-- end -->`
//     bao tools/docs.mjs --check    reports parts that are out of date, dead links, and names of files that do not exist
//
// It runs under Node as well and needs no packages.

import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const problems = [];

/** Reads a file of the repository as text. */
function read(path) {
  return readFileSync(join(root, path), "utf8");
}

/** All files below a folder of the repository, sorted, as paths from the root; folders whose name `leftOut` lists are skipped. */
function filesBelow(folder, leftOut = ["target", "node_modules", "fuzz"]) {
  const found = [];
  const entries = readdirSync(join(root, folder), { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) {
      if (!leftOut.includes(entry.name)) found.push(...filesBelow(path, leftOut));
    } else {
      found.push(path);
    }
  }
  return found;
}

// ------------------------------------------------------------------------------------------------ crates

/** The members of the workspace in Cargo.toml's order: folder, package name, description, and the names of dependencies. */
function crates() {
  const workspace = read("Cargo.toml");
  const members = [...section(workspace, /members = \[/).matchAll(/"([^"]+)"/g)].map((found) => found[1]);
  const keyOf = new Map();
  for (const found of workspace.matchAll(/^(\w+) = \{ package = "[^"]+", path = "([^"]+)"/gm))
    keyOf.set(found[2], found[1]);
  return members.map((folder) => {
    const text = read(`${folder}/Cargo.toml`);
    const start = text.indexOf("\n[dependencies]");
    const rest = start < 0 ? "" : text.slice(start + 2);
    const end = rest.indexOf("\n[");
    const dependencies = end < 0 ? rest : rest.slice(0, end);
    return {
      folder,
      key: keyOf.get(folder),
      name: /^name = "([^"]+)"/m.exec(text)[1],
      description: /^description = "(.+)"$/m.exec(text)?.[1] ?? "",
      dependencies: [...dependencies.matchAll(/^(\w+)(?:\.workspace| = )/gm)].map((found) => found[1]),
    };
  });
}

/** The text from a heading's match to the closing bracket. */
function section(text, heading) {
  const start = heading.exec(text);
  return text.slice(start.index, text.indexOf("]", start.index));
}

/** The crates, what they are and which of the others they use. */
function cratesTable() {
  const all = crates();
  const folderOf = new Map(all.map((crate) => [crate.key, crate.folder]));
  const lines = ["| crate | what it is | uses |", "|---|---|---|"];
  for (const crate of all) {
    if (crate.description === "") problems.push(`${crate.folder}/Cargo.toml: has no description`);
    const uses = crate.dependencies.map((key) => folderOf.get(key)).filter((folder) => folder !== undefined);
    const families = uses.filter((folder) => folder.startsWith("ext/"));
    const shown = uses.filter((folder) => !folder.startsWith("ext/"));
    if (families.length > 6) shown.push(`${families.length} crates of \`ext/\``);
    else shown.push(...families);
    const cell = shown.map((item) => (item.includes("`") ? item : `\`${item}\``)).join(", ");
    lines.push(`| \`${crate.folder}\` | ${crate.description} | ${cell} |`);
  }
  return lines;
}

/** The families: the folders of ext/ and the first sentence of their README. */
function familiesTable() {
  const lines = ["| family | what it is |", "|---|---|"];
  for (const family of families()) {
    const path = `ext/${family}/README.md`;
    if (!existsSync(join(root, path))) {
      problems.push(`${path}: is missing`);
      continue;
    }
    const paragraph = read(path).split("\n\n")[1]?.replaceAll("\n", " ") ?? "";
    const sentence = /^.*?[.](?= |$)/.exec(paragraph)?.[0] ?? paragraph;
    lines.push(`| [\`${family}\`](../${path.slice(0, -"/README.md".length)}/README.md) | ${sentence.slice(0, -1)} |`);
  }
  return lines;
}

/** Names of the families. */
function families() {
  return readdirSync(join(root, "ext"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}

// ------------------------------------------------------------------------------------------------ unsafe

/** Rust text with comments, strings and characters blanked out. */
function rustCode(text) {
  const pattern = /\/\/[^\n]*|\/\*[^]*?\*\/|b?c?r(#*)"[^]*?"\1|"(?:\\[^]|[^"\\])*"|'(?:\\[^']+|[^'\\\n])'/g;
  return text.replace(pattern, (found) => found.replace(/[^\n]/g, " "));
}

/** How often each file of a crate says `unsafe`, tests aside. */
function unsafePlaces(folder, nested) {
  const places = [];
  for (const path of filesBelow(folder)) {
    if (!path.endsWith(".rs") || nested.some((other) => path.startsWith(`${other}/`))) continue;
    const inside = path.slice(folder.length + 1);
    if (/^(?:tests|benches|examples)\/|(?:^|\/)(?:[\w]*tests|testing)(?:\.rs|\/)/.test(inside)) continue;
    const code = rustCode(read(path)).replace(/#\[cfg\(test\)\]\s*mod \w+ \{[^]*$/, "");
    const count = [...code.matchAll(/\bunsafe\b(?! \(|\()/g)].length;
    if (count > 0) places.push({ file: inside.replace(/^src\//, ""), count });
  }
  return places;
}

/** The table of `unsafe` by crate. */
function unsafeTable() {
  const all = crates();
  const lines = ["| crate | places | files |", "|---|---|---|"];
  const document = read("docs/unsafe.md");
  for (const crate of all) {
    const nested = all.map((other) => other.folder).filter((other) => other.startsWith(`${crate.folder}/`));
    const places = unsafePlaces(crate.folder, nested);
    const isExplained = document.includes(`\n- \`${crate.folder}\`: `);
    if (places.length > 0 && !isExplained)
      problems.push(`docs/unsafe.md: does not say why ${crate.folder} has unsafe code`);
    if (places.length === 0 && isExplained)
      problems.push(`docs/unsafe.md: explains unsafe code of ${crate.folder}, which has none`);
    if (places.length === 0) continue;
    const total = places.reduce((sum, place) => sum + place.count, 0);
    const files = places.length > 15 ? `${places.length} files` : places.map((place) => place.file).join(", ");
    lines.push(`| \`${crate.folder}\` | ${total} | ${files} |`);
  }
  return lines;
}

// ------------------------------------------------------------------------------------------------ options

/** Reads Rust expressions made of calls, paths, strings and characters: `own("--x", Value("N"), Id::X, Hidden, "")`. */
class ExpressionReader {
  constructor(text) {
    this.tokens = [...text.matchAll(/"((?:\\.|[^"\\])*)"|'([^'])'|([A-Za-z_][\w:]*)|([(),])|\/\/[^\n]*/g)].filter(
      (token) => !token[0].startsWith("//"),
    );
    this.at = 0;
  }

  /** The next expression: a string, or `{ name, arguments }`. */
  next() {
    const token = this.tokens[this.at++];
    if (token[1] !== undefined) return JSON.parse(`"${token[1]}"`);
    if (token[2] !== undefined) return token[2];
    const name = token[3];
    const values = [];
    if (this.tokens[this.at]?.[4] === "(") {
      this.at++;
      while (this.tokens[this.at][4] !== ")") {
        values.push(this.next());
        if (this.tokens[this.at][4] === ",") this.at++;
      }
      this.at++;
    }
    return { name, values };
  }

  /** All expressions, separated by commas. */
  all() {
    const found = [];
    while (this.at < this.tokens.length) {
      found.push(this.next());
      if (this.tokens[this.at]?.[4] === ",") this.at++;
    }
    return found;
  }
}

/** The options of cli/scripts/src/flags.rs: name, letter, value, group, help. */
function flags() {
  const text = read("cli/scripts/src/flags.rs");
  const start = text.indexOf("FLAGS: &[Flag] = &[") + "FLAGS: &[Flag] = &[".length;
  const rows = new ExpressionReader(text.slice(start, text.indexOf("\n];", start))).all();
  return rows.map((row) => {
    let letter;
    if (row.name === "short") [letter, row] = row.values;
    const [long, takes] = row.values;
    const group = { always: "Hidden", planned: "Hidden", alias: "Hidden" }[row.name] ?? row.values.at(-2).name;
    const help = group === "Hidden" ? "" : row.values.at(-1);
    const value = takes?.values[0];
    return { long, letter, value, isOptional: takes?.name === "Optional", group, help, kind: row.name };
  });
}

const GROUPS = {
  General: "General",
  Scripts: "Scripts",
  Program: "The program",
  Reload: "Reloading",
  Environment: "Environment",
  Code: "Source",
  Tests: "Tests of node:test",
  Permissions: "Permissions",
  Warnings: "Warnings and errors",
  Engine: "Engine",
  Network: "Network",
};

/** The tables of options by group, then the names that are refused and those that need no option. */
function optionTables() {
  const all = flags();
  const lines = [];
  for (const [group, title] of Object.entries(GROUPS)) {
    lines.push(`### ${title}`, "", "| option | |", "|---|---|");
    for (const flag of all.filter((each) => each.group === group)) {
      const value = flag.value === undefined ? "" : `${flag.isOptional ? "=" : " "}${flag.value}`;
      const letter = flag.letter === undefined ? "" : `\`-${flag.letter}\`, `;
      lines.push(
        `| ${letter}\`${flag.long}${value}\` | ${flag.help.replaceAll("|", "\\|").replace(/(?<!\\)([<>])/g, "\\$1")} |`,
      );
    }
    lines.push("");
  }
  const names = (kind) => all.filter((flag) => flag.kind === kind).map((flag) => `\`${flag.long}\``);
  lines.push("### Refused and accepted names", "");
  lines.push(...wrap(`Not implemented, an error: ${names("planned").join(", ")}.`), "");
  lines.push(...wrap(`Accepted without effect: ${names("always").join(", ")}.`));
  return lines;
}

/** Breaks a paragraph into lines of at most 120 characters. */
function wrap(text) {
  const lines = [""];
  for (const word of text.split(" ")) {
    if (lines.at(-1).length + word.length + 1 > 120) lines.push("");
    lines[lines.length - 1] += (lines.at(-1) === "" ? "" : " ") + word;
  }
  return lines;
}

/** The pages of the guide with the first sentence of each. */
function guidePages() {
  return readdirSync(join(root, "docs/guide"))
    .filter((name) => name.endsWith(".md") && name !== "README.md")
    .sort()
    .map((name) => {
      const text = read(`docs/guide/${name}`);
      const paragraph = text.split("\n\n")[1].replaceAll("\n", " ");
      return `- [${/^# (.+)$/m.exec(text)[1]}](${name}): ${/^.*?[.:](?= |$)/.exec(paragraph)[0].replace(/[.:]$/, "")}`;
    });
}

// ------------------------------------------------------------------------------------------------ generated parts

const PARTS = {
  crates: cratesTable,
  families: familiesTable,
  unsafe: unsafeTable,
  options: optionTables,
  guide: guidePages,
};

/** The document with its generated parts made anew. */
function regenerate(path, text) {
  return text.replace(/(<!-- generated: (\w+) -->\n)[^]*?(<!-- end -->)/g, (_, begin, name, end) => {
    if (PARTS[name] === undefined) {
      problems.push(`${path}: there is no generated part '${name}'`);
      return _;
    }
    return `${begin}\n${PARTS[name]().join("\n").trimEnd()}\n\n${end}`;
  });
}

// ------------------------------------------------------------------------------------------------ names and links

/** The documents that are checked. */
function documents() {
  const found = ["README.md", "CONTRIBUTING.md", ...filesBelow("docs").filter((path) => path.endsWith(".md"))];
  for (const family of families()) {
    if (existsSync(join(root, `ext/${family}/README.md`))) found.push(`ext/${family}/README.md`);
  }
  return found;
}

/** The anchor that a heading gets on a page. */
function anchorOf(heading) {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replace(/\s/g, "-");
}

/** Checks the links of a document: files, folders, headings. */
function checkLinks(path, text) {
  for (const [, target] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
    if (/^[a-z]+:/.test(target)) continue;
    const [file, anchor] = target.split("#");
    const place = file === "" ? join(root, path) : resolve(root, dirname(path), file);
    if (!existsSync(place)) {
      problems.push(`${path}: the link ${target} leads to nothing`);
    } else if (anchor !== undefined) {
      const headings = [...readFileSync(place, "utf8").matchAll(/^#+ (.+)$/gm)].map((found) => anchorOf(found[1]));
      if (!headings.includes(anchor)) problems.push(`${path}: ${file} has no heading #${anchor}`);
    }
  }
}

const FOLDERS = ["bench", "cli", "docs", "engine", "examples", "ext", "install", "libs", "runtime", "tests", "tools"];
/** Parts of a path that stand for any name. */
const PLACEHOLDER = /^(?:FAMILY|NAME|AREA|FILE|DIR|X|F)(?:\.|$)|[{}<>$…]/;

/** Whether a path exists; `*` in a name stands for any characters. */
function exists(base, path) {
  if (!path.includes("*")) return existsSync(join(base, path));
  let places = [base];
  for (const part of path.split("/")) {
    const pattern = new RegExp(`^${part.replace(/[.+?^$()|[\]\\]/g, "\\$&").replaceAll("*", ".*")}$`);
    places = places.flatMap((place) =>
      statSync(place).isDirectory()
        ? readdirSync(place)
            .filter((name) => pattern.test(name))
            .map((name) => join(place, name))
        : [],
    );
  }
  return places.length > 0;
}

/** Checks that files and folders named in code spans exist: from the root, and in a family's README from its folder. */
function checkNames(path, text) {
  const family = /^ext\/\w+(?=\/README\.md$)/.exec(path)?.[0];
  // Blocks of the guide are run, not read.
  const prose = path.startsWith("docs/guide/") ? text.replace(/^```[^]*?^```/gm, "") : text;
  const words = [...prose.matchAll(/`([^`\n]+)`|^ {4}(.+)$/gm)].flatMap((found) =>
    (found[1] ?? found[2]).split(/[\s,;()]+/),
  );
  for (const quoted of words) {
    const word = quoted
      .replace(/[:.]+$/, "")
      .replace(/^\.\//, "")
      .replace(/(?<=\.\w+)(?::.*|#.*)$/, "");
    if (!/^[\w.*\/-]+$/.test(word) || word.split("/").some((part) => PLACEHOLDER.test(part))) continue;
    const isFromRoot = word.includes("/") && FOLDERS.includes(word.split("/")[0]);
    const isSource = /\.(?:rs|ts)$/.test(word) && !word.startsWith("/");
    if (isFromRoot && exists(root, word)) continue;
    if (
      family !== undefined &&
      isSource &&
      (exists(join(root, family), word) || exists(join(root, family, "native"), word))
    )
      continue;
    if (isFromRoot || (family !== undefined && isSource && !word.includes(".d.ts"))) {
      problems.push(`${path}: there is no ${word}`);
    }
  }
}

/** Each page of the guide is run by a test of its name. */
function checkGuide() {
  for (const name of readdirSync(join(root, "docs/guide"))) {
    const test = `tests/guide/${name.replace(/\.md$/, ".sh")}`;
    if (name !== "README.md" && !existsSync(join(root, test))) problems.push(`docs/guide/${name}: there is no ${test}`);
  }
}

// ------------------------------------------------------------------------------------------------ command

const isCheck = process.argv.includes("--check");
for (const path of documents()) {
  const text = read(path);
  const fresh = regenerate(path, text);
  if (fresh !== text) {
    if (isCheck) problems.push(`${path}: its generated parts are out of date; run tools/docs.mjs`);
    else writeFileSync(join(root, path), fresh);
  }
  checkLinks(path, fresh);
  checkNames(path, fresh);
}
checkGuide();
for (const text of problems) console.error(text);
if (problems.length > 0) process.exitCode = 1;
else if (!isCheck)
  console.log(`${documents().length} documents of ${relative(process.cwd(), root) || "."} are up to date`);
