/** The old name of a part of node:http. */
import {
  checkInvalidHeaderChar,
  checkIsHttpToken,
  chunkExpression,
  continueExpression,
  freeParser,
  HTTPParser,
  kIncomingMessage,
  methods,
} from "internal/http/common";

export default {
  _checkInvalidHeaderChar: checkInvalidHeaderChar,
  _checkIsHttpToken: checkIsHttpToken,
  chunkExpression,
  continueExpression,
  CRLF: "\r\n",
  freeParser,
  methods,
  kIncomingMessage,
  HTTPParser,
};
