import { CONFIGURATION, makeChange } from './change.ts';
import type { Invocation } from './client-verb.ts';
import { UsageError } from './command-error.ts';
import { fetchItems, getItem, itemPath, listPids } from './configured-item.ts';
import { fetchSchema } from './gateway-schema.ts';
import type { GatewaySchema } from './gateway-schema.ts';
import { findSetting, listSettings } from './setting.ts';
import type { Setting, SettingSchema } from './setting.ts';
import { isItem, putAt, removeAt } from './setting-edit.ts';
import type { Item } from './setting-edit.ts';
import { readSettingValue } from './setting-value.ts';

/** Where a key is: in which part of the configuration, and what that part may hold. */
interface Place {
  readonly path: string;
  readonly item: Item;
  readonly etag: string | undefined;
  readonly schema: SettingSchema;
  /** The key inside the part, with dots. */
  readonly key: string;
}

/** Changes one key of the configuration, or gives it its default again. */
export async function setKey(invocation: Invocation): Promise<void> {
  const { words, options, terminal } = invocation;
  const [where = '', text] = words;
  const isUnset = options['unset'] === true;
  if (isUnset === (text !== undefined)) throw new UsageError('expected either VALUE or --unset');
  const { path, item, etag, schema, key } = await findPlace(invocation, where);
  const setting = findKey(where, key, schema);
  const keys = setting.path.split('.');
  const body = isUnset
    ? removeAt(item, keys)
    : putAt(item, keys, await readSettingValue(where, text, { setting, terminal }));
  await makeChange(invocation, { method: 'PUT', path, body, etag });
}

async function findPlace({ client }: Invocation, where: string): Promise<Place> {
  const [section = '', ...rest] = where.split('.');
  const schema = await fetchSchema(client);
  const own = schema.getSection(section);
  if (rest.length === 0) throw new UsageError(`${where} is a section; "penstock config replace" replaces it`);
  const path = `${CONFIGURATION}/${section}`;
  const { body, headers } = await client.send('GET', path);
  if (!Array.isArray(body)) {
    return { path, item: isItem(body) ? body : {}, etag: headers.etag, schema: own, key: rest.join('.') };
  }
  const items = await fetchItems(client, section);
  const inside = rest.join('.');
  // A pid may have dots in it.
  const pid = listPids(items.items).find((each) => inside.startsWith(`${each}.`)) ?? rest[0] ?? '';
  const item = getItem(items, section.replace(/s$/, ''), pid);
  const key = inside.slice(pid.length + 1);
  if (section === 'assets' && /^channels(?:\.|$)/.test(key)) {
    throw new UsageError(`"penstock channel set ${pid} CHANNEL" changes a channel`);
  }
  if (key === '') throw new UsageError(`${where} is an item; "penstock config replace" replaces it`);
  const described = describeItem(schema, section, item);
  return { path: itemPath(section, pid), item, etag: items.etag, schema: described, key };
}

function describeItem(schema: GatewaySchema, section: string, item: Item): SettingSchema {
  if (section === 'drivers') return schema.getDriver(String(item['type']));
  return section === 'assets' ? schema.asset : schema.getSection(section);
}

function findKey(where: string, key: string, schema: SettingSchema): Setting {
  try {
    return findSetting(
      key,
      listSettings(schema).filter(({ path }) => path !== 'pid'),
    );
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(
      `${where}: ${error.detail.replace(/^unknown option --/, 'there is no key ').replaceAll('"--', '"')}`,
    );
  }
}
