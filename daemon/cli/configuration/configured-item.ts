import { readSection } from '../../interface/configuration/configuration.ts';
import { CommandError } from '../command-error.ts';
import type { RestResponse, RestClient } from '../client/rest-client.ts';
import { isItem } from './setting-edit.ts';
import type { Item } from './setting-edit.ts';
import { suggest } from '../terminal/suggestion.ts';

/** Items of a section, and the ETag of their configuration. */
export interface ConfiguredItems {
  readonly items: readonly Item[];
  readonly etag: string | undefined;
}

/** Fetches the items of a list section. */
export async function fetchItems(client: RestClient, section: string): Promise<ConfiguredItems> {
  const { body, headers }: RestResponse = await client.exchange(readSection, { parameters: { section } });
  return { items: Array.isArray(body) ? body.filter(isItem) : [], etag: headers.etag };
}

/**
 * Returns one item of a section.
 *
 * @param kind noun for the message: `driver`
 * @throws {CommandError} `ITEM_UNKNOWN`
 */
export function getItem({ items }: ConfiguredItems, kind: string, pid: string): Item {
  const found = items.find((item) => item['pid'] === pid);
  if (found !== undefined) return found;
  const detail = `unknown ${kind} "${pid}"${suggest(pid, listPids(items))}`;
  throw new CommandError({ code: 'ITEM_UNKNOWN', detail });
}

/**
 * Checks that a section does not contain an item yet.
 *
 * @throws {CommandError} `ITEM_EXISTS`
 */
export function checkNew({ items }: ConfiguredItems, kind: string, pid: string): void {
  if (!listPids(items).includes(pid)) return;
  const detail = `${kind} "${pid}" already exists; change it with "penstock ${kind} set"`;
  throw new CommandError({ code: 'ITEM_EXISTS', detail });
}

/** Lists the pids of items. */
export function listPids(items: readonly Item[]): readonly string[] {
  return items.flatMap(({ pid }) => (typeof pid === 'string' ? [pid] : []));
}
