import { createHmac } from 'node:crypto';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/**
 * Shows the codes of a secret, as an authenticator app does; written from the RFCs, apart from the gateway.
 *
 * @param secret base32
 * @returns a function for the code of a time step, so many steps after the present one
 */
export function createAuthenticatorApp(secret: string, nowMs: () => number = Date.now) {
  const bits = Array.from(secret, (character) =>
    ALPHABET.indexOf(character).toString(2).padStart(5, '0'),
  ).join('');
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  return (steps = 0): string => {
    const counter = (Math.floor(nowMs() / 30_000) + steps).toString(16).padStart(16, '0');
    const mac = createHmac('sha1', key).update(counter, 'hex').digest('hex');
    const offset = 2 * Number.parseInt(mac.slice(-1), 16);
    const number = Number.parseInt(mac.slice(offset, offset + 8), 16) % 2 ** 31;
    return String(number).slice(-6).padStart(6, '0');
  };
}
