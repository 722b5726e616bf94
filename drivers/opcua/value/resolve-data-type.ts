import type { NodeId } from 'node-opcua-client';

import { findBuiltInType } from './data-type.ts';
import { findStandardType } from './declared-type.ts';
import type { ServerDataType, ValueKind } from '../browse/offered-channel.ts';
import { ATTRIBUTES } from '../opcua-address.ts';
import { readAttributes } from '../session/read-attributes.ts';
import type { SessionLink } from '../session/read-attributes.ts';
import { VARIANT_TYPE } from './variant.ts';
import { findFirstReferences } from '../browse/references.ts';

// Number, Integer, UInteger and BaseDataType are abstract (OPC 10000-5, 12.2).
const OPEN_TYPES: ReadonlySet<unknown> = new Set([24, 26, 27, 28]);
const STRUCTURE = 22;
const HAS_SUBTYPE = 'i=45';
const DATA_TYPE_CLASS = 64;
// Guards against cycles in the server's type hierarchy.
const MAXIMUM_LEVELS = 20;

/**
 * Resolves data types to built-in types by following the server's type hierarchy; cached per session.
 *
 * @returns types by NodeId text
 * @throws the errors of `OpcuaLink.call`
 */
export async function resolveDataTypes(
  dataTypes: readonly NodeId[],
  asking: SessionLink,
): Promise<ReadonlyMap<string, ServerDataType>> {
  const known = asking.session.valueTypes;
  const asked = new Map(dataTypes.map((nodeId) => [nodeId.toString(), nodeId]));
  const unknown = [...asked].filter(([text]) => !known.has(text)).map(([, nodeId]) => nodeId);
  if (unknown.length === 0) return known;
  const names = await readAttributes(
    unknown.map((nodeId) => ({ nodeId, attributeId: ATTRIBUTES.BrowseName })),
    asking,
  );
  const kinds = await findKinds(unknown, asking);
  for (const [index, nodeId] of unknown.entries()) {
    known.set(nodeId.toString(), { name: toName(names[index], nodeId), kind: kinds[index] });
  }
  return known;
}

/** Returns the kind of a value by the number of its built-in type. */
export function kindOfValue(number: number): ValueKind | undefined {
  if (number === VARIANT_TYPE) return 'VARIANTS';
  return findBuiltInType(number) ?? (number === STRUCTURE ? 'STRUCTURE' : undefined);
}

async function findKinds(
  dataTypes: readonly NodeId[],
  asking: SessionLink,
): Promise<readonly (ValueKind | undefined)[]> {
  const kinds = Array.from<ValueKind | undefined>({ length: dataTypes.length });
  let open = dataTypes.map((nodeId, index) => ({ nodeId, index }));
  for (let level = 0; level < MAXIMUM_LEVELS; level += 1) {
    for (const { nodeId, index } of open) kinds[index] = findKnownKind(nodeId);
    open = open.filter(({ index }) => kinds[index] === undefined);
    if (open.length === 0) break;
    const supertypes = await findSupertypes(
      open.map(({ nodeId }) => nodeId),
      asking,
    );
    open = open.flatMap(({ index }, position) => {
      const nodeId = supertypes[position];
      return nodeId === undefined ? [] : [{ nodeId, index }];
    });
  }
  return kinds;
}

function findKnownKind(nodeId: NodeId): ValueKind | undefined {
  const { namespace, value } = nodeId;
  if (namespace !== 0 || typeof value !== 'number') return undefined;
  if (OPEN_TYPES.has(value)) return 'OPEN';
  return findStandardType(nodeId) ?? kindOfValue(value);
}

async function findSupertypes(
  dataTypes: readonly NodeId[],
  asking: SessionLink,
): Promise<readonly (NodeId | undefined)[]> {
  const { BrowseDirection } = asking.session.library;
  const found = await findFirstReferences(
    dataTypes.map((nodeId) => ({
      nodeId,
      referenceTypeId: HAS_SUBTYPE,
      browseDirection: BrowseDirection.Inverse,
      includeSubtypes: false,
      nodeClassMask: DATA_TYPE_CLASS,
      resultMask: 0,
    })),
    asking,
  );
  return found.map((reference) => reference?.nodeId);
}

function toName(browseName: unknown, nodeId: NodeId): string {
  const name: unknown =
    typeof browseName === 'object' && browseName !== null && 'name' in browseName
      ? browseName.name
      : undefined;
  return typeof name === 'string' && name !== '' ? name.slice(0, 100) : nodeId.toString().slice(0, 100);
}
