import { Shape } from "./types.ts";
import { Circle } from "./types.ts";

const seen: [string, unknown][] = [];
(Reflect as { metadata?: unknown }).metadata = (key: string, value: unknown) => () => void seen.push([key, value]);
function Decorated(): PropertyDecorator {
  return () => {};
}
class Picture {
  @Decorated() shape?: Shape;
  @Decorated() circle?: Circle;
  plain?: Shape;
}
console.log(seen.map(([key, value]) => `${key} ${(value as { name: string }).name}`).join(", "), new Picture() instanceof Picture);
