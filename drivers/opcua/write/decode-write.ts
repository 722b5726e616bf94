import type { ChannelValue } from '../../../daemon/channel/value-type.ts';
import { BUILT_IN_TYPES } from '../value/data-type.ts';
import { decodeVariant } from '../value/decode-variant.ts';
import { parseIndexRange } from '../value/index-range.ts';
import { VariantFault } from '../value/variant.ts';
import type { VariantLike } from '../value/variant.ts';
import type { EncodedWrite, WriteEntry } from './write-entry.ts';

/** Returns what a read shows once the server holds what is sent; of a method, its only argument as it is sent. */
export function decodeWrite(write: EncodedWrite): ChannelValue {
  const { value, channel } = write;
  if ('variant' in write) return decodeSent(write, write.variant);
  const [only, ...others] = write.call.inputArguments;
  // The text of all arguments stands for nothing that can be read.
  if (only === undefined || others.length > 0 || channel.valueType === 'STRING') return value;
  return decodeSent(write, only);
}

/** Whether the server takes 32-bit floats. */
export function isOfFloats(write: EncodedWrite): boolean {
  const variants = 'variant' in write ? [write.variant] : write.call.inputArguments;
  return variants[0]?.dataType === BUILT_IN_TYPES.Float;
}

/** Whether a value in the form that the server takes now is the one that was prepared. */
export function isAsPrepared(write: EncodedWrite): boolean {
  const { sent } = write;
  if (sent === undefined) return true;
  const now = decodeWrite(write);
  if (typeof sent === 'object') return typeof now === 'object' && Buffer.from(sent).equals(now);
  // A whole number is the same in each type that holds it.
  return typeof now !== 'object' && String(sent) === String(now);
}

function decodeSent({ value, channel }: WriteEntry, variant: VariantLike): ChannelValue {
  const { indexRange } = channel.address;
  const range = indexRange === undefined ? undefined : parseIndexRange(indexRange);
  const decoded = decodeVariant(variant, { valueType: channel.valueType, range });
  return decoded instanceof VariantFault ? value : decoded;
}
