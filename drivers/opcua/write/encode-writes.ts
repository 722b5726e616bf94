import type { ChannelFailure } from '../../../daemon/channel/channel-record.ts';
import { isAsPrepared } from './decode-write.ts';
import { encodeVariant } from '../value/encode-variant.ts';
import { encodeVariants } from '../value/encode-variants.ts';
import { parseIndexRange } from '../value/index-range.ts';
import { encodeArguments } from './method-arguments.ts';
import { findMethodArguments } from './method-description.ts';
import { encodeField } from './structure-write.ts';
import { toStatusFailure } from '../opcua-errors.ts';
import type { OpcuaLink } from '../session/opcua-link.ts';
import type { OpcuaSession } from '../session/opcua-session.ts';
import { VariantFault } from '../value/variant.ts';
import type { VariantLike } from '../value/variant.ts';
import type { EncodedWrite, NodeWrite, WriteEntry } from './write-entry.ts';
import { findWriteTypes } from '../value/find-write-types.ts';
import type { WriteTypes } from '../value/find-write-types.ts';

/** A value that is not sent, with the reason. */
export interface RefusedWrite {
  readonly entry: WriteEntry;
  readonly failure: ChannelFailure;
}

/** Encoded node values, or the reasons for failing. */
type EncodedNodes = ReadonlyMap<WriteEntry, NodeWrite | ChannelFailure>;

/**
 * Encodes each value for its node, or as the arguments of its method. Requests unknown types, and known ones again if a
 * value does not fit: the node or method may have been recreated.
 *
 * @throws the errors of `OpcuaLink.call`
 */
export async function encodeWrites(
  entries: readonly WriteEntry[],
  link: OpcuaLink,
  session: OpcuaSession,
  signal: AbortSignal,
): Promise<{ readonly writes: readonly EncodedWrite[]; readonly refused: readonly RefusedWrite[] }> {
  const writes: EncodedWrite[] = [];
  const refused: RefusedWrite[] = [];
  const nodes = entries.filter((entry) => entry.methodId === undefined && !isOfField(entry));
  const encodedNodes = await encodeNodes(nodes, link, session, signal);
  for (const entry of entries) {
    const encoded =
      encodedNodes.get(entry) ??
      (isOfField(entry)
        ? await encodeAsPrepared(entry, { link, session, signal })
        : await encodeMethod(entry, entry.methodId ?? '', link, session, signal));
    if ('code' in encoded) refused.push({ entry, failure: encoded });
    else writes.push(encoded);
  }
  return { writes, refused };
}

/**
 * Encodes values again after the server refused their type: it may have recreated the nodes.
 *
 * @returns those with a new type and those that no longer fit; the others would be refused again
 * @throws the errors of `OpcuaLink.call`
 */
export async function encodeAgain(
  mismatched: readonly NodeWrite[],
  link: OpcuaLink,
  session: OpcuaSession,
  signal: AbortSignal,
): Promise<{ readonly writes: readonly NodeWrite[]; readonly refused: readonly RefusedWrite[] }> {
  const writes: NodeWrite[] = [];
  const refused: RefusedWrite[] = [];
  forgetForms(mismatched, session);
  const encodedNodes = await encodeNodes(mismatched, link, session, signal);
  for (const entry of mismatched) {
    const encoded = encodedNodes.get(entry);
    if (encoded === undefined) continue;
    if ('code' in encoded) refused.push({ entry, failure: encoded });
    else if (!isOfSameForm(encoded.variant, entry.variant)) writes.push(encoded);
  }
  return { writes, refused };
}

function isOfField({ channel }: WriteEntry): boolean {
  return channel.address.field !== undefined;
}

async function encodeAsPrepared(
  entry: WriteEntry,
  options: Parameters<typeof encodeField>[1],
): Promise<EncodedWrite | ChannelFailure> {
  const write = await encodeField(entry, options);
  if ('code' in write || isAsPrepared(write)) return write;
  return toTypeChanged(`${entry.nodeId}: the field has another type now, which would change the value`);
}

