// Members of a namespace that a CommonJS module's text does not show. As in Bun 1.4.5; Node gives undefined.
import * as dynamic from "./support/dynamic.cjs";
import { second } from "./support/dynamic.cjs";
console.log(dynamic.first(), dynamic.second(), second(), typeof dynamic.third, dynamic?.default.first());
