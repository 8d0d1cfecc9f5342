/** The object of native functions ("ops") of one API family, see ARCHITECTURE.md. */
declare function native(family: string): any;
/** Loads another built-in module by id (`node:fs`, `internal/core/errors`, `web/url`); cached. */
declare function require(id: string): any;
