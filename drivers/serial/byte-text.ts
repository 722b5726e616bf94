import { createReason } from '../../daemon/base/fault-reason.ts';
import { SERIAL_FAULTS } from './sentences/fault-sentences.ts';
import { encodeText, TextFault } from '../binary/text-encoding.ts';
import type { Encoding } from '../binary/text-encoding.ts';

const HEX_PREFIX = 'hex:';
const ESCAPES: Readonly<Record<string, number>> = { r: 13, n: 10, t: 9, 0: 0, '\\': 92 };

const VALUE = '{value}';
const CHECKSUM = '{checksum}';

/**
 * Converts a text of the configuration to bytes.
 *
 * The prefix `hex:` introduces pairs of hexadecimal digits, with optional white space in between. Otherwise `\r`, `\n`,
 * `\t`, `\0`, `\\` and `\xHH` denote one byte each.
 *
 * @throws {TextFault}
 */
export function parseByteText(text: string, encoding: Encoding): Buffer {
  if (text.startsWith(HEX_PREFIX)) return parseHex(text.slice(HEX_PREFIX.length));
  const parts: Buffer[] = [];
  // Either an escape, or characters up to the next one.
  for (const [part] of text.matchAll(/\\(?:x[0-9a-f]{2}|[^]?)|[^\\]+/gi)) {
    parts.push(part.startsWith('\\') ? Buffer.of(parseEscape(part)) : encodeText(part, encoding));
  }
  return Buffer.concat(parts);
}

/** Bytes that `quoteBytes` shows. */
export const MAXIMUM_QUOTED_BYTES = 64;

/**
 * Formats bytes of a device for a message: printable ASCII unchanged, everything else escaped, truncated to 64 bytes.
 */
export function quoteBytes(bytes: Buffer): string {
  const shown = Array.from(bytes.subarray(0, MAXIMUM_QUOTED_BYTES), (byte) => {
    if (byte === 13) return '\\r';
    if (byte === 10) return '\\n';
    const isPlain = byte >= 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x5c;
    return isPlain ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, '0')}`;
  });
  const more = bytes.length - MAXIMUM_QUOTED_BYTES;
  return `"${shown.join('')}"${more > 0 ? ` and ${more} bytes more` : ''}`;
}

function parseHex(digits: string): Buffer {
  const compact = digits.replaceAll(/\s/g, '');
  if (!/^(?:[0-9a-f]{2})+$/i.test(compact)) {
    throw new TextFault(createReason(SERIAL_FAULTS, 'EXPECTED_HEX_PAIRS', { prefix: HEX_PREFIX }));
  }
  return Buffer.from(compact, 'hex');
}

function parseEscape(escape: string): number {
  if (escape.length === 4) return Number.parseInt(escape.slice(2), 16);
  const code = ESCAPES[escape.slice(1)];
  if (code === undefined) {
    throw new TextFault(createReason(SERIAL_FAULTS, 'ESCAPE_UNKNOWN', { escape }));
  }
  return code;
}

/**
 * Splits the text of a request at `{checksum}` and converts the parts to bytes.
 *
 * @returns the bytes before and after the checksum; all of them if there is none
 * @throws {TextFault}
 */
export function parseRequest(text: string, encoding: Encoding): readonly Buffer[] {
  if (!text.includes(CHECKSUM)) return [parseByteText(text, encoding)];
  return splitAtChecksum(text, (part, isHex) => parsePart(part, isHex, encoding));
}

/**
 * Splits the text of a write at `{checksum}` and its parts at `{value}`, and converts them to bytes.
 *
 * @returns for each part that `parseRequest` returns: the bytes before the first value, between two values, and after
 *   the last
 * @throws {TextFault}
 */
export function parseTemplate(text: string, encoding: Encoding): readonly (readonly Buffer[])[] {
  if (!text.includes(VALUE)) return parseRequest(text, encoding).map((bytes) => [bytes]);
  return splitAtChecksum(text, (part, isHex) =>
    part.split(VALUE).map((piece) => parsePart(piece, isHex, encoding)),
  );
}

function splitAtChecksum<T>(text: string, parse: (part: string, isHex: boolean) => T): readonly T[] {
  const isHex = text.startsWith(HEX_PREFIX);
  const parts = (isHex ? text.slice(HEX_PREFIX.length) : text).split(CHECKSUM);
  if (parts.length > 2)
    throw new TextFault(createReason(SERIAL_FAULTS, 'EXPECTED_ONCE', { placeholder: CHECKSUM }));
  return parts.map((part) => parse(part, isHex));
}

function parsePart(part: string, isHex: boolean, encoding: Encoding): Buffer {
  if (!isHex) return parseByteText(part, encoding);
  return part.trim() === '' ? Buffer.alloc(0) : parseHex(part);
}
