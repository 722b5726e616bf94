import { createReason } from '../../daemon/base/fault-reason.ts';
import type { FaultReason } from '../../daemon/base/fault-reason.ts';
import { BINARY_FAULTS } from './fault-sentences.ts';
import { decodeUtf8 } from '../../daemon/base/text/plain-text.ts';

/** Character encodings of texts. */
export const ENCODINGS = ['ascii', 'utf-8', 'latin1'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** A text that cannot be encoded. */
export class TextFault extends Error {
  readonly reason: FaultReason;

  constructor(reason: FaultReason) {
    super(reason.message);
    this.reason = reason;
  }
}

const HIGHEST_CODE: Readonly<Record<Encoding, number>> = { ascii: 0x7f, latin1: 0xff, 'utf-8': 0x10_ffff };

/**
 * Encodes a text.
 *
 * @throws {TextFault} for a character that the encoding does not have
 */
export function encodeText(text: string, encoding: Encoding): Buffer {
  const strange = Array.from(text).find(
    (character) => (character.codePointAt(0) ?? 0) > HIGHEST_CODE[encoding] || !character.isWellFormed(),
  );
  if (strange !== undefined) {
    const values = { encoding, character: strange };
    throw new TextFault(createReason(BINARY_FAULTS, 'ENCODING_WITHOUT_CHARACTER', values));
  }
  return Buffer.from(text, encoding === 'utf-8' ? 'utf8' : 'latin1');
}

/** Decodes bytes of a device; undefined if they are invalid in the encoding. */
export function decodeText(bytes: Buffer, encoding: Encoding): string | undefined {
  if (encoding === 'latin1') return bytes.toString('latin1');
  if (encoding === 'ascii') return bytes.some((byte) => byte > 0x7f) ? undefined : bytes.toString('latin1');
  return decodeUtf8(bytes);
}

/** Removes trailing spaces and NUL. */
export function trimPadding(text: string): string {
  let end = text.length;
  while (end > 0 && ' \0'.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
