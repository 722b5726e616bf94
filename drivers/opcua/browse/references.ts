import type { BrowseDescriptionOptions, BrowseResult, ReferenceDescription } from 'node-opcua-client';

import { InvalidAnswer } from '../opcua-errors.ts';
import type { Asking } from '../session/read-attributes.ts';
import { asksTooMuch, workInParts } from '../session/request-parts.ts';
import { nameStatus, severityOf } from '../value/status.ts';

/** The references of one node, or the name of the StatusCode with which the server refuses them. */
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
// A server whose lists have no end must not keep the gateway busy.
const MOST_ANSWERS = 1000;
const MOST_EMPTY_ANSWERS = 3;
const RELEASE_MS = 1000;

/**
 * Lists the references of one node in a range, asking as often as the server wants to be asked; what the server keeps of a
 * list that is not read to its end is released.
 *
 * @throws the errors of `OpcuaLink.call`
 */
export async function listReferences(
  node: BrowseDescriptionOptions,
  { from, limit }: ReferenceRange,
  asking: Asking,
): Promise<ReferenceList> {
  const { link, session, signal } = asking;
  const { BrowseRequest, BrowseResponse } = session.library;
  // One more shows whether there are others.
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
 * Finds the first reference of each of several nodes that have few; undefined where there is none, and where the server
 * refuses.
 *
 * @throws the errors of `OpcuaLink.call`
 */
export async function findFirstReferences(
  nodes: readonly BrowseDescriptionOptions[],
  asking: Asking,
): Promise<readonly (ReferenceDescription | undefined)[]> {
  const { link, session, signal } = asking;
  const { BrowseRequest, BrowseResponse } = session.library;
  const found: (ReferenceDescription | undefined)[] = [];
  const parts = { limits: session.limits, limit: 'nodesPerBrowse', isTooMuch: asksTooMuch } as const;
  await workInParts(nodes, parts, async (part) => {
    const { results } = await link.call(
      session,
      // With a limit the server would keep the rest of each, and has room for few of these.
      () => new BrowseRequest({ nodesToBrowse: [...part], requestedMaxReferencesPerNode: 0 }),
      BrowseResponse,
      { service: 'Browse', counter: 'reads', signal },
    );
    if (results?.length !== part.length) {
      throw new InvalidAnswer(`${results?.length ?? 0} lists for ${part.length} nodes`);
    }
    found.push(...results.map(({ references }) => references?.[0]));
    const points = results.map(({ continuationPoint }) => continuationPoint).filter(isPoint);
    await release(points, asking);
  });
  return found;
}

/** A list of references that the server may keep the rest of. */
class OpenList {
  readonly references: ReferenceDescription[] = [];
  readonly #asking: Asking;
  #point: Buffer | undefined;

  constructor(result: BrowseResult, asking: Asking) {
    this.#asking = asking;
    this.#take(result);
  }

  /** Reads on until there are so many, or the list ends. */
  async read(wanted: number): Promise<void> {
    let emptyAnswers = 0;
    for (let answers = 1; this.#point !== undefined && this.references.length < wanted; answers += 1) {
      const before = this.references.length;
      this.#take(await this.#askNext(this.#point));
      emptyAnswers = this.references.length === before ? emptyAnswers + 1 : 0;
      if (answers >= MOST_ANSWERS || emptyAnswers >= MOST_EMPTY_ANSWERS) {
        throw new InvalidAnswer('endless list of references');
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
    throw new InvalidAnswer(`it ended a list of references with ${refusal}`);
  }

  #take({ references, continuationPoint }: BrowseResult): void {
    this.references.push(...(references ?? []));
    this.#point = isPoint(continuationPoint) ? continuationPoint : undefined;
  }
}

function takeOnly(results: readonly BrowseResult[] | null): BrowseResult {
  const [result] = results ?? [];
  if (result === undefined || results?.length !== 1) {
    throw new InvalidAnswer(`${results?.length ?? 0} lists for one node`);
  }
  return result;
}

function findRefusal({ statusCode }: BrowseResult, { session }: Asking): string | undefined {
  return severityOf(statusCode.value) === 'BAD' ? nameStatus(session.library, statusCode.value) : undefined;
}

function isPoint(point: Buffer | null | undefined): point is Buffer {
  return point !== null && point !== undefined && point.length > 0;
}

// The caller may have given up, and the server must hear of it all the same.
async function release(points: readonly Buffer[], { session, signal }: Asking): Promise<void> {
  if (points.length === 0) return;
  const { BrowseNextRequest, BrowseNextResponse } = session.library;
  const request = new BrowseNextRequest({ releaseContinuationPoints: true, continuationPoints: [...points] });
  const releasing = session
    .call(request, BrowseNextResponse, { service: 'BrowseNext', timeoutMs: RELEASE_MS })
    // The server gives it up with the session.
    .catch(() => undefined);
  if (!signal.aborted) await releasing;
}
