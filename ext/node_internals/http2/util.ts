/** Node's internal/http2/util, as far as bao has it. */
import {
  assertIsArray, assertIsObject, assertValidPseudoHeader, assertValidPseudoHeaderResponse, assertValidPseudoHeaderTrailer, assertWithinRange,
  buildNgHeaderString, getAuthority, getDefaultSettings, isPayloadMeaningless, kAuthority, kProtocol, kProxySocket, kRequest,
  kSensitiveHeaders, kSocket, kStrictSingleValueFields, MAX_ADDITIONAL_SETTINGS, NghttpError, prepareRequestHeadersArray,
  prepareRequestHeadersObject, sessionName, toHeaderObject,
} from "internal/http/http2/util";

export default {
  assertIsArray, assertIsObject, assertValidPseudoHeader, assertValidPseudoHeaderResponse, assertValidPseudoHeaderTrailer, assertWithinRange,
  buildNgHeaderString, getAuthority, getDefaultSettings, isPayloadMeaningless, kAuthority, kProtocol, kProxySocket, kRequest,
  kSensitiveHeaders, kSocket, kStrictSingleValueFields, MAX_ADDITIONAL_SETTINGS, NghttpError, prepareRequestHeadersArray,
  prepareRequestHeadersObject, sessionName, toHeaderObject,
};
