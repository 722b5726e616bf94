import { messageOf } from '../../base/errors.ts';
import type { RequestContext, Step } from './request-context.ts';

/**
 * Runs the steps of a request in order; a synchronous step costs no turn of the event loop.
 *
 * @param done called with the error of a step, or without one if no step answered
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
  // A disconnected client counts as answered.
  if (!context.response.headersSent && !context.response.destroyed) done();
}

// The router treats undefined as success, and some strings specially.
function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(`thrown: ${messageOf(thrown)}`);
}
