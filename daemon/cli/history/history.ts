import { HISTORY_AGGREGATES, listHistory, readHistory } from '../../interface/plant/history.ts';
import type { HistoryOverview, HistoryPage } from '../../interface/plant/history.ts';
import { listChannels } from '../../interface/plant/assets.ts';
import { toTarget } from '../../interface/endpoint.ts';
import type { ParametersOf } from '../../interface/endpoint.ts';
import { createCommandGroup } from '../client/client-commands.ts';
import type { Invocation } from '../client/client-commands.ts';
import type { RestClient } from '../client/rest-client.ts';
import { CommandError, UsageError } from '../command-error.ts';
import { formatLocalTime, parseLocalTime } from '../terminal/local-time.ts';
import { withAssetHint } from '../asset/asset-hint.ts';
import type { Terminal } from '../command-group.ts';
import { suggest } from '../terminal/suggestion.ts';
import { formatTable } from '../terminal/table.ts';

const DEFAULT_ROWS = '10000';

const RANGE = {
  from: {
    value: 'TIME',
    help: 'from this time on: date and time, or milliseconds since 1970-01-01 UTC (default: an hour before --to)',
  },
  to: { value: 'TIME', help: 'up to this time, which no longer counts (default: now)' },
  limit: { value: 'N', help: 'maximum number of rows', default: DEFAULT_ROWS },
} as const;

/** Shows what was recorded. */
export const history = createCommandGroup('history', 'show recorded values', {
  read: {
    parameters: 'ASSET [CHANNEL...]',
    names: ['asset', 'channel'],
    summary: 'show the recorded values of an asset, oldest first',
    options: {
      ...RANGE,
      bucketMs: { value: 'N', help: 'one row for each so many milliseconds' },
      aggregate: { value: 'NAME', help: `of such a row: ${HISTORY_AGGREGATES.join(', ')} (default: mean)` },
      csv: { help: 'print CSV, for a spreadsheet' },
    },
    examples: [
      'penstock history read heating flow --from "2026-03-01 08:00"',
      'penstock history read heating --from 2026-03-01 \\\n    --bucketMs 3600000 --aggregate max',
      'penstock history read heating --csv > heating.csv',
    ],
    run: readRecorded,
  },
  list: {
    parameters: '',
    summary: 'list the recorders with what is kept of each, and how far readers are behind',
    run: async ({ client, show }) => show(await client.call(listHistory), formatOverview),
  },
});

async function readRecorded({ client, words, options, show, isJson, terminal }: Invocation): Promise<void> {
  const [asset = '', ...channels] = words;
  const given = Object.fromEntries(
    ['from', 'to', 'limit', 'bucketMs', 'aggregate'].flatMap((name) => {
      const value = options[name];
      if (typeof value !== 'string') return [];
      return [[name, name === 'from' || name === 'to' ? parseLocalTime(name, value) : value]];
    }),
  );
  const asked = { asset, channels, given };
  const isCsv = options['csv'] === true;
  if (isCsv && isJson) throw new UsageError('--csv and --json exclude each other');
  try {
    await withAssetHint(client, asset, async () => {
      if (isCsv) await printCsv(client, asked, terminal);
      else await showPage(client, asked, show);
    });
  } catch (error) {
    if (!(error instanceof CommandError) || error.code !== 'STATUS_400') throw error;
    throw new UsageError(nameOptions(error.detail, options));
  }
}

/** What is read, with the options as typed. */
interface Asked {
  readonly asset: string;
  readonly channels: readonly string[];
  readonly given: Readonly<Record<string, string>>;
}

async function showPage(client: RestClient, asked: Asked, show: Invocation['show']): Promise<void> {
  const page = await client.call(readHistory, toParameters(asked));
  const found = new Set([...(page.samples ?? []), ...(page.buckets ?? [])].map(({ channel }) => channel));
  await refuseUnknown(client, asked, (channel) => !found.has(channel));
  show(page, formatPage);
}

async function printCsv(client: RestClient, asked: Asked, terminal: Terminal): Promise<void> {
  const headers = { Accept: 'text/csv' };
  const { body } = await client.send('GET', toTarget(readHistory, toParameters(asked)), { headers });
  const text = typeof body === 'string' ? body : '';
  await refuseUnknown(client, asked, (channel) => !hasChannel(text, channel));
  terminal.print(text);
  const { limit = DEFAULT_ROWS, bucketMs = '1' } = asked.given;
  // The header is one line more.
  const lines = text.split('\r\n').filter((line) => line !== '');
  if (lines.length <= Number(limit)) return;
  const lastMs = Date.parse(lines.at(-1)?.split(',')[0] ?? '');
  terminal.note(`the limit of ${limit} rows is reached; more: --from ${toIso(lastMs + Number(bucketMs))}\n`);
}

function toParameters({ asset, channels, given }: Asked): ParametersOf<typeof readHistory> {
  return { asset, ...given, ...(channels.length === 0 ? {} : { channels }) };
}

