import { CODE_DIGITS, STEP_SECONDS } from './one-time-code.ts';

interface ProvisionedSecret {
  /** The gateway, as the app shows it. */
  readonly issuer: string;
  /** Name of the identity. */
  readonly account: string;
  /** Base32. */
  readonly secret: string;
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
