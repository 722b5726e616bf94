import type { Channel } from '../../../daemon/channel/channel.ts';
import type { ChannelValue } from '../../../daemon/channel/value-type.ts';
import { splitJsonArray } from '../value/array-value.ts';
import { encodeText } from '../value/encode-text.ts';
import { encodeVariant } from '../value/encode-variant.ts';
import type { OpcuaAddress } from '../opcua-address.ts';
import { VariantFault } from '../value/variant.ts';
import type { VariantLike } from '../value/variant.ts';
import type { NodeWriteInfo, WriteType } from '../value/write-type.ts';

/** An input argument of a method as described by the server. */
export interface MethodArgument extends NodeWriteInfo {
  readonly name: string;
}

/**
 * Converts a channel value to the input arguments of a method: for STRING, a JSON array with all of them; any other
 * value is the only argument. `true` of a BOOLEAN calls a method without arguments.
 *
 * @returns one Variant per argument, or the fault, which names the argument
 */
export function encodeArguments(
  { valueType }: Channel<OpcuaAddress>,
  value: ChannelValue,
  described: readonly MethodArgument[],
): readonly VariantLike[] | VariantFault {
  const [only] = described;
  if (valueType === 'STRING') return encodeTexts(String(value), described);
  if (only === undefined && valueType === 'BOOLEAN') {
    if (value === true) return [];
    return new VariantFault('VALUE_OUT_OF_RANGE', 'only true calls a method without arguments');
  }
  if (only === undefined || described.length > 1) {
    const message = `${describe(described)}; it needs value type ${only === undefined ? 'BOOLEAN' : 'STRING'}`;
    return new VariantFault('VALUE_TYPE_MISMATCH', message);
  }
  const encoded = encodeArgument(only, (type) => encodeVariant(type, value));
  return encoded instanceof VariantFault ? encoded : [encoded];
}

function encodeTexts(
  text: string,
  described: readonly MethodArgument[],
): readonly VariantLike[] | VariantFault {
  const texts = splitJsonArray(text);
  if (texts?.length !== described.length) {
    const given = texts === undefined ? 'the text is none' : `not ${texts.length} of them`;
    const message = `${describe(described)}; expected them as a JSON array, ${given}`;
    return new VariantFault(texts === undefined ? 'VALUE_TYPE_MISMATCH' : 'VALUE_OUT_OF_RANGE', message);
  }
  const variants: VariantLike[] = [];
  for (const [index, argument] of described.entries()) {
    const variant = encodeArgument(argument, (type) => encodeText(type, (texts[index] ?? '').trim()));
    if (variant instanceof VariantFault) return variant;
    variants.push(variant);
  }
  return variants;
}

function encodeArgument(
  argument: MethodArgument,
  encode: (type: WriteType) => VariantLike | VariantFault,
): VariantLike | VariantFault {
  const { type, rank } = argument;
  const variant =
    type === undefined
      ? new VariantFault('OPCUA_DATA_TYPE_UNKNOWN', 'its type is not supported: a structure, or any type')
      : encode({ type, rank });
  return variant instanceof VariantFault ? name(argument, variant) : variant;
}

function name(argument: MethodArgument, { code, message }: VariantFault): VariantFault {
  return new VariantFault(code, `argument "${argument.name}": ${message}`);
}

function describe(described: readonly MethodArgument[]): string {
  if (described.length === 0) return 'the method has no arguments';
  const names = described.map((argument) => argument.name).join(', ');
  return `the method takes ${described.length} ${described.length === 1 ? 'argument' : 'arguments'} (${names})`;
}
