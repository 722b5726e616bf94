/** User name and password of an Authorization header. */
export interface BasicCredentials {
  readonly name: string;
  readonly password: string;
}

// RFC 9110, 11.4: scheme in any case, spaces, then token68, which must be complete base64 (RFC 4648, 4).
const BASIC = /^basic +([A-Za-z0-9+/]+={0,2})$/i;
const CONTROL_CHARACTER = /\p{Cc}/u;

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

// Longer than any user name and password together.
const MAXIMUM_FIELD_LENGTH = 8192;

/**
 * Parses BASIC credentials (RFC 7617) in UTF-8; the password may contain colons.
 *
 * @param authorization value of the Authorization header
 * @returns undefined for another scheme, non-canonical base64, invalid UTF-8, control characters (RFC 7617, 2) or a
 *   missing colon
 */
export function readBasicCredentials(authorization: string | undefined): BasicCredentials | undefined {
  if (authorization === undefined || authorization.length > MAXIMUM_FIELD_LENGTH) return undefined;
  const encoded = BASIC.exec(authorization)?.[1];
  const text = encoded === undefined ? undefined : decodeText(encoded);
  const colon = text?.indexOf(':') ?? -1;
  if (text === undefined || colon < 0 || CONTROL_CHARACTER.test(text)) return undefined;
  return { name: text.slice(0, colon), password: text.slice(colon + 1) };
}

function decodeText(encoded: string): string | undefined {
  const bytes = Buffer.from(encoded, 'base64');
  // The decoder accepts anything; only canonical base64 encodes to the same text again.
  if (bytes.toString('base64') !== encoded) return undefined;
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}
