import type { BrowseDescriptionOptions, BrowseResult, ReferenceDescription } from 'node-opcua-client';

import { InvalidResponse } from '../opcua-errors.ts';
import type { SessionLink } from '../session/read-attributes.ts';
import { isRequestTooLarge, workInParts } from '../session/request-parts.ts';
import { nameStatus, severityOf } from '../value/status.ts';

/** References of a node, or the StatusCode name of the refusal. */
export type ReferenceList =
  | {
      readonly references: readonly ReferenceDescription[];
      readonly hasMore: boolean;
      readonly status?: undefined;
    }
  | { readonly status: string };

/** Positions of references in the order of the server. */
export interface ReferenceRange {
  readonly from: number;
  readonly limit: number;
}

const REFERENCES_PER_ANSWER = 1000;
// Guards against a server with endless lists.
const MAXIMUM_RESPONSES = 1000;
const MAXIMUM_EMPTY_ANSWERS = 3;
const RELEASE_MS = 1000;

/**
 * Lists a range of the references of one node, with continuation points. Releases the continuation point of a list that
 * is not read to its end.
 *
 * @throws the errors of `OpcuaLink.call`
 */
export async function listReferences(
  node: BrowseDescriptionOptions,
  { from, limit }: ReferenceRange,
  asking: SessionLink,
): Promise<ReferenceList> {
  const { link, session, signal } = asking;
  const { BrowseRequest, BrowseResponse } = session.library;
  // One more shows if there are others.
  const wanted = from + limit + 1;
  const requestedMaxReferencesPerNode = Math.min(wanted, REFERENCES_PER_ANSWER);
  const { results } = await link.call(
    session,
    () => new BrowseRequest({ nodesToBrowse: [node], requestedMaxReferencesPerNode }),
    BrowseResponse,
    { service: 'Browse', counter: 'reads', signal },
  );
  const first = takeOnly(results);
  const refusal = findRefusal(first, asking);
  if (refusal !== undefined) return { status: refusal };
  const list = new OpenList(first, asking);
  try {
    await list.read(wanted);
  } finally {
    await list.release();
  }
  const references = list.references.slice(from, from + limit);
  return { references, hasMore: list.references.length > from + limit };
}

/**
 * Returns the first reference of each of several nodes that have few; undefined if there is none or the server refuses.
 *
 * @throws the errors of `OpcuaLink.call`
 */
export async function findFirstReferences(
  nodes: readonly BrowseDescriptionOptions[],
  asking: SessionLink,
): Promise<readonly (ReferenceDescription | undefined)[]> {
  const { link, session, signal } = asking;
  const { BrowseRequest, BrowseResponse } = session.library;
  const found: (ReferenceDescription | undefined)[] = [];
  const parts = { limits: session.limits, limit: 'nodesPerBrowse', isTooLarge: isRequestTooLarge } as const;
  await workInParts(nodes, parts, async (part) => {
    const { results } = await link.call(
      session,
      // With a limit the server would store the rest of each list, and supports few of these.
      () => new BrowseRequest({ nodesToBrowse: [...part], requestedMaxReferencesPerNode: 0 }),
      BrowseResponse,
      { service: 'Browse', counter: 'reads', signal },
    );
    if (results?.length !== part.length) {
      throw new InvalidResponse(`${results?.length ?? 0} lists for ${part.length} nodes`);
    }
    found.push(...results.map(({ references }) => references?.[0]));
    const points = results.map(({ continuationPoint }) => continuationPoint).filter(isPoint);
    await release(points, asking);
  });
  return found;
}

/** A list of references with a continuation point. */
class OpenList {
  readonly references: ReferenceDescription[] = [];
  readonly #asking: SessionLink;
  #point: Buffer | undefined;

  constructor(result: BrowseResult, asking: SessionLink) {
    this.#asking = asking;
    this.#take(result);
  }

  /** Reads until there are `wanted` references or the list ends. */
  async read(wanted: number): Promise<void> {
    let emptyAnswers = 0;
    for (let answers = 1; this.#point !== undefined && this.references.length < wanted; answers += 1) {
      const before = this.references.length;
      this.#take(await this.#askNext(this.#point));
      emptyAnswers = this.references.length === before ? emptyAnswers + 1 : 0;
      if (answers >= MAXIMUM_RESPONSES || emptyAnswers >= MAXIMUM_EMPTY_ANSWERS) {
        throw new InvalidResponse('endless list of references');
      }
    }
  }

  async release(): Promise<void> {
    if (this.#point !== undefined) await release([this.#point], this.#asking);
  }

  async #askNext(point: Buffer): Promise<BrowseResult> {
    const { link, session, signal } = this.#asking;
    const { BrowseNextRequest, BrowseNextResponse } = session.library;
    const { results } = await link.call(
      session,
      () => new BrowseNextRequest({ releaseContinuationPoints: false, continuationPoints: [point] }),
      BrowseNextResponse,
      { service: 'BrowseNext', counter: 'reads', signal },
    );
    const result = takeOnly(results);
    const refusal = findRefusal(result, this.#asking);
    if (refusal === undefined) return result;
    this.#point = undefined;
    throw new InvalidResponse(`it ended a list of references with ${refusal}`);
  }

  #take({ references, continuationPoint }: BrowseResult): void {
    this.references.push(...(references ?? []));
    this.#point = isPoint(continuationPoint) ? continuationPoint : undefined;
  }
}

function takeOnly(results: readonly BrowseResult[] | null): BrowseResult {
  const [result] = results ?? [];
  if (result === undefined || results?.length !== 1) {
    throw new InvalidResponse(`${results?.length ?? 0} lists for one node`);
  }
  return result;
}

function findRefusal({ statusCode }: BrowseResult, { session }: SessionLink): string | undefined {
  return severityOf(statusCode.value) === 'BAD' ? nameStatus(session.library, statusCode.value) : undefined;
}

function isPoint(point: Buffer | null | undefined): point is Buffer {
  return point !== null && point !== undefined && point.length > 0;
}

// The server must be notified even if the caller aborted.
async function release(points: readonly Buffer[], { session, signal }: SessionLink): Promise<void> {
  if (points.length === 0) return;
  const { BrowseNextRequest, BrowseNextResponse } = session.library;
  const request = new BrowseNextRequest({ releaseContinuationPoints: true, continuationPoints: [...points] });
  const releasing = session
    .call(request, BrowseNextResponse, { service: 'BrowseNext', timeoutMs: RELEASE_MS })
    // The server releases it with the session.
    .catch(() => undefined);
  if (!signal.aborted) await releasing;
}
