import { listBundles, readBundleLog, restartBundle } from '../../interface/software/bundles.ts';
import type { Bundle, BundleLine, BundleProvider, BundleStorage } from '../../interface/software/bundles.ts';
import { configureBundle, CONFIGURE_OPTIONS } from './bundle-configure.ts';
import { createCommandGroup } from '../client/client-commands.ts';
import { formatLocalTime } from '../terminal/local-time.ts';
import { formatPermissions } from '../identity/grant-text.ts';
import { findPage } from '../terminal/page.ts';
import type { Tone } from '../terminal/page.ts';
import { formatTable, toPrintable, wrapText } from '../terminal/table.ts';
import { readWholeNumber } from '../terminal/whole-number.ts';

const STATUS_TONES: Readonly<Record<NonNullable<Bundle['status']>['state'], Tone | undefined>> = {
  OK: undefined,
  WARNING: 'DOUBTFUL',
  ERROR: 'BAD',
};
/** September 2001: a duration is shorter. */
const EARLIEST_TIME_MS = 1e12;
const TONES: Readonly<Record<string, Tone>> = { ACTIVE: 'GOOD', FAILED: 'BAD' };

/** Lists and restarts the bundles of the installed packages, and shows their output. */
export const bundle = createCommandGroup('bundle', 'list and restart the bundles of packages', {
  list: {
    parameters: '',
    summary: 'list the bundles with package, state and cause',
    run: async ({ client, show }) => {
      show(await client.call(listBundles), formatBundles);
    },
  },
  configure: {
    parameters: 'NAME',
    names: ['bundle'],
    summary: 'change settings of a bundle while it runs; without options, show them',
    text: 'KEY=@FILE reads a text from a file, and a list from its PEM texts or lines. Secrets are not accepted on the command line: "-" as the value prompts for one, @FILE reads it from a file.',
    options: CONFIGURE_OPTIONS,
    examples: [
      'penstock bundle configure org.example.sender --set batchSize=500',
      'penstock bundle configure penstock-mqtt --set certificateAuthorities=@ca.pem',
    ],
    run: configureBundle,
  },
  restart: {
    parameters: 'NAME',
    names: ['bundle'],
    summary: 'restart a bundle, including one that is no longer restarted automatically',
    run: async ({ client, words: [name = ''], terminal }) => {
      await client.call(restartBundle, { name });
      terminal.note('the bundle is being restarted\n');
    },
  },
  log: {
    parameters: 'NAME',
    names: ['bundle'],
    summary: 'show recent output and state changes of a bundle',
    text: 'The gateway keeps the last 500 lines of each bundle since its own start. If bundles run as systemd units, their standard output is in the journal instead: journalctl -u penstock-bundle@NAME',
    options: { lines: { value: 'COUNT', help: 'maximum number of lines, the last ones (default: 100)' } },
    examples: ['penstock bundle log org.example.line-meter --lines 20'],
    run: async ({ client, words: [name = ''], options, show }) => {
      const lines = readWholeNumber(options, 'lines', { unit: 'lines', maximum: 99_999 }) ?? 100;
      const log = await client.call(readBundleLog, { name, lines });
      show(log.lines, formatLines);
    },
  },
});

function formatBundles(bundles: readonly Bundle[]): string {
  if (bundles.length === 0) return 'No installed package has bundles.\n';
  const reports = bundles.map((each) => formatReport(each)).join('');
  return `${formatTableOf(bundles)}${reports === '' ? '' : `\n${reports}`}`;
}

function formatTableOf(bundles: readonly Bundle[]): string {
  return formatTable<Bundle>(
    [
      { title: 'PACKAGE', show: (row) => row.package },
      { title: 'BUNDLE', show: ({ name }) => name },
      { title: 'VERSION', show: ({ version }) => version },
      { title: 'STATE', show: ({ state }) => state, tone: ({ state }) => TONES[state] },
      {
        title: 'STATUS',
        show: ({ status }) => status?.state ?? '',
        tone: ({ status }) => STATUS_TONES[status?.state ?? 'OK'],
        isOptional: true,
      },
      { title: 'PERMISSIONS', show: formatPermissions, isOptional: true },
      {
        title: 'MEMORY',
        show: ({ memoryMib }) => (memoryMib === undefined ? '' : `${memoryMib} MiB`),
        isOptional: true,
      },
      {
        title: 'PROVIDERS',
        show: ({ providers = [] }) => providers.map(describeProvider).join(', '),
        isOptional: true,
      },
      {
        title: 'STORAGE',
        show: ({ storage }) => (storage === undefined ? '' : describeStorage(storage)),
        isOptional: true,
      },
      {
        title: 'NEXT START',
        show: ({ restartAt }) => (restartAt === undefined ? '' : formatLocalTime(restartAt)),
        isOptional: true,
      },
      { title: 'CAUSE', show: ({ cause }) => cause ?? '', isOptional: true },
    ],
    bundles,
  );
}

/** Formats what a bundle reports of itself below the table: it needs the whole width. */
function formatReport({ name, status }: Bundle, { columns } = findPage()): string {
  if (status === undefined) return '';
  const { state, detail, counters = {} } = status;
  const counted = Object.entries(counters).map(
    ([counter, value]) => `${counter}=${showCounter(counter, value)}`,
  );
  const [first = '', ...others] = [
    `${name}: ${[state, ...(detail === undefined ? [] : [detail])].join(' ')}`,
    ...(counted.length === 0 ? [] : [counted.join(' ')]),
  ].flatMap((text) =>
    columns === undefined
      ? [toPrintable(text)]
      : wrapText(toPrintable(text), columns - 2)
          .trimEnd()
          .split('\n'),
  );
  return `${[first, ...others.map((line) => `  ${line}`)].join('\n')}\n`;
}

/** Shows a point in time, such as `lastBirthMs`, as such. */
function showCounter(counter: string, value: number): string {
  const isTime = counter.endsWith('Ms') && value >= EARLIEST_TIME_MS;
  return isTime ? formatLocalTime(value).replace(' ', 'T') : String(value);
}

function formatLines(lines: readonly BundleLine[]): string {
  if (lines.length === 0) return 'No output since the gateway started.\n';
  return lines.map((line) => `${toPrintable(formatLine(line))}\n`).join('');
}

function formatLine({ time, level, source, message, fields = {} }: BundleLine): string {
  const values = Object.entries(fields).map(([name, value]) => ` ${name}=${String(value)}`);
  const origin = source === 'GATEWAY' ? 'gateway: ' : '';
  return `${formatLocalTime(time)}  ${level.padEnd(5)}  ${origin}${message}${values.join('')}`;
}

function describeStorage({ usedBytes, maximumBytes, isFull }: BundleStorage): string {
  const [used, maximum] = [usedBytes, maximumBytes].map((bytes) => (bytes / 1_048_576).toFixed(1));
  return `${used} of ${maximum} MiB${isFull ? ', full' : ''}`;
}

function describeProvider({ priority, state, nextProbeAt }: BundleProvider): string {
  const until = nextProbeAt === undefined ? '' : ` until ${formatLocalTime(nextProbeAt)}`;
  return `${priority} ${state.toLowerCase()}${until}`;
}
