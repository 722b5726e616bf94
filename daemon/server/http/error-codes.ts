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
    remedy: 'repeat after `Retry-After`; read responses faster',
  },
  BODIES_EXHAUSTED: {
    status: 503,
    meaning: 'request bodies in progress fill the memory reserved for them',
    remedy: 'repeat after `Retry-After`',
  },
  BODY_INCOMPLETE: { status: 400, meaning: 'the body ended early', remedy: 'send it again' },
  BODY_INVALID: {
    status: 400,
    meaning: 'the body does not have the expected form',
    remedy: 'correct what the message names',
  },
  BODY_MISSING: {
    status: 400,
    meaning: 'the endpoint requires a body and the request has none',
    remedy: 'send one',
  },
  BODY_NOT_UTF8: { status: 400, meaning: 'the body is not UTF-8', remedy: 'encode it as UTF-8' },
  BODY_TOO_LARGE: {
    status: 413,
    meaning: 'the body is larger than the endpoint accepts',
    remedy: 'see [limits](rest-api.md#limits)',
  },
  CONTENT_CODING_UNSUPPORTED: {
    status: 415,
    meaning: '`Content-Encoding` is not accepted',
    remedy: 'send the body without compression',
  },
  CONTENT_TYPE_UNSUPPORTED: {
    status: 415,
    meaning: 'the endpoint does not accept this `Content-Type`',
    remedy: 'use the type that the message names',
  },
  ENDPOINT_DISABLED: {
    status: 404,
    meaning: 'the endpoint is disabled',
    remedy: 'enable it in the [section rest](configuration.md#section-rest)',
  },
  HEADERS_TOO_MANY: { status: 431, meaning: 'the request has too many headers', remedy: 'send fewer' },
  HEADER_DOUBLED: {
    status: 400,
    meaning: 'a header that may occur once is duplicated',
    remedy: 'send it once',
  },
  HOST_UNKNOWN: {
    status: 421,
    meaning: 'the name in `Host` is not a name of the gateway',
    remedy: 'add it to [`http.names`](configuration.md#names), if it is its name',
  },
  HOST_MISSING: { status: 400, meaning: '`Host` is missing', remedy: 'send it' },
  HTTP_VERSION_UNSUPPORTED: {
    status: 505,
    meaning: 'the request is neither HTTP/1.1 nor HTTP/1.0',
    remedy: 'use HTTP/1.1',
  },
  JSON_MALFORMED: { status: 400, meaning: 'the body is not valid JSON', remedy: 'correct it' },
  JSON_TOO_DEEP: {
    status: 400,
    meaning: 'the JSON has too many levels',
    remedy: 'see [limits](rest-api.md#limits)',
  },
  JSON_TEXT_REFUSED: {
    status: 400,
    meaning: 'a string in the body contains NUL or half of a surrogate pair',
    remedy: 'send Unicode text without NUL',
  },
  JSON_TOO_LARGE: {
    status: 400,
    meaning: 'the JSON has too many values or names',
    remedy: 'see [limits](rest-api.md#limits)',
  },
  METHOD_NOT_ALLOWED: { status: 405, meaning: 'the path does not have this method', remedy: 'see `Allow`' },
  NOT_ACCEPTABLE: {
    status: 406,
    meaning: 'the endpoint offers no type that `Accept` allows',
    remedy: 'use the type that the message names',
  },
  ORIGIN_REFUSED: {
    status: 403,
    meaning: 'a page of [another host](rest-api.md#cross-origin-requests) sent the request',
    remedy: 'send it from a page of the gateway',
  },
  PATH_MALFORMED: { status: 400, meaning: 'the path cannot be decoded', remedy: 'correct its encoding' },
  NO_COUNTERPART: {
    status: 404,
    meaning: 'a path of Eclipse Kura that the gateway does not have',
    remedy: 'use what the message names, or see [paths](../how-to/kura-migration.md#rest-paths)',
  },
  PATH_UNKNOWN: { status: 404, meaning: 'nothing at this path on this port', remedy: 'check path and port' },
  PRECONDITION_MISSING: {
    status: 428,
    meaning: '`If-Match` is missing',
    remedy: 'send the ETag of what was read, or `*`',
  },
  QUERY_INVALID: {
    status: 400,
    meaning: 'a query parameter is invalid or unknown',
    remedy: 'correct what the message names',
  },
  REQUEST_LINE_MALFORMED: {
    status: 400,
    meaning: 'the request line has extra spaces, or more than one empty line before it',
    remedy: 'correct the client',
  },
  STORAGE_FULL: { status: 507, meaning: 'not enough disk space for an upload', remedy: 'free disk space' },
  STREAMS_EXHAUSTED: { status: 503, meaning: 'too many streams are open', remedy: 'close one; repeat later' },
  STREAMS_OF_IDENTITY_EXHAUSTED: {
    status: 429,
    meaning: 'too many streams of this identity are open',
    remedy: 'close one',
  },
  UPLOAD_BUSY: {
    status: 503,
    meaning: 'too many uploads are in progress',
    remedy: 'repeat after `Retry-After`',
  },
  UPLOAD_INVALID: {
    status: 400,
    meaning: 'the upload is not a valid form',
    remedy: 'see [REST interface](rest-api.md)',
  },
  UPLOAD_TOO_LARGE: {
    status: 413,
    meaning: 'the upload is larger than the limit',
    remedy: 'make the package smaller',
  },
  UPLOAD_TOO_SLOW: {
    status: 408,
    meaning: 'the upload is slower than 1 KiB/s, or has taken an hour',
    remedy: 'use a faster line, or install from a URL',
  },
  UPLOADS_TOO_MANY: {
    status: 429,
    meaning: 'four uploads of this identity are in progress',
    remedy: 'repeat after `Retry-After`',
  },
  PORT_HELD: {
    meaning: 'the port belongs to penstock.socket and is served in another way',
    internal: AT_START,
  },
  PORT_OPEN_TOO_WIDE: {
    meaning: 'systemd opens the port on more addresses than configured',
    internal: AT_START,
  },
} as const satisfies Readonly<Record<string, DeclaredCode>>;
