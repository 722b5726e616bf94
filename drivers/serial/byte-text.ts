import { encodeText, TextFault } from '../binary/text-encoding.ts';
import type { Encoding } from '../binary/text-encoding.ts';

const HEX_PREFIX = 'hex:';
const ESCAPES: Readonly<Record<string, number>> = { r: 13, n: 10, t: 9, 0: 0, '\\': 92 };

const PLACEHOLDER = '{value}';

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

/**
 * Formats bytes of a device for a message: printable ASCII unchanged, everything else escaped, truncated to 64 bytes.
 */
export function quoteBytes(bytes: Buffer): string {
  const shown = Array.from(bytes.subarray(0, 64), (byte) => {
    if (byte === 13) return '\\r';
    if (byte === 10) return '\\n';
    const isPlain = byte >= 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x5c;
    return isPlain ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, '0')}`;
  });
  return `"${shown.join('')}"${bytes.length > 64 ? ` and ${bytes.length - 64} bytes more` : ''}`;
}

function parseHex(digits: string): Buffer {
  const compact = digits.replaceAll(/\s/g, '');
  if (!/^(?:[0-9a-f]{2})+$/i.test(compact)) {
    throw new TextFault(`"${HEX_PREFIX}" must be followed by pairs of hexadecimal digits`);
  }
  return Buffer.from(compact, 'hex');
}

function parseEscape(escape: string): number {
  if (escape.length === 4) return Number.parseInt(escape.slice(2), 16);
  const code = ESCAPES[escape.slice(1)];
  if (code === undefined) {
    throw new TextFault(`${escape} is not an escape; supported: \\r \\n \\t \\0 \\\\ and \\xHH`);
  }
  return code;
}

/**
 * Splits a text at `{value}` and converts the parts to bytes.
 *
 * @returns the bytes before the first value, between two values, and after the last
 * @throws {TextFault}
 */
export function parseTemplate(template: string, encoding: Encoding): readonly Buffer[] {
  if (!template.startsWith(HEX_PREFIX) || !template.includes(PLACEHOLDER)) {
    return template.split(PLACEHOLDER).map((part) => parseByteText(part, encoding));
  }
  return template
    .slice(HEX_PREFIX.length)
    .split(PLACEHOLDER)
    .map((digits) =>
      digits.trim() === '' ? Buffer.alloc(0) : parseByteText(`${HEX_PREFIX}${digits}`, encoding),
    );
}
