# Both kinds of modules, hooks and plugins, under stress.
sh support/stress.sh 1 module/resolve_require.js module/resolve_exports.js module/module_hooks.mjs runtime/cycle.sh module/plugin.sh
