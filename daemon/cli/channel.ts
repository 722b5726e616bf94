import { CHANGE_OPTIONS, makeChange } from './change.ts';
import { createClientVerb } from './client-verb.ts';
import type { Invocation } from './client-verb.ts';
import { CommandError, UsageError } from './command-error.ts';
import { fetchItems, getItem, itemPath } from './configured-item.ts';
import type { ConfiguredItems } from './configured-item.ts';
import { UNSET } from './driver.ts';
import { fetchSchema } from './gateway-schema.ts';
import { listSettings } from './setting.ts';
import type { Setting } from './setting.ts';
import { applySettings, isItem, unsetSetting } from './setting-edit.ts';
import type { Item } from './setting-edit.ts';
import { formatSettings } from './setting-table.ts';
import { suggest } from './suggestion.ts';

/** Adds, changes and removes channels of assets. */
export const channel = createClientVerb('channel', 'adds, changes and removes channels of assets', {
  add: {
    parameters: 'ASSET CHANNEL',
    names: ['asset'],
    summary: 'adds a channel to an asset',
    options: CHANGE_OPTIONS,
    settings: 'channel',
    examples: [
      'penstock channel add heating flow --type READ --valueType FLOAT \\\n    --unitId 1 --table INPUT_REGISTERS --offset 2 --dataType FLOAT32',
    ],
    run: async (invocation) => {
      const [pid = '', name = ''] = invocation.words;
      const place = await findAsset(invocation, pid);
      if (place.channels.some((each) => each['name'] === name)) {
        const detail = `${pid} has a channel "${name}" already; "penstock channel set" changes it`;
        throw new CommandError({ code: 'CHANNEL_EXISTS', detail });
      }
      const known = await listKnown(invocation, place);
      const added = await applySettings({ name }, invocation.settings, {
        known,
        terminal: invocation.terminal,
      });
      await putChannels(invocation, place, [...place.channels, added]);
    },
  },
  set: {
    parameters: 'ASSET CHANNEL',
    names: ['asset', 'channel'],
    summary: 'changes settings of a channel; the others stay as they are',
    options: { ...UNSET, ...CHANGE_OPTIONS },
    settings: 'channel',
    examples: ['penstock channel set heating heatPower --wordOrder LITTLE_ENDIAN'],
    run: async (invocation) => {
      const { options, settings, terminal } = invocation;
      const [pid = '', name = ''] = invocation.words;
      const removed = (options['unset'] ?? []) as readonly string[];
      if (settings.length + removed.length === 0) throw new UsageError('a setting is missing');
      const place = await findAsset(invocation, pid);
      const before = getChannel(place, name);
      const known = await listKnown(invocation, place);
      const set = await applySettings(before, settings, { known, terminal });
      const after = removed.reduce((item, key) => unsetSetting(item, key, known), set);
      await putChannels(
        invocation,
        place,
        place.channels.map((each) => (each === before ? after : each)),
      );
    },
  },
  remove: {
    parameters: 'ASSET CHANNEL',
    names: ['asset', 'channel'],
    summary: 'removes a channel from an asset',
    options: CHANGE_OPTIONS,
    run: async (invocation) => {
      const [pid = '', name = ''] = invocation.words;
      const place = await findAsset(invocation, pid);
      const removed = getChannel(place, name);
      const left = place.channels.filter((each) => each !== removed);
      const named = ['reads', 'writes'].map((verb) => `${verb} of ${name} of asset ${pid}`);
      await putChannels(invocation, place, left, named);
    },
  },
  settings: {
    parameters: 'ASSET',
    names: ['asset'],
    summary: 'lists the settings that a channel of an asset may have',
    run: async (invocation) => {
      const place = await findAsset(invocation, invocation.words[0] ?? '');
      invocation.show(await listKnown(invocation, place), formatSettings);
    },
  },
});

interface Place {
  readonly assets: ConfiguredItems;
  readonly asset: Item;
  readonly channels: readonly Item[];
}

async function findAsset({ client }: Invocation, pid: string): Promise<Place> {
  const assets = await fetchItems(client, 'assets');
  const asset = getItem(assets, 'asset', pid);
  const { channels } = asset;
  return { assets, asset, channels: Array.isArray(channels) ? channels.filter(isItem) : [] };
}

function getChannel({ asset, channels }: Place, name: string): Item {
  const found = channels.find((each) => each['name'] === name);
  if (found !== undefined) return found;
  const names = channels.map((each) => String(each['name']));
  const detail = `${String(asset['pid'])} has no channel "${name}"${suggest(name, names)}`;
  throw new CommandError({ code: 'CHANNEL_UNKNOWN', detail });
}

async function listKnown({ client }: Invocation, { asset }: Place): Promise<readonly Setting[]> {
  const { items } = await fetchItems(client, 'drivers');
  const driver = items.find(({ pid }) => pid === asset['driver']);
  const schema = (await fetchSchema(client)).getChannel(String(driver?.['type']));
  return listSettings(schema).filter(({ path }) => path !== 'name');
}

async function putChannels(
  invocation: Invocation,
  { assets, asset }: Place,
  channels: readonly Item[],
  named: readonly string[] = [],
): Promise<void> {
  const path = itemPath('assets', String(asset['pid']));
  await makeChange(invocation, {
    method: 'PUT',
    path,
    body: { ...asset, channels },
    etag: assets.etag,
    named,
  });
}
