import { createHmac, timingSafeEqual } from 'node:crypto';

interface ProvisionedSecret {
  /** Name of the gateway in the app. */
  readonly issuer: string;
  /** Name of the identity. */
  readonly account: string;
  /** Base32. */
  readonly secret: string;
}

/** Digits and period of a code, as every authenticator app assumes (RFC 6238, 4 and 5.2). */
const CODE_DIGITS = 6;
export const STEP_SECONDS = 30;

/** Bytes of a secret: the length of an HMAC-SHA-1 (RFC 4226, 4, R6). */
export const SECRET_BYTES = 20;

/** Accepted steps before and after the current one, for clock differences (RFC 6238, 5.2). */
export const WINDOW_STEPS = 1;

/**
 * Computes an HOTP code from a secret and a counter (RFC 4226, 5.3) with HMAC-SHA-1.
 *
 * @param counter non-negative integer
 * @returns six digits
 */
export function computeCode(secret: Uint8Array, counter: number): string {
  const message = Buffer.alloc(8);
  message.writeBigUInt64BE(BigInt(counter));
  const mac = createHmac('sha1', secret).update(message).digest();
  // The last four bits select four bytes; their highest bit is masked.
  const offset = (mac.at(-1) ?? 0) & 0xf;
  const number = mac.readUInt32BE(offset) & 0x7fff_ffff;
  return String(number % 10 ** CODE_DIGITS).padStart(CODE_DIGITS, '0');
}

/**
 * Returns the time step, the counter of TOTP (RFC 6238, 4.2).
 *
 * @param epochMs milliseconds since the epoch
 */
export function stepAt(epochMs: number): number {
  return Math.floor(epochMs / (STEP_SECONDS * 1000));
}

/** Parses a typed code: six digits, with white space anywhere. */
export function readCode(text: string): string | undefined {
  const digits = text.replaceAll(/\s/g, '');
  return /^[0-9]{6}$/.test(digits) ? digits : undefined;
}

/**
 * Finds the accepted time steps with this code, in constant time.
 *
 * @param code six digits
 * @param nowStep current step
 * @returns in ascending order; more than one only by chance
 */
export function findSteps(secret: Uint8Array, code: string, nowStep: number): readonly number[] {
  const given = Buffer.from(code);
  const steps = Array.from({ length: 2 * WINDOW_STEPS + 1 }, (_, index) => nowStep - WINDOW_STEPS + index);
  return steps
    .filter((step) => step >= 0)
    .filter((step) => {
      const expected = Buffer.from(computeCode(secret, step));
      return expected.length === given.length && timingSafeEqual(expected, given);
    });
}

/**
 * Formats a secret as URI for authenticator apps: `otpauth://totp/ISSUER:ACCOUNT?…`. All parts are percent-encoded, including a
 * colon in a name, because a colon separates the label.
 */
export function formatProvisioningUri({ issuer, account, secret }: ProvisionedSecret): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`;
  const parameters = [
    ['secret', secret],
    ['issuer', issuer],
    // Defaults, stated for apps with other defaults.
    ['algorithm', 'SHA1'],
    ['digits', String(CODE_DIGITS)],
    ['period', String(STEP_SECONDS)],
  ] as const;
  const query = parameters.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
  return `otpauth://totp/${label}?${query}`;
}
