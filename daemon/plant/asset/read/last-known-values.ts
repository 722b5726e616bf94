import type { Clock } from '../../../base/clock.ts';
import type { ChannelRecord, TimedValue } from '../../../channel/channel-record.ts';

/** The newest record of a channel from a read round, and Clock.monotonicMs() of the start of the round. */
export interface SeenRecord {
  readonly record: ChannelRecord;
  readonly startedAtMs: number;
}

interface LastKnownValuesOptions {
  /** Lists the newest record of a channel in each list of channels that is read. */
  readonly listSeen: (name: string) => readonly SeenRecord[];
  /** Returns the newest record reported by a subscription. */
  readonly findReported: (name: string) => ChannelRecord | undefined;
  readonly clock: Clock;
}

interface Written {
  readonly atMs: number;
  /** Value that was read back. */
  readonly readBack: TimedValue | undefined;
  /** Newest report at that time: it precedes the write. */
  readonly reported: ChannelRecord | undefined;
}

/** Looks up the last-read value of a channel without device I/O; supplies the old value of a write. */
export class LastKnownValues {
  readonly #options: LastKnownValuesOptions;
  readonly #written = new Map<string, Written>();

  constructor(options: LastKnownValuesOptions) {
    this.#options = options;
  }

  /** Returns the last good value of a channel; undefined if none was read since the last write. */
  find(name: string): TimedValue | undefined {
    const { listSeen, findReported } = this.#options;
    const written = this.#written.get(name);
    const reported = findReported(name);
    if (reported !== undefined && reported !== written?.reported) return toTimedValue(reported);
    let newestMs = written?.atMs ?? -Infinity;
    let newest = written?.readBack;
    for (const { record, startedAtMs } of listSeen(name)) {
      if (startedAtMs <= newestMs) continue;
      newestMs = startedAtMs;
      newest = toTimedValue(record);
    }
    return newest;
  }

  /** Records a write and the value read back: earlier values are no longer valid. */
  note(name: string, readBack: TimedValue | undefined): void {
    const { findReported, clock } = this.#options;
    this.#written.set(name, { atMs: clock.monotonicMs(), readBack, reported: findReported(name) });
  }
}

/** Returns the value of a record; undefined if it has none. */
export function toTimedValue(record: ChannelRecord | undefined): TimedValue | undefined {
  if (record === undefined || record.failure !== undefined) return undefined;
  return { value: record.value, timestampMs: record.timestampMs };
}
