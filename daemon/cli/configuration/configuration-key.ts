import { findNearestKey } from '../../base/key/key-hint.ts';
import { readSection, replaceItem, replaceSection } from '../../interface/configuration/configuration.ts';
import { makeChange } from './change.ts';
import type { Invocation } from '../client/client-commands.ts';
import { DocumentRefused, UsageError } from '../command-error.ts';
import {
  getChannel,
  listChannelNames,
  listChannelSettings,
  putChannels,
  replaceChannel,
  withChannels,
} from '../asset/configured-channel.ts';
import { fetchItems, getItem, listPids } from './configured-item.ts';
import type { ConfiguredItems } from './configured-item.ts';
import { findByPrefix, isItem, putAt, removeAt } from './setting-edit.ts';
import { fetchSchema } from './gateway-schema.ts';
import type { RestResponse } from '../client/rest-client.ts';
import { findSetting, listSettings } from './setting.ts';
import type { Setting } from './setting.ts';
import type { Item } from './setting-edit.ts';
import { readSettingValue } from './setting-value.ts';

/** Location of a key: its part of the configuration and the settings of that part. */
interface KeyLocation {
  readonly item: Item;
  readonly settings: readonly Setting[];
  /** Key inside the part, with dots. */
  readonly key: string;
  /** Applies the changed part. */
  readonly put: (edited: Item) => Promise<void>;
}

/** Changes one key of the configuration, or resets it to its default. */
export async function setKey(invocation: Invocation): Promise<void> {
  const { words, options, terminal } = invocation;
  const [where = '', text] = words;
  const isUnset = options['unset'] === true;
  if (isUnset === (text !== undefined)) throw new UsageError('expected either VALUE or --unset');
  const { item, settings, key, put } = await locateKey(invocation, where);
  const setting = findKey(where, key, settings);
  const keys = setting.path.split('.');
  const edited = isUnset
    ? removeAt(item, keys)
    : putAt(item, keys, await readSettingValue(where, text, { setting, terminal }));
  try {
    await put(edited);
  } catch (error) {
    if (!(error instanceof DocumentRefused) || error.faults.length !== 1) throw error;
    const value = text === undefined ? '' : ` ${JSON.stringify(text)}`;
    throw new UsageError(`${where}${value}: ${error.faults[0]?.message ?? error.detail}`);
  }
}

async function locateKey(invocation: Invocation, where: string): Promise<KeyLocation> {
  const { client } = invocation;
  const [section = '', ...rest] = where.split('.');
  const schema = await fetchSchema(client);
  const own = schema.getSection(section);
  if (rest.length === 0)
    throw new UsageError(`${where} is a section; replace it with "penstock config replace"`);
  const { body, headers }: RestResponse = await client.exchange(readSection, { parameters: { section } });
  if (!Array.isArray(body)) {
    return {
      item: isItem(body) ? body : {},
      settings: listSettings(own),
      key: rest.join('.'),
      put: (edited) =>
        makeChange(invocation, {
          endpoint: replaceSection,
          parameters: { section },
          body: edited,
          etag: headers.etag,
        }),
    };
  }
  const items = await fetchItems(client, section);
  const [pid, key] = findByPrefix(rest.join('.'), listPids(items.items));
  const item = getItem(items, section.replace(/s$/, ''), pid);
  if (section === 'assets' && /^channels(?:\.|$)/.test(key)) {
    return findInChannel(invocation, { items, item, where, inside: key.slice('channels.'.length) });
  }
  if (key === '') throw new UsageError(`${where} is an item; replace it with "penstock config replace"`);
  return {
    item,
    settings: listSettings(schema.getItem(section, item)).filter(({ path: each }) => each !== 'pid'),
    key,
    put: (edited) =>
      makeChange(invocation, {
        endpoint: replaceItem,
        parameters: { section, pid },
        body: edited,
        etag: items.etag,
      }),
  };
}

async function findInChannel(
  invocation: Invocation,
  {
    items,
    item,
    where,
    inside,
  }: {
    readonly items: ConfiguredItems;
    readonly item: Item;
    readonly where: string;
    readonly inside: string;
  },
): Promise<KeyLocation> {
  const { client } = invocation;
  const owner = withChannels(items, item);
  const pid = String(item['pid']);
  if (inside === '') {
    throw new UsageError(`${where} is a list of channels; append the name of a channel and a key`);
  }
  const [name, key] = findByPrefix(inside, await listChannelNames(client, owner));
  const channel = await getChannel(client, owner, name);
  if (key === '') throw new UsageError(`${where} is a channel; change it with "penstock channel set ${pid}"`);
  return {
    item: channel,
    settings: await listChannelSettings(client, owner),
    key,
    put: (edited) => putChannels(invocation, owner, replaceChannel(owner, channel, edited)),
  };
}

function findKey(where: string, key: string, settings: readonly Setting[]): Setting {
  try {
    return findSetting(key, settings, { term: 'key', prefix: '' });
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const [first = ''] = key.split('.');
    const isOfChannels = where.startsWith('assets.') && findNearestKey(first, ['channels']) !== undefined;
    throw new UsageError(
      isOfChannels ? `${where}: unknown key ${first}; did you mean "channels"?` : `${where}: ${error.detail}`,
    );
  }
}
