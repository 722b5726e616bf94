import { listAssets, listChannels } from '../../interface/plant/assets.ts';
import type { ClientValues } from '../client/client-options.ts';
import type { NameContext, NameSource } from './completion-words.ts';
import { fetchItems, getItem, listPids } from '../configuration/configured-item.ts';
import { fetchSchema } from '../configuration/gateway-schema.ts';
import { listIdentities, listPermissions } from '../../interface/security/identities.ts';
import { listBundles } from '../../interface/software/bundles.ts';
import { listPackages } from '../../interface/software/packages.ts';
import { listSessions } from '../../interface/security/sessions.ts';
import { listTemplates } from '../../interface/plant/templates.ts';
import { addCalls } from '../client/rest-client.ts';
import type { RestClient } from '../client/rest-client.ts';
import { listSettings } from '../configuration/setting.ts';
import type { SettingSchema, Setting } from '../configuration/setting.ts';
import type { CommandDescription, NameKind } from '../command-group.ts';
import { findAsset, listChannelNames, listChannelSettings } from '../asset/configured-channel.ts';
import type { AssetWithChannels } from '../asset/configured-channel.ts';
import { findByPrefix } from '../configuration/setting-edit.ts';

// Users do not wait long for a completion.
const TIMEOUT_MS = 3000;

type Fetch = (client: RestClient, context: NameContext) => Promise<readonly string[]>;

const SOURCES: Readonly<Partial<Record<NameKind, Fetch>>> = {
  asset: (client) => client.call(listAssets),
  channel: async (client, { words: [pid = ''] }) =>
    (await client.call(listChannels, { pid })).map(({ name }) => name),
  driver: async (client) => listPids((await fetchItems(client, 'drivers')).items),
  recorder: async (client) => listPids((await fetchItems(client, 'recorders')).items),
  driverType: async (client) => (await fetchSchema(client)).driverTypes,
  template: async (client) => (await client.call(listTemplates)).templates.map(({ name }) => name),
  key: (client, { typed }) => listKeys(client, typed),
  section: async (client) => (await fetchSchema(client)).sections,
  package: async (client) => (await client.call(listPackages)).map(({ name }) => name),
  bundle: async (client) => (await client.call(listBundles)).map(({ name }) => name),
  identity: async (client) => (await client.call(listIdentities)).userConfig.map(({ userName }) => userName),
  session: async (client) => (await client.call(listSessions)).sessions.map(({ id }) => id),
  permission: async (client) => (await client.call(listPermissions)).permissions,
};

/**
 * Creates a source that requests names from the gateway of the command line; without a timely response it has none.
 *
 * @param connect returns the client for the options
 */
export function createNameSource(connect: (options: ClientValues) => Promise<RestClient>): NameSource {
  const ask = async (context: NameContext, fetch: Fetch): Promise<readonly string[]> => {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    try {
      const client = await connect(context.options);
      const limited = addCalls({
        ...client,
        send: (method, path, request) => client.send(method, path, { ...request, signal }),
      });
      return await fetch(limited, context);
    } catch {
      // A message would garble the command line.
      return [];
    }
  };
  return {
    async listNames(kind, context) {
      const fetch = SOURCES[kind];
      return fetch === undefined ? [] : ask(context, fetch);
    },
    listSettings: (of, context) =>
      ask(context, async (client) => {
        const schema = await findSchema(client, of, context);
        return schema === undefined ? [] : listSettings(schema).map(({ path }) => path);
      }),
  };
}

async function findSchema(
  client: RestClient,
  of: NonNullable<CommandDescription['settings']>,
  { options, words: [pid = ''] }: NameContext,
): Promise<SettingSchema | undefined> {
  const schema = await fetchSchema(client);
  if (of === 'asset') return schema.asset;
  if (of === 'recorder') return schema.getSection('recorders');
  const drivers = await fetchItems(client, 'drivers');
  if (of === 'driver') {
    const { type } = options;
    return schema.getDriver(
      typeof type === 'string' ? type : String(getItem(drivers, 'driver', pid)['type']),
    );
  }
  const asset = getItem(await fetchItems(client, 'assets'), 'asset', pid);
  return schema.getChannel(String(getItem(drivers, 'driver', String(asset['driver']))['type']));
}

/**
 * Lists the continuations of a key path: sections, then items, then keys; for assets also channels and their keys.
 * Incomplete paths end with a dot.
 *
 * @param typed incomplete path
 */
async function listKeys(client: RestClient, typed: string): Promise<readonly string[]> {
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
