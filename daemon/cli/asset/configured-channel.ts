import { listChannels } from '../../interface/plant/assets.ts';
import { makeChange } from '../configuration/change.ts';
import type { Invocation } from '../client/client-commands.ts';
import { CommandError, NotReached } from '../command-error.ts';
import { fetchItems, getItem } from '../configuration/configured-item.ts';
import type { ConfiguredItems } from '../configuration/configured-item.ts';
import { replaceItem } from '../../interface/configuration/configuration.ts';
import { fetchSchema } from '../configuration/gateway-schema.ts';
import type { RestClient } from '../client/rest-client.ts';
import { listSettings } from '../configuration/setting.ts';
import type { Setting } from '../configuration/setting.ts';
import { isItem } from '../configuration/setting-edit.ts';
import type { Item } from '../configuration/setting-edit.ts';
import { suggest } from '../terminal/suggestion.ts';

/** An asset with its own channels. */
export interface AssetWithChannels {
  readonly assets: ConfiguredItems;
  readonly asset: Item;
  /** Without channels of a template. */
  readonly channels: readonly Item[];
}

/**
 * Finds an asset and its channels.
 *
 * @throws {CommandError} `ITEM_UNKNOWN`
 */
export async function findAsset(client: RestClient, pid: string): Promise<AssetWithChannels> {
  const assets = await fetchItems(client, 'assets');
  return withChannels(assets, getItem(assets, 'asset', pid));
}

/** Extracts the own channels of an asset. */
export function withChannels(assets: ConfiguredItems, asset: Item): AssetWithChannels {
  const { channels } = asset;
  return { assets, asset, channels: Array.isArray(channels) ? channels.filter(isItem) : [] };
}

/** Finds an own channel of the asset. */
export function findChannel({ channels }: AssetWithChannels, name: string): Item | undefined {
  return channels.find((each) => each['name'] === name);
}

/**
 * Returns a channel as configured in the asset, or only its name if it is defined by a template, whose fields the asset
 * can override.
 *
 * @throws {CommandError} `CHANNEL_UNKNOWN`
 */
export async function getChannel(client: RestClient, owner: AssetWithChannels, name: string): Promise<Item> {
  const found = findChannel(owner, name);
  if (found !== undefined) return found;
  const names = await listChannelNames(client, owner);
  if (names.includes(name)) return { name };
  const detail = `${String(owner.asset['pid'])} has no channel "${name}"${suggest(name, names)}`;
  throw new CommandError({ code: 'CHANNEL_UNKNOWN', detail });
}

/** Lists the channel names of an asset, including those of a template if the caller may see them. */
export async function listChannelNames(
  client: RestClient,
  { asset, channels }: AssetWithChannels,
): Promise<readonly string[]> {
  const own = channels.map((each) => String(each['name']));
  if (asset['template'] === undefined) return own;
  const expanded = await fetchChannelNames(client, String(asset['pid']));
  return [...own, ...expanded.filter((name) => !own.includes(name))];
}

async function fetchChannelNames(client: RestClient, pid: string): Promise<readonly string[]> {
  try {
    return (await client.call(listChannels, { pid })).map(({ name }) => name);
  } catch (error) {
    // Callers that may change the configuration need not be permitted to see assets.
    if (error instanceof NotReached || !(error instanceof CommandError)) throw error;
    return [];
  }
}

/** Lists the channel settings of an asset, which depend on the type of its driver. */
export async function listChannelSettings(
  client: RestClient,
  { asset }: AssetWithChannels,
): Promise<readonly Setting[]> {
  const { items } = await fetchItems(client, 'drivers');
  const driver = items.find(({ pid }) => pid === asset['driver']);
  const schema = (await fetchSchema(client)).getChannel(String(driver?.['type']));
  return listSettings(schema).filter(({ path }) => path !== 'name');
}

/** Replaces a channel of an asset; appends it if it is not an own channel yet. */
export function replaceChannel({ channels }: AssetWithChannels, before: Item, after: Item): readonly Item[] {
  return channels.includes(before)
    ? channels.map((each) => (each === before ? after : each))
    : [...channels, after];
}

/** Replaces the own channels of an asset. */
export async function putChannels(
  invocation: Invocation,
  { assets, asset }: AssetWithChannels,
  channels: readonly Item[],
  named: readonly string[] = [],
): Promise<void> {
  const body = { ...asset, channels };
  await makeChange(invocation, {
    endpoint: replaceItem,
    described: 'channel',
    parameters: { section: 'assets', pid: String(asset['pid']) },
    body,
    etag: assets.etag,
    named,
  });
}