async function encodeNodes(
  entries: readonly WriteEntry[],
  link: OpcuaLink,
  session: OpcuaSession,
  signal: AbortSignal,
): Promise<EncodedNodes> {
  const known = await findWriteTypes(entries, link, session, signal);
  const encoded = new Map(entries.map((entry) => [entry, encodeNode(entry, known)]));
  const doubtful = entries.filter((entry) => {
    const isRefused = 'code' in (encoded.get(entry) ?? {});
    return isRefused && known.remembered.has(entry.nodeId);
  });
  if (doubtful.length === 0) return encoded;
  forgetForms(doubtful, session);
  const knownAnew = await findWriteTypes(doubtful, link, session, signal);
  for (const entry of doubtful) encoded.set(entry, encodeNode(entry, knownAnew));
  return encoded;
}

function forgetForms(entries: readonly WriteEntry[], { writeTypes }: OpcuaSession): void {
  for (const { nodeId } of entries) writeTypes.delete(nodeId);
}

function isOfSameForm(one: VariantLike, other: VariantLike): boolean {
  return one.dataType === other.dataType && one.arrayType === other.arrayType;
}

function encodeNode(entry: WriteEntry, known: WriteTypes): NodeWrite | ChannelFailure {
  const { nodeId, channel, value } = entry;
  const { dataType, indexRange } = channel.address;
  const form = known.forms.get(nodeId);
  if (form?.access === 'NONE' || form?.access === 'READ') {
    const message = `${nodeId}: the user may not write it (UserAccessLevel)`;
    return { code: 'OPCUA_NODE_NOT_WRITABLE', message };
  }
  if (form?.elements !== undefined) {
    const variants = encodeVariants({ held: form.elements, dataType, indexRange }, value);
    return variants instanceof VariantFault
      ? toFailure(nodeId, variants)
      : checkPrepared({ ...entry, variant: variants }, 'Variant');
  }
  const type = dataType ?? form?.type;
  if (type === undefined) return toUnknownType(nodeId, known.refusals.get(nodeId));
  const range = indexRange === undefined ? undefined : parseIndexRange(indexRange);
  const variant = encodeVariant({ type, rank: form?.rank }, value, range);
  if (variant instanceof VariantFault) return toFailure(nodeId, variant);
  return checkPrepared({ ...entry, variant }, type);
}

function checkPrepared(write: NodeWrite, type: string): NodeWrite | ChannelFailure {
  if (isAsPrepared(write)) return write;
  return toTypeChanged(`${write.nodeId}: the server takes ${type} now, which would change the value`);
}

async function encodeMethod(
  entry: WriteEntry,
  methodId: string,
  link: OpcuaLink,
  session: OpcuaSession,
  signal: AbortSignal,
): Promise<EncodedWrite | ChannelFailure> {
  const isRemembered = session.methodArguments.has(methodId);
  const described = await findMethodArguments(methodId, link, session, signal);
  if ('status' in described) {
    return toStatusFailure(described.status, `${methodId}: ${described.status}`);
  }
  const inputArguments = encodeArguments(entry.channel, entry.value, described);
  if (inputArguments instanceof VariantFault) {
    if (!isRemembered) return toFailure(methodId, inputArguments);
    session.methodArguments.delete(methodId);
    return encodeMethod(entry, methodId, link, session, signal);
  }
  const write = { ...entry, call: { objectId: entry.nodeId, methodId, described, inputArguments } };
  if (isAsPrepared(write)) return write;
  return toTypeChanged(`${methodId}: the method takes another type now, which would change the value`);
}

function toTypeChanged(message: string): ChannelFailure {
  return { code: 'OPCUA_TYPE_CHANGED', message };
}

function toFailure(nodeId: string, { code, message }: VariantFault): ChannelFailure {
  return { code, message: `${nodeId}: ${message}` };
}

function toUnknownType(nodeId: string, status: string | undefined): ChannelFailure {
  if (status !== undefined) return toStatusFailure(status, `${nodeId}: ${status}`);
  const message = `${nodeId}: cannot determine a writable data type; set dataType, unless it is a structure`;
  return { code: 'OPCUA_DATA_TYPE_UNKNOWN', message };
}
