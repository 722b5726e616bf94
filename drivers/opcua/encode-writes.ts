import type { ChannelFailure } from '../../daemon/channel/channel-record.ts';
import { encodeVariant } from './encode-variant.ts';
import { parseIndexRange } from './index-range.ts';
import { encodeArguments } from './method-arguments.ts';
import { findMethodArguments } from './method-description.ts';
import { toStatusFailure } from './opcua-errors.ts';
import type { OpcuaLink } from './opcua-link.ts';
import type { OpcuaSession } from './opcua-session.ts';
import { VariantFault } from './variant.ts';
import type { EncodedWrite, WriteEntry } from './write-entry.ts';
import { findWrittenForms } from './written-forms.ts';
import type { WrittenForms } from './written-forms.ts';

/** A value that is not sent, and why. */
export interface RefusedWrite {
  readonly entry: WriteEntry;
  readonly failure: ChannelFailure;
}

/**
 * Makes of each value what the server takes at its node or as the arguments of its method; asks the server for what is
 * not known yet.
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
  const nodes = entries.filter(({ methodId }) => methodId === undefined);
  const known = await findWrittenForms(nodes, link, session, signal);
  for (const entry of entries) {
    const encoded =
      entry.methodId === undefined
        ? encodeNode(entry, known)
        : await encodeMethod(entry, entry.methodId, link, session, signal);
    if ('code' in encoded) refused.push({ entry, failure: encoded });
    else writes.push(encoded);
  }
  return { writes, refused };
}

function encodeNode(entry: WriteEntry, known: WrittenForms): EncodedWrite | ChannelFailure {
  const { nodeId, channel, request } = entry;
  const { dataType, indexRange } = channel.address;
  const form = known.forms.get(nodeId);
  const type = dataType ?? form?.type;
  if (type === undefined) return toUnknownType(nodeId, known.refusals.get(nodeId));
  const range = indexRange === undefined ? undefined : parseIndexRange(indexRange);
  const variant = encodeVariant({ type, rank: form?.rank }, request.value, range);
  return variant instanceof VariantFault ? toFailure(nodeId, variant) : { ...entry, variant };
}

async function encodeMethod(
  entry: WriteEntry,
  methodId: string,
  link: OpcuaLink,
  session: OpcuaSession,
  signal: AbortSignal,
): Promise<EncodedWrite | ChannelFailure> {
  const described = await findMethodArguments(methodId, link, session, signal);
  if ('status' in described) {
    return toStatusFailure(described.status, `${methodId}: ${described.status}`);
  }
  const inputArguments = encodeArguments(entry.channel, entry.request.value, described);
  if (inputArguments instanceof VariantFault) return toFailure(methodId, inputArguments);
  return { ...entry, call: { objectId: entry.nodeId, methodId, described, inputArguments } };
}

function toFailure(nodeId: string, { code, message }: VariantFault): ChannelFailure {
  return { code, message: `${nodeId}: ${message}` };
}

function toUnknownType(nodeId: string, status: string | undefined): ChannelFailure {
  if (status !== undefined) return toStatusFailure(status, `${nodeId}: ${status}`);
  const message = `${nodeId}: the server does not tell a type that can be written; give the dataType, unless it is a structure`;
  return { code: 'OPCUA_DATA_TYPE_UNKNOWN', message };
}
