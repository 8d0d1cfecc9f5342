// The options of Bun.build that mean what a command line of esbuild asks for, for tools/esbuild_tests.mjs and
// tools/esbuild_api_tests.mjs.
import { basename, dirname } from "node:path";

/** The newest syntax that is left if a feature is not supported. */
const WITHOUT = {
  "async-await": "es2016",
  "async-generator": "es2017",
  "for-await": "es2017",
  "class-field": "es2021",
  "class-static-field": "es2021",
  using: "es2024",
};

/** The options of Bun.build for a command line of esbuild; throws a text that begins with "no " if there is none. */
export function optionsOf(args) {
  const options = { entrypoints: [], target: "browser", external: [], define: {}, loader: {}, alias: {}, inject: [], naming: {} };
  const minify = { whitespace: false, syntax: false, identifiers: false, keepNames: false };
  let isBundle = false;
  for (const arg of args) {
    if (!arg.startsWith("--")) {
      options.entrypoints.push(/^[./]/.test(arg) ? arg : `./${arg}`);
      continue;
    }
    const name = /^--([^:=]*)/.exec(arg)[1];
    const text = arg.slice(name.length + 3);
    const [key, rest] = [text.slice(0, text.indexOf("=")), text.slice(text.indexOf("=") + 1)];
    switch (name) {
      case "bundle":
        isBundle = true;
        break;
      case "outfile":
        options.outdir = dirname(text);
        options.naming.entry = basename(text);
        break;
      case "outdir":
      case "format":
        options[name] = text;
        break;
      case "global-name":
        options.globalName = text;
        break;
      case "target":
        options.syntaxTarget = text.split(",");
        break;
      case "supported": {
        if (key === "from-base64") break;
        if (WITHOUT[key] === undefined) throw `no ${arg}`;
        options.syntaxTarget ??= [WITHOUT[key]];
        break;
      }
      case "minify":
        Object.assign(minify, { whitespace: true, syntax: true, identifiers: true });
        break;
      case "minify-syntax":
      case "minify-whitespace":
      case "minify-identifiers":
        minify[name.slice(7)] = true;
        break;
      case "keep-names":
        minify.keepNames = true;
        break;
      case "define":
        options.define[key] = rest;
        break;
      case "external":
        options.external.push(text);
        break;
      case "splitting":
        options.splitting = true;
        break;
      case "platform":
        options.target = text === "node" ? "node" : "browser";
        break;
      case "packages":
        options.packages = text;
        break;
      case "loader":
        options.loader[key] = rest === "default" ? "js" : rest === "copy" ? "file" : rest;
        break;
      case "alias":
        options.alias[key] = rest;
        break;
      case "inject":
        options.inject.push(text);
        break;
      case "banner":
      case "footer":
        options[name] = rest;
        break;
      case "conditions":
        options.conditions = text.split(",");
        break;
      case "entry-names":
      case "chunk-names":
        options.naming[name.slice(0, 5)] = `${text}.[ext]`;
        break;
      case "outbase":
        options.root = text;
        break;
      case "sourcemap":
        if (text === "both") throw `no ${arg}`;
        options.sourcemap = text === "" ? "linked" : text;
        break;
      case "tree-shaking":
        options.treeShaking = text === "true";
        break;
      case "metafile":
        options.metafile = text;
        break;
      case "jsx":
        (options.jsx ??= {}).runtime = text === "transform" ? "classic" : text;
        break;
      case "jsx-factory":
      case "jsx-fragment":
        (options.jsx ??= {})[name.slice(4)] = text;
        break;
      case "jsx-import-source":
        (options.jsx ??= {}).importSource = text;
        break;
      case "jsx-dev":
      case "jsx-side-effects":
        (options.jsx ??= {})[name === "jsx-dev" ? "development" : "sideEffects"] = true;
        break;
      case "drop":
        (options.drop ??= []).push(text);
        break;
      case "asset-names":
        options.naming.asset = `${text}.[ext]`;
        break;
      case "public-path":
        options.publicPath = text;
        break;
      case "ignore-annotations":
        options.ignoreDCEAnnotations = true;
        break;
      case "tsconfig":
        options.tsconfig = text;
        break;
      case "legal-comments":
        if (text !== "none" && text !== "inline") throw `no ${arg}`;
        options.legalComments = text;
        break;
      case "log-limit":
      case "log-level":
      case "log-override":
      case "color":
        break;
      default:
        throw `no ${arg}`;
    }
  }
  if (Object.keys(options.naming).length === 0) delete options.naming;
  // What is not bundled keeps its imports.
  if (!isBundle) options.external.push("*");
  options.format ??= isBundle ? "iife" : "cjs";
  if (options.inject.length === 0) delete options.inject;
  options.minify = minify;
  return options;
}
