/** The old name of a part of node:http. */
import {
  checkInvalidHeaderChar,
  checkIsHttpToken,
  chunkExpression,
  continueExpression,
  freeParser,
  kIncomingMessage,
  methods,
} from "internal/http/common";
import { HTTPParser } from "internal/http/node_parser";

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
