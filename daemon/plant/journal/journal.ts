import { unlink } from 'node:fs/promises';

import type { Cancel, Clock } from '../../base/clock.ts';
import { ensurePrivateDirectory } from '../../base/file/directory.ts';
import { measureDisk } from '../../base/file/disk-space.ts';
import { codeOfFault, describeFileFault } from '../../base/file/file-fault.ts';
import { StoreFailure } from '../../base/store/transaction.ts';
import type { Logger } from '../../base/logger.ts';
import type { Cursor, Cursors } from './cursors.ts';
import { hasRoom } from './disk-reserve.ts';
import { countEntries } from './frame-body.ts';
import type { BodyContent } from './frame-body.ts';
import { encodeEntries } from './frame-encoder.ts';
import { JournalReader } from './journal-reader.ts';
import type { JournalRuns } from './journal-reader.ts';
import { LostEntries } from './lost-entries.ts';
import type { RecordingStop } from './lost-entries.ts';
import { countTrimmed } from './retention.ts';
import { PendingEntries } from './pending-entries.ts';
import type { AppendedEntry } from './sample.ts';
import { fileOfSegment, linkSegment } from './segment-files.ts';
import { recoverSegments } from './segment-recovery.ts';
import type { RecoveredSegments, Segment } from './segment-recovery.ts';
import { SegmentWriter } from './segment-writer.ts';
import { SettledTime } from './settled-time.ts';

// Live samples are to be with their receiver within a second: writing, reading and sending them has to fit in as well.
const FLUSH_INTERVAL_MS = 800;
const SEGMENT_BYTES = 4 * 1024 * 1024;
// Samples of a disk that stalls; for each one beyond, the oldest of its channel is lost, and counted.
const MAXIMUM_PENDING = 100_000;

/** What the journal may use of the disk. */
export interface JournalBounds {
  readonly maximumBytes: number;
  readonly maximumAgeMs: number;
  /** Bytes of the disk that stay free. */
  readonly reservedBytes: number;
}

interface JournalOptions {
  /** Private directory of the journal; created if missing. */
  readonly directory: string;
  readonly cursors: Cursors;
  /** Called at each use, so that it can change. */
  readonly bounds: () => JournalBounds;
  /** False while the clock of the machine was never set. */
  readonly isClockSet: () => boolean;
  /** Default: 4 MiB. */
  readonly segmentBytes?: number | undefined;
  /** Default: that of the file system. */
  readonly measureDisk?: typeof measureDisk | undefined;
  /** Called when recording stops and when it goes on. */
  readonly onStop?: ((stop: RecordingStop | undefined) => void) | undefined;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** What the journal holds. */
export interface JournalStatus {
  readonly bytes: number;
  /** Number of the oldest entry that is on disk, and of the newest; the oldest is one more without any. */
  readonly oldestSequence: number;
  readonly newestSequence: number;
  /** Reason that nothing is recorded; undefined while recording goes on. */
  readonly stop: RecordingStop | undefined;
}

/**
 * An append-only record of samples and gaps, in files of its own.
 *
 * Entries are on disk about a second after `append`; they get their numbers then, in an order that is that of `append` for
 * each channel. Readers see what is on disk. A full or failing disk costs entries, which are counted, and nothing else.
 */
export class Journal {
  readonly #options: JournalOptions;
  readonly #reader: JournalReader;
  readonly #segments: Segment[];
  readonly #settled: SettledTime;
  readonly #lost: LostEntries;
  readonly #waiting = new Set<() => void>();
  #writer: SegmentWriter | undefined;
  #newestSequence: number;
  #pending = new PendingEntries(MAXIMUM_PENDING);
  #batch = 0;
  #flushing: Promise<void> | undefined;
  #cancelFlush: Cancel | undefined;
  #isClosed = false;

