import { Timeline } from '../world/timeline.ts';
import type { PendingChange } from '../world/timeline.ts';

/** A recorder as the configuration has it. */
export interface DrawnRecorder {
  readonly pid: string;
  readonly intervalMs?: number;
  readonly onChange?: true;
  readonly deadband?: number;
  readonly minimumIntervalMs?: number;
  readonly assets: readonly RecordedAsset[];
}

interface RecordedAsset {
  readonly asset: string;
  /** Undefined: every channel that can be read. */
  readonly channels?: readonly string[];
}

/** A recorder that is certainly configured. */
export interface SettledRecorder {
  readonly recorder: DrawnRecorder;
  /** Simulated time since which it is. */
  readonly sinceMs: number;
}

// In calm times the journal is seldom compared.
const KEPT_MS = 24 * 3_600_000;

/** The recorders as the configuration describes them, over time. */
export class RecorderModel {
  readonly #timelines = new Map<string, Timeline<DrawnRecorder | undefined>>();
  readonly #settled = new Map<string, SettledRecorder>();

  /** Notes that a recorder is asked for, or with undefined its removal. */
  begin(pid: string, wanted: DrawnRecorder | undefined, atMs: number): PendingChange<undefined> {
    const before = this.#settled.get(pid);
    this.#settled.delete(pid);
    let timeline = this.#timelines.get(pid);
    if (timeline === undefined) {
      timeline = new Timeline<DrawnRecorder | undefined>(undefined, KEPT_MS);
      this.#timelines.set(pid, timeline);
    }
    const pending = timeline.begin(wanted, atMs);
    return {
      settle: (_, settledMs) => {
        pending.settle(wanted, settledMs);
        if (wanted !== undefined) this.#settled.set(pid, { recorder: wanted, sinceMs: settledMs });
      },
      drop: () => {
        pending.drop();
        if (before !== undefined) this.#settled.set(pid, before);
      },
    };
  }

  /** Whether a recorder may have taken a sample of a channel in this period. */
  mayRecord(
    pid: string,
    { asset, channel }: { asset: string; channel: string },
    fromMs: number,
    toMs: number,
  ) {
    const states = this.#timelines.get(pid)?.during(fromMs, toMs) ?? [];
    return states.some((recorder) =>
      recorder?.assets.some(
        (recorded) => recorded.asset === asset && recorded.channels?.includes(channel) !== false,
      ),
    );
  }

  /** Returns the longest time between two samples of a recorder, as it may be at a time. */
  findPace(pid: string, atMs: number): number {
    const states = this.#timelines.get(pid)?.during(atMs, atMs) ?? [];
    return Math.max(1000, ...states.map((recorder) => (recorder === undefined ? 0 : paceOf(recorder))));
  }

  /** Lists the recorders that are certainly configured. */
  list(): readonly SettledRecorder[] {
    return [...this.#settled.values()];
  }
}

/** Returns the shortest time between two samples of a channel that a recorder takes. */
export function paceOf({ intervalMs, minimumIntervalMs = 1000 }: DrawnRecorder): number {
  return intervalMs ?? minimumIntervalMs;
}
