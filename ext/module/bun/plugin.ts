/** `Bun.plugin`: https://bun.sh/docs/runtime/plugins */

import { plugin } from "internal/loader_hooks";

export { plugin };
