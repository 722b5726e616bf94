import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { BodyContent } from './frame-body.ts';
import type { Gap } from './sample.ts';

/** Recording has stopped. */
export interface RecordingStop {
  /** Reason, for example `the disk is full`. */
  readonly reason: string;
  /** Code of the reason, such as `ENOSPC`; absent: it has none. */
  readonly code?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly sinceMs: number;
}

interface LostEntriesOptions {
  /** Called when recording stops and when it goes on. */
  readonly onStop?: ((stop: RecordingStop | undefined) => void) | undefined;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** Counts the entries that a disk refused, until a gap in the journal says so. */
export class LostEntries {
  readonly #options: LostEntriesOptions;
  #stop: RecordingStop | undefined;
  #samples = 0;
  #fromMs = Infinity;
  #toMs = -Infinity;
  /** Gaps that were refused: they go into the journal as they are. */
  #gaps: Gap[] = [];

  constructor(options: LostEntriesOptions) {
    this.#options = options;
  }

  /** Reason that nothing is recorded; undefined while recording goes on. */
  get stop(): RecordingStop | undefined {
    return this.#stop;
  }

  /** Adds entries that are lost. */
  add({ samples, gaps }: BodyContent): void {
    for (const { takenAtMs } of samples) Array.from(takenAtMs).forEach((timeMs) => this.addSample(timeMs));
    for (const gap of gaps) {
      if (gap.reason === 'DISK') this.#count(gap);
      else this.#gaps.push(gap);
    }
  }

  /** Adds a sample that is lost. */
  addSample(takenAtMs: number): void {
    this.#count({ count: 1, fromMs: takenAtMs, toMs: takenAtMs });
  }

  /** Returns what the journal has to say of lost entries, and starts again without any. */
  take(): readonly Gap[] {
    const gaps = this.#gaps;
    this.#gaps = [];
    if (this.#samples === 0) return gaps;
    const gap = { reason: 'DISK', fromMs: this.#fromMs, toMs: this.#toMs, count: this.#samples } as const;
    this.#samples = 0;
    this.#fromMs = Infinity;
    this.#toMs = -Infinity;
    return [...gaps, gap];
  }

  /** Notes that entries are lost from now on; again with the same reason: nothing. */
  begin(reason: string, code?: string): void {
    if (this.#stop !== undefined) return;
    const { logger, clock, onStop } = this.#options;
    this.#stop = { reason, ...(code === undefined ? {} : { code }), sinceMs: clock.epochMs() };
    logger.error('recording.stopped', { reason });
    onStop?.(this.#stop);
  }

  /** Notes that entries are on disk again. */
  end(): void {
    if (this.#stop === undefined) return;
    this.#stop = undefined;
    const { logger, onStop } = this.#options;
    logger.info('recording.resumed');
    onStop?.(undefined);
  }

  #count({ count, fromMs, toMs }: Pick<Gap, 'count' | 'fromMs' | 'toMs'>): void {
    this.#samples += count;
    this.#fromMs = Math.min(this.#fromMs, fromMs);
    this.#toMs = Math.max(this.#toMs, toMs);
  }
}
