/** Node's internal/streams/state. */
export { getDefaultHighWaterMark, setDefaultHighWaterMark } from "internal/streams/state";
