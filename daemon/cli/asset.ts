import { assetChanges } from './asset-change.ts';
import { withAssetHint } from './asset-hint.ts';
import { getAssetStatus, listAssets } from './asset-status.ts';
import {
  describeDecoding,
  describeListened,
  describePlan,
  describeStatus,
  formatChannels,
  formatResults,
} from './asset-text.ts';
import type { ChannelInfo, Decoding, ReadPlan, ResultRecord } from './asset-text.ts';
import { createClientVerb } from './client-verb.ts';
import type { Invocation } from './client-verb.ts';
import { PartlyFailed, UsageError } from './command-error.ts';
import { readEvents } from './server-sent-events.ts';
import { suggest } from './suggestion.ts';

const ROOT = '/services/assets';

const OF_ASSET = { names: ['asset'] } as const;
const OF_CHANNELS = { names: ['asset', 'channel'] } as const;

/** Lists, reads, writes and changes assets. */
export const asset = createClientVerb('asset', 'reads, writes, adds and changes assets', {
  list: {
    parameters: '',
    summary: 'lists the assets',
    run: async ({ client, show }) => {
      show(await listAssets(client), (pids) => pids.map((pid) => `${pid}\n`).join(''));
    },
  },
  show: {
    ...OF_ASSET,
    parameters: 'PID',
    summary: 'lists the channels of an asset',
    run: async ({ client, words, show }) => {
      show(await getChannels(client, words), formatChannels);
    },
  },
  read: {
    ...OF_CHANNELS,
    parameters: 'PID [CHANNEL...]',
    summary: 'reads the named channels, or all that can be read',
    examples: ['penstock asset read heating', 'penstock asset read heating setpoint --json'],
    run: async (invocation) => {
      const { client, words } = invocation;
      const [pid = '', ...channels] = words;
      const { body } = await withAssetHint(client, pid, () =>
        channels.length === 0
          ? client.send('GET', `${pathOf(words)}/_read`)
          : client.send('POST', `${pathOf(words)}/_read`, { body: { channels } }),
      );
      await showResults(invocation, body as readonly ResultRecord[]);
    },
  },
  write: {
    ...OF_CHANNELS,
    parameters: 'PID CHANNEL=VALUE [CHANNEL=VALUE...]',
    summary: 'writes values in the given order',
    options: { 'dry-run': { help: 'shows what would happen, and sends nothing' } },
    examples: [
      'penstock asset write heating setpoint=21.5',
      'penstock asset write heating setpoint=21.5 --dry-run',
    ],
    run: async (invocation) => {
      const { client, words, options } = invocation;
      const pairs = words.slice(1).map(toPair);
      const known = await getChannels(client, words);
      const channels = pairs.map(({ name, value }) => ({ name, type: typeOf(name, known), value }));
      const query = options['dry-run'] === true ? '?dryRun=true' : '';
      const { body } = await client.send('POST', `${pathOf(words)}/_write${query}`, { body: { channels } });
      await showResults(invocation, body as readonly ResultRecord[]);
    },
  },
  status: {
    ...OF_ASSET,
    parameters: 'PID',
    summary: 'shows the connection and the devices behind an asset',
    run: async ({ client, words: [pid = ''], show }) => {
      show(await withAssetHint(client, pid, () => getAssetStatus(client, pid)), describeStatus);
    },
  },
  plan: {
    ...OF_ASSET,
    parameters: 'PID',
    summary: 'shows the requests of a read, and their cost on the line',
    run: async ({ client, words, show }) => {
      const { body } = await withAssetHint(client, words[0] ?? '', () =>
        client.send('GET', `${pathOf(words)}/_plan`),
      );
      show(body as ReadPlan, describePlan);
    },
  },
  decode: {
    ...OF_CHANNELS,
    parameters: 'PID CHANNEL [EXPECTED]',
    summary: 'shows possible meanings of the bytes of a channel, the likeliest first',
    text: 'EXPECTED is the value that the display of the device shows now: meanings that give it come first.',
    examples: ['penstock asset decode heating heatPower 18143'],
    run: async ({ client, words, show }) => {
      const [pid = '', channel = '', expected] = words;
      const body = expected === undefined ? { channel } : { channel, expected: toNumber(expected) };
      const answer = await withAssetHint(client, pid, () =>
        client.send('POST', `${pathOf(words)}/_decode`, { body }),
      );
      show(answer.body as Decoding, describeDecoding);
    },
  },
  listen: {
    ...OF_CHANNELS,
    parameters: 'PID [CHANNEL...]',
    summary: 'prints changes of values, until stopped',
    text: 'Every value is a line; with --json, every list of them. Ctrl-C ends it.',
    run: async ({ client, words, isJson, terminal }) => {
      const [pid = '', ...channels] = words;
      const query = channels.length === 0 ? '' : `?channels=${channels.map(encodeURIComponent).join(',')}`;
      await withAssetHint(client, pid, async () => {
        const stream = client.stream(`${pathOf(words)}/_listen${query}`, terminal.stopSignal);
        for await (const event of readEvents(stream)) {
          terminal.print(isJson ? `${JSON.stringify(event.data)}\n` : describeListened(event));
        }
      });
    },
  },
  ...assetChanges,
});

function pathOf([pid = '']: readonly string[]): string {
  return `${ROOT}/${encodeURIComponent(pid)}`;
}

async function getChannels(
  client: Invocation['client'],
  words: readonly string[],
): Promise<readonly ChannelInfo[]> {
  const { body } = await withAssetHint(client, words[0] ?? '', () => client.send('GET', pathOf(words)));
  return body as readonly ChannelInfo[];
}

function toPair(word: string): { readonly name: string; readonly value: string } {
  const position = word.indexOf('=');
  if (position < 1) throw new UsageError(`"${word}": expected CHANNEL=VALUE`);
  return { name: word.slice(0, position), value: word.slice(position + 1) };
}

// The gateway refuses an unknown channel.
function typeOf(name: string, known: readonly ChannelInfo[]): string {
  return known.find((channel) => channel.name === name)?.valueType ?? 'STRING';
}

function toNumber(text: string): number {
  const number = Number(text);
  if (text.trim() === '' || Number.isNaN(number)) throw new UsageError(`"${text}": expected a number`);
  return number;
}

async function showResults(invocation: Invocation, records: readonly ResultRecord[]): Promise<void> {
  const { client, words, show } = invocation;
  const isUnknown = records.some(({ statusCode }) => statusCode === 'CHANNEL_UNKNOWN');
  const known = isUnknown ? (await getChannels(client, words)).map(({ name }) => name) : [];
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
