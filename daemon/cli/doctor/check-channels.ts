import { readChannels } from '../../interface/plant/assets.ts';
import type { ChannelRecord, ResultRecord } from '../../interface/plant/assets.ts';
import { CommandError, isNotFound } from '../command-error.ts';
import type { Finding } from '../machine-checks.ts';
import type { RestClient } from '../client/rest-client.ts';
import { findUnavailableValues } from './unavailable-values.ts';
import type { ReadChannel } from './unavailable-values.ts';

/** Result of a read of all channels of an asset. */
interface ChannelCheck {
  readonly failing: readonly FailingChannels[];
  /** Values that the device may not mean. */
  readonly hints: readonly Finding[];
}

/** Channels of an asset that fail for the same reason. */
interface FailingChannels {
  readonly finding: Finding;
  /** True if the device did not respond, which its unit reports as well. */
  readonly isSilence: boolean;
}

const MAXIMUM_AT_ONCE = 500;
const MAXIMUM_NAMED = 3;
const SILENCE = /NO_RESPONSE|SUSPENDED|DEADLINE_EXCEEDED|FAILED_TO_RESPOND/;
// Not errors: no current value, a busy gateway, or a configuration change during the check.
const NO_FAULT =
  /^(?:VALUE_PENDING|VALUE_NOT_AVAILABLE|OPCUA_NO_VALUE|CHANNEL_.*|CONNECTION_CLOSED|.*_QUEUE_FULL)$/;

/** Reads the channels of an asset once, groups failures by cause and finds suspicious values. */
export async function checkChannels(
  client: RestClient,
  pid: string,
  channels: readonly (Pick<ChannelRecord, 'type' | 'isEnabled'> & ReadChannel)[],
): Promise<ChannelCheck> {
  const names = channels
    .filter(({ type, isEnabled }) => isEnabled && type !== 'WRITE')
    .map(({ name }) => name);
  const failed = new Map<string, ResultRecord[]>();
  const values: ResultRecord[] = [];
  for (let first = 0; first < names.length; first += MAXIMUM_AT_ONCE) {
    for (const record of await read(client, pid, names.slice(first, first + MAXIMUM_AT_ONCE))) {
      const { channelStatus, statusCode } = record;
      if (channelStatus.channelFlag === 'SUCCESS') values.push(record);
      if (channelStatus.channelFlag !== 'FAILURE' || NO_FAULT.test(statusCode ?? '')) continue;
      const cause = statusCode ?? channelStatus.exceptionMessage ?? '';
      failed.set(cause, [...(failed.get(cause) ?? []), record]);
    }
  }
  const failing = [...failed].map(([cause, records]) => ({
    finding: describe(pid, records, SILENCE.test(cause)),
    isSilence: SILENCE.test(cause),
  }));
  return { failing, hints: findUnavailableValues(pid, channels, values) };
}

async function read(
  client: RestClient,
  pid: string,
  channels: readonly string[],
): Promise<readonly ResultRecord[]> {
  try {
    return await client.call(readChannels, { pid }, { channels });
  } catch (error) {
    // The asset is busy with another client, which is not a channel error.
    if (error instanceof CommandError && !isNotFound(error)) return [];
    throw error;
  }
}

function describe(pid: string, records: readonly ResultRecord[], isSilence: boolean): Finding {
  const names = records.map(({ name }) => name);
  const more = names.length - MAXIMUM_NAMED;
  const listed = `${names.slice(0, MAXIMUM_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  const [first] = records;
  const reason = first?.channelStatus.exceptionMessage ?? 'it failed';
  const what = names.length === 1 ? 'channel' : 'channels';
  const advice = isSilence
    ? 'check its power, wiring and unit identifier; the gateway keeps trying'
    : `compare it with the manual of the device, then: penstock channel set ${pid} ${names[0] ?? ''}`;
  return { check: `asset ${pid}`, state: 'WRONG', detail: `${what} ${listed}: ${reason}`, advice };
}
