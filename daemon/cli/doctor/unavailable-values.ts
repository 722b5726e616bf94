import { findSentinel, groupSentinels } from '../../channel/sentinel.ts';
import type { Sentinel, SharedSentinel } from '../../channel/sentinel.ts';
import type { ChannelRecord, ResultRecord } from '../../interface/plant/assets.ts';
import type { Finding } from '../machine-checks.ts';

/** The settings of a channel from which the raw value follows. */
export type ReadChannel = Pick<ChannelRecord, 'name' | 'valueScale' | 'valueOffset' | 'scaleFrom'>;

/** A channel whose raw value many devices report if they have no value. */
interface Suspect {
  readonly name: string;
  readonly value: string;
}

const MAXIMUM_NAMED = 3;

/** Finds values that are probably the way of a device to report that it has none. */
export function findUnavailableValues(
  pid: string,
  channels: readonly ReadChannel[],
  records: readonly ResultRecord[],
): readonly Finding[] {
  const channelOf = new Map(channels.map((channel) => [channel.name, channel]));
  const suspects: (readonly [Suspect, Sentinel])[] = [];
  for (const { name, value } of records) {
    const channel = channelOf.get(name);
    const raw = channel === undefined ? undefined : toRaw(channel, value);
    const sentinel = raw === undefined ? undefined : findSentinel(raw);
    if (sentinel !== undefined) suspects.push([{ name, value: String(value) }, sentinel]);
  }
  return groupSentinels(suspects).map((shared) => describe(pid, shared));
}

/** Returns the raw number of a value; undefined if it cannot be known. */
function toRaw(
  { valueScale, valueOffset, scaleFrom }: ReadChannel,
  value: ResultRecord['value'],
): number | undefined {
  if (value === 'NaN') return Number.NaN;
  if (typeof value !== 'number' || scaleFrom !== undefined) return undefined;
  return (value - valueOffset) / valueScale;
}

function describe(pid: string, { entry, places }: SharedSentinel<Suspect>): Finding {
  const names = places.map(({ name }) => name);
  const more = names.length - MAXIMUM_NAMED;
  const listed = `${names.slice(0, MAXIMUM_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  const what = names.length === 1 ? 'channel' : 'channels';
  const [first] = places;
  const raw = entry === 'NaN' ? '' : ` (raw value ${entry})`;
  return {
    check: `asset ${pid}`,
    state: 'WARNING',
    detail: `${what} ${listed}: value ${first?.value ?? ''}${raw}: not available?`,
    advice: `if the device has no value then: penstock channel set ${pid} ${first?.name ?? ''} --notAvailable ${entry}`,
  };
}
