import type { ErrorCode } from '../../base/error-codes.ts';
import type { Channel } from '../../channel/channel.ts';
import type { ChannelFailure, ChannelRecord } from '../../channel/channel-record.ts';
import type { UnitStatus } from '../../channel/driver.ts';
import type { DriverConnection } from './connection/driver-connection.ts';

/** A channel whose newest read gave no value, although its device is there. */
export interface FailingChannel {
  readonly name: string;
  /** Failure of the newest read. */
  readonly failure: ChannelFailure;
  /** Milliseconds since the epoch of the first failure after its last value. */
  readonly sinceMs: number;
}

interface FailingChannelsOptions {
  /** The channels of the asset, in configuration order. */
  readonly channels: readonly Channel[];
  readonly connection: Pick<DriverConnection, 'isConnected' | 'status' | 'unitOf'>;
}

interface Failing extends FailingChannel {
  /** The device gave no answer. */
  readonly isSilence: boolean;
  /** It gave another one in the same round, or this failure is its answer. */
  readonly isDeviceHeard: boolean;
}

// The device gives no answer: its unit is at fault, unless other channels of it have values.
const SILENCE = /(?:NO_RESPONSE|SUSPENDED)$/;
// The device answers, and has no value by its own word or by the configuration.
const NO_VALUE: ErrorCode = 'OPCUA_NO_VALUE';
// These say nothing of the channel: it was not asked, or the link or the subscription ended meanwhile.
const NOT_ASKED =
  /^(?:VALUE_PENDING|BUNDLE_NOT_RUNNING|OPCUA_CLOSED|CHANNEL_.*|.*QUEUE_FULL|.*LINK_LOST|.*NOT_CONNECTED|.*CONNECTION_CLOSED|OPCUA_(?:SUBSCRIPTION|NOTIFICATION)_.*)$/;

/** Keeps which channels of an asset fail, as seen by any client: reads and listeners alike. Asks no device. */
export class FailingChannels {
  readonly #options: FailingChannelsOptions;
  readonly #failing = new Map<string, Failing>();

  constructor(options: FailingChannelsOptions) {
    this.#options = options;
  }

  /** Takes over the records of one round of reads, or those that the device reported, the newest of a channel last. */
  note(records: readonly ChannelRecord[]): void {
    // Nearly every round: no channel fails, and none did.
    if (this.#failing.size === 0 && records.every(({ failure }) => failure === undefined)) return;
    const { connection } = this.#options;
    let heard: ReadonlySet<string | undefined> | undefined;
    for (const { channel, name, failure, timestampMs } of records) {
      if (failure === undefined || failure.code === NO_VALUE) this.#failing.delete(name);
      // Without a link every channel fails, and the connection says why.
      else if (channel !== undefined && connection.isConnected && !NOT_ASKED.test(failure.code)) {
        const sinceMs = this.#failing.get(name)?.sinceMs ?? timestampMs;
        const isSilence = SILENCE.test(failure.code);
        if (isSilence) heard ??= this.#listHeard(records);
        const isDeviceHeard = !isSilence || heard?.has(connection.unitOf(channel)) === true;
        this.#failing.set(name, { name, failure, sinceMs, isSilence, isDeviceHeard });
      }
    }
  }

  /** Lists the channels that fail, in configuration order; those of a device or connection that is away are left to it. */
  list(): readonly FailingChannel[] {
    if (this.#failing.size === 0) return [];
    const { channels, connection } = this.#options;
    const { state, lostSinceMs, units } = connection.status();
    if (state === 'BACKING_OFF' || lostSinceMs !== undefined) return [];
    return channels.flatMap((channel) => {
      const failing = this.#failing.get(channel.name);
      if (failing === undefined || isOfUnit(failing, findUnit(units, connection.unitOf(channel)))) return [];
      const { name, failure, sinceMs } = failing;
      return [{ name, failure, sinceMs }];
    });
  }

  /** Names the devices that gave a value in a round. */
  #listHeard(records: readonly ChannelRecord[]): ReadonlySet<string | undefined> {
    const { connection } = this.#options;
    return new Set(
      records.flatMap(({ channel, failure }) =>
        channel === undefined || failure !== undefined ? [] : [connection.unitOf(channel)],
      ),
    );
  }
}

/** Returns the device of a channel; the only one where the driver tells none apart. */
function findUnit(units: readonly UnitStatus[], name: string | undefined): UnitStatus | undefined {
  return name === undefined ? units[0] : units.find((unit) => unit.name === name);
}

/** Returns whether the state of a device says already why a channel of it fails, or the failure is over. */
function isOfUnit({ isSilence, isDeviceHeard }: Failing, unit: UnitStatus | undefined): boolean {
  if (unit?.state === 'SUSPENDED') return true;
  if (!isSilence) return false;
  if (unit?.silentAddresses !== undefined && unit.silentAddresses.length > 0) return true;
  // It answers since, or was not silent for long enough to be suspended.
  return unit?.state === 'ANSWERING' && !isDeviceHeard;
}
