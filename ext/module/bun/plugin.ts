/** `Bun.plugin`: https://bun.sh/docs/runtime/plugins */

import { plugin } from "internal/module/loader_hooks";

export { plugin };
