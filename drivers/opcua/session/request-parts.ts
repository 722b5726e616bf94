import { isNothingDone, ServiceRefused } from '../opcua-errors.ts';
import type { SessionLimits } from './opcua-session.ts';

// StatusCodes by which a server reports that a smaller request would succeed.
const TOO_LARGE: ReadonlySet<string> = new Set([
  'BadTooManyOperations',
  'BadResponseTooLarge',
  'BadRequestTooLarge',
  'BadEncodingLimitsExceeded',
  'BadTcpMessageTooLarge',
]);

/** True if a server refused a request only because of its size. */
export function isRequestTooLarge(error: unknown): boolean {
  return error instanceof ServiceRefused && TOO_LARGE.has(error.status);
}

/** True if a modifying request was refused because of its size, without any effect. */
export function isChangeTooLarge(error: unknown): boolean {
  return isRequestTooLarge(error) && isNothingDone(error);
}

interface PartOptions {
  readonly limits: SessionLimits;
  readonly limit: keyof SessionLimits;
  /** True if a refusal is only due to the size. Default: the check for modifying requests. */
  readonly isTooLarge?: (error: unknown) => boolean;
}

/**
 * Runs `work` for all items in the fewest requests that the server accepts. Not every server reports its limits, so a
 * refused request is halved, and the session stores the new limit.
 *
 * @throws the errors of `work`
 */
export async function workInParts<Item>(
  items: readonly Item[],
  { limits, limit, isTooLarge = isChangeTooLarge }: PartOptions,
  work: (part: readonly Item[]) => Promise<void>,
): Promise<void> {
  let start = 0;
  while (start < items.length) {
    const part = items.slice(start, start + limits[limit]);
    try {
      await work(part);
      start += part.length;
    } catch (error) {
      if (part.length === 1 || !isTooLarge(error)) throw error;
      limits[limit] = Math.min(limits[limit], Math.ceil(part.length / 2));
    }
  }
}
