import type { Channel } from '../../daemon/channel/channel.ts';
import { findWritableType } from './data-type.ts';
import type { DataTypeName, OpcuaAddress } from './opcua-address.ts';
import type { OpcuaLink } from './opcua-link.ts';
import type { OpcuaSession } from './opcua-session.ts';

const DATA_TYPE_ATTRIBUTE = 14;
const VALUE_ATTRIBUTE = 13;
// Types of the standard that are built-in types under another name (OPC 10000-5, 12).
const ALIASES: ReadonlyMap<number, DataTypeName> = new Map([
  [288, 'UInt32'],
  [289, 'UInt32'],
  [290, 'Double'],
  [294, 'DateTime'],
  [295, 'String'],
]);

/** A node to be written, by its NodeId in the present session. */
export interface WrittenNode {
  readonly nodeId: string;
  readonly channel: Channel<OpcuaAddress>;
}

/**
 * Finds the types in which nodes have to be written: from their addresses, or else by asking the server once per session.
 * A server converts nothing, it refuses a value of another type.
 *
 * @returns types by NodeId; a node whose type is not known or cannot be written is missing
 * @throws what `OpcuaLink.call` throws
 */
export async function findWrittenTypes(
  nodes: readonly WrittenNode[],
  link: OpcuaLink,
  session: OpcuaSession,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, DataTypeName>> {
  const unknown = new Set<string>();
  for (const { nodeId, channel } of nodes) {
    if (channel.address.dataType === undefined && !session.writtenTypes.has(nodeId)) unknown.add(nodeId);
  }
  const wanted = [...unknown];
  const batchSize = Math.max(1, Math.floor(session.limits.nodesPerRead / 2));
  for (let start = 0; start < wanted.length; start += batchSize) {
    await askTypes(wanted.slice(start, start + batchSize), link, session, signal);
  }
  return session.writtenTypes;
}

async function askTypes(
  nodeIds: readonly string[],
  link: OpcuaLink,
  session: OpcuaSession,
  signal: AbortSignal,
): Promise<void> {
  const { NodeId, ReadRequest, ReadResponse, TimestampsToReturn } = session.library;
  const nodesToRead = nodeIds.flatMap((nodeId) =>
    [DATA_TYPE_ATTRIBUTE, VALUE_ATTRIBUTE].map((attributeId) => ({ nodeId, attributeId })),
  );
  const { results } = await link.call(
    session,
    () => new ReadRequest({ maxAge: 0, timestampsToReturn: TimestampsToReturn.Neither, nodesToRead }),
    ReadResponse,
    { service: 'Read', counter: 'reads', signal },
  );
  for (const [index, nodeId] of nodeIds.entries()) {
    const declared: unknown = results?.[2 * index]?.value.value;
    const identifier = declared instanceof NodeId && declared.namespace === 0 ? declared.value : undefined;
    const held = results?.[2 * index + 1]?.value.dataType ?? 0;
    // Where the node names a type of which there are several, its value tells the one that it holds.
    const type = findDeclaredType(identifier) ?? findWritableType(held);
    if (type !== undefined) session.writtenTypes.set(nodeId, type);
  }
}

function findDeclaredType(identifier: unknown): DataTypeName | undefined {
  return typeof identifier === 'number'
    ? (ALIASES.get(identifier) ?? findWritableType(identifier))
    : undefined;
}
