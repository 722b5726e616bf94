import { JsonNumber } from '../base/text/json-number.ts';
import type { JsonScalar } from './value-syntax.ts';
import { VALUE_TYPE_TABLE } from './value-type.ts';
import type { ChannelValue, ValueType } from './value-type.ts';

/**
 * Writes a value as JSON text.
 *
 * LONG has every digit, FLOAT the shortest decimal that a 32-bit float reads back, BYTE_ARRAY is base64 (RFC 4648, 4);
 * numbers that JSON does not have are the strings `"NaN"`, `"Infinity"` and `"-Infinity"`.
 *
 * @param value in the shape of `valueType`
 */
export function formatValue(valueType: ValueType, value: ChannelValue): string {
  return VALUE_TYPE_TABLE[valueType].format(value);
}

/**
 * Parses a value that a client sent for a channel: a number, a boolean, or the text of one. A BOOLEAN may be in any case, the
 * base64 of a BYTE_ARRAY may lack its padding, and an integer as text has digits only. A STRING that was sent as a number is the
 * text of that number as it was sent.
 *
 * @returns the value in the shape of `valueType`; undefined if the input does not match or is out of range
 */
export function parseValue(valueType: ValueType, input: JsonScalar | JsonNumber): ChannelValue | undefined {
  const { parse } = VALUE_TYPE_TABLE[valueType];
  if (!(input instanceof JsonNumber)) return parse(input);
  return parse(valueType === 'STRING' ? input.source : input.toNumber());
}
