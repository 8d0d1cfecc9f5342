/** Node's internal/http2/core, as far as bao has it. */
import http2 from "node:http2";
import { Http2Session, ServerHttp2Session } from "internal/http/http2/session";
import { Http2Stream } from "internal/http/http2/stream";

export default { ...http2, Http2Session, Http2Stream, ServerHttp2Session };
