import { messageOf } from '../../base/errors.ts';
import type { RequestContext, Step } from './request-context.ts';

/**
 * Runs the steps of a request one after the other; a step that answers without waiting costs no turn of the event loop.
 *
 * @param done called with what a step has thrown; without an error when all steps ran and none of them answered
 */
export function runSteps(
  steps: readonly Step[],
  context: RequestContext,
  done: (error?: Error) => void,
): void {
  runFrom(steps, 0, context, done);
}

function runFrom(
  steps: readonly Step[],
  start: number,
  context: RequestContext,
  done: (error?: Error) => void,
): void {
  const fail = (thrown: unknown): void => done(asError(thrown));
  try {
    for (let index = start; index < steps.length; index += 1) {
      const pending = steps[index]?.(context);
      if (pending === undefined) continue;
      pending.then(() => runFrom(steps, index + 1, context, done), fail);
      return;
    }
  } catch (error) {
    fail(error);
    return;
  }
  // A client that has gone was answered as well, as far as anybody can.
  if (!context.response.headersSent && !context.response.destroyed) done();
}

// The router takes undefined for success, and gives some strings a special meaning.
function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(`thrown: ${messageOf(thrown)}`);
}
