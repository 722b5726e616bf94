import type { ChannelRecord, ResultRecord } from '../../interface/plant/assets.ts';
import type { Finding } from '../machine-checks.ts';

/** The settings of a channel from which the raw value follows. */
export type ReadChannel = Pick<ChannelRecord, 'name' | 'valueScale' | 'valueOffset' | 'scaleFrom'>;

/** A channel whose raw value many devices report if they have no value. */
interface Suspect {
  readonly name: string;
  readonly value: string;
}

/** A raw value that many devices report if they have no value. */
interface Sentinel {
  readonly raw: number;
  /** As `notAvailable` takes it. */
  readonly entry: string;
  /** Channels that must share it: the largest number may also be a value. */
  readonly minimumChannels: number;
}

// Beyond 53 bits a value has lost the digits that would show.
const SENTINELS: readonly Sentinel[] = [
  { raw: -(2 ** 15), entry: '0x8000', minimumChannels: 1 },
  { raw: -(2 ** 31), entry: '0x80000000', minimumChannels: 1 },
  { raw: 2 ** 15 - 1, entry: '0x7FFF', minimumChannels: 2 },
  { raw: 2 ** 16 - 1, entry: '0xFFFF', minimumChannels: 2 },
  { raw: 2 ** 31 - 1, entry: '0x7FFFFFFF', minimumChannels: 2 },
  { raw: 2 ** 32 - 1, entry: '0xFFFFFFFF', minimumChannels: 2 },
];
const NOT_A_NUMBER: Sentinel = { raw: Number.NaN, entry: 'NaN', minimumChannels: 1 };
const MAXIMUM_NAMED = 3;
// Scale and offset are undone with doubles.
const TOLERANCE = 1e-6;

/** Finds values that are probably the way of a device to report that it has none. */
export function findUnavailableValues(
  pid: string,
  channels: readonly ReadChannel[],
  records: readonly ResultRecord[],
): readonly Finding[] {
  const channelOf = new Map(channels.map((channel) => [channel.name, channel]));
  const suspects = new Map<Sentinel, Suspect[]>();
  for (const { name, value } of records) {
    const channel = channelOf.get(name);
    const sentinel = channel === undefined ? undefined : findSentinel(channel, value);
    if (sentinel === undefined) continue;
    suspects.set(sentinel, [...(suspects.get(sentinel) ?? []), { name, value: String(value) }]);
  }
  return [...suspects]
    .filter(([{ minimumChannels }, found]) => found.length >= minimumChannels)
    .map(([{ entry }, found]) => describe(pid, entry, found));
}

function findSentinel(
  { valueScale, valueOffset, scaleFrom }: ReadChannel,
  value: ResultRecord['value'],
): Sentinel | undefined {
  if (value === 'NaN') return NOT_A_NUMBER;
  if (typeof value !== 'number' || scaleFrom !== undefined) return undefined;
  const raw = (value - valueOffset) / valueScale;
  return SENTINELS.find((sentinel) => Math.abs(raw - sentinel.raw) <= TOLERANCE);
}

function describe(pid: string, entry: string, found: readonly Suspect[]): Finding {
  const names = found.map(({ name }) => name);
  const more = names.length - MAXIMUM_NAMED;
  const listed = `${names.slice(0, MAXIMUM_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  const what = names.length === 1 ? 'channel' : 'channels';
  const [first] = found;
  const raw = entry === 'NaN' ? '' : ` (raw value ${entry})`;
  return {
    check: `asset ${pid}`,
    state: 'WARNING',
    detail: `${what} ${listed}: value ${first?.value ?? ''}${raw}: not available?`,
    advice: `if the device has no value then: penstock channel set ${pid} ${first?.name ?? ''} --notAvailable ${entry}`,
  };
}
