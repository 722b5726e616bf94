import type { NodeId } from 'node-opcua-client';

import { createReason } from '../../../daemon/base/fault-reason.ts';
import type { BrowsedVariable } from '../../../daemon/channel/browsing-driver.ts';
import { chooseChannel, explainRefusal } from './offered-channel.ts';
import type { OfferedValue, ServerDataType } from './offered-channel.ts';
import { ATTRIBUTES } from '../opcua-address.ts';
import { OPCUA_SCAN_SENTENCES } from '../scan-sentences.ts';
import { InvalidResponse } from '../opcua-errors.ts';
import { readAttributes, readVariants } from '../session/read-attributes.ts';
import type { SessionLink } from '../session/read-attributes.ts';
import { resolveDataTypes, kindOfValue } from '../value/resolve-data-type.ts';
import { readProperties } from './variable-properties.ts';
import type { VariableProperties } from './variable-properties.ts';
import { ARRAY_TYPES } from '../value/variant.ts';
import type { VariantLike } from '../value/variant.ts';

/** A variable by its NodeId and by its address. */
export interface NamedVariable {
  readonly nodeId: NodeId;
  /** Absent if it cannot be addressed. */
  readonly node: string | undefined;
}

// Not usable in a channel address (OPC 10000-6, A.1).
const ARRAY_DIMENSIONS = 16;
const ASKED = [
  ATTRIBUTES.DataType,
  ATTRIBUTES.ValueRank,
  ARRAY_DIMENSIONS,
  ATTRIBUTES.UserAccessLevel,
  ATTRIBUTES.AccessLevel,
] as const;
// Bits of the access levels (OPC 10000-3, 8.57).
const CURRENT_READ = 1;
const CURRENT_WRITE = 2;
const ANY_RANK = -2;
const SCALAR_RANK = -1;
const MAXIMUM_DIMENSIONS = 16;

interface ReadAttributes {
  readonly dataType: NodeId | undefined;
  readonly valueRank: number;
  readonly arrayDimensions: readonly number[] | undefined;
  readonly isReadable: boolean;
  readonly isWritable: boolean;
}

/**
 * Requests the types of variables and the channels that can represent them.
 *
 * @returns one per variable, in the same order
 * @throws the errors of `OpcuaLink.call`
 */
export async function describeVariables(
  variables: readonly NamedVariable[],
  asking: SessionLink,
): Promise<readonly BrowsedVariable[]> {
  if (variables.length === 0) return [];
  const attributes = await ask(variables, asking);
  const types = await resolveDataTypes(
    attributes.flatMap(({ dataType }) => (dataType === undefined ? [] : [dataType])),
    asking,
  );
  const nodeIds = variables.map(({ nodeId }) => nodeId);
  const properties = await readProperties(nodeIds, asking);
  const typeOf = ({ dataType }: ReadAttributes): ServerDataType =>
    types.get(dataType?.toString() ?? '') ?? { name: 'unknown', kind: undefined };
  const offers = attributes.map((each) => ({ ...each, kind: typeOf(each).kind }));
  const settled = await resolveOpenTypes(nodeIds, offers, asking);
  return variables.map(({ node }, index) => {
    const each = attributes[index];
    const offered = settled[index];
    if (each === undefined || offered === undefined) throw new InvalidResponse('it leaves out a variable');
    return describe(node, offered, { ...each, ...properties[index], dataType: typeOf(each).name });
  });
}

async function ask(
  variables: readonly NamedVariable[],
  asking: SessionLink,
): Promise<readonly ReadAttributes[]> {
  const values = await readAttributes(
    variables.flatMap(({ nodeId }) => ASKED.map((attributeId) => ({ nodeId, attributeId }))),
    asking,
  );
  const { NodeId: Id } = asking.session.library;
  return variables.map((_, index) => {
    const [dataType, rank, dimensions, userLevel, level] = values.slice(
      index * ASKED.length,
      (index + 1) * ASKED.length,
    );
    const access = typeof userLevel === 'number' ? userLevel : typeof level === 'number' ? level : 0;
    return {
      dataType: dataType instanceof Id ? dataType : undefined,
      valueRank: typeof rank === 'number' ? rank : ANY_RANK,
      arrayDimensions: toDimensions(dimensions),
      isReadable: (access & CURRENT_READ) !== 0,
      isWritable: (access & CURRENT_WRITE) !== 0,
    };
  });
}

// A Uint32Array, or nothing.
function toDimensions(value: unknown): readonly number[] | undefined {
  if (!Array.isArray(value) && !ArrayBuffer.isView(value)) return undefined;
  const dimensions = Array.from(value as ArrayLike<unknown>).filter((length) => typeof length === 'number');
  return dimensions.length === 0 ? undefined : dimensions.slice(0, MAXIMUM_DIMENSIONS);
}

/** Reads the values of nodes with an abstract type or rank: later values are likely to be the same. */
async function resolveOpenTypes(
  nodeIds: readonly NodeId[],
  offers: readonly OfferedValue[],
  asking: SessionLink,
): Promise<readonly OfferedValue[]> {
  const open = offers.flatMap((offer, index) => {
    const nodeId = nodeIds[index];
    return isOpen(offer) && offer.isReadable && nodeId !== undefined ? [{ index, nodeId }] : [];
  });
  const variants = await readVariants(
    open.map(({ nodeId }) => nodeId),
    asking,
  );
  const settled = [...offers];
  for (const [position, { index }] of open.entries()) {
    const variant = variants[position];
    const offer = offers[index];
    if (variant === undefined || offer === undefined || variant.dataType === 0) continue;
    const valueRank = offer.valueRank < SCALAR_RANK ? rankOf(variant) : offer.valueRank;
    const kind = offer.kind === 'OPEN' ? kindOfValue(variant.dataType) : offer.kind;
    settled[index] = { ...offer, kind, valueRank };
  }
  return settled;
}

function isOpen({ kind, valueRank }: OfferedValue): boolean {
  return kind === 'OPEN' || (kind !== undefined && valueRank < SCALAR_RANK);
}

function rankOf({ arrayType, dimensions }: VariantLike): number {
  if (arrayType === ARRAY_TYPES.scalar) return SCALAR_RANK;
  return arrayType === ARRAY_TYPES.array ? 1 : (dimensions?.length ?? 1);
}

function describe(
  node: string | undefined,
  offered: OfferedValue,
  attributes: Omit<ReadAttributes, 'dataType'> & VariableProperties & { readonly dataType: string },
): BrowsedVariable {
  const { dataType, valueRank, arrayDimensions, isReadable, isWritable, unit, range } = attributes;
  const chosen = node === undefined ? undefined : chooseChannel(offered);
  const refusal =
    node === undefined
      ? createReason(OPCUA_SCAN_SENTENCES, 'NODE_WITHOUT_ADDRESS', {})
      : explainRefusal(offered);
  return {
    dataType,
    dimensions: valueRank > 0 ? valueRank : valueRank === SCALAR_RANK ? 0 : undefined,
    arrayDimensions,
    isReadable,
    isWritable,
    unit,
    range,
    channel:
      chosen === undefined || node === undefined ? undefined : { ...chosen, unit, address: { nodeId: node } },
    refusal,
  };
}
