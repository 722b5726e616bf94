import type { DataValue } from 'node-opcua-client';

import type { Channel } from '../../daemon/channel/channel.ts';
import { findWritableType } from './data-type.ts';
import type { DataTypeName, OpcuaAddress } from './opcua-address.ts';
import type { OpcuaModule } from './opcua-library.ts';
import type { OpcuaLink } from './opcua-link.ts';
import type { OpcuaSession } from './opcua-session.ts';
import { nameStatus, severityOf } from './status.ts';

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

/** Knowledge of the nodes, by NodeId. A node whose type cannot be written stands in neither. */
export interface WrittenTypes {
  readonly types: ReadonlyMap<string, DataTypeName>;
  /** Names of the StatusCodes with which the server refused to tell. */
  readonly refusals: ReadonlyMap<string, string>;
}

/** The answer of a server about one attribute. */
interface Answer {
  readonly nodeId: string;
  readonly attributeId: number;
  readonly dataValue: DataValue;
}

/**
 * Finds the types in which nodes have to be written, for those whose address does not tell; the server is asked once per
 * session. A server converts nothing, it refuses a value of another type.
 *
 * @throws the errors of `OpcuaLink.call`
 */
export async function findWrittenTypes(
  nodes: readonly WrittenNode[],
  link: OpcuaLink,
  session: OpcuaSession,
  signal: AbortSignal,
): Promise<WrittenTypes> {
  const types = session.writtenTypes;
  const refusals = new Map<string, string>();
  const unknown = new Set<string>();
  for (const { nodeId, channel } of nodes) {
    if (channel.address.dataType === undefined && !types.has(nodeId)) unknown.add(nodeId);
  }
  const answers = await askAttributes([...unknown], link, session, signal);
  const held = new Map<string, number>();
  for (const { nodeId, attributeId, dataValue } of answers) {
    if (attributeId === VALUE_ATTRIBUTE) {
      held.set(nodeId, dataValue.value.dataType);
      continue;
    }
    const { value: status } = dataValue.statusCode;
    if (severityOf(status) === 'BAD') refusals.set(nodeId, nameStatus(session.library, status));
    const type = findDeclaredType(dataValue, session.library);
    if (type !== undefined) types.set(nodeId, type);
  }
  for (const [nodeId, number] of held) {
    // Where a node names a type that stands for several, its value tells the one that it holds.
    const type = types.get(nodeId) ?? findWritableType(number);
    if (type !== undefined) types.set(nodeId, type);
  }
  return { types, refusals };
}

async function askAttributes(
  nodeIds: readonly string[],
  link: OpcuaLink,
  session: OpcuaSession,
  signal: AbortSignal,
): Promise<readonly Answer[]> {
  const { ReadRequest, ReadResponse, TimestampsToReturn } = session.library;
  const wanted = nodeIds.flatMap((nodeId) =>
    [DATA_TYPE_ATTRIBUTE, VALUE_ATTRIBUTE].map((attributeId) => ({ nodeId, attributeId })),
  );
  const answers: Answer[] = [];
  for (let start = 0; start < wanted.length; start += session.limits.nodesPerRead) {
    const nodesToRead = wanted.slice(start, start + session.limits.nodesPerRead);
    const { results } = await link.call(
      session,
      () => new ReadRequest({ maxAge: 0, timestampsToReturn: TimestampsToReturn.Neither, nodesToRead }),
      ReadResponse,
      { service: 'Read', counter: 'reads', signal },
    );
    for (const [index, dataValue] of (results ?? []).entries()) {
      const item = nodesToRead[index];
      if (item !== undefined) answers.push({ ...item, dataValue });
    }
  }
  return answers;
}

function findDeclaredType(
  { value: { value } }: DataValue,
  { NodeId }: OpcuaModule,
): DataTypeName | undefined {
  const declared: unknown = value;
  if (!(declared instanceof NodeId) || declared.namespace !== 0) return undefined;
  const { value: identifier } = declared;
  return typeof identifier === 'number'
    ? (ALIASES.get(identifier) ?? findWritableType(identifier))
    : undefined;
}
