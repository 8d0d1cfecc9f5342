/** Node's internal/encoding. */
import { TextDecoder, TextEncoder, getEncodingFromLabel } from "web/encoding";

export default { TextDecoder, TextEncoder, getEncodingFromLabel };
