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
    meaning: 'answers that clients have not taken fill the memory set aside for them',
  },
  BODIES_EXHAUSTED: { status: 503, meaning: 'bodies that are being received fill the memory for them' },
  BODY_INCOMPLETE: { status: 400, meaning: 'the body ended early' },
  BODY_INVALID: { status: 400, meaning: 'the body does not have the expected form' },
  BODY_MISSING: { status: 400, meaning: 'the endpoint needs a body, and the request has none' },
  BODY_NOT_UTF8: { status: 400, meaning: 'the body is not UTF-8' },
  BODY_TOO_LARGE: { status: 413, meaning: 'the body is longer than the endpoint accepts' },
  CONTENT_CODING_UNSUPPORTED: { status: 415, meaning: '`Content-Encoding` is not accepted' },
  CONTENT_TYPE_UNSUPPORTED: { status: 415, meaning: 'the endpoint does not accept this `Content-Type`' },
  ENDPOINT_DISABLED: { status: 404, meaning: 'the endpoint is switched off' },
  HEADERS_TOO_MANY: { status: 431, meaning: 'the request has too many fields' },
  HEADER_DOUBLED: { status: 400, meaning: 'a field is there twice that may be there once' },
  HOST_UNKNOWN: { status: 421, meaning: 'the gateway is not known by the name in `Host`' },
  HOST_MISSING: { status: 400, meaning: '`Host` is missing' },
  HTTP_VERSION_UNSUPPORTED: { status: 505, meaning: 'the request is neither HTTP/1.1 nor HTTP/1.0' },
  JSON_MALFORMED: { status: 400, meaning: 'the body is not valid JSON' },
  JSON_TOO_DEEP: { status: 400, meaning: 'the JSON has too many levels' },
  JSON_TEXT_REFUSED: { status: 400, meaning: 'a text in the body holds NUL or half of a surrogate pair' },
  JSON_TOO_LARGE: { status: 400, meaning: 'the JSON has too many values or names' },
  METHOD_NOT_ALLOWED: { status: 405, meaning: 'the path does not have this method' },
  NOT_ACCEPTABLE: { status: 406, meaning: 'the endpoint offers no type that `Accept` allows' },
  ORIGIN_REFUSED: { status: 403, meaning: 'a page of another host sent the request' },
  PATH_MALFORMED: { status: 400, meaning: 'the path cannot be decoded' },
  PATH_UNKNOWN: { status: 404, meaning: 'nothing is at this path, or not on this port' },
  PRECONDITION_MISSING: { status: 428, meaning: '`If-Match` is missing' },
  QUERY_INVALID: { status: 400, meaning: 'a parameter of the query is wrong or unknown' },
  REQUEST_LINE_MALFORMED: {
    status: 400,
    meaning: 'the request line has several spaces, or several empty lines stand before it',
  },
  STORAGE_FULL: { status: 507, meaning: 'the disk has no room for an upload' },
  STREAMS_EXHAUSTED: { status: 503, meaning: 'too many streams are open' },
  STREAMS_OF_IDENTITY_EXHAUSTED: { status: 429, meaning: 'this identity has too many streams open' },
  UPLOAD_BUSY: { status: 503, meaning: 'too many uploads are under way' },
  UPLOAD_INVALID: { status: 400, meaning: 'the upload is not a valid form' },
  UPLOAD_TOO_LARGE: { status: 413, meaning: 'the upload is larger than is accepted' },
  UPLOAD_TOO_SLOW: {
    status: 408,
    meaning: 'less than 1 KiB/s of the upload has arrived, or it has lasted an hour',
  },
  UPLOADS_TOO_MANY: { status: 429, meaning: 'this identity has four uploads under way' },
  PORT_HELD: { meaning: 'systemd holds the port for another use', internal: AT_START },
  PORT_OPEN_TOO_WIDE: {
    meaning: 'systemd opens the port on more addresses than configured',
    internal: AT_START,
  },
} as const satisfies Readonly<Record<string, DeclaredCode>>;
