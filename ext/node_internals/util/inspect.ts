/** Node's internal/util/inspect, as far as bao has it. */
import { format, formatWithOptions, inspect, isProxy } from "internal/util/inspect";
import { getStringWidth, stripVTControlCharacters } from "internal/util/string_width";

export default { format, formatWithOptions, getStringWidth, inspect, isProxy, stripVTControlCharacters };
