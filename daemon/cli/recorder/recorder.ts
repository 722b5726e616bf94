import { removeItem, replaceItem } from '../../interface/configuration/configuration.ts';
import { CHANGE_OPTIONS, makeChange } from '../configuration/change.ts';
import { createCommandGroup } from '../client/client-commands.ts';
import type { Invocation } from '../client/client-commands.ts';
import { UsageError } from '../command-error.ts';
import { checkNew, fetchItems, getItem } from '../configuration/configured-item.ts';
import { fetchSchema } from '../configuration/gateway-schema.ts';
import { listSettings } from '../configuration/setting.ts';
import type { Setting } from '../configuration/setting.ts';
import { applySettings, unsetSetting } from '../configuration/setting-edit.ts';
import type { Item } from '../configuration/setting-edit.ts';
import { UNSET } from '../driver/driver.ts';

const ASSETS = {
  asset: {
    value: 'PID[:CHANNEL,...]',
    help: 'asset to record, all of its readable channels or those named',
    isRepeated: true,
    names: 'asset',
  },
} as const;

/** Adds, changes and removes recorders: channels whose values are kept. */
export const recorder = createCommandGroup('recorder', 'record channels at an interval or on change', {
  add: {
    parameters: 'PID',
    summary: 'add a recorder: channels of assets that are recorded from now on',
    options: { ...ASSETS, ...CHANGE_OPTIONS },
    settings: 'recorder',
    examples: [
      'penstock recorder add minute --asset heating --intervalMs 60000',
      'penstock recorder add fast --asset heating:flow --onChange --deadband 0.5',
    ],
    run: addRecorder,
  },
  set: {
    parameters: 'PID',
    names: ['recorder'],
    summary: 'change a recorder; --asset replaces all of its assets',
    options: { ...ASSETS, ...UNSET, ...CHANGE_OPTIONS },
    settings: 'recorder',
    examples: ['penstock recorder set minute --intervalMs 10000'],
    run: setRecorder,
  },
  remove: {
    parameters: 'PID',
    names: ['recorder'],
    summary: 'remove a recorder; what it has recorded stays',
    options: CHANGE_OPTIONS,
    run: async (invocation) => {
      const [pid = ''] = invocation.words;
      const recorders = await fetchItems(invocation.client, 'recorders');
      getItem(recorders, 'recorder', pid);
      const parameters = { section: 'recorders', pid };
      await makeChange(invocation, { endpoint: removeItem, parameters, etag: recorders.etag });
    },
  },
});

async function addRecorder(invocation: Invocation): Promise<void> {
  const { client, words, settings, terminal } = invocation;
  const [pid = ''] = words;
  const assets = parseAssets(invocation);
  if (assets === undefined) throw new UsageError('--asset is missing');
  const recorders = await fetchItems(client, 'recorders');
  checkNew(recorders, 'recorder', pid);
  const known = await listKnown(invocation);
  await makeChange(invocation, {
    endpoint: replaceItem,
    described: 'recorder',
    parameters: { section: 'recorders', pid },
    body: { ...(await applySettings({ pid }, settings, { known, terminal })), assets },
    etag: recorders.etag,
    next: `"penstock history list" shows what is recorded`,
  });
}

async function setRecorder(invocation: Invocation): Promise<void> {
  const { client, words, options, settings, terminal } = invocation;
  const [pid = ''] = words;
  const recorders = await fetchItems(client, 'recorders');
  const before = getItem(recorders, 'recorder', pid);
  const assets = parseAssets(invocation);
  const removed = (options['unset'] ?? []) as readonly string[];
  if (settings.length + removed.length === 0 && assets === undefined)
    throw new UsageError('no setting given');
  const known = await listKnown(invocation);
  const left = removed.reduce((item, name) => unsetSetting(item, name, known), before);
  const set = await applySettings(left, settings, { known, terminal });
  await makeChange(invocation, {
    endpoint: replaceItem,
    described: 'recorder',
    parameters: { section: 'recorders', pid },
    body: assets === undefined ? set : { ...set, assets },
    etag: recorders.etag,
  });
}

async function listKnown({ client }: Invocation): Promise<readonly Setting[]> {
  const schema = await fetchSchema(client);
  return listSettings(schema.getSection('recorders')).filter(({ path }) => !['pid', 'assets'].includes(path));
}

/** @returns undefined without `--asset` */
function parseAssets({ options }: Invocation): readonly Item[] | undefined {
  const given = options['asset'] as readonly string[] | undefined;
  return given?.map((text) => {
    const colon = text.indexOf(':');
    if (colon === -1) return { asset: text };
    const channels = text.slice(colon + 1).split(',');
    if (channels.includes('')) throw new UsageError(`--asset "${text}": expected PID:CHANNEL,...`);
    const repeated = channels.find((name, index) => channels.indexOf(name) !== index);
    if (repeated !== undefined) throw new UsageError(`--asset "${text}": "${repeated}" is used twice`);
    return { asset: text.slice(0, colon), channels };
  });
}
