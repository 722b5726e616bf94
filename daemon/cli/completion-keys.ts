import { findAsset, listChannelNames, listChannelSettings } from './configured-channel.ts';
import type { AssetWithChannels } from './configured-channel.ts';
import { fetchItems, listPids } from './configured-item.ts';
import { findByPrefix } from './dotted-path.ts';
import { fetchSchema } from './gateway-schema.ts';
import type { RestClient } from './rest-client.ts';
import { listSettings } from './setting.ts';
import type { Setting } from './setting.ts';

/**
 * Lists what the path of a key may become next: a section, then an item, then its keys; of an asset also its channels and
 * their keys. A path that goes on ends with a dot.
 *
 * @param typed what there is of the path
 */
export async function listKeys(client: RestClient, typed: string): Promise<readonly string[]> {
  const schema = await fetchSchema(client);
  const [section = '', ...rest] = typed.split('.');
  if (rest.length === 0) return schema.sections.map((name) => `${name}.`);
  const own = listSettings(schema.getSection(section));
  if (!own.some(({ path }) => path === 'pid')) return prefix(`${section}.`, own);
  const { items } = await fetchItems(client, section);
  const pids = listPids(items);
  const next = pids.map((pid) => `${section}.${pid}.`);
  const [pid] = findByPrefix(rest.join('.'), pids);
  const item = items.find((each) => each['pid'] === pid);
  const stem = `${section}.${pid}.`;
  if (item === undefined || !typed.startsWith(stem)) return next;
  const others = next.filter((each) => each !== stem);
  const keys = prefix(stem, listSettings(schema.getItem(section, item)));
  if (section !== 'assets') return [...others, ...keys];
  const channels = `${stem}channels.`;
  if (!typed.startsWith(channels)) return [...others, ...keys, channels];
  return [...others, ...(await listInChannels(client, await findAsset(client, pid), { typed, channels }))];
}

async function listInChannels(
  client: RestClient,
  asset: AssetWithChannels,
  { typed, channels }: { readonly typed: string; readonly channels: string },
): Promise<readonly string[]> {
  const names = await listChannelNames(client, asset);
  const next = names.map((name) => `${channels}${name}.`);
  const [name] = findByPrefix(typed.slice(channels.length), names);
  const stem = `${channels}${name}.`;
  if (!names.includes(name) || !typed.startsWith(stem)) return next;
  const others = next.filter((each) => each !== stem);
  return [...others, ...prefix(stem, await listChannelSettings(client, asset))];
}

function prefix(stem: string, settings: readonly Setting[]): readonly string[] {
  return settings.filter(({ path }) => path !== 'pid').map(({ path }) => `${stem}${path}`);
}
