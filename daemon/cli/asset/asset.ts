import { assetChanges } from './asset-change.ts';
import { readAssetStatus } from '../../interface/plant/asset-status.ts';
import { describeDecoding, describeListened, describePlan, formatResults } from './asset-text.ts';
import {
  listAssets,
  listChannels,
  readAsset,
  readChannels,
  writeChannels,
} from '../../interface/plant/assets.ts';
import type { ChannelRecord, ResultRecord } from '../../interface/plant/assets.ts';
import { decodeChannel, planRead } from '../../interface/plant/commissioning.ts';
import { listenToAsset } from '../../interface/plant/listening.ts';
import { formatChannels } from './channel-text.ts';
import { withAssetHint } from './asset-hint.ts';
import { createCommandGroup } from '../client/client-commands.ts';
import type { Invocation } from '../client/client-commands.ts';
import { PartlyFailed, UsageError } from '../command-error.ts';
import { describeStatus } from '../status-text.ts';
import { suggest } from '../terminal/suggestion.ts';

const OF_ASSET = { names: ['asset'] } as const;
const OF_CHANNELS = { names: ['asset', 'channel'] } as const;

/** Lists, reads, writes and changes assets. */
export const asset = createCommandGroup('asset', 'read, write, add and change assets', {
  list: {
    parameters: '',
    summary: 'list the assets',
    run: async ({ client, show }) => {
      show(await client.call(listAssets), (pids) => pids.map((pid) => `${pid}\n`).join(''));
    },
  },
  show: {
    ...OF_ASSET,
    parameters: 'PID',
    summary: 'list the channels of an asset',
    run: async ({ client, words: [pid = ''], show }) => {
      show(await getChannels(client, pid), formatChannels);
    },
  },
  read: {
    ...OF_CHANNELS,
    parameters: 'PID [CHANNEL...]',
    summary: 'read the named channels, or all readable ones',
    examples: ['penstock asset read heating', 'penstock asset read heating setpoint --json'],
    run: async (invocation) => {
      const { client, words } = invocation;
      const [pid = '', ...channels] = words;
      const records = await withAssetHint(client, pid, () =>
        channels.length === 0
          ? client.call(readAsset, { pid, labels: true })
          : client.call(readChannels, { pid, labels: true }, { channels }),
      );
      await showResults(invocation, records);
    },
  },
  write: {
    ...OF_CHANNELS,
    parameters: 'PID CHANNEL=VALUE [CHANNEL=VALUE...]',
    summary: 'write values in the given order',
    text: 'VALUE may be a label of the channel instead of its value.',
    options: { 'dry-run': { help: 'show what would happen; send nothing' } },
    examples: [
      'penstock asset write heating setpoint=21.5',
      'penstock asset write heating setpoint=21.5 --dry-run',
    ],
    run: async (invocation) => {
      const { client, words, options } = invocation;
      const [pid = '', ...pairs] = words;
      const writes = pairs.map(toPair);
      const known = await getChannels(client, pid);
      const channels = writes.map(({ name, value }) => ({ name, type: typeOf(name, known), value }));
      const dryRun = options['dry-run'] === true ? true : undefined;
      await showResults(
        invocation,
        await client.call(writeChannels, { pid, dryRun, labels: true }, { channels }),
      );
    },
  },
  status: {
    ...OF_ASSET,
    parameters: 'PID',
    summary: 'show the connection and the devices of an asset',
    run: async ({ client, words: [pid = ''], show }) => {
      show(await withAssetHint(client, pid, () => client.call(readAssetStatus, { pid })), describeStatus);
    },
  },
  plan: {
    ...OF_ASSET,
    parameters: 'PID',
    summary: 'show the requests of a read and their cost on the wire',
    run: async ({ client, words: [pid = ''], show }) => {
      show(await withAssetHint(client, pid, () => client.call(planRead, { pid })), describePlan);
    },
  },
  decode: {
    ...OF_CHANNELS,
    parameters: 'PID CHANNEL [EXPECTED]',
    summary: 'list possible interpretations of the bytes of a channel, likeliest first',
    text: 'EXPECTED is the value that the device displays now: interpretations that yield it come first.',
    examples: ['penstock asset decode heating heatPower 18143'],
    run: async ({ client, words, show }) => {
      const [pid = '', channel = '', expected] = words;
      const body = expected === undefined ? { channel } : { channel, expected: toNumber(expected) };
      const decoding = await withAssetHint(client, pid, () => client.call(decodeChannel, { pid }, body));
      show(decoding, describeDecoding);
    },
  },
  listen: {
    ...OF_CHANNELS,
    parameters: 'PID [CHANNEL...]',
    summary: 'print value changes until stopped',
    text: 'Prints one line per value; with --json, one line per list of values. Stop with Ctrl-C.',
    run: async ({ client, words, isJson, terminal }) => {
      const [pid = '', ...channels] = words;
      const parameters = { pid, labels: true, channels: channels.length === 0 ? undefined : channels };
      const { stopSignal: signal } = terminal;
      await withAssetHint(client, pid, async () => {
        for await (const event of client.follow(listenToAsset, { parameters, signal })) {
          terminal.print(isJson ? `${JSON.stringify(event.data)}\n` : describeListened(event));
        }
      });
    },
  },
  ...assetChanges,
});

function getChannels(client: Invocation['client'], pid: string): Promise<readonly ChannelRecord[]> {
  return withAssetHint(client, pid, () => client.call(listChannels, { pid }));
}

function toPair(word: string): { readonly name: string; readonly value: string } {
  const position = word.indexOf('=');
  if (position < 1) throw new UsageError(`"${word}": expected CHANNEL=VALUE`);
  return { name: word.slice(0, position), value: word.slice(position + 1) };
}

// The gateway rejects unknown channels.
function typeOf(name: string, known: readonly ChannelRecord[]): ChannelRecord['valueType'] {
  return known.find((channel) => channel.name === name)?.valueType ?? 'STRING';
}

function toNumber(text: string): number {
  const number = Number(text);
  if (text.trim() === '' || Number.isNaN(number)) throw new UsageError(`"${text}": expected a number`);
  return number;
}

async function showResults(invocation: Invocation, records: readonly ResultRecord[]): Promise<void> {
  const { client, words, show } = invocation;
  const [pid = ''] = words;
  const isUnknown = records.some(({ statusCode }) => statusCode === 'CHANNEL_UNKNOWN');
  const known = isUnknown ? (await getChannels(client, pid)).map(({ name }) => name) : [];
  show(records, () =>
    formatResults(records, ({ name, statusCode }) =>
      statusCode === 'CHANNEL_UNKNOWN' ? suggest(name, known) : '',
    ),
  );
  const failed = records.filter(({ channelStatus }) => channelStatus.channelFlag !== 'SUCCESS');
  if (failed.length === 0) return;
  const detail = `${failed.length} of ${records.length} channels failed`;
  throw new PartlyFailed({ code: 'CHANNELS_FAILED', detail });
}
