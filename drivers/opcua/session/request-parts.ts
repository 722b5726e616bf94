import { isNothingDone, ServiceRefused } from '../opcua-errors.ts';
import type { SessionLimits } from './opcua-session.ts';

// With these a server reports that it would answer a smaller request.
const TOO_MUCH: ReadonlySet<string> = new Set([
  'BadTooManyOperations',
  'BadResponseTooLarge',
  'BadRequestTooLarge',
  'BadEncodingLimitsExceeded',
  'BadTcpMessageTooLarge',
]);

/** Whether a server refused a request for its size alone. */
export function asksTooMuch(error: unknown): boolean {
  return error instanceof ServiceRefused && TOO_MUCH.has(error.status);
}

/** Whether a request that changes something was refused for its size, and nothing of it was done. */
export function changesTooMuch(error: unknown): boolean {
  return asksTooMuch(error) && isNothingDone(error);
}

interface PartOptions {
  readonly limits: SessionLimits;
  readonly limit: keyof SessionLimits;
  /** Whether a refusal is for the size alone; unless given, of a request that changes something. */
  readonly isTooMuch?: (error: unknown) => boolean;
}

/**
 * Does work for all items, in the fewest requests that the server takes: not every server tells its limits, so one that
 * is refused is halved, and the session keeps that in mind.
 *
 * @throws what `work` throws
 */
export async function workInParts<Item>(
  items: readonly Item[],
  { limits, limit, isTooMuch = changesTooMuch }: PartOptions,
  work: (part: readonly Item[]) => Promise<void>,
): Promise<void> {
  let start = 0;
  while (start < items.length) {
    const part = items.slice(start, start + limits[limit]);
    try {
      await work(part);
      start += part.length;
    } catch (error) {
      if (part.length === 1 || !isTooMuch(error)) throw error;
      limits[limit] = Math.min(limits[limit], Math.ceil(part.length / 2));
    }
  }
}
