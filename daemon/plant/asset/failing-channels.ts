import type { ErrorCode } from '../../base/error-codes.ts';
import type { Channel } from '../../channel/channel.ts';
import type { ChannelFailure, ChannelRecord } from '../../channel/channel-record.ts';
import type { UnitStatus } from '../../channel/driver.ts';
import type { DriverConnection } from './connection/driver-connection.ts';

/** A channel whose newest read returned no value although its device responds. */
export interface FailingChannel {
  readonly name: string;
  /** Failure of the newest read. */
  readonly failure: ChannelFailure;
  /** Milliseconds since the epoch of the first failure after its last value. */
  readonly sinceMs: number;
}

interface FailingChannelsOptions {
  /** The asset with its channels in configuration order, which may be parsed when they are first listed. */
  readonly asset: { readonly channels: readonly Channel[] };
  readonly connection: Pick<DriverConnection, 'isConnected' | 'status' | 'unitOf'>;
}

interface Failing extends FailingChannel {
  /** The device did not respond. */
  readonly isSilence: boolean;
  /** The device responded to another request of the same round, or with this failure. */
  readonly isDeviceHeard: boolean;
}

// No response: the unit is at fault, unless other channels of it have values.
const SILENCE = /(?:NO_RESPONSE|SUSPENDED)$/;
// The device responds without a value, as it reports or because of the configuration.
const NO_VALUE: ReadonlySet<ErrorCode> = new Set(['OPCUA_NO_VALUE', 'VALUE_NOT_AVAILABLE']);
// Unrelated to the channel: no request was sent, or the link or the subscription ended.
const NOT_ASKED =
  /^(?:VALUE_PENDING|BUNDLE_NOT_RUNNING|OPCUA_CLOSED|CHANNEL_.*|.*QUEUE_FULL|.*LINK_LOST|.*NOT_CONNECTED|.*CONNECTION_CLOSED|OPCUA_(?:SUBSCRIPTION|NOTIFICATION)_.*)$/;

/** Tracks the failing channels of an asset from reads and listeners of all clients. Sends no requests. */
export class FailingChannels {
  readonly #options: FailingChannelsOptions;
  readonly #failing = new Map<string, Failing>();

  constructor(options: FailingChannelsOptions) {
    this.#options = options;
  }

  /** Adds the records of one read round, or those reported by the device, the newest of a channel last. */
  note(records: readonly ChannelRecord[]): void {
    // Nearly every round: no channel fails, and none did.
    if (this.#failing.size === 0 && records.every(({ failure }) => failure === undefined)) return;
    const { connection } = this.#options;
    let heard: ReadonlySet<string | undefined> | undefined;
    for (const { channel, name, failure, timestampMs } of records) {
      if (failure === undefined || NO_VALUE.has(failure.code)) this.#failing.delete(name);
      // Without a link every channel fails, and the connection shows the reason.
      else if (channel !== undefined && connection.isConnected && !NOT_ASKED.test(failure.code)) {
        const sinceMs = this.#failing.get(name)?.sinceMs ?? timestampMs;
        const isSilence = SILENCE.test(failure.code);
        if (isSilence) heard ??= this.#listHeard(records);
        const isDeviceHeard = !isSilence || heard?.has(connection.unitOf(channel)) === true;
        this.#failing.set(name, { name, failure, sinceMs, isSilence, isDeviceHeard });
      }
    }
  }

  /** Lists the failing channels in configuration order, except those of an unreachable device or connection. */
  list(): readonly FailingChannel[] {
    if (this.#failing.size === 0) return [];
    const { asset, connection } = this.#options;
    const { state, lostSinceMs, units } = connection.status();
    if (state === 'BACKING_OFF' || lostSinceMs !== undefined) return [];
    return asset.channels.flatMap((channel) => {
      const failing = this.#failing.get(channel.name);
      if (failing === undefined || isOfUnit(failing, findUnit(units, connection.unitOf(channel)))) return [];
      const { name, failure, sinceMs } = failing;
      return [{ name, failure, sinceMs }];
    });
  }

  /** Names the devices that returned a value in a round. */
  #listHeard(records: readonly ChannelRecord[]): ReadonlySet<string | undefined> {
    const { connection } = this.#options;
    return new Set(
      records.flatMap(({ channel, failure }) =>
        channel === undefined || failure !== undefined ? [] : [connection.unitOf(channel)],
      ),
    );
  }
}

/** Returns the device of a channel; the only one if the driver does not distinguish devices. */
function findUnit(units: readonly UnitStatus[], name: string | undefined): UnitStatus | undefined {
  return name === undefined ? units[0] : units.find((unit) => unit.name === name);
}

/** Returns true if the state of the device already explains the failure of a channel, or the failure is over. */
function isOfUnit({ isSilence, isDeviceHeard }: Failing, unit: UnitStatus | undefined): boolean {
  if (unit?.state === 'SUSPENDED') return true;
  if (!isSilence) return false;
  if (unit?.silentAddresses !== undefined && unit.silentAddresses.length > 0) return true;
  // It has responded since, or its timeouts were too few for a suspension.
  return unit?.state === 'ANSWERING' && !isDeviceHeard;
}
