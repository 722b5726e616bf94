import type { DataValue } from 'node-opcua-client';

import type { Channel } from '../../../daemon/channel/channel.ts';
import { findWritableType } from './data-type.ts';
import { findStandardType } from './declared-type.ts';
import { toDeviceAccess, USER_ACCESS_LEVEL_ATTRIBUTE } from '../browse/device-access.ts';
import type { DataTypeName, OpcuaAddress } from '../opcua-address.ts';
import type { OpcuaModule } from '../session/opcua-library.ts';
import type { OpcuaLink } from '../session/opcua-link.ts';
import type { OpcuaSession } from '../session/opcua-session.ts';
import { sendRead } from '../session/read-attributes.ts';
import type { SessionLink } from '../session/read-attributes.ts';
import { workInParts } from '../session/request-parts.ts';
import { nameStatus, severityOf } from './status.ts';
import { describeElements } from './encode-variants.ts';
import { countDimensions } from './variant.ts';
import type { VariantLike } from './variant.ts';
import type { NodeWriteInfo, WriteType } from './write-type.ts';

const VALUE_ATTRIBUTE = 13;
const DATA_TYPE_ATTRIBUTE = 14;
const VALUE_RANK_ATTRIBUTE = 15;
const ATTRIBUTES = [
  DATA_TYPE_ATTRIBUTE,
  VALUE_RANK_ATTRIBUTE,
  VALUE_ATTRIBUTE,
  USER_ACCESS_LEVEL_ATTRIBUTE,
] as const;

// Values of ValueRank that are not a number of dimensions (OPC 10000-3, 5.6.2).
const SCALAR_OR_ONE_DIMENSION = -3;
const ANY = -2;
const SCALAR = -1;
const ONE_OR_MORE_DIMENSIONS = 0;

/** A node to write, by its NodeId in the current session. */
export interface WriteTarget {
  readonly nodeId: string;
  readonly channel: Channel<OpcuaAddress>;
}

/** Write information of nodes, by NodeId. */
export interface WriteTypes {
  readonly forms: ReadonlyMap<string, NodeWriteInfo>;
  /** StatusCode names of refused type requests. */
  readonly refusals: ReadonlyMap<string, string>;
  /** NodeIds whose information was cached. */
  readonly remembered: ReadonlySet<string>;
}

type AnswersOfNode = ReadonlyMap<number, DataValue>;

/**
 * Determines the data type and ValueRank for writing nodes. The server is queried once per session, and at each write
 * if only the current value shows the type. A server converts nothing: it refuses other types, and some replace an
 * array by a scalar.
 *
 * @throws the errors of `OpcuaLink.call`
 */
export async function findWriteTypes(
  nodes: readonly WriteTarget[],
  link: OpcuaLink,
  session: OpcuaSession,
  signal: AbortSignal,
): Promise<WriteTypes> {
  const forms = new Map<string, NodeWriteInfo>();
  const refusals = new Map<string, string>();
  for (const { nodeId } of nodes) {
    const form = session.writeTypes.get(nodeId);
    if (form !== undefined) forms.set(nodeId, form);
  }
  const remembered = new Set(forms.keys());
  const unknown = nodes.filter(({ nodeId }) => !forms.has(nodeId));
  const nodeIds = new Set(unknown.map(({ nodeId }) => nodeId));
  for (const [nodeId, answers] of await askAttributes([...nodeIds], { link, session, signal })) {
    const status = answers.get(DATA_TYPE_ATTRIBUTE)?.statusCode.value ?? 0;
    if (severityOf(status) === 'BAD') refusals.set(nodeId, nameStatus(session.library, status));
    const { isCacheable, ...form } = toForm(answers, session.library);
    forms.set(nodeId, form);
    if (isCacheable) session.writeTypes.set(nodeId, form);
  }
  return { forms, refusals, remembered };
}

function toForm(
  answers: AnswersOfNode,
  library: OpcuaModule,
): NodeWriteInfo & { readonly isCacheable: boolean } {
  const held = answers.get(VALUE_ATTRIBUTE)?.value;
  const declared = findDeclaredType(answers.get(DATA_TYPE_ATTRIBUTE), library);
  // For a node with an abstract type, the current value determines the type.
  const type = declared ?? (held === undefined ? undefined : findWritableType(held.dataType));
  const valueRank: unknown = answers.get(VALUE_RANK_ATTRIBUTE)?.value.value;
  const rank = toRank(valueRank, rankOf(held));
  const isReported =
    typeof valueRank === 'number' && valueRank !== ANY && valueRank !== SCALAR_OR_ONE_DIMENSION;
  const access = toDeviceAccess(answers.get(USER_ACCESS_LEVEL_ATTRIBUTE)?.value.value);
  const elements = held === undefined ? undefined : describeElements(held);
  return { type, rank, elements, access, isCacheable: type !== undefined && isReported };
}

function toRank(valueRank: unknown, held: number | undefined): WriteType['rank'] {
  if (typeof valueRank !== 'number') return held;
  if (valueRank > ONE_OR_MORE_DIMENSIONS) return valueRank;
  if (valueRank === ONE_OR_MORE_DIMENSIONS) return held === undefined || held === 0 ? 'SOME' : held;
  // A node that is declared a scalar but contains an array is not overwritten with a scalar.
  return held ?? (valueRank === SCALAR ? 0 : undefined);
}

/** Returns the number of dimensions of a value; undefined if there is none. */
function rankOf(held: VariantLike | undefined): number | undefined {
  return held === undefined || held.dataType === 0 ? undefined : countDimensions(held);
}

async function askAttributes(
  nodeIds: readonly string[],
  asking: SessionLink,
): Promise<ReadonlyMap<string, AnswersOfNode>> {
  const wanted = nodeIds.flatMap((nodeId) => ATTRIBUTES.map((attributeId) => ({ nodeId, attributeId })));
  const answers = new Map<string, Map<number, DataValue>>();
  const limit = { limits: asking.session.limits, limit: 'nodesPerRead' } as const;
  await workInParts(wanted, limit, async (nodesToRead) => {
    const results = await sendRead(nodesToRead, asking);
    for (const [index, { nodeId, attributeId }] of nodesToRead.entries()) {
      const dataValue = results[index];
      const ofNode = answers.get(nodeId) ?? new Map<number, DataValue>();
      answers.set(nodeId, dataValue === undefined ? ofNode : ofNode.set(attributeId, dataValue));
    }
  });
  return answers;
}

function findDeclaredType(
  dataValue: DataValue | undefined,
  { NodeId }: OpcuaModule,
): DataTypeName | undefined {
  const declared: unknown = dataValue?.value.value;
  return declared instanceof NodeId ? findStandardType(declared) : undefined;
}
