import type { Clock } from '../../../base/clock.ts';
import type { ChannelRecord, TimedValue } from '../../../channel/channel-record.ts';

/** The newest record of a channel from a round of reads, and Clock.monotonicMs() of the beginning of the round. */
export interface SeenRecord {
  readonly record: ChannelRecord;
  readonly startedAtMs: number;
}

interface LastKnownValuesOptions {
  /** Lists the newest record of a channel in each list of channels that is read. */
  readonly listSeen: (name: string) => readonly SeenRecord[];
  /** Returns the newest record that the device reported by itself. */
  readonly findReported: (name: string) => ChannelRecord | undefined;
  readonly clock: Clock;
}

interface Written {
  readonly atMs: number;
  /** What was read back. */
  readonly readBack: TimedValue | undefined;
  /** What had been reported then: it was before the write. */
  readonly reported: ChannelRecord | undefined;
}

/** Knows what channels held when they were last read, without asking a device: what a write takes the place of. */
export class LastKnownValues {
  readonly #options: LastKnownValuesOptions;
  readonly #written = new Map<string, Written>();

  constructor(options: LastKnownValuesOptions) {
    this.#options = options;
  }

  /** Returns the last good value of a channel; undefined when none was read since it was written. */
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

  /** Notes that a channel was written, and what was read back: what was read before is no longer what it holds. */
  note(name: string, readBack: TimedValue | undefined): void {
    const { findReported, clock } = this.#options;
    this.#written.set(name, { atMs: clock.monotonicMs(), readBack, reported: findReported(name) });
  }
}

/** Returns the value of a record; undefined when it has none. */
export function toTimedValue(record: ChannelRecord | undefined): TimedValue | undefined {
  if (record === undefined || record.failure !== undefined) return undefined;
  return { value: record.value, timestampMs: record.timestampMs };
}
