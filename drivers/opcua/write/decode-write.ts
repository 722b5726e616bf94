import type { ChannelValue } from '../../../daemon/channel/value-type.ts';
import { BUILT_IN_TYPES } from '../value/data-type.ts';
import { decodeVariant } from '../value/decode-variant.ts';
import { parseIndexRange } from '../value/index-range.ts';
import { VariantFault } from '../value/variant.ts';
import type { VariantLike } from '../value/variant.ts';
import type { EncodedWrite, WriteEntry } from './write-entry.ts';

/** Returns the value that a later read returns; for a method, its only argument as sent. */
export function decodeWrite(write: EncodedWrite): ChannelValue {
  const { value, channel } = write;
  if ('variant' in write) return decodeSent(write, write.variant);
  const [only, ...others] = write.call.inputArguments;
  // The text of all arguments does not correspond to a readable value.
  if (only === undefined || others.length > 0 || channel.valueType === 'STRING') return value;
  return decodeSent(write, only);
}

/** True if the server expects 32-bit floats. */
export function isOfFloats(write: EncodedWrite): boolean {
  const variants = 'variant' in write ? [write.variant] : write.call.inputArguments;
  return variants[0]?.dataType === BUILT_IN_TYPES.Float;
}

/** True if a value in the current type of the server equals the prepared one. */
export function isAsPrepared(write: EncodedWrite): boolean {
  const { sent } = write;
  if (sent === undefined) return true;
  const now = decodeWrite(write);
  if (typeof sent === 'object') return typeof now === 'object' && Buffer.from(sent).equals(now);
  // An integer is the same in each type that can represent it.
  return typeof now !== 'object' && String(sent) === String(now);
}

function decodeSent({ value, channel }: WriteEntry, variant: VariantLike): ChannelValue {
  const { indexRange, field } = channel.address;
  // The range of a field is that of its node.
  const range = indexRange === undefined || field !== undefined ? undefined : parseIndexRange(indexRange);
  const decoded = decodeVariant(variant, { valueType: channel.valueType, range });
  return decoded instanceof VariantFault ? value : decoded;
}
