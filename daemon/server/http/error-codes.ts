import { AT_START } from '../../base/error-codes.ts';
import type { DeclaredCode } from '../../base/error-codes.ts';

declare module '../../base/error-codes.ts' {
  interface ErrorCodeTables {
    readonly server: typeof SERVER_CODES;
  }
}

/** Error codes of HTTP and the REST interface. */
export const SERVER_CODES = {
  ANSWERS_EXHAUSTED: {
    status: 503,
    meaning: 'the response buffer is full because clients do not read their responses',
  },
  BODIES_EXHAUSTED: { status: 503, meaning: 'request bodies in progress fill the memory reserved for them' },
  BODY_INCOMPLETE: { status: 400, meaning: 'the body ended early' },
  BODY_INVALID: { status: 400, meaning: 'the body does not have the expected form' },
  BODY_MISSING: { status: 400, meaning: 'the endpoint requires a body and the request has none' },
  BODY_NOT_UTF8: { status: 400, meaning: 'the body is not UTF-8' },
  BODY_TOO_LARGE: { status: 413, meaning: 'the body is larger than the endpoint accepts' },
  CONTENT_CODING_UNSUPPORTED: { status: 415, meaning: '`Content-Encoding` is not accepted' },
  CONTENT_TYPE_UNSUPPORTED: { status: 415, meaning: 'the endpoint does not accept this `Content-Type`' },
  ENDPOINT_DISABLED: { status: 404, meaning: 'the endpoint is disabled' },
  HEADERS_TOO_MANY: { status: 431, meaning: 'the request has too many headers' },
  HEADER_DOUBLED: { status: 400, meaning: 'a header that may occur once is duplicated' },
  HOST_UNKNOWN: { status: 421, meaning: 'the name in `Host` is not a name of the gateway' },
  HOST_MISSING: { status: 400, meaning: '`Host` is missing' },
  HTTP_VERSION_UNSUPPORTED: { status: 505, meaning: 'the request is neither HTTP/1.1 nor HTTP/1.0' },
  JSON_MALFORMED: { status: 400, meaning: 'the body is not valid JSON' },
  JSON_TOO_DEEP: { status: 400, meaning: 'the JSON has too many levels' },
  JSON_TEXT_REFUSED: {
    status: 400,
    meaning: 'a string in the body contains NUL or half of a surrogate pair',
  },
  JSON_TOO_LARGE: { status: 400, meaning: 'the JSON has too many values or names' },
  METHOD_NOT_ALLOWED: { status: 405, meaning: 'the path does not have this method' },
  NOT_ACCEPTABLE: { status: 406, meaning: 'the endpoint offers no type that `Accept` allows' },
  ORIGIN_REFUSED: { status: 403, meaning: 'a page of another host sent the request' },
  PATH_MALFORMED: { status: 400, meaning: 'the path cannot be decoded' },
  PATH_UNKNOWN: { status: 404, meaning: 'nothing at this path on this port' },
  PRECONDITION_MISSING: { status: 428, meaning: '`If-Match` is missing' },
  QUERY_INVALID: { status: 400, meaning: 'a query parameter is invalid or unknown' },
  REQUEST_LINE_MALFORMED: {
    status: 400,
    meaning: 'the request line has extra spaces, or more than one empty line before it',
  },
  STORAGE_FULL: { status: 507, meaning: 'not enough disk space for an upload' },
  STREAMS_EXHAUSTED: { status: 503, meaning: 'too many streams are open' },
  STREAMS_OF_IDENTITY_EXHAUSTED: { status: 429, meaning: 'too many streams of this identity are open' },
  UPLOAD_BUSY: { status: 503, meaning: 'too many uploads are in progress' },
  UPLOAD_INVALID: { status: 400, meaning: 'the upload is not a valid form' },
  UPLOAD_TOO_LARGE: { status: 413, meaning: 'the upload is larger than the limit' },
  UPLOAD_TOO_SLOW: {
    status: 408,
    meaning: 'the upload is slower than 1 KiB/s, or has taken an hour',
  },
  UPLOADS_TOO_MANY: { status: 429, meaning: 'four uploads of this identity are in progress' },
  PORT_HELD: {
    meaning: 'the port belongs to penstock.socket and is served in another way',
    internal: AT_START,
  },
  PORT_OPEN_TOO_WIDE: {
    meaning: 'systemd opens the port on more addresses than configured',
    internal: AT_START,
  },
} as const satisfies Readonly<Record<string, DeclaredCode>>;
