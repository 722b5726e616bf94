import type { IncomingMessage } from 'node:http';

import { z } from '../base/schema.ts';
import { createQueryRefusal, readQuery } from '../http/query.ts';

/** Names of channels with commas between them, as a parameter of a query. */
export const channelsParameter = z
  .string()
  .min(1, 'expected names of channels with commas between them')
  .optional();

/** A query that chooses channels. */
export const channelsQuery = z.object({ channels: channelsParameter });

/**
 * Reads which channels a request chooses.
 *
 * @returns undefined when it does not say
 * @throws {InvalidRequest} `QUERY_INVALID`; unknown names of channels are none of its business
 */
export function readChannelNames(request: IncomingMessage): readonly string[] | undefined {
  return splitChannelNames(readQuery(request, channelsQuery).channels);
}

/** Returns the names in a list; throws a `QUERY_INVALID` when one of them is empty. */
export function splitChannelNames(list: string | undefined): readonly string[] | undefined {
  const names = list?.split(',');
  if (names?.includes('') === true) throw createQueryRefusal('"channels": a name is empty');
  return names;
}
