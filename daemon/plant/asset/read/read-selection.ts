import type { Clock } from '../../../base/clock.ts';
import type { ChannelFailure, ChannelRecord } from '../../../channel/channel-record.ts';
import { ConnectionError, toChannelFailure } from '../../../channel/driver-errors.ts';
import type { PlannedRequest, PreparedRead, Reading } from '../../../channel/driver.ts';
import { toRecord, toSlot } from './channel-slot.ts';
import type { ChannelSlot, ReadableSlot, RefusedSlot, WantedChannel } from './channel-slot.ts';
import type { DriverConnection } from '../connection/driver-connection.ts';
import type { SeenRecord } from './last-known-values.ts';

/** Records of one read round on the device, and the start of the round. */
export interface ReadResult {
  readonly records: readonly ChannelRecord[];
  /** Clock.monotonicMs() before which no value was sampled. */
  readonly startedAtMs: number;
}

interface ReadSelectionOptions {
  readonly connection: DriverConnection;
  readonly clock: Clock;
  /** Receives the records of each round on the device. */
  readonly onRound?: ((records: readonly ChannelRecord[]) => void) | undefined;
}

/** The requests of a round, and the channels that it leaves out. */
export interface RoundPlan {
  /** In sending order; undefined if the driver has no plan. */
  readonly requests: readonly PlannedRequest[] | undefined;
  /** Channels that are not read from the device. */
  readonly refused: readonly RefusedSlot[];
}

const UNANSWERED: ChannelFailure = { code: 'DRIVER_FAULT', message: 'the driver returned no reading' };

/**
 * A list of channels to read, planned once, with shared read rounds on the device.
 *
 * A running round may have sampled before a new request arrived, so the request joins the next one: any number of equal
 * concurrent reads cost at most two rounds. A round begins at the end of the event loop iteration in which it was
 * requested, so that all requests that arrived together share it; if several clients read in a loop, one iteration later.
 */
export class ReadSelection {
  readonly #connection: DriverConnection;
  readonly #clock: Clock;
  readonly #onRound: ReadSelectionOptions['onRound'];
  readonly #slots: readonly ChannelSlot[];
  /** The slots, if each of them is read. */
  readonly #readable: readonly ReadableSlot[] | undefined;
  readonly #prepared: PreparedRead | undefined;
  #running: Promise<ReadResult> | undefined;
  #next: Promise<ReadResult> | undefined;
  /** Calls of `read` for the next round, and for the newest. */
  #waiting = 0;
  #sharers = 0;
  #latest: ReadResult | undefined;
  // The newest records, even if stale.
  #seen: ReadResult | undefined;
  #positions: ReadonlyMap<string, number> | undefined;
  // Counts the writes that may have made values stale, including those of a running round.
  #revision = 0;

  constructor(channels: readonly WantedChannel[], { connection, clock, onRound }: ReadSelectionOptions) {
    this.#connection = connection;
    this.#clock = clock;
    this.#onRound = onRound;
    this.#slots = channels.map(toSlot);
    const readable = this.#slots.filter((slot) => 'scaling' in slot);
    this.#readable = readable.length === this.#slots.length ? readable : undefined;
    this.#prepared =
      readable.length === 0 ? undefined : connection.prepareRead(readable.map(({ channel }) => channel));
  }

  /** True if a call of `read` would start another round. */
  get wouldStartRound(): boolean {
    return this.#next === undefined;
  }

  /** Returns the newest values if they are no older than `maxAgeMs`. */
  findLatest(maxAgeMs: number): ReadResult | undefined {
    const latest = this.#latest;
    return latest !== undefined && this.#clock.monotonicMs() - latest.startedAtMs <= maxAgeMs
      ? latest
      : undefined;
  }

  /** Returns the newest record of a channel, regardless of its age and of later writes. */
  findSeen(name: string): SeenRecord | undefined {
    if (this.#seen === undefined) return undefined;
    this.#positions ??= new Map(this.#slots.map((slot, index) => [nameOf(slot), index]));
    const { records, startedAtMs } = this.#seen;
    const record = records[this.#positions.get(name) ?? -1];
    return record === undefined ? undefined : { record, startedAtMs };
  }

  /** Discards the newest values and those of a running round, because a write may have made them stale. */
  forgetLatest(): void {
    this.#latest = undefined;
    this.#revision += 1;
  }

  /** Returns the requests of the next round. */
  describe(): RoundPlan {
    const prepared = this.#prepared;
    return {
      requests: prepared === undefined ? [] : prepared.describe?.(),
      refused: this.#slots.filter((slot) => 'failure' in slot),
    };
  }

  /** Reads values that are sampled after this call; one record per channel, in order. Never rejects for a device. */
  read(): Promise<ReadResult> {
    this.#waiting += 1;
    this.#next ??= this.#startNext(this.#running);
    return this.#next;
  }

  async #startNext(running: Promise<ReadResult> | undefined): Promise<ReadResult> {
    await this.#gather(running);
    this.#running = this.#next;
    this.#next = undefined;
    this.#sharers = this.#waiting;
    this.#waiting = 0;
    try {
      return await this.#readRound();
    } finally {
      if (this.#next === undefined) this.#running = undefined;
    }
  }

  /** Waits until all callers that should share a round have requested it. */
  async #gather(running: Promise<ReadResult> | undefined): Promise<void> {
    if (running !== undefined) await Promise.allSettled([running]);
    await this.#clock.nextTurn();
    // Clients in a loop read again after each response: without this iteration half of them would wait for the round after.
    if (running !== undefined || this.#sharers > 1) await this.#clock.nextTurn();
  }

  async #readRound(): Promise<ReadResult> {
    const startedAtMs = this.#clock.monotonicMs();
    const revision = this.#revision;
    const result = { records: await this.#readRecords(), startedAtMs };
    this.#onRound?.(result.records);
    // A round without any value is not cached: a device that returns must not seem absent for the maximum age.
    const hasValue = result.records.some(({ failure }) => failure === undefined);
    if (hasValue) this.#seen = result;
    if (revision === this.#revision) this.#latest = hasValue ? result : undefined;
    return result;
  }

  async #readRecords(): Promise<readonly ChannelRecord[]> {
    if (this.#prepared === undefined) return this.#toRecords([]);
    try {
      return this.#toRecords(await this.#connection.read(this.#prepared));
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
      return this.#toFailureRecords(toChannelFailure(error));
    }
  }

  #toRecords(readings: readonly Reading[]): readonly ChannelRecord[] {
    const nowMs = this.#clock.epochMs();
    const unanswered = { failure: UNANSWERED, timestampMs: nowMs };
    if (this.#readable !== undefined)
      return this.#readable.map((slot, index) => toRecord(slot, readings[index] ?? unanswered));
    let next = 0;
    return this.#slots.map((slot) => {
      if (!('scaling' in slot)) return { ...slot, timestampMs: nowMs };
      const record = toRecord(slot, readings[next] ?? unanswered);
      next += 1;
      return record;
    });
  }

  #toFailureRecords(failure: ChannelFailure): readonly ChannelRecord[] {
    const timestampMs = this.#clock.epochMs();
    return this.#slots.map((slot) =>
      'scaling' in slot
        ? { channel: slot.channel, name: slot.channel.name, failure, timestampMs }
        : { ...slot, timestampMs },
    );
  }
}

function nameOf(slot: ChannelSlot): string {
  return 'scaling' in slot ? slot.channel.name : slot.name;
}
