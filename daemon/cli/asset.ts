import { listAssets } from './asset-status.ts';
import { createClientVerb } from './client-verb.ts';
import type { Invocation } from './client-verb.ts';
import { formatTable } from './table.ts';
import { PartlyFailed, UsageError } from './command-error.ts';

const ROOT = '/services/assets';

interface ChannelInfo {
  readonly name: string;
  readonly type: string;
  readonly valueType: string;
  readonly valueScale: number;
  readonly valueOffset: number;
  readonly unit?: string;
  readonly displayName?: string;
  readonly description?: string;
  readonly isEnabled: boolean;
}

interface ResultRecord {
  readonly channelStatus: { readonly channelFlag: string; readonly exceptionMessage?: string };
  readonly name: string;
  readonly value?: unknown;
  readonly timestamp: number;
  readonly unit?: string;
  readonly quality?: string;
  readonly statusCode?: string;
}

/** Lists, reads and writes assets. */
export const asset = createClientVerb('asset', 'lists, reads, writes, inspects and listens to assets', {
  list: {
    parameters: '',
    summary: 'lists the assets',
    run: async ({ client, show }) => {
      show(await listAssets(client), (pids) => pids.map((pid) => `${pid}\n`).join(''));
    },
  },
  show: {
    parameters: 'PID',
    summary: 'lists the channels of an asset',
    run: async ({ client, words, show }) => {
      const { body } = await client.send('GET', pathOf(words));
      show(body as readonly ChannelInfo[], formatChannels);
    },
  },
  read: {
    parameters: 'PID [CHANNEL...]',
    summary: 'reads the named channels, or all that can be read',
    run: async (invocation) => {
      const { client, words } = invocation;
      const [, ...channels] = words;
      const { body } =
        channels.length === 0
          ? await client.send('GET', `${pathOf(words)}/_read`)
          : await client.send('POST', `${pathOf(words)}/_read`, { body: { channels } });
      showResults(invocation, body as readonly ResultRecord[]);
    },
  },
  write: {
    parameters: 'PID CHANNEL=VALUE [CHANNEL=VALUE...]',
    summary: 'writes values in the given order',
    run: async (invocation) => {
      const { client, words } = invocation;
      const known = (await client.send('GET', pathOf(words))).body as readonly ChannelInfo[];
      const channels = words.slice(1).map((word) => toWrite(word, known));
      const { body } = await client.send('POST', `${pathOf(words)}/_write`, { body: { channels } });
      showResults(invocation, body as readonly ResultRecord[]);
    },
  },
  status: {
    parameters: 'PID',
    summary: 'shows the connection and the devices behind an asset',
    run: ({ client, words, terminal }) => printJson(client.send('GET', `${pathOf(words)}/_status`), terminal),
  },
  plan: {
    parameters: 'PID',
    summary: 'shows the requests of a read, and their cost on the line',
    run: ({ client, words, terminal }) => printJson(client.send('GET', `${pathOf(words)}/_plan`), terminal),
  },
  decode: {
    parameters: 'PID CHANNEL [EXPECTED]',
    summary: 'shows possible meanings of the bytes of a channel, the likeliest first',
    run: ({ client, words, terminal }) => {
      const [, channel, expected] = words;
      const body = expected === undefined ? { channel } : { channel, expected: toNumber(expected) };
      return printJson(client.send('POST', `${pathOf(words)}/_decode`, { body }), terminal);
    },
  },
  listen: {
    parameters: 'PID [CHANNEL...]',
    summary: 'prints changes of values as server-sent events, until stopped',
    run: async ({ client, words, terminal }) => {
      const [, ...channels] = words;
      const query = channels.length === 0 ? '' : `?channels=${channels.map(encodeURIComponent).join(',')}`;
      for await (const chunk of client.stream(`${pathOf(words)}/_listen${query}`, terminal.stopSignal)) {
        terminal.print(chunk);
      }
    },
  },
});

function pathOf([pid = '']: readonly string[]): string {
  return `${ROOT}/${encodeURIComponent(pid)}`;
}

async function printJson(
  answer: Promise<{ readonly body: unknown }>,
  terminal: Invocation['terminal'],
): Promise<void> {
  terminal.print(`${JSON.stringify((await answer).body, null, 2)}\n`);
}

function toWrite(word: string, known: readonly ChannelInfo[]) {
  const position = word.indexOf('=');
  if (position < 1) throw new UsageError(`"${word}": expected CHANNEL=VALUE`);
  const name = word.slice(0, position);
  // The gateway refuses an unknown channel.
  const type = known.find((channel) => channel.name === name)?.valueType ?? 'STRING';
  return { name, type, value: word.slice(position + 1) };
}

function toNumber(text: string): number {
  const number = Number(text);
  if (text.trim() === '' || Number.isNaN(number)) throw new UsageError(`"${text}": expected a number`);
  return number;
}

function showResults({ show }: Invocation, records: readonly ResultRecord[]): void {
  show(records, formatResults);
  const failed = records.filter(({ channelStatus }) => channelStatus.channelFlag !== 'SUCCESS');
  if (failed.length === 0) return;
  const detail = `${failed.length} of ${records.length} channels failed`;
  throw new PartlyFailed({ code: 'CHANNELS_FAILED', detail });
}

function formatValue(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function formatChannels(channels: readonly ChannelInfo[]): string {
  return formatTable(
    [
      { title: 'NAME', show: ({ name }) => name },
      { title: 'DIRECTION', show: ({ type }) => type },
      { title: 'TYPE', show: ({ valueType }) => valueType },
      { title: 'SCALE', show: ({ valueScale }) => valueScale },
      { title: 'OFFSET', show: ({ valueOffset }) => valueOffset },
      { title: 'UNIT', show: ({ unit }) => unit },
      { title: 'ENABLED', show: ({ isEnabled }) => (isEnabled ? 'yes' : 'no') },
      { title: 'DISPLAY NAME', show: ({ displayName = '' }) => displayName, isOptional: true },
      { title: 'DESCRIPTION', show: ({ description = '' }) => description, isOptional: true },
    ],
    channels,
  );
}

function formatResults(records: readonly ResultRecord[]): string {
  return formatTable(
    [
      { title: 'NAME', show: ({ name }) => name },
      { title: 'VALUE', show: ({ value }) => (value === undefined ? undefined : formatValue(value)) },
      { title: 'UNIT', show: ({ unit }) => unit },
      { title: 'TIME', show: ({ timestamp }) => new Date(timestamp).toISOString() },
      { title: 'QUALITY', show: formatQuality, isOptional: true },
      { title: 'FAILURE', show: ({ channelStatus }) => channelStatus.exceptionMessage ?? '' },
    ],
    records,
  );
}

/** Returns what is remarkable about the quality of a value; that of a failure shows in its message. */
function formatQuality({ quality, statusCode = '' }: ResultRecord): string {
  if (quality === 'UNCERTAIN') return `${quality} ${statusCode}`.trim();
  return quality === 'GOOD' ? statusCode : '';
}
