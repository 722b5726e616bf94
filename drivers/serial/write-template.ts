import type { Channel } from '../../daemon/channel/channel.ts';
import { formatValue } from '../../daemon/channel/value-json.ts';
import type { ChannelValue, ValueType } from '../../daemon/channel/value-type.ts';
import { encodeText, TextFault } from '../binary/text-encoding.ts';
import type { Encoding } from '../binary/text-encoding.ts';
import type { SerialAddress } from './serial-address.ts';
import { parseTemplate } from './byte-text.ts';
import { sealRequest } from './checksum.ts';
import type { Checksum } from './checksum.ts';

/** Reason why a value cannot be encoded; an expected outcome, not an exception. */
export class EncodeFault {
  readonly code: 'VALUE_OUT_OF_RANGE' | 'VALUE_TYPE_MISMATCH' | 'SERIAL_NOT_ENCODABLE';
  readonly message: string;

  constructor(code: EncodeFault['code'], message: string) {
    this.code = code;
    this.message = message;
  }
}

/** How a line encodes requests. */
export interface WriteCoding {
  readonly encoding: Encoding;
  /** Absent if its frames have none. */
  readonly checksum?: Checksum | undefined;
}

/** Encoded write request of a value. */
export interface EncodedWrite {
  readonly bytes: Buffer;
  /** The encoded value, rounded to its decimals. */
  readonly sent: ChannelValue;
}

const MAXIMUM_VALUE_LENGTH = 1024;
const MAXIMUM_DECIMALS = 20;
const INTEGER_LIMIT = 1e21;

/**
 * Inserts a value into the `write` text of a channel.
 *
 * Numbers are decimal without exponent, BOOLEAN is 1 or 0. A STRING with control characters is refused: a line end
 * would start a second command.
 */
export function encodeWrite(
  { address, valueType }: Channel<SerialAddress>,
  value: ChannelValue,
  { encoding, checksum }: WriteCoding,
): EncodedWrite | EncodeFault {
  const text = formatForInstrument(value, valueType, address.decimals);
  if (text instanceof EncodeFault) return text;
  try {
    const parts = parseTemplate(address.write ?? '', encoding);
    const inserted = encodeText(text, encoding);
    const sections = parts.map((section) =>
      Buffer.concat(section.flatMap((part, index) => (index === 0 ? [part] : [inserted, part]))),
    );
    const bytes = sealRequest(sections, checksum);
    return { bytes, sent: typeof value === 'number' ? Number(text) : value };
  } catch (error) {
    if (!(error instanceof TextFault)) throw error;
    return new EncodeFault('SERIAL_NOT_ENCODABLE', error.message);
  }
}

function formatForInstrument(
  value: ChannelValue,
  valueType: ValueType,
  decimals: number | undefined,
): string | EncodeFault {
  switch (typeof value) {
    case 'boolean':
      return value ? '1' : '0';
    case 'bigint':
      return decimals === undefined || decimals === 0 ? String(value) : `${value}.${'0'.repeat(decimals)}`;
    case 'number':
      return formatNumber(value, valueType, decimals);
    case 'string':
      return checkText(value);
    default:
      return new EncodeFault('VALUE_TYPE_MISMATCH', 'bytes cannot be written to an instrument');
  }
}

function formatNumber(
  value: number,
  valueType: ValueType,
  decimals: number | undefined,
): string | EncodeFault {
  if (!Number.isFinite(value))
    return new EncodeFault('VALUE_OUT_OF_RANGE', `${value} is not a decimal number`);
  if (Math.abs(value) >= INTEGER_LIMIT) {
    return new EncodeFault('VALUE_OUT_OF_RANGE', `${value} has too many digits`);
  }
  // The method omits the sign of a negative zero.
  if (decimals !== undefined) return `${Object.is(value, -0) ? '-' : ''}${value.toFixed(decimals)}`;
  const shortest = formatValue(valueType, value);
  // Only tiny numbers have an exponent here.
  return shortest.includes('e') ? value.toFixed(MAXIMUM_DECIMALS) : shortest;
}

function checkText(text: string): string | EncodeFault {
  if (text.length > MAXIMUM_VALUE_LENGTH) {
    return new EncodeFault(
      'VALUE_OUT_OF_RANGE',
      `${text.length} characters; the maximum is ${MAXIMUM_VALUE_LENGTH}`,
    );
  }
  if (/\p{Cc}/u.test(text))
    return new EncodeFault('VALUE_OUT_OF_RANGE', 'the text contains a control character');
  return text;
}
