import { createHmac, timingSafeEqual } from 'node:crypto';

interface ProvisionedSecret {
  /** The gateway, as the app shows it. */
  readonly issuer: string;
  /** Name of the identity. */
  readonly account: string;
  /** Base32. */
  readonly secret: string;
}

/** Digits of a code, and seconds for which one lasts: what every authenticator app assumes (RFC 6238, 4 and 5.2). */
const CODE_DIGITS = 6;
export const STEP_SECONDS = 30;

/** Bytes of a secret: as many as an HMAC-SHA-1 has (RFC 4226, 4, R6). */
export const SECRET_BYTES = 20;

/** Steps before and after the present one whose codes are accepted, for clocks that differ (RFC 6238, 5.2). */
export const WINDOW_STEPS = 1;

/**
 * Computes a code from a secret and a counter, as HOTP does (RFC 4226, 5.3), with HMAC-SHA-1.
 *
 * @param counter a whole number from 0 on
 * @returns six digits
 */
export function computeCode(secret: Uint8Array, counter: number): string {
  const message = Buffer.alloc(8);
  message.writeBigUInt64BE(BigInt(counter));
  const mac = createHmac('sha1', secret).update(message).digest();
  // The last four bits choose the four bytes; the highest bit of these is left out.
  const offset = (mac.at(-1) ?? 0) & 0xf;
  const number = mac.readUInt32BE(offset) & 0x7fff_ffff;
  return String(number % 10 ** CODE_DIGITS).padStart(CODE_DIGITS, '0');
}

/**
 * Returns the number of the time step, which is the counter of TOTP (RFC 6238, 4.2).
 *
 * @param epochMs milliseconds since the epoch
 */
export function stepAt(epochMs: number): number {
  return Math.floor(epochMs / (STEP_SECONDS * 1000));
}

/** Reads a code as people type it: six digits, with white space anywhere. */
export function readCode(text: string): string | undefined {
  const digits = text.replaceAll(/\s/g, '');
  return /^[0-9]{6}$/.test(digits) ? digits : undefined;
}

/**
 * Finds the time steps near the present one that have this code; it takes the same time for every code.
 *
 * @param code six digits
 * @param nowStep the present step
 * @returns in ascending order; more than one by chance only
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
 * Formats a secret as authenticator apps read it from a QR code: `otpauth://totp/ISSUER:ACCOUNT?…`. Everything is
 * percent-encoded, a colon in a name too, because one divides the label.
 */
export function formatProvisioningUri({ issuer, account, secret }: ProvisionedSecret): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`;
  const parameters = [
    ['secret', secret],
    ['issuer', issuer],
    // The defaults, for apps that have others.
    ['algorithm', 'SHA1'],
    ['digits', String(CODE_DIGITS)],
    ['period', String(STEP_SECONDS)],
  ] as const;
  const query = parameters.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
  return `otpauth://totp/${label}?${query}`;
}
