import { parseNodeId } from './node-id.ts';

/** The part of a NodeId of the library that is used here. */
export interface NodeIdLike {
  /** Number of the form of the identifier, see `LETTERS`. */
  readonly identifierType: number;
  readonly value: unknown;
  readonly namespace: number;
  /** Of an ExpandedNodeId: URI in place of the index. */
  readonly namespaceUri?: string | null | undefined;
  /** Of an ExpandedNodeId: number of the server that has the node; 0 for this one. */
  readonly serverIndex?: number | undefined;
}

// How an identifier is written, by the number of its form (OPC 10000-6, 5.2.2.9 and 5.3.1.10).
const LETTERS: ReadonlyMap<number, string> = new Map([
  [1, 'i'],
  [2, 's'],
  [3, 'g'],
  [4, 'b'],
]);

/**
 * Writes a NodeId as an address names it: with the URI of its namespace, which stays when the server numbers its namespaces
 * in another way, or without for the namespace of the standard.
 *
 * @param uris of the server, in the order of its NamespaceArray
 * @returns undefined when no address can name it: it is on another server, in a namespace that has no name, or too long
 */
export function formatNodeId(nodeId: NodeIdLike, uris: readonly string[]): string | undefined {
  const { identifierType, value, namespace, namespaceUri, serverIndex = 0 } = nodeId;
  const letter = LETTERS.get(identifierType);
  if (letter === undefined || serverIndex !== 0) return undefined;
  const identifier = `${letter}=${value instanceof Uint8Array ? Buffer.from(value).toString('base64') : String(value)}`;
  const isStandard = namespace === 0 && !namespaceUri;
  const uri = namespaceUri || uris[namespace];
  if (!isStandard && !uri) return undefined;
  const text = isStandard ? identifier : `nsu=${escapeUri(uri ?? '')};${identifier}`;
  return parseNodeId(text) === undefined || !text.isWellFormed() ? undefined : text;
}

// The counterpart of what `parseNodeId` takes back.
function escapeUri(uri: string): string {
  return uri.replaceAll('%', '%25').replaceAll(';', '%3B');
}
