import type { NodeId } from 'node-opcua-client';

import { findWritableType } from './data-type.ts';
import type { DataTypeName } from '../opcua-address.ts';
import type { OpcuaLink } from '../session/opcua-link.ts';
import type { OpcuaSession } from '../session/opcua-session.ts';

// Standard types that are aliases of built-in types (OPC 10000-5, 12).
const ALIASES: ReadonlyMap<number, DataTypeName> = new Map([
  [29, 'Int32'],
  [288, 'UInt32'],
  [289, 'UInt32'],
  [290, 'Double'],
  [294, 'DateTime'],
  [295, 'String'],
]);

const HAS_SUBTYPE = 'i=45';
const DATA_TYPE_CLASS = 64;
// Guards against cycles in the server's type hierarchy.
const MAXIMUM_LEVELS = 10;

/** Returns the built-in type for writing values of a standard data type; undefined for all others. */
export function findStandardType({ namespace, value }: NodeId): DataTypeName | undefined {
  if (namespace !== 0 || typeof value !== 'number') return undefined;
  return ALIASES.get(value) ?? findWritableType(value);
}

/**
 * Resolves the built-in type for writing values of a data type by following the server's type hierarchy: an enumeration
 * is an Int32.
 *
 * @returns undefined for structures and abstract types
 * @throws the errors of `OpcuaLink.call`
 */
export async function findBaseType(
  dataType: NodeId,
  link: OpcuaLink,
  session: OpcuaSession,
  signal: AbortSignal,
): Promise<DataTypeName | undefined> {
  let current: NodeId | undefined = dataType;
  for (let level = 0; current !== undefined && level < MAXIMUM_LEVELS; level += 1) {
    const type = findStandardType(current);
    if (type !== undefined || current.namespace === 0) return type;
    current = await findSupertype(current, link, session, signal);
  }
  return undefined;
}

async function findSupertype(
  nodeId: NodeId,
  link: OpcuaLink,
  session: OpcuaSession,
  signal: AbortSignal,
): Promise<NodeId | undefined> {
  const { BrowseRequest, BrowseResponse, BrowseDirection } = session.library;
  const nodeToBrowse = {
    nodeId,
    referenceTypeId: HAS_SUBTYPE,
    browseDirection: BrowseDirection.Inverse,
    includeSubtypes: false,
    nodeClassMask: DATA_TYPE_CLASS,
    resultMask: 0,
  };
  const { results } = await link.call(
    session,
    () => new BrowseRequest({ nodesToBrowse: [nodeToBrowse] }),
    BrowseResponse,
    { service: 'Browse', counter: 'reads', signal },
  );
  return results?.[0]?.references?.[0]?.nodeId;
}
