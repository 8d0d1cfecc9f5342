export {
  Draft,
  freeze, Patch as Change,
  Kind,
  Both,
} from "./internal";
export { OnlyType } from "./types";
