import type { TokenAlgorithm } from '../../settings/token-settings.ts';
import { isTokenAlgorithm } from './algorithms.ts';
import { parseStrictObject } from './strict-json.ts';
import type { JsonObject } from './strict-json.ts';
import { TokenRefused } from './token-error.ts';

/** Maximum length of a token; equals the limit of a refresh request body. */
export const MAXIMUM_TOKEN_BYTES = 8192;

/** A well-formed token with unverified signature and claims. */
export interface UnverifiedToken {
  /** JWS Compact Serialization (RFC 7515, 7.1). */
  readonly text: string;
  readonly algorithm: TokenAlgorithm;
  /** Id of the possible signing key; a hint, not a constraint. */
  readonly kid: string | undefined;
  readonly payload: Uint8Array;
}

const BASE64URL = /^[A-Za-z0-9_-]+$/;

/**
 * Parses a token without cryptography and rejects ambiguous input.
 *
 * Keys in the header (`jwk`, `jku`, `x5c`, `x5u`) are ignored; `typ` may be anything.
 *
 * @param text at most 8 KiB; three parts in canonical base64url (RFC 4648, 3.5 and 5)
 * @throws {TokenRefused} `TOKEN_TOO_LONG`, `TOKEN_MALFORMED`, `TOKEN_ALGORITHM_REFUSED` unless `alg` is in the
 *   allowlist, `TOKEN_CRITICAL_HEADER` for the unsupported headers `crit` and `b64`
 */
export function readToken(text: string): UnverifiedToken {
  // The length is checked first: the time of every later step grows with it.
  if (text.length > MAXIMUM_TOKEN_BYTES) throw new TokenRefused('TOKEN_TOO_LONG', 'the token is too long');
  const parts = text.split('.', 4);
  const [header, payload, signature] = parts.map(decodePart);
  if (parts.length !== 3 || header === undefined || payload === undefined || signature === undefined) {
    throw malformed('the token is not three parts in base64url');
  }
  const fields = parseStrictObject(header);
  if (fields === undefined) throw malformed('the header of the token is not a JSON object of distinct names');
  return { text, ...readHeader(fields), payload };
}

/**
 * Parses the claims of a token.
 *
 * @throws {TokenRefused} `TOKEN_MALFORMED` unless they are a JSON object without duplicate names
 */
export function readClaims(payload: Uint8Array): JsonObject {
  const claims = parseStrictObject(payload);
  if (claims === undefined)
    throw malformed('the claims of the token are not a JSON object of distinct names');
  return claims;
}

function readHeader(fields: JsonObject): Pick<UnverifiedToken, 'algorithm' | 'kid'> {
  const algorithm = fields['alg'];
  if (!isTokenAlgorithm(algorithm)) {
    throw new TokenRefused('TOKEN_ALGORITHM_REFUSED', 'the algorithm of the token is not accepted');
  }
  // RFC 7515, 4.1.11: an unsupported critical extension makes the token invalid. RFC 7797 is not supported.
  if (Object.hasOwn(fields, 'crit') || Object.hasOwn(fields, 'b64')) {
    throw new TokenRefused('TOKEN_CRITICAL_HEADER', 'the token requires an unsupported extension');
  }
  const kid = Object.hasOwn(fields, 'kid') ? fields['kid'] : undefined;
  if (kid !== undefined && typeof kid !== 'string') throw malformed('kid in the token is not a text');
  return { algorithm, kid };
}

/** Decodes base64url; undefined unless it is canonical, because bits after the last byte could differ. */
function decodePart(part: string): Buffer | undefined {
  if (!BASE64URL.test(part)) return undefined;
  const bytes = Buffer.from(part, 'base64url');
  return bytes.toString('base64url') === part ? bytes : undefined;
}

function malformed(detail: string): TokenRefused {
  return new TokenRefused('TOKEN_MALFORMED', detail);
}
