import type { ConnectionTest, DriverInfo } from '../../interface/plant/drivers.ts';
import { formatFields, formatTable } from '../terminal/table.ts';
import { formatLocalTime } from '../terminal/local-time.ts';
import type { Tone } from '../terminal/page.ts';
import { toneOfState, formatCounters } from '../status-text.ts';

/** Formats drivers as a table. */
export function formatDrivers(drivers: readonly DriverInfo[]): string {
  if (drivers.length === 0) {
    return 'No drivers yet; "penstock help driver add" shows how to add one.\n';
  }
  const table = formatTable<DriverInfo>(
    [
      { title: 'DRIVER', show: ({ pid }) => pid },
      { title: 'TYPE', show: ({ type }) => type },
      { title: 'ENDPOINT', show: ({ endpoint }) => endpoint },
      { title: 'STATE', show: ({ state }) => state, tone: ({ state }) => toneOfState(state) },
      { title: 'SINCE', show: ({ since }) => formatLocalTime(since) },
      { title: 'ASSETS', show: ({ assets }) => assets.join(' ') },
      {
        title: 'LAST ERROR',
        show: ({ lastError }) => lastError ?? '',
        isOptional: true,
        tone: (): Tone => 'BAD',
      },
    ],
    drivers,
  );
  return [table, formatAttempts(drivers), formatWarnings(drivers), formatTraffic(drivers)]
    .filter((part) => part !== '')
    .join('\n');
}

function formatAttempts(drivers: readonly DriverInfo[]): string {
  const troubled = drivers.filter(({ lostSince, lastErrorAt, nextAttemptAt }) =>
    [lostSince, lastErrorAt, nextAttemptAt].some((time) => time !== undefined),
  );
  if (troubled.length === 0) return '';
  return formatTable<DriverInfo>(
    [
      { title: 'DRIVER', show: ({ pid }) => pid },
      { title: 'NOT CONNECTED SINCE', show: ({ lostSince }) => toTime(lostSince), isOptional: true },
      { title: 'LAST ERROR AT', show: ({ lastErrorAt }) => toTime(lastErrorAt), isOptional: true },
      { title: 'NEXT ATTEMPT', show: ({ nextAttemptAt }) => toTime(nextAttemptAt), isOptional: true },
    ],
    troubled,
  );
}

function toTime(epochMs: number | undefined): string {
  return epochMs === undefined ? '' : formatLocalTime(epochMs);
}

function formatWarnings(drivers: readonly DriverInfo[]): string {
  const listed = drivers.flatMap(({ pid, warnings = [] }) => warnings.map((warning) => ({ pid, warning })));
  if (listed.length === 0) return '';
  return formatTable(
    [
      { title: 'DRIVER', show: ({ pid }) => pid },
      { title: 'WARNING', show: ({ warning }) => warning, tone: () => 'DOUBTFUL' },
    ],
    listed,
  );
}

function formatTraffic(drivers: readonly DriverInfo[]): string {
  const counted = drivers
    .map(({ pid, counters }) => ({ pid, counters: formatCounters(counters) }))
    .filter(({ counters }) => counters !== '');
  if (counted.length === 0) return '';
  return formatTable(
    [
      { title: 'DRIVER', show: ({ pid }) => pid },
      { title: 'COUNTERS', show: ({ counters }) => counters },
    ],
    counted,
  );
}

const OUTCOMES = {
  ANSWERED: 'the device responds',
  CONNECTED: 'connected; nothing to read',
  FAILED: 'failed',
} as const;

// Setting and value at the end of an advice; only values that a shell takes as they are.
const ADVISED = /set ([\w.]+): ([\w.:-]+)$/;

/** Describes the result of a connection test; with the commands that apply its advice to the driver `pid`. */
export function describeTest(test: ConnectionTest, pid: string): string {
  const { endpoint, outcome, durationMs, asked, value, message, statusCode, advice = [] } = test;
  const commands = advice.flatMap((text) => {
    const [, setting, advised] = ADVISED.exec(text) ?? [];
    return setting === undefined ? [] : [`penstock driver set ${pid} --${setting} ${advised}`];
  });
  return formatFields([
    ['Endpoint', endpoint],
    ['Request', asked],
    ['Value', value === undefined ? undefined : typeof value === 'string' ? value : JSON.stringify(value)],
    ['Message', message],
    ['Status', statusCode],
    ['Took', `${durationMs} ms`],
    ['Outcome', OUTCOMES[outcome]],
    ['Advice', advice.length === 0 ? undefined : advice.join('; ')],
    ['Command', commands.length === 0 ? undefined : commands.join('; ')],
  ]);
}
