// Hooks that end their thread: by `end`, and by `reallyEnd`, which says nothing to anybody.
export function resolve(specifier, context, next) {
  if (specifier === "end") process.exit(6);
  if (specifier === "reallyEnd") process.reallyExit(7);
  return next(specifier, context);
}
