import { CHANGE_OPTIONS } from '../configuration/change.ts';
import { createCommandGroup } from '../client/client-commands.ts';
import { CommandError, UsageError } from '../command-error.ts';
import {
  findAsset,
  findChannel,
  getChannel,
  listChannelSettings,
  putChannels,
  replaceChannel,
} from './configured-channel.ts';
import { UNSET } from '../driver/driver.ts';
import { applySettings, unsetSetting } from '../configuration/setting-edit.ts';
import { formatSettings } from '../configuration/setting-value.ts';

/** Adds, changes and removes channels of assets. */
export const channel = createCommandGroup('channel', 'add, change and remove channels of assets', {
  add: {
    parameters: 'ASSET CHANNEL',
    names: ['asset'],
    summary: 'add a channel to an asset',
    options: CHANGE_OPTIONS,
    settings: 'channel',
    examples: [
      'penstock channel add heating flow --type READ --valueType FLOAT \\\n    --unitId 1 --table INPUT_REGISTERS --offset 2 --dataType FLOAT32',
    ],
    run: async (invocation) => {
      const [pid = '', name = ''] = invocation.words;
      const owner = await findAsset(invocation.client, pid);
      if (findChannel(owner, name) !== undefined) {
        const detail = `channel "${name}" already exists in ${pid}; change it with "penstock channel set"`;
        throw new CommandError({ code: 'CHANNEL_EXISTS', detail });
      }
      const known = await listChannelSettings(invocation.client, owner);
      const added = await applySettings({ name }, invocation.settings, {
        known,
        terminal: invocation.terminal,
      });
      await putChannels(invocation, owner, [...owner.channels, added]);
    },
  },
  set: {
    parameters: 'ASSET CHANNEL',
    names: ['asset', 'channel'],
    summary: 'change settings of a channel; the others stay unchanged',
    options: { ...UNSET, ...CHANGE_OPTIONS },
    settings: 'channel',
    examples: ['penstock channel set heating heatPower --wordOrder LITTLE_ENDIAN'],
    run: async (invocation) => {
      const { options, settings, terminal } = invocation;
      const [pid = '', name = ''] = invocation.words;
      const removed = (options['unset'] ?? []) as readonly string[];
      if (settings.length + removed.length === 0) throw new UsageError('no setting given');
      const owner = await findAsset(invocation.client, pid);
      const before = await getChannel(invocation.client, owner, name);
      const known = await listChannelSettings(invocation.client, owner);
      const set = await applySettings(before, settings, { known, terminal });
      const after = removed.reduce((item, key) => unsetSetting(item, key, known), set);
      await putChannels(invocation, owner, replaceChannel(owner, before, after));
    },
  },
  remove: {
    parameters: 'ASSET CHANNEL',
    names: ['asset', 'channel'],
    summary: 'remove a channel from an asset',
    options: CHANGE_OPTIONS,
    run: async (invocation) => {
      const [pid = '', name = ''] = invocation.words;
      const owner = await findAsset(invocation.client, pid);
      const removed = await getChannel(invocation.client, owner, name);
      if (findChannel(owner, name) === undefined) {
        const detail = `${name} is defined by the template ${String(owner.asset['template'])} and cannot be removed from ${pid}`;
        throw new CommandError({ code: 'CHANNEL_OF_TEMPLATE', detail });
      }
      const left = owner.channels.filter((each) => each !== removed);
      const named = ['reads', 'writes'].map((verb) => `${verb} of ${name} of asset ${pid}`);
      await putChannels(invocation, owner, left, named);
    },
  },
  settings: {
    parameters: 'ASSET',
    names: ['asset'],
    summary: 'list the channel settings of an asset',
    run: async (invocation) => {
      const owner = await findAsset(invocation.client, invocation.words[0] ?? '');
      invocation.show(await listChannelSettings(invocation.client, owner), formatSettings);
    },
  },
});
