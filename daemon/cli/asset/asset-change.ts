import { removeItem, replaceItem } from '../../interface/configuration/configuration.ts';
import { replaceTagSheet } from '../../interface/plant/tag-sheets.ts';
import { CHANGE_OPTIONS, makeChange } from '../configuration/change.ts';
import type { ClientCommand, Invocation } from '../client/client-commands.ts';
import { UsageError } from '../command-error.ts';
import { checkNew, fetchItems, getItem, listPids } from '../configuration/configured-item.ts';
import type { ConfiguredItems } from '../configuration/configured-item.ts';
import { UNSET } from '../driver/driver.ts';
import { fetchSchema } from '../configuration/gateway-schema.ts';
import { listSettings } from '../configuration/setting.ts';
import { applySettings, unsetSetting } from '../configuration/setting-edit.ts';
import type { Item } from '../configuration/setting-edit.ts';
import { suggest } from '../terminal/suggestion.ts';
import { readTextFile } from '../terminal/text-file.ts';

const DRIVER = { value: 'PID', help: 'driver that serves the asset', names: 'driver' } as const;
const CONTENT = {
  template: { value: 'NAME', help: 'device template, which defines the channels', names: 'template' },
  parameter: { value: 'KEY=VALUE', help: 'template parameter', isRepeated: true },
  sheet: { value: 'FILE', help: 'tag sheet (CSV) with the channels; "-": stdin', names: 'file' },
} as const;

/** Subcommands of `penstock asset` that change the configuration. */
export const assetChanges = {
  add: {
    parameters: 'PID',
    summary: 'add an asset with the channels of a template or a tag sheet, or without channels',
    options: { driver: DRIVER, ...CONTENT, ...CHANGE_OPTIONS },
    settings: 'asset',
    examples: [
      'penstock asset add heating --driver plc --template NAME --parameter unitId=1',
      'penstock asset add heating --driver plc --sheet heating.csv',
    ],
    run: addAsset,
  },
  set: {
    parameters: 'PID',
    names: ['asset'],
    summary: 'change an asset; a tag sheet replaces its channels',
    options: { driver: DRIVER, ...CONTENT, ...UNSET, ...CHANGE_OPTIONS },
    settings: 'asset',
    examples: ['penstock asset set heating --displayName "Heating, north"'],
    run: setAsset,
  },
  remove: {
    parameters: 'PID',
    names: ['asset'],
    summary: 'remove an asset with its channels',
    options: CHANGE_OPTIONS,
    run: async (invocation) => {
      const [pid = ''] = invocation.words;
      const assets = await fetchItems(invocation.client, 'assets');
      getItem(assets, 'asset', pid);
      const parameters = { section: 'assets', pid };
      const named = [`asset ${pid}`];
      await makeChange(invocation, { endpoint: removeItem, parameters, etag: assets.etag, named });
    },
  },
} as const satisfies Readonly<Record<string, ClientCommand>>;

async function addAsset(invocation: Invocation): Promise<void> {
  const { client, words, options, settings } = invocation;
  const [pid = ''] = words;
  const { driver, sheet } = options;
  if (typeof driver !== 'string') throw new UsageError('--driver is missing');
  await checkDriver(client, driver);
  const assets = await fetchItems(client, 'assets');
  checkNew(assets, 'asset', pid);
  const next = `read it with "penstock asset read ${pid}"; clients use ${readPath(pid)}`;
  if (typeof sheet === 'string') {
    if (settings.length > 0 || options['template'] !== undefined) {
      throw new UsageError('--sheet sets only the channels; change other settings with "penstock asset set"');
    }
    await putSheet(invocation, { assets, sheet, query: { driver }, next });
    return;
  }
  const body = await editAsset(invocation, { pid, driver });
  await makeChange(invocation, {
    endpoint: replaceItem,
    described: 'asset',
    parameters: { section: 'assets', pid },
    body,
    etag: assets.etag,
    next,
  });
}

/** Returns the REST path to read an asset. */
function readPath(pid: string): string {
  return `/services/assets/${encodeURIComponent(pid)}/_read`;
}

async function setAsset(invocation: Invocation): Promise<void> {
  const { client, words, options, settings } = invocation;
  const [pid = ''] = words;
  const assets = await fetchItems(client, 'assets');
  const before = getItem(assets, 'asset', pid);
  const { driver, sheet, ...others } = options;
  const removed = (options['unset'] ?? []) as readonly string[];
  const isEdited =
    settings.length + removed.length > 0 ||
    [driver, others['template'], others['parameter']].some((option) => option !== undefined);
  if (typeof sheet === 'string') {
    if (isEdited)
      throw new UsageError('--sheet replaces only the channels; change other settings in a separate command');
    await putSheet(invocation, { assets, sheet });
    return;
  }
  if (!isEdited) throw new UsageError('no setting given');
  if (typeof driver === 'string') await checkDriver(client, driver);
  const body = await editAsset(invocation, typeof driver === 'string' ? { ...before, driver } : before);
  await makeChange(invocation, {
    endpoint: replaceItem,
    described: 'asset',
    parameters: { section: 'assets', pid },
    body,
    etag: assets.etag,
  });
}

/** Applies the settings and the template of the command line to an asset. */
async function editAsset(invocation: Invocation, item: Item): Promise<Item> {
  const { client, options, settings, terminal } = invocation;
  const { asset } = await fetchSchema(client);
  const known = listSettings(asset).filter(({ path }) => path !== 'pid' && path !== 'driver');
  const set = await applySettings(item, settings, { known, terminal });
  const removed = (options['unset'] ?? []) as readonly string[];
  const left = removed.reduce((each, name) => unsetSetting(each, name, known), set);
  const { template } = options;
  const parameters = ((options['parameter'] ?? []) as readonly string[]).map(parseParameter);
  const before = (item['parameters'] ?? {}) as Item;
  return {
    ...left,
    ...(typeof template === 'string' ? { template } : {}),
    ...(parameters.length === 0 ? {} : { parameters: { ...before, ...Object.fromEntries(parameters) } }),
  };
}

// The template checks the types; text that looks like a number or a boolean is converted.
function parseParameter(text: string): readonly [string, unknown] {
  const position = text.indexOf('=');
  if (position < 1) throw new UsageError(`--parameter "${text}": expected KEY=VALUE`);
  const value = text.slice(position + 1);
  const isNumber = /^-?\d+(?:\.\d+)?$/.test(value) && String(Number(value)) === value;
  const isBoolean = value === 'true' || value === 'false';
  return [text.slice(0, position), isNumber ? Number(value) : isBoolean ? value === 'true' : value];
}

async function checkDriver(client: Invocation['client'], driver: string): Promise<void> {
  const pids = listPids((await fetchItems(client, 'drivers')).items);
  if (pids.includes(driver)) return;
  const hint = pids.length === 0 ? '; create one with "penstock driver add"' : suggest(driver, pids);
  throw new UsageError(`--driver: unknown driver "${driver}"${hint}`);
}

async function putSheet(
  invocation: Invocation,
  change: {
    readonly assets: ConfiguredItems;
    readonly sheet: string;
    readonly query?: Readonly<Record<string, string>>;
    readonly next?: string;
  },
): Promise<void> {
  const { assets, sheet, query, ...more } = change;
  const [pid = ''] = invocation.words;
  await makeChange(invocation, {
    ...more,
    endpoint: replaceTagSheet,
    parameters: { pid, ...query },
    body: await readTextFile(sheet),
    type: 'text/csv',
    etag: assets.etag,
  });
}
