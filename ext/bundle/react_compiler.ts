// The option `reactCompiler` of Bun.build: React's compiler (https://react.dev/learn/react-compiler) is a plugin of Babel, and both
// come from the project's packages.
import fs from "node:fs";
import Module from "node:module";
import path from "node:path";

const { join } = path;

/** What bao uses of `@babel/core` (https://babeljs.io/docs/babel-core). */
interface Babel {
  transformAsync(code: string, options: object): Promise<{ code?: string | null; map?: object | null } | null>;
}

const compilerPackage = "babel-plugin-react-compiler";
const packages = ["@babel/core", compilerPackage];

/** Syntax that Babel does not read unasked, for each loader whose code may have components or hooks. */
const syntax: { [loader: string]: string[] } = {
  js: ["jsx"],
  jsx: ["jsx"],
  ts: ["typescript", "decorators-legacy", "decoratorAutoAccessors"],
  tsx: ["typescript", "jsx", "decorators-legacy", "decoratorAutoAccessors"],
};
const newSyntax = ["explicitResourceManagement", "deferredImportEvaluation", "sourcePhaseImports"];

/** The React that the code is for, as the compiler's option `target` names it: before 19 its runtime is a package of its own. */
function targetOf(requires: ReturnType<typeof Module.createRequire>): "17" | "18" | "19" {
  let version: unknown;
  try {
    // Read anew each time: it may have been updated under a build that watches.
    const text = fs.readFileSync(requires.resolve("react/package.json"), "utf8");
    version = (JSON.parse(text) as { version?: unknown }).version;
  } catch {
    // Nobody imports React here: what is new is right.
  }
  const major = typeof version === "string" ? Number.parseInt(version, 10) : 19;
  return major <= 17 ? "17" : major === 18 ? "18" : "19";
}

/**
 * A plugin of Rollup that compiles the modules of the project, but none of its packages. `cwd`: where the packages are looked for. Throws
 * if they are not installed there.
 */
export function reactCompiler(cwd: string) {
  const requires = Module.createRequire(join(cwd, "react-compiler.js"));
  let babel: Babel;
  let compiler: string;
  try {
    compiler = requires.resolve(compilerPackage);
    babel = requires("@babel/core") as Babel;
  } catch (cause) {
    const names = packages.map((name) => `"${name}"`).join(" and ");
    throw new Error(`reactCompiler needs the packages ${names}: bao add --dev ${packages.join(" ")}`, { cause });
  }
  const plugins = [[compiler, { target: targetOf(requires) }]];
  return {
    name: "react-compiler",
    transform: {
      // It looks at the code that somebody wrote, not at what other plugins make of elements.
      order: "pre",
      filter: {
        id: { include: /\.[cm]?[jt]sx?$/, exclude: /[\\/]node_modules[\\/]/ },
        moduleType: Object.keys(syntax),
      },
      async handler(code: string, filename: string, { moduleType }: { moduleType: string }) {
        const result = await babel.transformAsync(code, {
          babelrc: false,
          configFile: false,
          cwd,
          filename,
          plugins,
          parserOpts: { plugins: [...(syntax[moduleType] ?? []), ...newSyntax], errorRecovery: false },
          sourceMaps: true,
          inputSourceMap: false,
        });
        return typeof result?.code === "string" ? { code: result.code, map: result.map } : null;
      },
    },
  };
}
