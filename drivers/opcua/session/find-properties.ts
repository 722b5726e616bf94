import type { NodeId } from 'node-opcua-client';

import { InvalidResponse, ServiceRefused } from '../opcua-errors.ts';
import { listAllReferences } from '../browse/references.ts';
import type { SessionLink } from './read-attributes.ts';
import { isRequestTooLarge, workInParts } from './request-parts.ts';
import { nameStatus, severityOf } from '../value/status.ts';

/** A property of a node, by its name in the standard. */
export interface PropertyPath {
  readonly nodeId: NodeId | string;
  readonly name: string;
}

/** NodeId of a property, or the StatusCode name of the refusal; neither if the node has no such property. */
export interface FoundProperty {
  readonly nodeId?: NodeId | undefined;
  readonly status?: string | undefined;
}

const HAS_PROPERTY = 'i=46';
const NO_MATCH = 'BadNoMatch';
// TranslateBrowsePathsToNodeIds is optional for small servers (OPC 10000-7).
const UNSUPPORTED: ReadonlySet<string> = new Set([
  'BadNotImplemented',
  'BadNotSupported',
  'BadServiceUnsupported',
]);

/**
 * Finds properties of nodes by TranslateBrowsePathsToNodeIds, or by Browse if the server does not support that service.
 *
 * @returns one per path, in the same order
 * @throws the errors of `OpcuaLink.call`
 */
export async function findProperties(
  paths: readonly PropertyPath[],
  asking: SessionLink,
): Promise<readonly FoundProperty[]> {
  const { session } = asking;
  if (session.translatesPaths) {
    try {
      return await translate(paths, asking);
    } catch (error) {
      if (!(error instanceof ServiceRefused) || !UNSUPPORTED.has(error.status)) throw error;
      session.translatesPaths = false;
    }
  }
  return browse(paths, asking);
}

async function translate(
  paths: readonly PropertyPath[],
  { link, session, signal }: SessionLink,
): Promise<readonly FoundProperty[]> {
  const { TranslateBrowsePathsToNodeIdsRequest, TranslateBrowsePathsToNodeIdsResponse } = session.library;
  const found: FoundProperty[] = [];
  const parts = { limits: session.limits, limit: 'nodesPerBrowse', isTooLarge: isRequestTooLarge } as const;
  await workInParts(paths, parts, async (part) => {
    const browsePaths = part.map(({ nodeId, name }) => ({
      startingNode: nodeId,
      relativePath: {
        elements: [
          {
            referenceTypeId: HAS_PROPERTY,
            isInverse: false,
            includeSubtypes: true,
            targetName: { namespaceIndex: 0, name },
          },
        ],
      },
    }));
    const { results } = await link.call(
      session,
      () => new TranslateBrowsePathsToNodeIdsRequest({ browsePaths }),
      TranslateBrowsePathsToNodeIdsResponse,
      { service: 'TranslateBrowsePathsToNodeIds', counter: 'reads', signal },
    );
    if (results?.length !== part.length) {
      throw new InvalidResponse(`${results?.length ?? 0} results for ${part.length} paths`);
    }
    for (const { statusCode, targets } of results) {
      const status =
        severityOf(statusCode.value) === 'BAD' ? nameStatus(session.library, statusCode.value) : undefined;
      if (status === undefined) found.push({ nodeId: targets?.[0]?.targetId });
      else found.push(status === NO_MATCH ? {} : { status });
    }
  });
  return found;
}

async function browse(
  paths: readonly PropertyPath[],
  asking: SessionLink,
): Promise<readonly FoundProperty[]> {
  const { BrowseDirection } = asking.session.library;
  const keys = [...new Set(paths.map(({ nodeId }) => nodeId.toString()))];
  const lists = await listAllReferences(
    keys.map((nodeId) => ({
      nodeId,
      referenceTypeId: HAS_PROPERTY,
      browseDirection: BrowseDirection.Forward,
      includeSubtypes: true,
      nodeClassMask: 0,
      resultMask: ALL_FIELDS,
    })),
    asking,
  );
  const byKey = new Map(keys.map((key, index) => [key, lists[index]]));
  return paths.map(({ nodeId, name }) => {
    const list = byKey.get(nodeId.toString());
    if (list?.status !== undefined) return { status: list.status };
    const reference = list?.references.find(
      ({ browseName }) => browseName.namespaceIndex === 0 && browseName.name === name,
    );
    return { nodeId: reference?.nodeId };
  });
}

const ALL_FIELDS = 63;