  private constructor(options: JournalOptions, recovered: RecoveredSegments) {
    const { directory, cursors, logger, clock, onStop } = options;
    this.#options = options;
    this.#segments = [...recovered.segments];
    this.#writer = recovered.writer;
    // A consumer may have acknowledged an entry whose frame was damaged since: its number is not used again.
    const acknowledged = cursors.list().map(({ sequence }) => sequence);
    this.#newestSequence = Math.max(this.#segments.at(-1)?.lastSequence ?? 0, ...acknowledged);
    this.#settled = new SettledTime({
      wallMs: recovered.newestMs ?? clock.epochMs(),
      monotonicMs: clock.monotonicMs(),
    });
    this.#lost = new LostEntries({ logger, clock, onStop });
    this.#reader = new JournalReader({ directory, segments: () => [...this.#segments], logger });
  }

  /**
   * Opens the journal of a directory, and notes the time since its newest entry as a gap.
   *
   * @throws errors of the file system
   */
  static async open(options: JournalOptions): Promise<Journal> {
    const { directory, logger, clock } = options;
    await ensurePrivateDirectory(directory);
    const recovered = await recoverSegments(directory);
    if (recovered.cutBytes > 0) logger.warn('journal.tailCut', { bytes: recovered.cutBytes });
    const journal = new Journal(options, recovered);
    const { newestMs } = recovered;
    if (newestMs !== undefined) {
      const toMs = Math.max(newestMs, clock.epochMs());
      journal.append([{ gap: { reason: 'STOPPED', fromMs: newestMs, toMs, count: 0 } }]);
    }
    return journal;
  }

  /** Number of the newest entry that is on disk; a consumer that starts here reads what follows. */
  get tail(): number {
    return this.#newestSequence;
  }

  /** Number of the batch that entries of `append` are written with; samples of one reading are one within it. */
  get batch(): number {
    return this.#batch;
  }

  status(): JournalStatus {
    return {
      bytes: this.#segments.reduce((sum, { bytes }) => sum + bytes, 0),
      oldestSequence: this.#segments[0]?.firstSequence ?? this.#newestSequence + 1,
      newestSequence: this.#newestSequence,
      stop: this.#lost.stop,
    };
  }

  /** Returns the bytes of the entries on disk after a number, nearly. */
  bytesAfter(sequence: number): number {
    let bytes = 0;
    for (const segment of this.#segments) {
      const { firstSequence, lastSequence } = segment;
      const count = lastSequence - Math.max(sequence, firstSequence - 1);
      if (count > 0) bytes += (segment.bytes * count) / (lastSequence - firstSequence + 1);
    }
    return Math.round(bytes);
  }

  /** Adds entries; without any effect after `close`. */
  append(entries: readonly AppendedEntry[]): void {
    if (this.#isClosed) return;
    for (const entry of entries) {
      const lostAtMs = this.#pending.add(entry);
      if (lostAtMs !== undefined) this.#lost.addSample(lostAtMs);
    }
    this.#cancelFlush ??= this.#options.clock.schedule(FLUSH_INTERVAL_MS, () => {
      this.#cancelFlush = undefined;
      void this.flush();
    });
  }

  /** Writes what is pending, and the cursors; resolves when it is on disk, or was lost. */
  flush(): Promise<void> {
    const flushed = (this.#flushing ?? Promise.resolve()).then(() => this.#writePending());
    this.#flushing = flushed;
    return flushed;
  }

  /**
   * Reads the entries on disk after a number, by series.
   *
   * @param after number and time of an entry, as a cursor has them
   * @param limit no frame is begun once there are so many entries, at least 1
   * @throws errors of the file system
   */
  readRuns({ sequence, timeMs }: Pick<Cursor, 'sequence' | 'timeMs'>, limit: number): Promise<JournalRuns> {
    return this.#reader.readRuns(sequence, timeMs, limit);
  }

  /** Resolves when an entry after a number is on disk, after `waitMs`, or when `signal` aborts. */
  async waitAfter(sequence: number, waitMs: number, signal?: AbortSignal): Promise<void> {
    if (this.#newestSequence > sequence || this.#isClosed || signal?.aborted === true) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#options.clock.schedule(waitMs, resolve);
    this.#waiting.add(resolve);
    const onAbort = (): void => resolve();
    signal?.addEventListener('abort', onAbort);
    await promise;
    signal?.removeEventListener('abort', onAbort);
    cancel();
    this.#waiting.delete(resolve);
  }

  /**
   * Links the files of the segments into another directory on the same file system, where they stay when they are trimmed here; the
   * newest one goes on growing.
   *
   * @throws errors of the file system
   */
  async linkSegments(target: string): Promise<void> {
    const numbers = this.#segments.map(({ firstSequence }) => firstSequence);
    for (const number of numbers) await linkSegment(this.#options.directory, number, target);
  }

  /** Deletes segments that no consumer needs, and those beyond the bounds, the oldest first. */
  async trim(): Promise<void> {
    const { directory, cursors, bounds, clock, logger } = this.#options;
    const { maximumBytes, maximumAgeMs } = bounds();
    const nowMs = this.#settled.update({ wallMs: clock.epochMs(), monotonicMs: clock.monotonicMs() });
    const acknowledged = Math.min(...cursors.list().map(({ sequence }) => sequence));
    const count = countTrimmed(this.#segments, {
      acknowledged,
      maximumBytes,
      oldestMs: nowMs - maximumAgeMs,
    });
    for (const { firstSequence } of this.#segments.slice(0, count)) {
      try {
        await unlink(fileOfSegment(directory, firstSequence));
      } catch (error) {
        if ((error as { readonly code?: unknown }).code !== 'ENOENT') {
          logger.error('journal.trimFailed', { reason: describeFileFault(error) });
          return;
        }
      }
      this.#segments.shift();
    }
  }

  /** Writes what is pending and closes the files. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#cancelFlush?.();
    await this.flush();
    await this.#writer?.close();
    this.#wake();
  }

  async #writePending(): Promise<void> {
    this.#saveCursors();
    const { samples, gaps } = this.#pending.list();
    const content = { samples, gaps: [...this.#lost.take(), ...gaps] };
    this.#pending = new PendingEntries(MAXIMUM_PENDING);
    this.#batch += 1;
    if (countEntries(content) === 0) return;
    try {
      await this.#checkRoom();
      await this.#writeEntries(content);
      this.#lost.end();
    } catch (error) {
      this.#lost.add(content);
      this.#lost.begin(describeFileFault(error), codeOfFault(error));
      return;
    }
    this.#wake();
    await this.trim();
  }

  #saveCursors(): void {
    try {
      this.#options.cursors.save();
    } catch (error) {
      // They are saved with the next frame; until then a restart costs repeated entries.
      if (!(error instanceof StoreFailure)) throw error;
    }
  }

  async #checkRoom(): Promise<void> {
    const { directory, bounds, measureDisk: measure = measureDisk } = this.#options;
    const { reservedBytes } = bounds();
    const disk = await measure(directory);
    if (hasRoom(disk, reservedBytes, this.#lost.stop !== undefined)) return;
    throw new DiskReserveReached(disk.freeBytes, reservedBytes);
  }

  async #writeEntries(content: BodyContent): Promise<void> {
    const { clock, isClockSet } = this.#options;
    const firstSequence = this.#newestSequence + 1;
    const writer = await this.#openWriter(firstSequence);
    const head = {
      firstSequence,
      wallMs: clock.epochMs(),
      monotonicMs: clock.monotonicMs(),
      isClockUnset: !isClockSet(),
    };
    try {
      const { frame, named } = await encodeEntries(content, head, writer.names);
      await writer.append(frame);
      writer.names.learn(named);
    } catch (error) {
      this.#writer = undefined;
      await writer.abandon();
      throw error;
    }
    const count = countEntries(content);
    this.#newestSequence += count;
    this.#reader.keepNewest({ firstSequence, count, wallMs: head.wallMs, content });
    this.#noteFrame(writer, head.wallMs);
  }

  async #openWriter(firstSequence: number): Promise<SegmentWriter> {
    const { segmentBytes = SEGMENT_BYTES } = this.#options;
    const current = this.#writer;
    if (current !== undefined && current.length < segmentBytes) return current;
    await current?.close();
    this.#writer = undefined;
    this.#writer = await SegmentWriter.create(this.#options.directory, firstSequence);
    return this.#writer;
  }

  #noteFrame(writer: SegmentWriter, wallMs: number): void {
    let segment = this.#segments.at(-1);
    if (segment === undefined || writer.firstSequence !== segment.firstSequence) {
      segment = { firstSequence: writer.firstSequence, lastSequence: 0, bytes: 0, newestMs: 0 };
      this.#segments.push(segment);
    }
    segment.lastSequence = this.#newestSequence;
    segment.bytes = writer.length;
    segment.newestMs = wallMs;
  }

  #wake(): void {
    for (const resolve of this.#waiting) resolve();
  }
}

/** The disk is about to be full; the rest is for the state of the gateway. */
class DiskReserveReached extends Error {
  readonly code = 'DISK_RESERVE_REACHED';

  constructor(freeBytes: number, reservedBytes: number) {
    const [free, reserved] = [freeBytes, reservedBytes].map((bytes) => Math.floor(bytes / 2 ** 20));
    super(`${free} MiB of the disk are free, and ${reserved} MiB are reserved`);
  }
}
