"""Programs of many modules for the start-up benchmarks, the same at every call (fixed seed)."""

import pathlib
import random


def esm_graph(folder, count):
    """A graph of `count` small ES modules in which each imports up to four earlier ones; returns the entry's path."""
    rng = random.Random(1)
    folder.mkdir(parents=True)
    for index in range(count - 1):
        lines = []
        below = sorted(rng.sample(range(index), min(index, rng.randint(1, 4))))
        for other in below:
            lines.append(f'import {{ value as v{other}, Thing{other} }} from "./m{other}.mjs";')
        terms = " + ".join([str(index), *(f"v{other}" for other in below)])
        lines.append(f"export const value = ({terms}) % 1000;")
        lines.append(f"export class Thing{index} {{")
        lines.append("  constructor(name) { this.name = name; }")
        lines.append(f"  describe() {{ return `${{this.name}} of {index}`; }}")
        for number in range(rng.randint(2, 8)):
            lines.append(f"  method{number}(a, b) {{ return a > b ? this.describe() + a : [a, b].map((x) => x * {number}); }}")
        lines.append("}")
        for other in below:
            lines.append(f"export const made{other} = () => new Thing{other}(`from {index}`);")
        (folder / f"m{index}.mjs").write_text("\n".join(lines) + "\n")
    imports = [f'import {{ value as v{i} }} from "./m{i}.mjs";' for i in range(count - 1)]
    total = " + ".join(f"v{i}" for i in range(count - 1))
    entry = folder / "main.mjs"
    entry.write_text("\n".join([*imports, f"console.log({total});"]) + "\n")
    return entry


def function_text(rng, name):
    """One plausible function of a library: comments, options, loops, errors, closures."""
    words = ["header", "value", "route", "layer", "option", "buffer", "index", "token", "handler", "encoding", "status"]
    a, b, c = rng.sample(words, 3)
    kind = rng.randrange(4)
    lines = [
        "/**",
        f" * Return the {a} for the given {b}, reading the {c} when it is there.",
        " *",
        f" * @param {{object}} {a}",
        f" * @param {{string|string[]}} {b}",
        " * @return {mixed}",
        " */",
        f"function {name}({a}, {b}, {c}) {{",
        f"  var opts = {c} || {{}}",
        f"  if (typeof {b} !== 'string' && !Array.isArray({b})) {{",
        f"    throw new TypeError('argument {b} must be a string or an array, got ' + typeof {b})",
        "  }",
        f"  var list = Array.isArray({b}) ? {b} : {b}.split(/\\s*,\\s*/)",
        "  var result = Object.create(null)",
        "  for (var i = 0; i < list.length; i++) {",
        "    var key = String(list[i]).toLowerCase()",
    ]
    if kind == 0:
        lines.append(f"    if (opts.strict && !/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(key)) throw new Error('invalid {a}: ' + key)")
    elif kind == 1:
        lines.append(f"    switch (key) {{ case '{a}': continue; case '{b}': key = '{c}'; break; default: key = key.trim() }}")
    elif kind == 2:
        lines.append(f"    if (key === '__proto__' || key === '{rng.choice(words)}') continue")
    else:
        lines.append(f"    key = key.replace(/[^a-z]/g, function (m) {{ return m === '_' ? '-' : m.charCodeAt(0).toString({rng.choice([16, 36])}) }})")
    lines += [
        f"    result[key] = function () {{ return {a} && {a}[key] !== undefined ? {a}[key] : opts[key] }}",
        "  }",
        "  return result",
        "}",
        "",
    ]
    return "\n".join(lines)


def commonjs_tree(folder, count, size):
    """`count` CommonJS modules of `size` bytes in all, laid out as an installed framework is: a package that requires
    its own files and other packages of node_modules, each with a package.json. Returns the entry's path."""
    rng = random.Random(2)
    modules = folder / "node_modules"
    packages = [f"pkg-{i}" for i in range(count * 2 // 3)]
    files = []
    for index, name in enumerate(packages):
        (modules / name / "lib").mkdir(parents=True)
        (modules / name / "package.json").write_text(f'{{ "name": "{name}", "version": "1.{index}.0", "main": "lib/index.js" }}\n')
        files.append((modules / name / "lib" / "index.js", index, []))
    for index in range(count - len(packages) - 1):
        owner = rng.randrange(len(packages))
        path = modules / packages[owner] / "lib" / f"part{index}.js"
        files[owner][2].append(f"./part{index}")
        files.append((path, None, []))
    each = size // len(files)
    for path, index, own in files:
        requires = list(own)
        if index is not None:
            requires += [f"pkg-{i}" for i in sorted(rng.sample(range(index + 1, len(packages)), min(3, len(packages) - index - 1)))]
            requires += rng.sample(["path", "util", "events", "fs", "url"], 1)
        text = ["'use strict'\n"]
        text += [f"var dep{n} = require('{name}')\n" for n, name in enumerate(requires)]
        names = []
        length = sum(map(len, text))
        while length < each:
            name = f"function{len(names)}"
            names.append(name)
            text.append(function_text(rng, name))
            length += len(text[-1])
        text.append("module.exports = { " + ", ".join(names) + f", deps: {len(requires)} }}\n")
        # A module uses a little of what it holds when it loads.
        text.append("module.exports.first = function0({ a: 1 }, 'a, b, c')\n")
        path.write_text("\n".join(text))
    entry = folder / "main.cjs"
    lines = [f"var p{i} = require('pkg-{i}')" for i in range(len(packages))]
    lines.append("console.log([" + ", ".join(f"p{i}" for i in range(len(packages))) + "].map(function (p) { return Object.keys(p).length }).join())")
    entry.write_text("\n".join(lines) + "\n")
    return entry


if __name__ == "__main__":
    import sys

    esm_graph(pathlib.Path(sys.argv[1], "esm"), 50)
    commonjs_tree(pathlib.Path(sys.argv[1], "commonjs"), 65, 500_000)
