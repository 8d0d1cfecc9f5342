import { Circle } from "./types.ts";

const seen: unknown[] = [];
(Reflect as { metadata?: unknown }).metadata = (_key: string, value: unknown) => () => void seen.push(value);
function Decorated(): PropertyDecorator {
  return () => {};
}
class Picture {
  @Decorated() circle?: Circle;
}
console.log(seen.map((value) => (value as { name: string }).name), new Picture() instanceof Picture);
