import { delay } from '../../../base/clock.ts';
import type { Clock } from '../../../base/clock.ts';
import { InvalidRequest, NotFound } from '../../../base/errors.ts';
import type { Logger } from '../../../base/logger.ts';
import type { AssetAccess } from '../../../plant/access/asset-access.ts';
import type { Cursors } from '../../../plant/journal/cursors.ts';
import type { Journal } from '../../../plant/journal/journal.ts';
import type { Gap } from '../../../plant/journal/sample.ts';
import type { Principal } from '../../../security/identity/identity.ts';
import { BundleError } from '../../bundle/bundle-error.ts';
import type { BundleSession } from '../../bundle/bundle-host.ts';
import type { WireJournalBatch, WireRecordedChannels } from '../../bundle/message/journal-columns.ts';
import type { BundleCallParams } from '../../bundle/message/messages.ts';
import { TokenBucket } from '../../bundle/message/token-bucket.ts';
import { scanJournal } from './journal-scan.ts';
import type { JournalFilter, ScannedBatch } from './journal-scan.ts';
import { ReadPlaces } from './read-places.ts';
import { UnusedCursors } from './unused-cursors.ts';
import { listRecordedChannels, pageOf } from './recorded-channels.ts';

const DEFAULT_LIMIT = 5000;
// A recorder may be added at any time.
const RECORDER_CHECK_MS = 1000;
const MAXIMUM_READS = 16;
// At 5,000 entries each, half a core at most.
const PAGES_PER_SECOND = 100;

/** A recorder as it is configured. */
export interface JournaledRecorder {
  readonly pid: string;
  readonly assets: readonly {
    readonly asset: string;
    /** Undefined: all of them. */
    readonly channels?: readonly string[] | undefined;
  }[];
}

/** A journal that is open. */
export interface OpenJournal {
  readonly journal: Pick<Journal, 'readRuns' | 'tail' | 'waitAfter'>;
  readonly cursors: Pick<Cursors, 'find' | 'acknowledge' | 'list' | 'remove'>;
  /** Lists the recorders that are configured. */
  readonly listRecorders: () => readonly JournaledRecorder[];
}

interface BundleJournalsOptions {
  /** Finds the journal; undefined while nothing is recorded. */
  readonly findJournal: () => OpenJournal | undefined;
  readonly access: Pick<AssetAccess, 'mayReadRecorded' | 'list' | 'open'>;
  /** Returns the identity with which a bundle reads, as it is at that moment. */
  readonly callerOf: (session: BundleSession) => Principal;
  readonly logger: Pick<Logger, 'info'>;
  readonly clock: Clock;
}

/** What the gateway keeps of a bundle that reads the journal, while it runs. */
interface Reader {
  readonly pace: TokenBucket;
  readonly places: ReadPlaces;
  reads: number;
}

/** A recorder that is configured or was, and the consumer that a bundle is of it. */
interface Consumer {
  readonly name: string;
  readonly open: OpenJournal;
  /** Undefined: it is not configured any more, but was. */
  readonly recorder: JournaledRecorder | undefined;
  readonly acknowledged: number;
}

/** Returns how the names of the cursors of a bundle begin. */
export function cursorsOf(bundle: string): string {
  return `bundle:${bundle}/`;
}

/** Gives bundles the samples of recorders: each one is a consumer of the journal, with a cursor for each recorder. */
export class BundleJournals {
  readonly #options: BundleJournalsOptions;
  readonly #readers = new WeakMap<BundleSession, Reader>();
  readonly #unused: UnusedCursors;

  constructor(options: BundleJournalsOptions) {
    this.#options = options;
    this.#unused = new UnusedCursors(options.clock);
  }