/** Names query parameters as the options that they come from, with the value of the first: `--limit "0": expected at least 1`. */
function nameOptions(detail: string, options: Invocation['options']): string {
  const named = detail.replaceAll(/"(from|to|limit|bucketMs|aggregate)"/g, '--$1');
  return named.replace(/^--(\w+):/, (whole, name: string) => {
    const given = options[name];
    return typeof given === 'string' ? `--${name} "${given}":` : whole;
  });
}

/**
 * Checks that the asset has the channels without recorded values.
 *
 * @throws {CommandError} `CHANNEL_UNKNOWN`
 */
async function refuseUnknown(
  client: RestClient,
  { asset, channels: asked }: Asked,
  isMissing: (channel: string) => boolean,
): Promise<void> {
  const channels = asked.filter(isMissing);
  if (channels.length === 0) return;
  const known = (await client.call(listChannels, { pid: asset })).map(({ name }) => name);
  const unknown = channels.find((channel) => !known.includes(channel));
  if (unknown === undefined) return;
  const detail = `${asset} has no channel "${unknown}", and nothing of it was recorded in this time${suggest(unknown, known)}`;
  throw new CommandError({ code: 'CHANNEL_UNKNOWN', detail });
}

function hasChannel(csv: string, channel: string): boolean {
  return csv.includes(`,${channel},`) || csv.includes(`,"${channel.replaceAll('"', '""')}",`);
}

/** Formats samples or buckets, the gaps among them, and what comes after them. */
function formatPage({ samples, buckets, gaps, next }: HistoryPage): string {
  const rows = [
    ...(samples ?? []).map(toSampleRow),
    ...(buckets ?? []).map(toBucketRow),
    ...gaps.map(toGapRow),
  ];
  const table = formatTable<Row>(
    [
      { title: 'TIME', show: ({ timeMs }) => formatMoment(timeMs) },
      { title: 'CHANNEL', show: ({ channel }) => channel },
      { title: 'VALUE', show: ({ value }) => value },
      { title: 'COUNT', show: ({ count }) => count, isOptional: true },
      { title: 'GOOD', show: ({ good }) => good, isOptional: true },
      {
        title: 'QUALITY',
        show: ({ quality }) => quality,
        tone: ({ quality }) => (quality === 'GOOD' ? undefined : 'DOUBTFUL'),
        isOptional: true,
      },
      { title: 'STATUS', show: ({ status }) => status, isOptional: true },
    ],
    rows.toSorted((one, other) => one.timeMs - other.timeMs),
  );
  if (rows.length === 0) return 'nothing was recorded in this time\n';
  return next === undefined ? table : `${table}\nmore follows: --from ${toIso(next)}\n`;
}

interface Row {
  readonly timeMs: number;
  readonly channel?: string | undefined;
  readonly value?: string | undefined;
  readonly count?: number;
  readonly good?: number;
  readonly quality?: string;
  readonly status?: string | undefined;
}

type Value = NonNullable<HistoryPage['samples']>[number]['value'];

function toSampleRow({
  channel,
  timestamp: timeMs,
  value,
  quality,
  status,
}: NonNullable<HistoryPage['samples']>[number]): Row {
  return { timeMs, channel, value: textOf(value), quality, status };
}

function toBucketRow({
  channel,
  from: timeMs,
  value,
  count,
  good,
}: NonNullable<HistoryPage['buckets']>[number]): Row {
  return { timeMs, channel, value: textOf(value), count, good };
}

function toGapRow({ channel, from, to, count, reason }: HistoryPage['gaps'][number]): Row {
  const lost = count === 0 ? '' : `, ${count} lost`;
  return { timeMs: from, channel, status: `gap to ${formatMoment(to)}: ${reason}${lost}` };
}

function textOf(value: Value): string | undefined {
  if (value === undefined) return undefined;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Formats a time in the time zone of this machine, with milliseconds. */
function formatMoment(timeMs: number): string {
  return `${formatLocalTime(timeMs)}.${String(new Date(timeMs).getMilliseconds()).padStart(3, '0')}`;
}

function toIso(timeMs: number): string {
  return new Date(timeMs).toISOString();
}

function formatOverview({ recorders, consumers = [] }: HistoryOverview): string {
  const kept = formatTable(
    [
      { title: 'RECORDER', show: ({ recorder }) => recorder },
      { title: 'BYTES', show: ({ bytes }) => bytes },
      { title: 'SINCE', show: ({ oldest }) => (oldest === undefined ? undefined : formatLocalTime(oldest)) },
    ],
    recorders,
  );
  if (consumers.length === 0) return kept;
  const behind = formatTable(
    [
      { title: 'READER', show: ({ consumer }) => consumer },
      { title: 'SAMPLES BEHIND', show: ({ lagSamples }) => lagSamples },
      { title: 'BYTES', show: ({ lagBytes }) => lagBytes },
      { title: 'SECONDS', show: ({ lagSeconds }) => lagSeconds },
    ],
    consumers,
  );
  return `${kept}\n${behind}`;
}
