import type { DataValue } from 'node-opcua-client';

import type { ChannelValue } from '../../../daemon/channel/value-type.ts';
import type { ChannelFailure } from '../../../daemon/channel/channel-record.ts';
import { ATTRIBUTES, parseFieldPath } from '../opcua-address.ts';
import { InvalidResponse, toStatusFailure } from '../opcua-errors.ts';
import { sendRead } from '../session/read-attributes.ts';
import { encodeVariant } from '../value/encode-variant.ts';
import { describeElements, encodeVariants } from '../value/encode-variants.ts';
import { findWritableType } from '../value/data-type.ts';
import { decodeVariant } from '../value/decode-variant.ts';
import { toIndexRange } from '../value/index-range.ts';
import { nameStatus, severityOf } from '../value/status.ts';
import { findHolder } from '../value/structure.ts';
import { countDimensions, createVariant, VariantFault } from '../value/variant.ts';
import type { VariantLike } from '../value/variant.ts';
import type { SendOptions } from './method-call.ts';
import { writeNodes } from './node-write.ts';
import type { FieldWrite, NodeWrite, WriteEntry } from './write-entry.ts';
import type { WriteFault } from './write-outcome.ts';

type ReadOptions = Omit<SendOptions, 'onSend'>;

const COUNTER = 'readModifyWrites';

/** Outcome of a field: a fault, or a success with the value of the field before. */
export type FieldOutcome =
  | (WriteFault & { readonly before?: undefined })
  | {
      readonly failure?: undefined;
      readonly before?: ChannelValue | undefined;
      readonly isWholeStructure: true;
    };

/**
 * Encodes a value in the type that the field has now.
 *
 * @throws the errors of `OpcuaLink.call`
 */
export async function encodeField(
  entry: WriteEntry,
  options: ReadOptions,
): Promise<FieldWrite | ChannelFailure> {
  const whole = await readStructure(entry, options);
  if ('code' in whole) return whole;
  const variant = encodeFor(entry, whole.value);
  return variant instanceof VariantFault ? toFailure(entry, variant) : { ...entry, variant, isField: true };
}

/**
 * Writes one field: reads the structure, replaces the field and writes the structure. No other field of the session is
 * written in between; what the device changes in between is lost.
 *
 * @throws the errors of `OpcuaLink.call`; before `onSend`, nothing was sent
 */
export function writeField(write: FieldWrite, options: SendOptions): Promise<FieldOutcome> {
  const { link, session, signal } = options;
  return session.structureWrites.run(signal, async () => {
    const whole = await readStructure(write, options);
    if ('code' in whole) return { failure: whole, outcome: 'NOT_SENT' };
    const before = replaceField(write, whole.value, session.library.Variant);
    if (before instanceof VariantFault) return { failure: toFailure(write, before), outcome: 'NOT_SENT' };
    link.status.count(COUNTER);
    const sent: NodeWrite = { ...write, variant: whole.value };
    const [fault] = await writeNodes([sent], options);
    if (fault !== undefined) return fault;
    return { isWholeStructure: true, ...(before === undefined ? {} : { before }) };
  });
}

async function readStructure(
  { nodeId, channel }: WriteEntry,
  options: ReadOptions,
): Promise<DataValue | ChannelFailure> {
  const { session, signal } = options;
  const { indexRange } = channel.address;
  const value = { nodeId, attributeId: ATTRIBUTES.Value, ...toIndexRange(indexRange) };
  const [result] = await sendRead([value], options);
  if (result === undefined) throw new InvalidResponse('it has no result');
  const { value: code } = result.statusCode;
  // An uncertain structure must not be written back as a good one.
  if (severityOf(code) !== 'GOOD') {
    const status = nameStatus(session.library, code);
    return toStatusFailure(status, `${nodeId}: the structure cannot be read for the write: ${status}`);
  }
  await session.structures.decode([result], signal);
  return result;
}

function encodeFor(entry: WriteEntry, whole: VariantLike): VariantLike | VariantFault {
  const holder = findHolder(whole, pathOf(entry));
  if (holder instanceof VariantFault) return holder;
  const { dataType } = entry.channel.address;
  const held = describeElements(holder.variant);
  if (held !== undefined) return encodeVariants({ held, dataType }, entry.value);
  const type = dataType ?? findWritableType(holder.variant.dataType);
  if (type === undefined) {
    return new VariantFault('OPCUA_UNSUPPORTED_TYPE', 'a field of this type cannot be written');
  }
  return encodeVariant({ type, rank: countDimensions(holder.variant) }, entry.value);
}

/** Replaces the field in a structure; returns its former value, undefined if it had none that the channel can show. */
function replaceField(
  write: FieldWrite,
  whole: VariantLike,
  Variant: new (options: VariantLike) => { readonly value: unknown },
): ChannelValue | undefined | VariantFault {
  const encoded = encodeFor(write, whole);
  const holder = findHolder(whole, pathOf(write));
  if (encoded instanceof VariantFault) return encoded;
  if (holder instanceof VariantFault) return holder;
  const before = decodeVariant(holder.variant, { valueType: write.channel.valueType });
  const replacement = createVariant(encoded, Variant);
  holder.replace(holder.isVariant ? replacement : replacement.value);
  return before instanceof VariantFault ? undefined : before;
}

function pathOf({ channel }: WriteEntry) {
  return parseFieldPath(channel.address.field ?? '') ?? [];
}

function toFailure({ nodeId }: WriteEntry, { code, message }: VariantFault): ChannelFailure {
  return { code, message: `${nodeId}: ${message}` };
}
