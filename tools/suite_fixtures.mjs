// Fixtures of the suites of lol_html and node-tar through HTMLRewriter and Bun.Archive: `BAO tools/suite_fixtures.mjs html|tar GIT_DIR`.
// GIT_DIR is the .git directory of a clone of cloudflare/lol-html or isaacs/node-tar. Runs in Bun, too, to compare.
//
// html: each selector of tests/data/{selector_matching,element_content_replacement}/*-info.json, the document at once and as a stream in
// pieces of one to seven bytes; the result must be the expected file. Selectors that HTMLRewriter refuses are counted apart.
// tar: test/fixtures/**/*.tar: the files that Bun.Archive finds, with their contents, must be those that GNU tar unpacks (without what
// leads out of the folder); archives that GNU tar refuses must not crash.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";

const [kind, gitDir] = process.argv.slice(2);
if (!["html", "tar"].includes(kind) || gitDir === undefined) {
  console.error("usage: suite_fixtures.mjs html|tar GIT_DIR");
  process.exit(2);
}
const folder = mkdtempSync(join(tmpdir(), "fixtures-"));
const packed = execFileSync("git", ["--git-dir", gitDir, "archive", "HEAD", kind === "html" ? "tests/data" : "test/fixtures"], { maxBuffer: 1 << 30 });
execFileSync("tar", ["-x", "-C", folder], { input: packed });
const counts = { passed: 0, failed: 0, refused: 0 };

function judge(name, right, detail) {
  counts[right ? "passed" : "failed"]++;
  if (!right) console.log(`FAIL ${name}${detail ? `: ${detail.slice(-200)}` : ""}`);
}

function inPieces(bytes) {
  let at = 0;
  let size = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      size = (size % 7) + 1;
      controller.enqueue(bytes.slice(at, (at += size)));
    },
  });
}

/** The handlers of lol_html's own tests of these names. */
function rewriterOf(suite, selector) {
  const html = { html: true };
  const rewriter = new HTMLRewriter();
  if (suite === "element_content_replacement") {
    return rewriter.on(selector, { element: (e) => void e.setInnerContent(`<!--Replaced (${selector}) -->`, html) });
  }
  const around = (what, word) => void what.before(`<!--[${word}('${selector}')]-->`, html).after(`<!--[/${word}('${selector}')]-->`, html);
  let first = true;
  return rewriter.on(selector, {
    element: (e) => around(e, "ELEMENT"),
    comments: (c) => around(c, "COMMENT"),
    text(t) {
      if (first) t.before(`<!--[TEXT('${selector}')]-->`, html);
      first = t.lastInTextNode;
      if (first) t.after(`<!--[/TEXT('${selector}')]-->`, html);
    },
  });
}

async function html() {
  for (const suite of ["selector_matching", "element_content_replacement"]) {
    const dir = join(folder, "tests/data", suite);
    for (const file of readdirSync(dir).filter((name) => name.endsWith("-info.json"))) {
      const { selectors, src } = JSON.parse(readFileSync(join(dir, file), "utf8"));
      const source = readFileSync(join(dir, src));
      for (const [selector, expectedFile] of Object.entries(selectors)) {
        const expected = readFileSync(join(dir, expectedFile), "utf8");
        let rewriter;
        try {
          rewriter = rewriterOf(suite, selector);
        } catch {
          counts.refused++;
          continue;
        }
        judge(`${suite}/${file} ${selector}`, rewriter.transform(source.toString()) === expected);
        const streamed = await rewriterOf(suite, selector).transform(new Response(inPieces(source))).text();
        judge(`${suite}/${file} ${selector}, in pieces`, streamed === expected);
      }
    }
  }
}

function filesBelow(dir) {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(dir, join(entry.parentPath, entry.name)))
    .sort();
}

async function tar() {
  const all = readdirSync(join(folder, "test/fixtures"), { recursive: true }).filter((name) => /\.(tar|tgz)$/.test(name)).sort();
  for (const name of all) {
    const path = join(folder, "test/fixtures", name);
    if (!statSync(path).isFile()) continue;
    const theirs = join(folder, "unpacked");
    rmSync(theirs, { recursive: true, force: true });
    mkdirSync(theirs);
    const done = spawnSync("tar", ["-x", "-f", path, "-C", theirs, "--no-same-owner", "--no-same-permissions"], { encoding: "utf8" });
    const wanted = filesBelow(theirs);
    let found;
    try {
      found = await new Bun.Archive(readFileSync(path)).files();
    } catch (error) {
      if (done.status === 0) judge(name, false, String(error));
      else counts.refused++;
      continue;
    }
    if (done.status !== 0 && found.size === 0) {
      counts.refused++;
      continue;
    }
    const bytes = async (key) => Buffer.from(await found.get(key).arrayBuffer());
    const wrong = [];
    for (const key of wanted) {
      if (!found.has(key)) wrong.push(`${JSON.stringify(key)} is missing`);
      else if (!(await bytes(key)).equals(readFileSync(join(theirs, key)))) wrong.push(`${JSON.stringify(key)} differs`);
    }
    for (const key of found.keys()) if (!wanted.includes(key)) wrong.push(`${JSON.stringify(key)} is more`);
    judge(name, wrong.length === 0, wrong.slice(0, 3).join(", "));
  }
}

await (kind === "html" ? html() : tar());
rmSync(folder, { recursive: true, force: true });
console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.refused} refused`);
process.exit(counts.failed > 0 ? 1 : 0);
