import { DataType, NodeId } from 'node-opcua-client';
import type { DataValue, NodeId as LibraryNodeId, ReadRequest } from 'node-opcua-client';

import { createBadValue, createDataValue, createPlainValue, identifierOf } from './answers.ts';
import { rangeOf } from './element-range.ts';
import type { ServerProfile } from './server-profile.ts';
import type { SimulatedNode } from './simulated-node.ts';

type ReadValueId = NonNullable<ReadRequest['nodesToRead']>[number];

const STANDARD_URI = 'http://opcfoundation.org/UA/';
const ATTRIBUTES = { value: 13, dataType: 14, valueRank: 15 } as const;
const SCALAR = -1;
const ONE_DIMENSION = 1;

// Where a server tells of itself (OPC 10000-6, A.3).
const NAMESPACE_ARRAY = 'i=2255';
const STATE = 'i=2259';
const LIMITS: Readonly<
  Record<string, 'maximumNodesPerRead' | 'maximumNodesPerWrite' | 'maximumItemsPerCall'>
> = {
  'i=11705': 'maximumNodesPerRead',
  'i=11707': 'maximumNodesPerWrite',
  'i=11714': 'maximumItemsPerCall',
};

/** The nodes of a server, numbered by namespace as it began last. */
export class AddressSpace {
  readonly #profile: ServerProfile;
  readonly #nodes = new Map<string, SimulatedNode>();
  #namespaces: readonly string[] = [STANDARD_URI];

  constructor(profile: ServerProfile, nodes: readonly SimulatedNode[]) {
    this.#profile = profile;
    for (const node of nodes) this.#nodes.set(`${node.namespaceUri}|${node.identifier}`, node);
  }

  /** All variables. */
  get nodes(): Iterable<SimulatedNode> {
    return this.#nodes.values();
  }

  /** Numbers the namespaces in this order, after that of the standard. */
  number(uris: readonly string[]): void {
    this.#namespaces = [STANDARD_URI, ...uris];
  }

  /** Finds a variable; undefined when there is none, or none at present. */
  find(nodeId: LibraryNodeId, nowMs: number): SimulatedNode | undefined {
    const uri = this.#namespaces[nodeId.namespace] ?? '';
    const node = this.#nodes.get(`${uri}|${identifierOf(nodeId)}`);
    return node?.statusAt(nowMs) === 'BadNodeIdUnknown' ? undefined : node;
  }

  /** Reads one attribute. @param clockMs milliseconds since the epoch, as the server sees it */
  read(wanted: ReadValueId, nowMs: number, clockMs: number): DataValue {
    const { nodeId, attributeId } = wanted;
    if (nodeId.namespace === 0) return this.#readOwn(identifierOf(nodeId));
    const node = this.find(nodeId, nowMs);
    if (node === undefined) return createBadValue('BadNodeIdUnknown');
    const isArray = node.type.length !== undefined;
    if (attributeId === ATTRIBUTES.value)
      return createDataValue(node, nowMs, { clockMs, range: isArray ? rangeOf(wanted) : undefined });
    if (attributeId === ATTRIBUTES.valueRank)
      return createPlainValue(DataType.Int32, isArray ? ONE_DIMENSION : SCALAR);
    if (attributeId !== ATTRIBUTES.dataType) return createBadValue('BadAttributeIdInvalid');
    const declared = new NodeId(NodeId.NodeIdType.NUMERIC, node.type.declared, 0);
    return createPlainValue(DataType.NodeId, declared);
  }

  #readOwn(identifier: string): DataValue {
    if (identifier === NAMESPACE_ARRAY) return createPlainValue(DataType.String, [...this.#namespaces], true);
    if (identifier === STATE) return createPlainValue(DataType.Int32, 0);
    const limit = LIMITS[identifier];
    if (limit === undefined) return createBadValue('BadNodeIdUnknown');
    return createPlainValue(DataType.UInt32, this.#profile.tellsLimits ? this.#profile[limit] : 0);
  }
}
