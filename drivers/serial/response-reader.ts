import type { Channel } from '../../daemon/channel/channel.ts';
import type { ChannelValue, ValueType } from '../../daemon/channel/value-type.ts';
import { createBinaryReader } from './binary-value.ts';
import { decodeText } from '../binary/text-encoding.ts';
import { quoteBytes } from './byte-text.ts';
import type { Encoding } from '../binary/text-encoding.ts';
import { createPattern, MAXIMUM_TEXT_LENGTH } from './pattern.ts';
import type { Pattern } from './pattern.ts';
import type { Response, SerialAddress } from './serial-address.ts';

/** Result of a frame for a channel: its value, or the reason for failing. */
export type Extraction =
  | { readonly value: ChannelValue; readonly fault?: undefined }
  | { readonly fault: string; readonly value?: undefined };

/** Finds the value of a channel in a frame. */
export type ResponseReader = (frame: Buffer) => Extraction;

const TRUE_WORDS: ReadonlySet<string> = new Set(['1', 'true', 'on']);
const FALSE_WORDS: ReadonlySet<string> = new Set(['0', 'false', 'off']);

// Scales pad between sign and digits: "+   12.50".
const NUMBER = /^([+-]?) *(\d{1,40}(?:\.\d{0,40})?|\.\d{1,40})(?:[eE]([+-]?\d{1,3}))?$/;

/** Creates the reader of a channel with a `response`. */
export function createResponseReader(
  { address, valueType }: Channel<SerialAddress>,
  response: Response,
  encoding: Encoding,
): ResponseReader {
  const match = address.match === undefined ? undefined : createPattern(address.match);
  const read = createValueReader(response, valueType, encoding);
  return (frame) => {
    if (match !== undefined) {
      const fault = findMismatch(match, frame, encoding);
      if (fault !== undefined) return { fault };
    }
    return read(frame);
  };
}

/** Returns the reason why a frame does not match; undefined if it does. */
export function findMismatch(pattern: Pattern, frame: Buffer, encoding: Encoding): string | undefined {
  const text = decodeText(frame, encoding);
  if (text === undefined) {
    return `${quoteBytes(frame)} is no ${encoding}; check for noise, speed and parity`;
  }
  if (text.length > MAXIMUM_TEXT_LENGTH) {
    return `${text.length} characters; patterns are matched up to ${MAXIMUM_TEXT_LENGTH}`;
  }
  return pattern.match(text) === undefined ? `${quoteBytes(frame)} does not match the pattern` : undefined;
}

/** Creates the check for answers that say no; undefined without a pattern. */
export function createRefusalCheck(
  source: string | undefined,
  encoding: Encoding,
): ((frame: Buffer) => boolean) | undefined {
  if (source === undefined) return undefined;
  const pattern = createPattern(source);
  return (frame) => findMismatch(pattern, frame, encoding) === undefined;
}

function createValueReader(
  response: Response,
  valueType: Channel['valueType'],
  encoding: Encoding,
): ResponseReader {
  if ('dataType' in response) {
    const readValue = createBinaryReader(response, valueType, encoding);
    const what =
      response.count === undefined ? response.dataType : `array of ${response.count} ${response.dataType}`;
    return (frame) => {
      const value = readValue(frame);
      return value === undefined
        ? { fault: `${quoteBytes(frame)} holds no ${what} at ${response.offset}` }
        : { value };
    };
  }
  const pattern = createPattern(response.pattern);
  return (frame) => {
    const fault = findMismatch(pattern, frame, encoding);
    if (fault !== undefined) return { fault };
    const captured = pattern.match(decodeText(frame, encoding) ?? '')?.captured ?? '';
    const value = parseTextValue(captured, valueType, response.decimalSeparator);
    return value === undefined
      ? { fault: `"${captured.slice(0, 64)}" in ${quoteBytes(frame)} is no ${valueType}` }
      : { value };
  };
}

/**
 * Parses a value that an instrument sent as text.
 *
 * A number is decimal, with optional blanks around it and after its sign; an integer keeps all digits. BOOLEAN is 1,
 * true or on, and 0, false or off, in any case.
 *
 * @returns undefined if the text is not a value of the type
 */
export function parseTextValue(
  text: string,
  valueType: ValueType,
  decimalSeparator: '.' | ',',
): ChannelValue | undefined {
  if (valueType === 'STRING') return text;
  const trimmed = text.trim();
  if (valueType !== 'BOOLEAN') return parseNumber(trimmed, decimalSeparator);
  const word = trimmed.toLowerCase();
  if (TRUE_WORDS.has(word)) return true;
  return FALSE_WORDS.has(word) ? false : undefined;
}

function parseNumber(text: string, decimalSeparator: '.' | ','): number | bigint | undefined {
  if (decimalSeparator === ',' && text.includes('.')) return undefined;
  const found = NUMBER.exec(text.replace(decimalSeparator, '.'));
  if (found === null) return undefined;
  const [, sign = '', digits = '', exponent = '0'] = found;
  const number = Number(`${sign}${digits}e${exponent}`);
  if (!Number.isFinite(number)) return undefined;
  if (Number.isSafeInteger(number) || !/^\d+$/.test(digits) || exponent !== '0') return number;
  return BigInt(`${sign === '-' ? '-' : ''}${digits}`);
}
