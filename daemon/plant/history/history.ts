import { codeOfFault } from '../../base/file/file-fault.ts';
import { delay } from '../../base/clock.ts';
import type { Clock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import { ensurePrivateDirectory } from '../../base/file/directory.ts';
import type { Logger } from '../../base/logger.ts';
import { isDamage } from '../../base/store/store.ts';
import type { Cursors } from '../journal/cursors.ts';
import type { Journal } from '../journal/journal.ts';
import type { RecordingStop } from '../journal/lost-entries.ts';
import { BlockSource } from './block-source.ts';
import type { CopyTarget } from './history-copy.ts';
import { openHistoryFile, replaceHistoryFile } from './history-file.ts';
import type { HistoryFile } from './history-file.ts';
import { readHistory } from './history-query.ts';
import type { HistoryQuery, HistoryRow } from './history-query.ts';
import { HistoryRetention } from './history-retention.ts';
import type { HistoryBounds } from './history-retention.ts';
import { HistoryWriter } from './history-writer.ts';
import type { Position } from './history-tables.ts';

/** Name of the history among the consumers of the journal. */
const HISTORY_CONSUMER = 'history';

const READ_LIMIT = 5000;
// Channels whose samples are taken before other work has its turn: at ten samples each, a millisecond.
const RUNS_AT_ONCE = 250;
const STORE_INTERVAL_MS = 30_000;
const COMPLETE_LIMIT = 64;
const RETRY_MS = 10_000;

interface HistoryOptions {
  readonly journal: Pick<Journal, 'readRuns' | 'waitAfter' | 'tail' | 'status'>;
  readonly cursors: Pick<Cursors, 'find' | 'acknowledge'>;
  /** Private directory of `history.db`; created if missing. */
  readonly directory: string;
  /** Called at each use, so that it can change. */
  readonly bounds: () => HistoryBounds;
  /** Called when nothing is stored any more and when it goes on. */
  readonly onFault?: ((fault: RecordingStop | undefined) => void) | undefined;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** What the history holds. */
export interface HistoryStatus {
  readonly bytes: number;
  /** Bytes of its file, with those that are not in use. */
  readonly fileBytes: number;
  /** Entries of the journal that it has not read. */
  readonly lag: number;
  /** Reason that nothing is stored; undefined while it goes on. The journal keeps what is missing. */
  readonly fault: RecordingStop | undefined;
}

/**
 * The samples of the journal in blocks by channel, to be read by time.
 *
 * It follows the journal automatically and acknowledges what is on disk. A file that is damaged is moved aside, and a new one begun;
 * a disk that refuses blocks is tried again.
 */
export class History {
  readonly #options: HistoryOptions;
  readonly #closing = new AbortController();
  #file: HistoryFile;
  #writer: HistoryWriter;
  #retention: HistoryRetention;
  #storedAtMs: number;
  /** Number of the entry up to which it has acknowledged what is on disk. */
  #acknowledged: number | undefined;
  #fault: RecordingStop | undefined;
  /** Found by a reader. */
  #damage: Error | undefined;
  #running: Promise<void> = Promise.resolve();
  /** Ends the copying of the file. */
  #closingFile = new AbortController();
  #copying: Promise<unknown> = Promise.resolve();

  private constructor(options: HistoryOptions, file: HistoryFile) {
    this.#options = options;
    this.#file = file;
    this.#storedAtMs = options.clock.monotonicMs();
    ({ writer: this.#writer, retention: this.#retention } = this.#begin());
  }

  /**
   * Opens the history of a directory and follows the journal.
   *
   * @throws {StoreError} if the file cannot be used, other than for damage
   */
  static async open(options: HistoryOptions): Promise<History> {
    await ensurePrivateDirectory(options.directory);
    const history = new History(options, openHistoryFile(options.directory, options.logger));
    history.#running = history.#run();
    return history;
  }

  status(): HistoryStatus {
    return {
      bytes: this.#measureFile((tables) => tables.bytes),
      fileBytes: this.#measureFile((tables) => tables.fileBytes),
      lag: Math.max(0, this.#options.journal.tail - this.#writer.position.sequence),
      fault: this.#fault,
    };
  }

  #measureFile(measure: (tables: HistoryFile['tables']) => number): number {
    // It is closed while a damaged one could not be replaced.
    if (!this.#file.isOpen()) return 0;
    try {
      return measure(this.#file.tables);
    } catch (error) {
      if (!(error instanceof Error) || !isDamage(error)) throw error;
      this.#damage = error;
      return 0;
    }
  }

  /** Returns bytes on disk and the earliest time, in milliseconds since the epoch, of some channels. */
  measure(
    channels: readonly { readonly asset: string; readonly channel: string }[],
  ): ReturnType<HistoryFile['tables']['measure']> {
    return this.#file.tables.measure(channels);
  }

  /** Calls a function with each block whose samples may not be on disk yet. */
  forEachOpen(visit: Parameters<HistoryWriter['forEachOpen']>[0]): void {
    this.#writer.forEachOpen(visit);
  }

  /**
   * Reads rows in the order of time, in pieces; see `readHistory`. What was recorded in the last second may be missing.
   *
   * @param signal ends the reading without an error
   * @throws errors of SQLite if the file is damaged
   */
  async *read(
    query: HistoryQuery,
    signal?: AbortSignal,
  ): AsyncGenerator<readonly HistoryRow[], void, undefined> {
    const { tables } = this.#file;
    const { logger, clock } = this.#options;
    const source = new BlockSource({
      tables,
      views: this.#writer.listViews(query.asset, new Set(query.channels)),
      newestId: this.#writer.newestBlock,
      range: query,
      logger,
    });
    const ending = AbortSignal.any([this.#closing.signal, ...(signal === undefined ? [] : [signal])]);
    try {
      yield* readHistory({ tables, source, clock }, query, ending);
    } catch (error) {
      if (error instanceof Error && isDamage(error)) this.#damage = error;
      throw error;
    }
  }

  /**
   * Copies the file, one copy at a time; see `copyDatabase`. What the copy lacks is in the journal as it is afterwards, from where
   * the history goes on that is opened with both.
   */
  async copy({ signal, ...target }: CopyTarget): Promise<void> {
    const ending = AbortSignal.any([signal, this.#closing.signal, this.#closingFile.signal]);
    const copied = this.#copying.then(() => this.#file.copy({ ...target, signal: ending }));
    this.#copying = copied.catch(() => undefined);
    await copied;
  }

  /** Stores what it has read, acknowledges it and closes the file; to be called before the journal is closed. */
  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    await this.#running;
    try {
      await this.#store(true);
    } catch (error) {
      this.#note(error);
    }
    await this.#copying;
    this.#file.close();
  }

  #begin(): { readonly writer: HistoryWriter; readonly retention: HistoryRetention } {
    const { journal, cursors, clock } = this.#options;
    const { tables, lostSinceMs } = this.#file;
    if ((tables.position?.sequence ?? 0) > journal.tail) tables.forgetSequences();
    const oldest = { sequence: journal.status().oldestSequence - 1, timeMs: clock.epochMs() };
    const known = [cursors.find(HISTORY_CONSUMER), tables.position].filter((each) => each !== undefined);
    const position = known.reduce<Position>(
      (one, other) => (other.sequence > one.sequence ? other : one),
      known[0] ?? oldest,
    );
    if (lostSinceMs !== undefined) {
      const toMs = clock.epochMs();
      // The clock may have been set back since.
      const fromMs = Math.min(lostSinceMs, toMs);
      const gap = { reason: 'DAMAGED', fromMs, toMs, count: 0 } as const;
      tables.put([], [{ gap, sequence: 0 }]);
    }
    cursors.acknowledge({ consumer: HISTORY_CONSUMER, ...position });
    this.#acknowledged = undefined;
    return {
      writer: new HistoryWriter(tables, position, clock),
      retention: new HistoryRetention(tables, clock),
    };
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      try {
        await this.#step();
      } catch (error) {
        await this.#recover(error);
      }
    }
  }

  async #step(): Promise<void> {
    const { journal, clock } = this.#options;
    if (this.#damage !== undefined) throw this.#damage;
    const { runs } = await journal.readRuns(this.#writer.position, READ_LIMIT);
    for (let start = 0; start < runs.length; start += RUNS_AT_ONCE) {
      this.#writer.take(runs.slice(start, start + RUNS_AT_ONCE));
      this.#writer.storeGaps();
      await clock.nextTurn();
    }
    const isDue = clock.monotonicMs() - this.#storedAtMs >= STORE_INTERVAL_MS;
    if (isDue || this.#writer.completeCount >= COMPLETE_LIMIT) await this.#store();
    if (runs.length === 0)
      await journal.waitAfter(this.#writer.position.sequence, STORE_INTERVAL_MS, this.#closing.signal);
  }

  async #store(isAll = false): Promise<void> {
    const { cursors, bounds, clock } = this.#options;
    const { tables } = this.#file;
    await this.#writer.store(isAll);
    const position = this.#writer.storedPosition;
    // Where nothing is new, nothing is written: an idle gateway must not wear its flash memory.
    if (position.sequence !== this.#acknowledged) {
      tables.putPosition(position);
      await this.#file.sync();
      cursors.acknowledge({ consumer: HISTORY_CONSUMER, ...position });
      this.#acknowledged = position.sequence;
    }
    await this.#retention.apply(bounds());
    this.#storedAtMs = clock.monotonicMs();
    if (this.#fault === undefined) return;
    this.#fault = undefined;
    this.#options.logger.info('history.resumed', {});
    this.#options.onFault?.(undefined);
  }

  async #recover(error: unknown): Promise<void> {
    try {
      if (error instanceof Error && isDamage(error)) await this.#replace(error);
      else this.#note(error);
    } catch (other) {
      this.#note(other);
    }
    if (this.#fault === undefined) return;
    try {
      await delay(this.#options.clock, RETRY_MS, this.#closing.signal);
    } catch {
      // The history is being closed.
    }
  }

  async #replace(error: Error): Promise<void> {
    const { directory, logger } = this.#options;
    // Until it was replaced.
    this.#damage = error;
    this.#closingFile.abort();
    await this.#copying;
    this.#closingFile = new AbortController();
    this.#file.close();
    this.#file = replaceHistoryFile(directory, error, logger);
    this.#damage = undefined;
    ({ writer: this.#writer, retention: this.#retention } = this.#begin());
  }

  #note(error: unknown): void {
    const reason = messageOf(error);
    const { logger, clock, onFault } = this.#options;
    const isNew = this.#fault === undefined;
    const code = codeOfFault(error);
    this.#fault = {
      reason,
      ...(code === undefined ? {} : { code }),
      sinceMs: this.#fault?.sinceMs ?? clock.epochMs(),
    };
    if (!isNew) return;
    logger.error('history.storeFailed', { reason });
    onFault?.(this.#fault);
  }
}
