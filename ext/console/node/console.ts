// node:console is the global console.

import { console } from "web/console";

export default console;
