import { Shape } from "./types.ts";
function Decorated(): PropertyDecorator {
  return () => {};
}
class Picture {
  @Decorated() shape?: Shape;
}
export { Shape, Picture };
console.log(typeof Picture);
