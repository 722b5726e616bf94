import type { BrowseDescriptionOptions, BrowseResult, ReferenceDescription } from 'node-opcua-client';

import type { Cancel, Clock } from '../../../daemon/base/clock.ts';
import { InvalidResponse } from '../opcua-errors.ts';
import type { OpcuaSession } from '../session/opcua-session.ts';
import type { SessionLink } from '../session/read-attributes.ts';
import { isRequestTooLarge, workInParts } from '../session/request-parts.ts';
import { nameStatus, severityOf } from '../value/status.ts';

interface ReferencePage {
  readonly references: readonly ReferenceDescription[];
  readonly hasMore: boolean;
  readonly status?: undefined;
}

/** References of a node, or the StatusCode name of the refusal. */
type ReferenceList = ReferencePage | { readonly status: string };

/** Positions of references in the order of the server. */
interface ReferenceRange {
  readonly from: number;
  readonly limit: number;
}

const REFERENCES_PER_ANSWER = 1000;
// Guards against a server with endless lists.
const MAXIMUM_RESPONSES = 1000;
const MAXIMUM_EMPTY_ANSWERS = 3;
const RELEASE_MS = 1000;
// An operator turns to the next page, or not; many servers can store only few lists.
const KEPT_MS = 60_000;

/** An incomplete list and the range that continues it. */
interface KeptList {
  readonly session: OpcuaSession;
  readonly nodeId: string;
  readonly list: OpenList;
  readonly cancel: Cancel;
}

/**
 * Lists ranges of the references of one node at a time. An incomplete list stays open for the next range, so that a page
 * does not list all nodes before it again; the server stores one list at most.
 */
export class ReferencePager {
  readonly #clock: Clock;
  #kept: KeptList | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Lists a range of the references of one node, with continuation points.
   *
   * @throws the errors of `OpcuaLink.call`
   */
  async list(
    node: BrowseDescriptionOptions & { readonly nodeId: string },
    range: ReferenceRange,
    asking: SessionLink,
  ): Promise<ReferenceList> {
    const { session } = asking;
    const kept = this.#take();
    const isNext =
      kept?.session === session && kept.nodeId === node.nodeId && kept.list.position === range.from;
    if (isNext) {
      try {
        return await this.#readPage(node.nodeId, kept.list, range, asking);
      } catch (error) {
        // The server may no longer have the list.
        if (!(error instanceof ListDropped)) throw error;
      }
    } else await kept?.list.release(asking);
    const list = await openList(node, range, asking);
    return 'status' in list ? list : this.#readPage(node.nodeId, list, range, asking);
  }

  async #readPage(
    nodeId: string,
    list: OpenList,
    range: ReferenceRange,
    asking: SessionLink,
  ): Promise<ReferenceList> {
    let page: ReferencePage;
    try {
      page = await list.readPage(range, asking);
    } catch (error) {
      await list.release(asking);
      throw error;
    }
    if (page.hasMore) this.#keep(nodeId, list, asking);
    else await list.release(asking);
    return page;
  }

  #keep(nodeId: string, list: OpenList, { link, session }: SessionLink): void {
    this.#take();
    const cancel = this.#clock.schedule(KEPT_MS, () => {
      this.#take();
      if (session.isOpen) void list.release({ link, session, signal: AbortSignal.abort() });
    });
    this.#kept = { session, nodeId, list, cancel };
  }

  #take(): KeptList | undefined {
    const kept = this.#kept;
    this.#kept = undefined;
    kept?.cancel();
    return kept;
  }
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
  const lists = await listAllReferences(nodes, asking);
  return lists.map(({ references }) => references[0]);
}

/**
 * Returns the references of several nodes that have few, or the StatusCode name of the refusal.
 *
 * @returns one per node, in the same order
 * @throws the errors of `OpcuaLink.call`
 */
