// Types that are exported from other files without saying `type`, which TypeScript drops. (Bun 1.4.5 and Node refuse them.)
import { freeze, Kind, type Draft, Both } from "./support/type_exports/index";
import * as all from "./support/type_exports/index";

const draft: Draft<number> = freeze(1);
console.log(draft, new Kind().name, Both);
console.log(Object.keys(all).sort());
