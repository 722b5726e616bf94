import { parseByteText } from './byte-text.ts';
import type { Encoding } from '../binary/text-encoding.ts';

const PLACEHOLDER = '{value}';
const HEX_PREFIX = 'hex:';

/**
 * Turns a text with `{value}` in it into the bytes around the value.
 *
 * @returns the bytes before the first position of the value, between one and the next, and after the last
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
