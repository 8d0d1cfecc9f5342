/** Node's internal/http, as far as bao has it. */
export { kOutHeaders, utcDate } from "internal/http/common";
