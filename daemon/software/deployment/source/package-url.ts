import type { ErrorCodeOf } from '../../../base/error-codes.ts';
import { SourceRefused } from '../../package/deployment-error.ts';

const SCHEMES = new Set(['file:', 'http:', 'https:']);
const MAXIMUM_URL_LENGTH = 2048;

/**
 * Reads the URL of a package.
 *
 * @throws {SourceRefused} `URL_INVALID`; `URL_SCHEME_UNSUPPORTED`; `URL_CREDENTIALS` for a user name or password in it, which
 *   lists and logs would show
 */
export function parsePackageUrl(text: string): URL {
  const url = text.length > MAXIMUM_URL_LENGTH ? null : URL.parse(text);
  if (url === null) {
    throw refuse('URL_INVALID', `url: expected a URL of at most ${MAXIMUM_URL_LENGTH} characters`);
  }
  if (!SCHEMES.has(url.protocol)) {
    throw refuse('URL_SCHEME_UNSUPPORTED', 'url: expected the scheme file, http or https');
  }
  if (url.username !== '' || url.password !== '') {
    throw refuse('URL_CREDENTIALS', 'url: a user name or password in the URL is not accepted');
  }
  if (url.protocol === 'file:' && url.host !== '') {
    throw refuse('URL_INVALID', 'url: a file URL must not name a host');
  }
  return url;
}

/** Returns a URL for display, without the query, which can contain a key. */
export function toShownUrl(text: string): string {
  const url = URL.parse(text);
  return url === null ? '' : `${url.protocol}//${url.host}${url.pathname}`;
}

function refuse(code: ErrorCodeOf<400>, detail: string): SourceRefused {
  return new SourceRefused({ code, detail });
}
