import { createHmac } from 'node:crypto';

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const STEP_MS = 30_000;
const CODES = 1_000_000;
const KEPT_STEPS = 40;

/** An authenticator app with the secret of one identity, which knows the codes that were sent. */
export class AuthenticatorApp {
  readonly #secret: Buffer;
  #used: readonly number[] = [];
  #doubtful: readonly number[] = [];

  /** @param secret in Base32 */
  constructor(secret: string) {
    this.#secret = fromBase32(secret);
  }

  /** Returns the number of the time step that a clock is in. */
  stepAt(epochMs: number): number {
    return Math.floor(epochMs / STEP_MS);
  }

  /** Returns the code of a time step (RFC 6238, with the HMAC of RFC 4226, 5.3). */
  codeOf(step: number): string {
    const counter = Buffer.alloc(8);
    counter.writeBigUInt64BE(BigInt(step));
    const hash = createHmac('sha1', this.#secret).update(counter).digest();
    const offset = (hash.at(-1) ?? 0) & 0xf;
    return String((hash.readUInt32BE(offset) & 0x7fff_ffff) % CODES).padStart(6, '0');
  }

  /** Returns the step whose code is accepted now, and for the next half a minute; undefined: none for certain. */
  findFresh(epochMs: number): number | undefined {
    const step = this.stepAt(epochMs);
    const isBarred = [...this.#used, ...this.#doubtful].some((used) => used >= step && used <= step + 2);
    return isBarred ? undefined : step;
  }

  /** Returns a code that no step near the present one has. */
  makeWrong(epochMs: number, shift: number): string {
    const near = this.#codesNear(this.stepAt(epochMs));
    let code = (Number(near[1]) + shift) % CODES;
    while (near.includes(toCode(code))) code = (code + 1) % CODES;
    return toCode(code);
  }

  /** Steps whose codes were used for certain and must not be accepted again, the oldest first. */
  listUsed(epochMs: number): readonly number[] {
    const near = this.#codesNear(this.stepAt(epochMs));
    const now = this.stepAt(epochMs) - 1;
    // One that another step happens to have as well would be accepted for that.
    return this.#used.filter((step) =>
      near.every((code, at) => now + at === step || code !== this.codeOf(step)),
    );
  }

  /** Notes that the code of a step was accepted, or that nobody knows whether it was. */
  note(step: number, outcome: 'USED' | 'DOUBTFUL'): void {
    if (outcome === 'USED') this.#used = [...this.#used, step].slice(-KEPT_STEPS);
    else this.#doubtful = [...this.#doubtful, step].slice(-KEPT_STEPS);
  }

  // Those before and after the present step are accepted too, and time goes on.
  #codesNear(step: number): readonly string[] {
    return [-1, 0, 1, 2].map((distance) => this.codeOf(step + distance));
  }
}

function toCode(number: number): string {
  return String(number).padStart(6, '0');
}

function fromBase32(text: string): Buffer {
  const bits = Array.from(text, (letter) => LETTERS.indexOf(letter).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
