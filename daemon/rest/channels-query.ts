import type { IncomingMessage } from 'node:http';

import { z } from '../base/schema.ts';
import { createQueryRefusal, hasQuery, readQuery } from '../http/query.ts';
import { listParameter } from '../interface/query-parameter.ts';

/** A query parameter: names of channels. */
export const channelsParameter = listParameter('expected names of channels with commas between them');

/** A query that selects channels. */
export const channelsQuery = z.object({ channels: channelsParameter });

/**
 * Reads which channels a request selects.
 *
 * @returns undefined when the request selects none by name
 * @throws {InvalidRequest} `QUERY_INVALID`; unknown names of channels are not checked
 */
export function readChannelNames(request: IncomingMessage): readonly string[] | undefined {
  return hasQuery(request) ? splitChannelNames(readQuery(request, channelsQuery).channels) : undefined;
}

/** Returns the names in a list; throws `QUERY_INVALID` when one of them is empty. */
export function splitChannelNames(list: string | undefined): readonly string[] | undefined {
  const names = list?.split(',');
  if (names?.includes('') === true) throw createQueryRefusal('"channels": a name is empty');
  return names;
}
