import type { IncomingMessage } from 'node:http';

import { Router } from 'express';

import type { RequestContext, Step } from './request-context.ts';
import { runSteps } from './run-steps.ts';

/** Called with the error if no step answers the request. */
type Refuse = (error: unknown) => void;

/** Steps and parameters of a path. */
interface CachedPath {
  readonly steps: readonly Step[];
  readonly parameters: RequestContext['parameters'];
}

/** The router passes on the request and response alone. */
interface CarryingRequest extends IncomingMessage {
  [CONTEXT]?: RequestContext;
}

const CONTEXT = Symbol('context');
// Two paths for each asset of a large plant. Longer paths than our own are not cached.
const MAXIMUM_CACHED = 2000;
const MAXIMUM_LENGTH = 512;

/**
 * Runs the steps of the route that matches a request. The router compares a path with every route, so results are cached by
 * path.
 */
export class Dispatcher {
  readonly #router = Router({ caseSensitive: true });
  readonly #cached = new Map<string, CachedPath>();

  /**
   * @param paths the steps of each Express path, in the order in which they are tried
   * @param otherwise the steps of all other paths
   */
  constructor(paths: Iterable<readonly [path: string, steps: readonly Step[]]>, otherwise: readonly Step[]) {
    for (const [path, steps] of paths) {
      this.#router.all(path, (request, _response, next) => {
        // No path of ours has a parameter that may be there several times.
        const parameters = Object.freeze(request.params as CachedPath['parameters']);
        this.#enter(request, { steps, parameters }, next);
      });
    }
    this.#router.use((request, _response, next) => run(request, { steps: otherwise, parameters: {} }, next));
  }

  /** Runs the steps of the path of a request. */
  dispatch(context: RequestContext, refuse: Refuse): void {
    const { request, response } = context;
    const known = this.#cached.get(pathOf(request));
    if (known !== undefined) return runKnown(known, context, refuse);
    (request as CarryingRequest)[CONTEXT] = context;
    this.#router(request as never, response as never, refuse);
  }

  #enter(request: IncomingMessage, known: CachedPath, refuse: Refuse): void {
    this.#store(pathOf(request), known);
    run(request, known, refuse);
  }

  #store(path: string, known: CachedPath): void {
    if (path.length > MAXIMUM_LENGTH) return;
    const [oldest] = this.#cached.keys();
    if (oldest !== undefined && this.#cached.size >= MAXIMUM_CACHED) this.#cached.delete(oldest);
    // A part of a text keeps the whole text in memory; the bytes of a copy do not.
    this.#cached.set(Buffer.from(path, 'latin1').toString('latin1'), known);
  }
}

function run(request: IncomingMessage, known: CachedPath, refuse: Refuse): void {
  const { [CONTEXT]: context } = request as CarryingRequest;
  if (context === undefined) refuse(new Error('a request without its context'));
  else runKnown(known, context, refuse);
}

function runKnown({ steps, parameters }: CachedPath, context: RequestContext, refuse: Refuse): void {
  context.parameters = parameters;
  runSteps(steps, context, (error) => refuse(error ?? new Error('no step answered the request')));
}

/** Returns the request target without its query. */
function pathOf({ url = '' }: IncomingMessage): string {
  const end = url.indexOf('?');
  return end === -1 ? url : url.slice(0, end);
}
