/** A NodeId in text form, with namespace index or URI (OPC 10000-6, 5.3.1.10 and 5.3.1.11). */
export interface NodeIdText {
  /** Index, or URI. */
  readonly namespace: number | string;
  /** Identifier with its type: `i=85`, `s=Boiler.Level`, `g=…`, `b=…`. */
  readonly identifier: string;
}

const MAXIMUM_INDEX = 65_535;
const MAXIMUM_NUMBER = 4_294_967_295;
const MAXIMUM_STRING = 4096;
const FORM = /^(?:ns=(?<index>\d{1,5});|nsu=(?<uri>[^;]+);)?(?<identifier>[isgb]=.+)$/s;
const GUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** The fields of a NodeId of the library used here. */
export interface NodeIdLike {
  /** Number of the identifier type, see `LETTERS`. */
  readonly identifierType: number;
  readonly value: unknown;
  readonly namespace: number;
  /** For an ExpandedNodeId: URI instead of the index. */
  readonly namespaceUri?: string | null | undefined;
  /** For an ExpandedNodeId: number of the server with the node; 0 for this one. */
  readonly serverIndex?: number | undefined;
}

// Letters of the identifier types (OPC 10000-6, 5.2.2.9 and 5.3.1.10).
const LETTERS: ReadonlyMap<number, string> = new Map([
  [1, 'i'],
  [2, 's'],
  [3, 'g'],
  [4, 'b'],
]);

/**
 * Parses a NodeId; the default namespace is 0, that of the standard.
 *
 * @returns undefined if the text is invalid
 */
export function parseNodeId(text: string): NodeIdText | undefined {
  const { index = '0', uri, identifier = '' } = FORM.exec(text)?.groups ?? {};
  if (!isIdentifier(identifier)) return undefined;
  if (uri !== undefined) return { namespace: unescapeUri(uri), identifier };
  return Number(index) <= MAXIMUM_INDEX ? { namespace: Number(index), identifier } : undefined;
}

/**
 * Parses the NodeId of a validated address.
 *
 * @throws {RangeError} if it is invalid
 */
export function getNodeId(text: string): NodeIdText {
  const nodeId = parseNodeId(text);
  if (nodeId === undefined) throw new RangeError(`${text} is no NodeId`);
  return nodeId;
}

/**
 * Returns a NodeId with the namespace index of the current session.
 *
 * @param namespaces URIs of the server, in the order of its NamespaceArray
 * @returns for example `ns=2;s=Boiler.Level`; undefined if the server has no such namespace
 */
export function resolveNodeId(
  { namespace, identifier }: NodeIdText,
  namespaces: readonly string[],
): string | undefined {
  const index = typeof namespace === 'number' ? namespace : namespaces.indexOf(namespace);
  return index === -1 ? undefined : `ns=${index};${identifier}`;
}

function isIdentifier(identifier: string): boolean {
  const value = identifier.slice(2);
  if (identifier.startsWith('i=')) return /^\d{1,10}$/.test(value) && Number(value) <= MAXIMUM_NUMBER;
  if (identifier.startsWith('g=')) return GUID.test(value);
  if (identifier.startsWith('b=')) return value.length <= MAXIMUM_STRING && BASE64.test(value);
  return identifier.startsWith('s=') && value.length <= MAXIMUM_STRING;
}

/**
 * Formats a NodeId or ExpandedNodeId as text of the standard, with the namespace index of the session or the URI, and
 * the number of another server: `i=85`, `ns=2;s=Level`, `svr=1;nsu=urn:device;i=7` (OPC 10000-6, 5.1.12).
 */
export function formatNodeIdText(nodeId: NodeIdLike): string {
  const { namespace, namespaceUri, serverIndex = 0 } = nodeId;
  const server = serverIndex === 0 ? '' : `svr=${serverIndex};`;
  const index = namespace === 0 ? '' : `ns=${namespace};`;
  return `${server}${namespaceUri ? `nsu=${escapeUri(namespaceUri)};` : index}${toIdentifier(nodeId)}`;
}

function toIdentifier({ identifierType, value }: NodeIdLike): string {
  const letter = LETTERS.get(identifierType) ?? 's';
  return `${letter}=${value instanceof Uint8Array ? Buffer.from(value).toString('base64') : String(value)}`;
}

// A semicolon would end the URI, so it is escaped as %3B, and the percent sign as %25.
function unescapeUri(uri: string): string {
  return uri.replaceAll(/%3B/gi, ';').replaceAll('%25', '%');
}

/**
 * Formats a NodeId for an address: with its namespace URI, which is stable across sessions, or without for the
 * namespace of the standard.
 *
 * @param uris URIs of the server, in the order of its NamespaceArray
 * @returns undefined if the node cannot be addressed: it is on another server, its namespace has no name, or the text
 *   is too long
 */
export function formatNodeId(nodeId: NodeIdLike, uris: readonly string[]): string | undefined {
  const { identifierType, namespace, namespaceUri, serverIndex = 0 } = nodeId;
  if (!LETTERS.has(identifierType) || serverIndex !== 0) return undefined;
  const identifier = toIdentifier(nodeId);
  const isStandard = namespace === 0 && !namespaceUri;
  const uri = namespaceUri || uris[namespace];
  if (!isStandard && !uri) return undefined;
  const text = isStandard ? identifier : `nsu=${escapeUri(uri ?? '')};${identifier}`;
  return parseNodeId(text) === undefined || !text.isWellFormed() ? undefined : text;
}

// Counterpart of the unescaping in `parseNodeId`.
function escapeUri(uri: string): string {
  return uri.replaceAll('%', '%25').replaceAll(';', '%3B');
}
