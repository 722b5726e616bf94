import type { DataValue, NodeId, ReadValueIdOptions } from 'node-opcua-client';

import { ATTRIBUTES } from '../opcua-address.ts';
import { InvalidResponse } from '../opcua-errors.ts';
import type { OpcuaLink } from './opcua-link.ts';
import type { OpcuaSession } from './opcua-session.ts';
import { isRequestTooLarge, workInParts } from './request-parts.ts';
import { severityOf } from '../value/status.ts';
import type { VariantLike } from '../value/variant.ts';

/** One attribute of one node. */
export interface AttributeOfNode {
  readonly nodeId: NodeId | string;
  /** See `ATTRIBUTES`. */
  readonly attributeId: number;
}

/** The session and its link. */
export interface SessionLink {
  readonly link: OpcuaLink;
  readonly session: OpcuaSession;
  readonly signal: AbortSignal;
}

/**
 * Reads attributes in the fewest requests that the server accepts.
 *
 * @returns one value per attribute, in the same order; undefined if the server has none
 * @throws the errors of `OpcuaLink.call`
 */
export async function readAttributes(
  attributes: readonly AttributeOfNode[],
  asking: SessionLink,
): Promise<readonly unknown[]> {
  return (await read(attributes, asking)).map((variant): unknown => variant?.value);
}

/**
 * Reads the values of variables with their types.
 *
 * @returns one per variable, in the same order; undefined if the server has none
 * @throws the errors of `OpcuaLink.call`
 */
export function readVariants(
  nodeIds: readonly NodeId[],
  asking: SessionLink,
): Promise<readonly (VariantLike | undefined)[]> {
  return read(
    nodeIds.map((nodeId) => ({ nodeId, attributeId: ATTRIBUTES.Value })),
    asking,
  );
}

/**
 * Sends one Read request for attributes, without timestamps.
 *
 * @returns the results of the server; their number may differ from that of the attributes
 * @throws the errors of `OpcuaLink.call`
 */
export async function sendRead(
  attributes: readonly (AttributeOfNode & Pick<ReadValueIdOptions, 'indexRange'>)[],
  { link, session, signal }: SessionLink,
): Promise<readonly DataValue[]> {
  const { ReadRequest, ReadResponse, TimestampsToReturn } = session.library;
  const { results } = await link.call(
    session,
    () =>
      new ReadRequest({
        maxAge: 0,
        timestampsToReturn: TimestampsToReturn.Neither,
        nodesToRead: [...attributes],
      }),
    ReadResponse,
    { service: 'Read', counter: 'reads', signal },
  );
  return results ?? [];
}

async function read(
  attributes: readonly AttributeOfNode[],
  asking: SessionLink,
): Promise<readonly (VariantLike | undefined)[]> {
  const { session } = asking;
  const variants: (VariantLike | undefined)[] = [];
  const parts = { limits: session.limits, limit: 'nodesPerRead', isTooLarge: isRequestTooLarge } as const;
  await workInParts(attributes, parts, async (part) => {
    const results = await sendRead(part, asking);
    if (results.length !== part.length) {
      throw new InvalidResponse(`${results.length} values for ${part.length} nodes`);
    }
    variants.push(...results.map((result) => variantOf(result)));
  });
  return variants;
}

function variantOf({ statusCode, value }: DataValue): VariantLike | undefined {
  return severityOf(statusCode.value) === 'BAD' ? undefined : value;
}
