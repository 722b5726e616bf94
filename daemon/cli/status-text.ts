import type { AssetStatus, FailingChannels, UnitStatus } from '../interface/plant/asset-status.ts';
import type { DriverStatus } from '../interface/plant/drivers.ts';
import { formatFields, formatTable } from './terminal/table.ts';
import { formatLocalTime } from './terminal/local-time.ts';
import type { Tone } from './terminal/page.ts';

type Listening = NonNullable<AssetStatus['listening']>;

/** Describes the connection of an asset, its devices and subscribed channels. */
export function describeStatus(status: AssetStatus): string {
  const { driver, units, listening, failingChannels } = status;
  const fields = formatFields([
    ['Name', status.displayName],
    ['Description', status.description],
    ['Driver', `${driver.pid} (${driver.type})`],
    ['Endpoint', driver.endpoint],
    ['State', `${driver.state} since ${formatLocalTime(driver.since)}`],
    ['Not connected', sinceTime(driver.lostSince)],
    ['Next attempt', toTime(driver.nextAttemptAt)],
    ['Last error', describeError(driver)],
    ...(driver.warnings ?? []).map((warning) => ['Warning', warning] as const),
    ['Failing channels', failingChannels === undefined ? undefined : describeFailing(failingChannels)],
    ['Listening', listening === undefined ? undefined : describeListening(listening)],
    ['Counters', formatCounters(driver.counters)],
  ]);
  return [fields, formatUnits(units), formatSilentAddresses(units)].filter((part) => part !== '').join('\n');
}

/** Formats the last error of a connection or device with its time; undefined without an error. */
function describeError({ lastError, lastErrorAt }: Pick<DriverStatus, 'lastError' | 'lastErrorAt'>) {
  if (lastError === undefined || lastErrorAt === undefined) return lastError;
  return `${lastError} (${formatLocalTime(lastErrorAt)})`;
}

function describeFailing({ count, since, first }: FailingChannels): string {
  const named = first.map(({ name, message }) => `${name}: ${message}`).join('; ');
  const more = count - first.length;
  return `${count} since ${formatLocalTime(since)}; ${named}${more > 0 ? `; and ${more} more` : ''}`;
}

function describeListening(listening: Listening): string {
  const { mode, isActive, refusal, listeners, channels, intervalMs } = listening;
  const interval = intervalMs === undefined ? '' : ` every ${intervalMs} ms`;
  const state = isActive ? '' : '; the device currently sends nothing';
  const reason = refusal === undefined ? '' : `; polled because ${refusal}`;
  return `${listeners} of ${channels} channels (${mode}${interval})${state}${reason}`;
}

function formatUnits(units: readonly UnitStatus[]): string {
  if (units.length === 0) return '';
  return formatTable(
    [
      { title: 'DEVICE', show: ({ name }) => name },
      { title: 'STATE', show: ({ state }) => state, tone: ({ state }) => toneOfState(state) },
      { title: 'SERVES', show: ({ isUsed }) => (isUsed ? '' : 'other assets'), isOptional: true },
      { title: 'NO RESPONSE SINCE', show: ({ silentSince }) => toTime(silentSince) ?? '', isOptional: true },
      { title: 'NEXT ATTEMPT', show: ({ nextProbeAt }) => toTime(nextProbeAt) ?? '', isOptional: true },
      { title: 'LAST ERROR', show: (unit) => describeError(unit) ?? '', isOptional: true },
      { title: 'REQUEST LIMITS', show: describeLimits, isOptional: true },
      { title: 'COUNTERS', show: ({ counters }) => formatCounters(counters), isOptional: true },
    ],
    units,
  );
}

function describeLimits({ requestLimits = [] }: UnitStatus): string {
  return requestLimits.map(({ kind, maximumQuantity }) => `${kind} ${maximumQuantity}`).join(', ');
}

function formatSilentAddresses(units: readonly UnitStatus[]): string {
  const silent = units.flatMap(({ name, silentAddresses = [] }) =>
    silentAddresses.map((each) => ({ ...each, name: `${name} ${each.address}` })),
  );
  if (silent.length === 0) return '';
  return formatTable(
    [
      { title: 'NOT RESPONDING', show: ({ name }) => name },
      { title: 'TO', show: ({ operation }) => operation },
      { title: 'SINCE', show: ({ since }) => formatLocalTime(since) },
      { title: 'NEXT ATTEMPT', show: ({ nextAttemptAt }) => formatLocalTime(nextAttemptAt) },
    ],
    silent,
  );
}

function sinceTime(epochMs: number | undefined): string | undefined {
  return epochMs === undefined ? undefined : `since ${formatLocalTime(epochMs)}`;
}

function toTime(epochMs: number | undefined): string | undefined {
  return epochMs === undefined ? undefined : formatLocalTime(epochMs);
}

/** Formats non-zero counters. */
export function formatCounters(counters: DriverStatus['counters']): string {
  return Object.entries(counters)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');
}

const TONES: Readonly<Record<string, Tone>> = {
  ANSWERING: 'GOOD',
  BACKING_OFF: 'BAD',
  CONNECTED: 'GOOD',
  CONNECTING: 'DOUBTFUL',
  SUSPENDED: 'BAD',
};

/** Returns the tone of a connection or device state. */
export function toneOfState(state: string): Tone | undefined {
  return TONES[state];
}
