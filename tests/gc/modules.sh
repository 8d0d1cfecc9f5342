# Both kinds of modules, hooks and plugins, under stress.
sh support/stress.sh 1 resolve/require.js resolve/exports.js loader/module_hooks.mjs errors/cycle.sh loader/plugin.sh