export async function listAllReferences(
  nodes: readonly BrowseDescriptionOptions[],
  asking: SessionLink,
): Promise<
  readonly { readonly references: readonly ReferenceDescription[]; readonly status?: string | undefined }[]
> {
  const { link, session, signal } = asking;
  const { BrowseRequest, BrowseResponse } = session.library;
  const found: {
    readonly references: readonly ReferenceDescription[];
    readonly status?: string | undefined;
  }[] = [];
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
    for (const result of results) {
      found.push({ references: result.references ?? [], status: findRefusal(result, asking) });
    }
    const points = results.map(({ continuationPoint }) => continuationPoint).filter(isPoint);
    await release(points, asking);
  });
  return found;
}

/**
 * Requests the references of a node.
 *
 * @returns the list, or the StatusCode name of the refusal
 */
async function openList(
  node: BrowseDescriptionOptions,
  { from, limit }: ReferenceRange,
  asking: SessionLink,
): Promise<OpenList | { readonly status: string }> {
  const { link, session, signal } = asking;
  const { BrowseRequest, BrowseResponse } = session.library;
  const requestedMaxReferencesPerNode = Math.min(from + limit + 1, REFERENCES_PER_ANSWER);
  const { results } = await link.call(
    session,
    () => new BrowseRequest({ nodesToBrowse: [node], requestedMaxReferencesPerNode }),
    BrowseResponse,
    { service: 'Browse', counter: 'reads', signal },
  );
  const first = takeOnly(results);
  const status = findRefusal(first, asking);
  return status === undefined ? new OpenList(first) : { status };
}

/** The server ended a list before its end. */
class ListDropped extends InvalidResponse {}

/** A list of references that is read in order, with a continuation point. */
class OpenList {
  /** Position of the first reference that was not returned yet. */
  position = 0;
  #waiting: ReferenceDescription[] = [];
  #point: Buffer | undefined;

  constructor(result: BrowseResult) {
    this.#take(result);
  }

  /** Returns a range that begins at `position` or later; what is before it is dropped. */
  async readPage({ from, limit }: ReferenceRange, asking: SessionLink): Promise<ReferencePage> {
    // One more shows if there are others.
    const wanted = from + limit + 1;
    let emptyAnswers = 0;
    for (let answers = 1; this.#point !== undefined && this.#end < wanted; answers += 1) {
      const before = this.#end;
      this.#skip(from);
      this.#take(await this.#askNext(this.#point, asking));
      emptyAnswers = this.#end === before ? emptyAnswers + 1 : 0;
      if (answers >= MAXIMUM_RESPONSES || emptyAnswers >= MAXIMUM_EMPTY_ANSWERS) {
        throw new InvalidResponse('endless list of references');
      }
    }
    this.#skip(from);
    const references = this.#waiting.splice(0, limit);
    this.position += references.length;
    return { references, hasMore: this.#waiting.length > 0 };
  }

  async release(asking: SessionLink): Promise<void> {
    const point = this.#point;
    this.#point = undefined;
    if (point !== undefined) await release([point], asking);
  }

  get #end(): number {
    return this.position + this.#waiting.length;
  }

  #skip(from: number): void {
    this.position += this.#waiting.splice(0, from - this.position).length;
  }

  async #askNext(point: Buffer, asking: SessionLink): Promise<BrowseResult> {
    const { link, session, signal } = asking;
    const { BrowseNextRequest, BrowseNextResponse } = session.library;
    const { results } = await link.call(
      session,
      () => new BrowseNextRequest({ releaseContinuationPoints: false, continuationPoints: [point] }),
      BrowseNextResponse,
      { service: 'BrowseNext', counter: 'reads', signal },
    );
    const result = takeOnly(results);
    const refusal = findRefusal(result, asking);
    if (refusal === undefined) return result;
    this.#point = undefined;
    throw new ListDropped(`it ended a list of references with ${refusal}`);
  }

  #take({ references, continuationPoint }: BrowseResult): void {
    for (const reference of references ?? []) this.#waiting.push(reference);
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
