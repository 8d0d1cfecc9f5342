const plugin = Bun.plugin as any;
plugin({ name: "svelte-like", setup(build: any) {
  build.onLoad({ filter: /\.upper$/ }, async ({ path }: any) => ({ contents: `export default ${JSON.stringify((await require("fs/promises").readFile(path, "utf8")).toUpperCase())}`, loader: "js" }));
  build.onResolve({ filter: /^virt-/ }, (args: any) => ({ path: args.path.slice(5), namespace: "virt" }));
  build.onLoad({ filter: /.*/, namespace: "virt" }, ({ path }: any) => ({ contents: `import "./sub.upper"; export const name: string = ${JSON.stringify(path)};`, loader: "ts" }));
  build.module("made-up", () => ({ exports: { foo: 1, default: "def" }, loader: "object" }));
}});
