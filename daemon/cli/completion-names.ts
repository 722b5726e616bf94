import { listAssets, listChannels } from '../interface/assets.ts';
import type { ClientValues } from './client-options.ts';
import type { NameContext, NameSource } from './completion-words.ts';
import { listKeys } from './completion-keys.ts';
import { fetchItems, getItem, listPids } from './configured-item.ts';
import { fetchSchema } from './gateway-schema.ts';
import { listIdentities, listPermissions } from '../interface/identities.ts';
import { listBundles } from '../interface/bundles.ts';
import { listPackages } from '../interface/packages.ts';
import { listSessions } from '../interface/sessions.ts';
import { listTemplates } from '../interface/templates.ts';
import { addCalls } from './rest-client.ts';
import type { RestClient } from './rest-client.ts';
import { listSettings } from './setting.ts';
import type { SettingSchema } from './setting.ts';
import type { CommandDescription, NameKind } from './verb.ts';

// Who waits at a prompt gives up soon.
const TIMEOUT_MS = 3000;

type Fetch = (client: RestClient, context: NameContext) => Promise<readonly string[]>;

const SOURCES: Readonly<Partial<Record<NameKind, Fetch>>> = {
  asset: (client) => client.call(listAssets),
  channel: async (client, { words: [pid = ''] }) =>
    (await client.call(listChannels, { pid })).map(({ name }) => name),
  driver: async (client) => listPids((await fetchItems(client, 'drivers')).items),
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
 * Creates a source that asks the gateway of the command line; without an answer in a few seconds it has no names.
 *
 * @param connect returns the client that the options describe
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
      // A message would stand in the middle of the line that is typed.
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
