import type { Identity } from '../identity/identity.ts';
import type { JsonObject } from './strict-json.ts';
import { TokenRefused } from './token-error.ts';
import { readTokenIdTime } from './token-id.ts';

/** Purpose of a token. */
export type TokenKind = 'access' | 'refresh';

/** Values of the claim `aud`. */
export const AUDIENCES: Readonly<Record<TokenKind, string>> = {
  access: '/token/jwt/v1/access',
  refresh: '/token/jwt/v1/refresh',
};

/** Verified claims of a token. */
export interface Claims {
  readonly iss: string;
  /** Name of the identity. */
  readonly sub: string;
  /** Present on refresh tokens. */
  readonly jti: string | undefined;
  /** NumericDate; may have a fraction. */
  readonly exp: number;
  /** Latest possible issue time, in milliseconds since the epoch; undefined: not stated. */
  readonly issuedByMs: number | undefined;
  /** Period of validity in milliseconds since the epoch, including the tolerance; the end is excluded. */
  readonly validFromMs: number;
  readonly validUntilMs: number;
  /** Latest revocation before the issue; undefined: none, or a token of another issuer. */
  readonly generation: string | undefined;
  /** True if a key of this gateway signed the token. */
  readonly isOwn: boolean;
}

export interface ClaimRules {
  readonly kind: TokenKind;
  readonly nowMs: number;
  readonly toleranceSeconds: number;
  /** Empty: any issuer. */
  readonly trustedIssuers: readonly string[];
  /** True if a key of this gateway signed the token; absent: false. */
  readonly isOwn?: boolean | undefined;
}

// Latest time of a Date (ECMA-262, 21.4.1.1), in seconds: larger values are not valid times.
const MAXIMUM_NUMERIC_DATE = 8_640_000_000_000;

/**
 * Checks the registered claims (RFC 7519, 4.1).
 *
 * `iss`, `sub`, `aud` and `exp` are required, and `jti` in refresh tokens. A token whose `aud` contains the refresh audience is a
 * refresh token and never accepted for access, even if `aud` contains other audiences.
 *
 * @throws {TokenRefused} with the first invalid claim
 */
export function checkClaims(claims: JsonObject, rules: ClaimRules): Claims {
  const { kind, trustedIssuers, isOwn = false } = rules;
  const iss = getText(claims, 'iss');
  if (trustedIssuers.length > 0 && !trustedIssuers.includes(iss)) {
    throw new TokenRefused('TOKEN_ISSUER_REFUSED', 'the issuer of the token is not trusted', 'iss');
  }
  checkAudience(claims, kind);
  const sub = getText(claims, 'sub');
  const jti = kind === 'refresh' || Object.hasOwn(claims, 'jti') ? getText(claims, 'jti') : undefined;
  const generation = isOwn && Object.hasOwn(claims, 'generation') ? getText(claims, 'generation') : undefined;
  return { iss, sub, jti, ...checkTimes(claims, jti, rules), generation, isOwn };
}

/**
 * Returns true if a token was, or may have been, issued to an earlier identity of the same name.
 *
 * `iat` has a resolution of seconds: unless `jti` contains the millisecond, a token from the second of the creation is accepted. A
 * token without `iat` and `nbf` is accepted if its identity is the first one of its name.
 */
export function isOlderThan(
  { issuedByMs }: Pick<Claims, 'issuedByMs'>,
  { createdAtMs, isNameReused = false }: Pick<Identity, 'createdAtMs' | 'isNameReused'>,
): boolean {
  return issuedByMs === undefined ? isNameReused : issuedByMs < createdAtMs;
}

/**
 * Returns true if a token was, or may have been, issued before the latest revocation of its identity's tokens.
 *
 * Tokens of this gateway contain the latest revocation before their issue, which makes them independent of clock resolution and
 * clock changes. Tokens of other issuers must have been issued in a later second.
 */
export function isRevoked(
  { issuedByMs, generation, isOwn }: Pick<Claims, 'issuedByMs' | 'generation' | 'isOwn'>,
  { tokenRevocation }: Pick<Identity, 'tokenRevocation'>,
): boolean {
  if (isOwn) return generation !== tokenRevocation?.generation;
  if (tokenRevocation === undefined) return false;
  return issuedByMs === undefined || toSecond(issuedByMs) <= toSecond(tokenRevocation.atMs);
}

function toSecond(timeMs: number): number {
  return Math.floor(timeMs / 1000);
}

function checkAudience(claims: JsonObject, kind: TokenKind): void {
  const aud = getClaim(claims, 'aud');
  const audiences: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  if (!audiences.every((audience) => typeof audience === 'string')) throw invalid('aud');
  const isRefresh = audiences.includes(AUDIENCES.refresh);
  const isWanted = kind === 'refresh' ? isRefresh : !isRefresh && audiences.includes(AUDIENCES.access);
  if (!isWanted)
    throw new TokenRefused('TOKEN_AUDIENCE_REFUSED', `the token is not intended for ${kind}`, 'aud');
}

function checkTimes(
  claims: JsonObject,
  jti: string | undefined,
  { nowMs, toleranceSeconds }: ClaimRules,
): Pick<Claims, 'exp' | 'issuedByMs' | 'validFromMs' | 'validUntilMs'> {
  const exp = getNumericDate(claims, 'exp');
  const nbf = Object.hasOwn(claims, 'nbf') ? getNumericDate(claims, 'nbf') : undefined;
  const iat = Object.hasOwn(claims, 'iat') ? getNumericDate(claims, 'iat') : undefined;
  const validFromMs = (Math.max(iat ?? 0, nbf ?? 0) - toleranceSeconds) * 1000;
  const validUntilMs = (exp + toleranceSeconds) * 1000;
  if (nowMs >= validUntilMs) throw new TokenRefused('TOKEN_EXPIRED', 'the token has expired', 'exp');
  if (nowMs < validFromMs) {
    const claim = nbf !== undefined && nbf >= (iat ?? 0) ? 'nbf' : 'iat';
    throw new TokenRefused('TOKEN_NOT_YET_VALID', 'the token is not valid yet', claim);
  }
  const issued = iat ?? nbf;
  const issuedByMs = issued === undefined ? undefined : boundIssue(issued, jti);
  return { exp, issuedByMs, validFromMs, validUntilMs };
}

/** Takes the millisecond from `jti` if it is in the same second; an integer `iat` can be any time in its second. */
function boundIssue(iat: number, jti: string | undefined): number {
  const idTimeMs = jti === undefined ? undefined : readTokenIdTime(jti);
  if (idTimeMs !== undefined && Math.floor(idTimeMs / 1000) === iat) return idTimeMs;
  return Number.isInteger(iat) ? iat * 1000 + 999 : iat * 1000;
}

function getClaim(claims: JsonObject, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  throw new TokenRefused('TOKEN_CLAIM_MISSING', `the token has no claim ${name}`, name);
}

function getText(claims: JsonObject, name: string): string {
  const value = getClaim(claims, name);
  if (typeof value !== 'string' || value.trim() === '' || !value.isWellFormed()) throw invalid(name);
  return value;
}

function getNumericDate(claims: JsonObject, name: string): number {
  const value = getClaim(claims, name);
  if (typeof value !== 'number' || !(value >= 0 && value <= MAXIMUM_NUMERIC_DATE)) throw invalid(name);
  return value;
}

function invalid(name: string): TokenRefused {
  return new TokenRefused('TOKEN_CLAIM_INVALID', `claim ${name} of the token is invalid`, name);
}
