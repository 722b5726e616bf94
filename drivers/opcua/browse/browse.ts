import type { NodeId, ReferenceDescription } from 'node-opcua-client';
import type {
  BrowsedNode,
  BrowseFailure,
  BrowseOptions,
  BrowsePage,
} from '../../../daemon/channel/browsing-driver.ts';
import { toFailure } from '../../../daemon/channel/call-failure.ts';
import { ConnectionError } from '../../../daemon/channel/driver-errors.ts';
import { describeVariables } from './browsed-variable.ts';
import { parseNodeId, formatNodeId } from '../value/node-id.ts';
import { ATTRIBUTES } from '../opcua-address.ts';
import { toStatusFailure } from '../opcua-errors.ts';
import type { OpcuaLink } from '../session/opcua-link.ts';
import { toUnknownNamespace } from '../opcua-read.ts';
import { readAttributes } from '../session/read-attributes.ts';
import type { SessionLink } from '../session/read-attributes.ts';
import { findFirstReferences } from './references.ts';
import type { ReferencePager } from './references.ts';
import { textOf } from './variable-properties.ts';

/** Root of the browsable address space (OPC 10000-5, 8.2.4). */
export const OBJECTS_FOLDER = 'i=85';

const HIERARCHICAL_REFERENCES = 'i=33';
const HAS_COMPONENT = 'i=47';
// Types do not belong to a device; a method has only its arguments.
const PARENTS: ReadonlySet<string> = new Set(['Object', 'View']);
const ALL_FIELDS = 63;
const VARIABLE = 'Variable';
const MAXIMUM_TEXT = 1000;

/**
 * Lists the children of a node by hierarchical references, with types, units and access of variables.
 *
 * @returns the page, or the reason for failing
 * @throws {ConnectionError} if the link is lost
 */
export async function browseNode(
  options: BrowseOptions,
  link: OpcuaLink,
  pager: ReferencePager,
): Promise<BrowsePage | BrowseFailure> {
  const { node = OBJECTS_FOLDER, signal } = options;
  try {
    const asking: SessionLink = { link, session: link.getSession(), signal };
    const nodeId = parseNodeId(node);
    if (nodeId === undefined) {
      const message = `"${node}" is not a NodeId; expected for example ns=2;s=Boiler or nsu=urn:maker:device;i=1001`;
      return { failure: { code: 'OPCUA_NODE_ID_INVALID', message }, isNodeInvalid: true };
    }
    const { namespaces } = asking.session;
    await namespaces.learn([nodeId], signal);
    const resolved = namespaces.resolve(nodeId);
    return resolved === undefined
      ? { failure: toUnknownNamespace({ nodeId }) }
      : await browse(resolved, options, asking, pager);
  } catch (error) {
    if (error instanceof ConnectionError) throw error;
    return { failure: toFailure(error, signal) };
  }
}

async function browse(
  nodeId: string,
  { node = OBJECTS_FOLDER, from, limit }: BrowseOptions,
  asking: SessionLink,
  pager: ReferencePager,
): Promise<BrowsePage | BrowseFailure> {
  const { session } = asking;
  const { BrowseDirection } = session.library;
  const list = await pager.list(
    {
      nodeId,
      referenceTypeId: HIERARCHICAL_REFERENCES,
      browseDirection: BrowseDirection.Forward,
      includeSubtypes: true,
      nodeClassMask: 0,
      resultMask: ALL_FIELDS,
    },
    { from, limit },
    asking,
  );
  if (list.status !== undefined) {
    return {
      failure: toStatusFailure(list.status, `the server refused to browse ${node}: ${list.status}`),
    };
  }
  const nodes = await describe(list.references, asking);
  return list.hasMore ? { nodes, next: from + limit } : { nodes };
}

async function describe(
  references: readonly ReferenceDescription[],
  asking: SessionLink,
): Promise<readonly BrowsedNode[]> {
  const { NodeClass } = asking.session.library;
  const { uris } = asking.session.namespaces;
  const own = references.filter(({ nodeId }) => isHere(nodeId));
  const nodes = new Map(own.map((reference) => [reference, formatNodeId(reference.nodeId, uris)]));
  const descriptions = toMap(own, await readDescriptions(own, asking));
  const ofVariables = own.filter(({ nodeClass }) => NodeClass[nodeClass] === VARIABLE);
  const named = ofVariables.map((reference) => ({ nodeId: reference.nodeId, node: nodes.get(reference) }));
  const variables = toMap(ofVariables, await describeVariables(named, asking));
  const parts = toMap(ofVariables, await findParts(ofVariables, asking));
  return references.map((reference) => {
    const browseName = cut(reference.browseName.name ?? '');
    const displayName = cut(textOf(reference.displayName) ?? '') || browseName;
    const description = cut(textOf(descriptions.get(reference)) ?? '');
    return {
      node: nodes.get(reference),
      browseName,
      displayName,
      nodeClass: NodeClass[reference.nodeClass] ?? String(reference.nodeClass),
      reference: nameReference(reference.referenceTypeId, asking),
      // Many servers repeat the name.
      description: description === '' || description === displayName ? undefined : description,
      isParent: PARENTS.has(NodeClass[reference.nodeClass] ?? '') || parts.get(reference) !== undefined,
      variable: variables.get(reference),
    };
  });
}

// A variable may have components; properties only describe it.
function findParts(
  variables: readonly ReferenceDescription[],
  asking: SessionLink,
): Promise<readonly (ReferenceDescription | undefined)[]> {
  const { BrowseDirection } = asking.session.library;
  return findFirstReferences(
    variables.map(({ nodeId }) => ({
      nodeId,
      referenceTypeId: HAS_COMPONENT,
      browseDirection: BrowseDirection.Forward,
      includeSubtypes: true,
      nodeClassMask: 0,
      resultMask: 0,
    })),
    asking,
  );
}

// A server may reference nodes of another server.
function isHere({ serverIndex, namespaceUri }: ReferenceDescription['nodeId']): boolean {
  return serverIndex === 0 && !namespaceUri;
}

function readDescriptions(
  references: readonly ReferenceDescription[],
  asking: SessionLink,
): Promise<readonly unknown[]> {
  const attributeId = ATTRIBUTES.Description;
  return readAttributes(
    references.map(({ nodeId }) => ({ nodeId, attributeId })),
    asking,
  );
}

function toMap<Key, Value>(
  keys: readonly Key[],
  values: readonly Value[],
): ReadonlyMap<Key, Value | undefined> {
  return new Map(keys.map((key, index) => [key, values[index]]));
}

function nameReference({ namespace, value }: NodeId, { session }: SessionLink): string {
  if (namespace !== 0) return 'other';
  const known = Object.entries(session.library.ReferenceTypeIds).find(([, number]) => number === value);
  return known?.[0] ?? 'other';
}

// Texts of servers may be long and are shown to operators.
function cut(text: string): string {
  return text.toWellFormed().slice(0, MAXIMUM_TEXT);
}
