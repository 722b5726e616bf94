import type { Channel } from '../../daemon/channel/channel.ts';
import type { ChannelValue } from '../../daemon/channel/value-type.ts';
import { createBinaryReader } from './binary-value.ts';
import { decodeText } from '../binary/text-encoding.ts';
import { quoteBytes } from './byte-text.ts';
import type { Encoding } from '../binary/text-encoding.ts';
import { createPattern, MAXIMUM_TEXT_LENGTH } from './pattern.ts';
import type { Pattern } from './pattern.ts';
import type { Response, SerialAddress } from './serial-address.ts';
import { parseTextValue } from './text-value.ts';

/** The meaning of a frame for a channel: its value, or why it has none. */
export type Extraction =
  | { readonly value: ChannelValue; readonly fault?: undefined }
  | { readonly fault: string; readonly value?: undefined };

/** Finds the value of a channel in a frame. */
export type ResponseReader = (frame: Buffer) => Extraction;

/** Prepares finding the value of a channel that has a `response`. */
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

/** Returns why a frame does not match; undefined when it does. */
export function findMismatch(pattern: Pattern, frame: Buffer, encoding: Encoding): string | undefined {
  const text = decodeText(frame, encoding);
  if (text === undefined) {
    return `${quoteBytes(frame)} is no ${encoding}; noise, or another speed or parity than the instrument has`;
  }
  if (text.length > MAXIMUM_TEXT_LENGTH) {
    return `${text.length} characters; patterns are matched up to ${MAXIMUM_TEXT_LENGTH}`;
  }
  return pattern.match(text) === undefined ? `${quoteBytes(frame)} does not match the pattern` : undefined;
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