  /** Notes all recorders that a bundle reads from now on; the cursors that it has of others are removed if they stay unused. */
  declare(session: BundleSession, { recorders }: BundleCallParams<'journal.declare'>): undefined {
    const start = cursorsOf(session.id.name);
    this.#unused.declare(
      start,
      recorders.map((recorder) => `${start}${recorder}`),
    );
    this.#removeUnused(start);
  }

  /**
   * Returns the cursor of the newest entry.
   *
   * @throws {NotFound} `RECORDER_UNKNOWN`
   */
  tail(session: BundleSession, { recorder }: BundleCallParams<'journal.tail'>): number {
    return this.#getConsumer(session, recorder).open.journal.tail;
  }

  /**
   * Returns the cursor of the last entry that a bundle has acknowledged.
   *
   * @throws {NotFound} `RECORDER_UNKNOWN`
   */
  acknowledged(session: BundleSession, { recorder }: BundleCallParams<'journal.acknowledged'>): number {
    return this.#getConsumer(session, recorder).acknowledged;
  }

  /**
   * Moves the cursor of a bundle.
   *
   * @throws {NotFound} `RECORDER_UNKNOWN`
   * @throws {InvalidRequest} `JOURNAL_CURSOR_INVALID` for a cursor after the newest entry
   */
  acknowledge(
    session: BundleSession,
    { recorder, cursor }: BundleCallParams<'journal.acknowledge'>,
  ): undefined {
    const { open, name } = this.#getConsumer(session, recorder);
    checkCursor(cursor, open);
    const known = open.cursors.find(name);
    const timeMs = this.#readerOf(session).places.timeOf(name, cursor) ?? known?.timeMs ?? 0;
    open.cursors.acknowledge({ consumer: name, sequence: cursor, timeMs });
  }

  /**
   * Lists the channels that a recorder takes and the bundle may read at this moment.
   *
   * @throws {NotFound} `RECORDER_UNKNOWN`
   */
  channels(
    session: BundleSession,
    { recorder: pid, from, known }: BundleCallParams<'journal.channels'>,
  ): WireRecordedChannels {
    const { access, callerOf, findJournal } = this.#options;
    const recorder = findJournal()
      ?.listRecorders()
      .find((each) => each.pid === pid);
    if (recorder === undefined) throw createUnknownRecorder(pid);
    return pageOf(listRecordedChannels(recorder.assets, access, callerOf(session)), { from, known });
  }

  /**
   * Reads samples, and waits up to `waitMs` for the first one.
   *
   * @param signal ends the wait
   * @throws {NotFound} `RECORDER_UNKNOWN` if there is no such recorder after the wait, and no sample of it is left
   * @throws {InvalidRequest} `JOURNAL_CURSOR_INVALID` for a cursor after the newest entry
   * @throws {Unavailable} `JOURNAL_UNREADABLE`
   * @throws {BundleError} `BUNDLE_OVERLOADED` if the bundle reads too often at once
   */
  async read(
    session: BundleSession,
    params: BundleCallParams<'journal.read'>,
    signal: AbortSignal,
  ): Promise<WireJournalBatch> {
    this.#removeUnused(cursorsOf(session.id.name));
    const reader = this.#readerOf(session);
    if (reader.reads >= MAXIMUM_READS)
      throw new BundleError('BUNDLE_OVERLOADED', `${MAXIMUM_READS} reads of the journal are pending`);
    reader.reads += 1;
    try {
      return await this.#readUntil(session, params, signal);
    } finally {
      reader.reads -= 1;
    }
  }

  async #readUntil(
    session: BundleSession,
    { recorder, after, limit = DEFAULT_LIMIT, waitMs = 0 }: BundleCallParams<'journal.read'>,
    signal: AbortSignal,
  ): Promise<WireJournalBatch> {
    const { clock } = this.#options;
    const endMs = clock.monotonicMs() + waitMs;
    let position = after;
    for (;;) {
      const consumer = this.#findConsumer(session, recorder);
      const scanned = consumer && (await this.#scan(session, consumer, { recorder, after: position, limit }));
      signal.throwIfAborted();
      const leftMs = endMs - clock.monotonicMs();
      const isOver = leftMs <= 0 || scanned?.hasMore === true || (scanned?.batch.count ?? 0) > 0;
      if (consumer !== undefined && scanned !== undefined) {
        if (isOver && (scanned.batch.count > 0 || scanned.hasMore || consumer.recorder !== undefined))
          return scanned.batch.finish(scanned.next.sequence, consumer.open.journal.tail);
        position = scanned.next.sequence;
      }
      if (isOver) throw createUnknownRecorder(recorder);
      const { journal } = consumer?.open ?? {};
      if (journal !== undefined && consumer?.recorder !== undefined)
        await journal.waitAfter(position ?? 0, leftMs, signal);
      else await delay(clock, Math.min(RECORDER_CHECK_MS, leftMs), signal).catch(() => undefined);
      signal.throwIfAborted();
    }
  }

  async #scan(
    session: BundleSession,
    consumer: Consumer,
    { recorder, after, limit }: { recorder: string; after: number | undefined; limit: number },
  ): Promise<ScannedBatch> {
    const { clock } = this.#options;
    const { open, name, acknowledged } = consumer;
    const { pace, places } = this.#readerOf(session);
    const sequence = after ?? acknowledged;
    checkCursor(sequence, open);
    const timeMs = places.timeOf(name, sequence) ?? open.cursors.find(name)?.timeMs ?? clock.epochMs();
    const scanned = await scanJournal({
      journal: open.journal,
      from: { sequence, timeMs },
      filter: this.#createFilter(session, recorder, consumer.recorder),
      limit,
      nextTurn: async () => {
        const waitMs = pace.waitMs();
        pace.spend(1);
        if (waitMs > 0) await delay(clock, waitMs);
      },
      clock,
    });
    places.add(name, scanned.next);
    // Nothing of it is in flight, and the bundle acknowledges no entries without samples of it.
    if (consumer.recorder === undefined && scanned.batch.count === 0 && sequence <= acknowledged)
      open.cursors.acknowledge({ consumer: name, ...scanned.next });
    return scanned;
  }

  #createFilter(
    session: BundleSession,
    recorder: string,
    config: JournaledRecorder | undefined,
  ): JournalFilter {
    const { access, callerOf } = this.#options;
    const caller = callerOf(session);
    const mayRead = ({ asset, channel }: { readonly asset: string; readonly channel?: string | undefined }) =>
      access.mayReadRecorded(caller, asset, channel);
    return {
      recorder,
      mayRead,
      concerns: ({ asset, channel }: Gap) =>
        asset === undefined || (isRecorded(config, asset, channel) && mayRead({ asset, channel })),
    };
  }

  /** @throws {NotFound} `RECORDER_UNKNOWN` */
  #getConsumer(session: BundleSession, recorder: string): Consumer {
    const consumer = this.#findConsumer(session, recorder);
    if (consumer === undefined) throw createUnknownRecorder(recorder);
    return consumer;
  }

  /** Finds the consumer that a bundle is of a recorder, and adds it if it is new; undefined for a recorder that never was. */
  #findConsumer(session: BundleSession, pid: string): Consumer | undefined {
    const name = `${cursorsOf(session.id.name)}${pid}`;
    this.#unused.use(name);
    const open = this.#options.findJournal();
    const recorder = open?.listRecorders().find((each) => each.pid === pid);
    const known = open?.cursors.find(name);
    const { places } = this.#readerOf(session);
    if (open !== undefined && known !== undefined)
      return { name, open, recorder, acknowledged: known.sequence };
    const nowMs = this.#options.clock.epochMs();
    // Without a journal nothing was recorded yet: the first entry has number 1.
    const first = { sequence: open?.journal.tail ?? 0, timeMs: nowMs };
    const start = places.startOf(name, first);
    if (open === undefined || recorder === undefined) return undefined;
    open.cursors.acknowledge({ consumer: name, ...start });
    return { name, open, recorder, acknowledged: start.sequence };
  }

  #removeUnused(start: string): void {
    const { cursors } = this.#options.findJournal() ?? {};
    if (cursors === undefined || !this.#unused.isDue(start)) return;
    const consumers = cursors.list().map(({ consumer }) => consumer);
    for (const consumer of this.#unused.find(start, consumers)) {
      cursors.remove(consumer);
      this.#options.logger.info('bundle.cursorRemoved', { consumer });
    }
  }

  #readerOf(session: BundleSession): Reader {
    const known = this.#readers.get(session);
    if (known !== undefined) return known;
    const { clock } = this.#options;
    const pace = new TokenBucket({ capacity: PAGES_PER_SECOND, perSecond: PAGES_PER_SECOND, clock });
    const reader = { pace, places: new ReadPlaces(), reads: 0 };
    this.#readers.set(session, reader);
    return reader;
  }
}

function isRecorded(
  config: JournaledRecorder | undefined,
  asset: string,
  channel: string | undefined,
): boolean {
  const recorded = config?.assets.find((each) => each.asset === asset);
  if (recorded === undefined) return false;
  return channel === undefined || recorded.channels === undefined || recorded.channels.includes(channel);
}

function checkCursor(cursor: number, { journal }: OpenJournal): void {
  if (cursor <= journal.tail) return;
  const detail = `cursor ${cursor} is after the newest entry, ${journal.tail}`;
  throw new InvalidRequest({ code: 'JOURNAL_CURSOR_INVALID', detail });
}

function createUnknownRecorder(pid: string): NotFound {
  return new NotFound({ code: 'RECORDER_UNKNOWN', detail: `recorder "${pid}" is not configured` });
}
