# Bun.plugin: onLoad (also async), onResolve with a namespace, virtual modules, and an import of a blob: URL.
cd support || exit 1
"$BAO" --preload ./plugin_preload.ts plugin_main.ts
"$BAO" r.mjs | sed "s#$PWD#DIR#"
