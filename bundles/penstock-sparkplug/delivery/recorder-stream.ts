import { wordsOf } from '../../mqtt/words.ts';
import type { BundleJournal, JournalBatch } from '../../../daemon/software/bundle/runner/context.ts';
import type { CursorRange } from '../../mqtt/delivery/acknowledged-ranges.ts';
import { LinkEnded } from '../../mqtt/broker/broker-link.ts';
import { delayBefore, phaseOf } from '../../mqtt/delivery/backoff.ts';
import { CursorStore } from '../../mqtt/delivery/cursor-store.ts';
import type { MessageRate } from '../../mqtt/delivery/message-rate.ts';
import type { Time } from '../../mqtt/time.ts';
import type { CurrentValues } from '../node/current-values.ts';
import { RowValues } from '../node/data-set-row.ts';
import type { SparkplugSettings } from '../settings.ts';
import type { NodeStatus } from '../status.ts';
import { groupSamples, hasUnknown } from './batch-samples.ts';
import type { SampleGroup } from './batch-samples.ts';
import { DeliveryLog } from './delivery-log.ts';
import type { NodeLink } from './node-link.ts';

export interface RecorderStreamOptions {
  readonly gateway: string;
  readonly recorder: string;
  readonly journal: BundleJournal;
  readonly status: NodeStatus;
  readonly time: Time;
  /** Milliseconds before a loss of the primary host that are sent again. */
  readonly replayMs: number;
}

/** Parts of a connection that recorders share. */
export interface Delivery {
  readonly node: NodeLink;
  readonly settings: SparkplugSettings;
  /** Values that were sent last. */
  readonly values: CurrentValues;
  /** Those of the connections before this one. */
  readonly earlier: CurrentValues;
  readonly rate: MessageRate;
  readonly backlogRate: MessageRate;
  /** Reads the channels, and sends a birth if they have changed. */
  readonly refresh: () => Promise<void>;
}

/** How the samples of a batch are sent. */
interface Sending {
  readonly rate: MessageRate;
  readonly rows: RowValues;
  readonly write: (group: SampleGroup) => Promise<void>;
}

const READ_LIMIT = 5000;
const WAIT_MS = 10_000;
/** Pause after an empty batch that came at once, so that no loop is without a wait. */
const EMPTY_PAUSE_MS = 500;

/**
 * Sends the samples of one recorder: those taken since the birth at once, and older ones in parallel, as historical.
 *
 * It lasts longer than a connection and remembers which entries have arrived.
 */
export class RecorderStream {
  readonly #options: RecorderStreamOptions;
  readonly #store: CursorStore;
  readonly #phase: number;
  #log: DeliveryLog | undefined;
  /** Cursor of the newest entry that was seen. */
  #tail = 0;
  #hostLoss = Promise.withResolvers<void>();

  constructor(options: RecorderStreamOptions) {
    this.#options = options;
    this.#store = new CursorStore(options.journal);
    this.#phase = phaseOf(`${options.gateway}/${options.recorder}`);
  }

  /** Number of entries that have not arrived, those of other recorders included. */
  get backlog(): number {
    const holes = this.#log?.missing(this.#tail) ?? [];
    return holes.reduce((sum, { after, upTo }) => sum + upTo - after, 0);
  }

  /** Records that the primary host was away: the last samples are sent again, at once if there is a connection. */
  loseHost(): void {
    this.#log = this.#log?.withoutRecent(this.#options.time.nowMs());
    this.#hostLoss.resolve();
    this.#hostLoss = Promise.withResolvers();
  }

  /**
   * Returns the cursor where live samples begin: called before the birth, so that nothing is between them.
   *
   * @throws if the journal cannot be asked
   */
  async start(): Promise<number> {
    const { journal, replayMs } = this.#options;
    this.#log ??= new DeliveryLog(await journal.acknowledged(), replayMs);
    const tail = await journal.tail();
    this.#tail = Math.max(this.#tail, tail);
    return tail;
  }

  /** Sends until `signal` aborts or the connection ends. After an error of the journal it tries again, with growing delays. */
  async run(delivery: Delivery, tail: number, signal: AbortSignal): Promise<void> {
    const { recorder, status, time } = this.#options;
    let failures = 0;
    let from = tail;
    this.#log?.resume(time.nowMs());
    while (!signal.aborted) {
      const startMs = time.nowMs();
      try {
        await this.#deliver(delivery, from, signal);
      } catch (error) {
        if (signal.aborted || error instanceof LinkEnded) break;
        if (time.nowMs() - startMs > WAIT_MS) failures = 0;
        const delayMs = delayBefore(failures, this.#phase, time.random());
        failures += 1;
        status.hold(recorder, wordsOf(error), delayMs);
        await time.sleep(delayMs, signal).catch(() => {});
        from = this.#tail;
      }
    }
    this.#log?.pause(time.nowMs());
    await this.#store.flush();
    status.release(recorder);
  }

  async #deliver(delivery: Delivery, tail: number, signal: AbortSignal): Promise<void> {
    const failed = new AbortController();
    const either = AbortSignal.any([signal, failed.signal]);
    const streams = [this.#sendBacklogs(tail, delivery, either), this.#sendLive(tail, delivery, either)];
    for (const stream of streams) stream.catch((error: unknown) => failed.abort(error));
    await Promise.allSettled(streams);
    either.throwIfAborted();
  }

  async #sendLive(tail: number, delivery: Delivery, signal: AbortSignal): Promise<void> {
    const { node, rate, refresh, values } = delivery;
    for (let after = tail; ;) {
      const batch = await this.#read(after, WAIT_MS, signal);
      this.#options.status.release(this.#options.recorder);
      // Channels that were added since the last look.
      if (hasUnknown(batch, node.definition, batch.next)) await refresh();
      const range = { after, upTo: batch.next };
      await this.#send(
        batch,
        range,
        delivery,
        {
          rate,
          rows: new RowValues((metric) => values.find(metric), false),
          write: async (group) => node.sendLive(group),
        },
        signal,
      );
      after = batch.next;
    }
  }

  /** Sends the backlog, and again what is missing after each loss of the host. */
  async #sendBacklogs(tail: number, delivery: Delivery, signal: AbortSignal): Promise<void> {
    for (let upTo = tail; ;) {
      const { promise: loss } = this.#hostLoss;
      await this.#sendBacklog(upTo, delivery, signal);
      await untilAborted(loss, signal);
      upTo = this.#tail;
    }
  }

  async #sendBacklog(tail: number, delivery: Delivery, signal: AbortSignal): Promise<void> {
    const { recorder } = this.#options;
    const { node, backlogRate: rate, earlier } = delivery;
    const rows = new RowValues((metric) => earlier.find(metric), true);
    node.beginHistory(recorder);
    for (const hole of this.#log?.missing(tail) ?? []) {
      for (let { after } = hole; after < hole.upTo;) {
        const batch = await this.#read(after, 0, signal);
        const upTo = Math.min(batch.next, hole.upTo);
        const write = async (group: SampleGroup): Promise<void> => node.sendHistory(group);
        await this.#send(batch, { after, upTo }, delivery, { rate, rows, write }, signal);
        after = upTo;
      }
    }
    await node.endHistory(recorder);
  }

  async #read(after: number, waitMs: number, signal: AbortSignal): Promise<JournalBatch> {
    const { journal, time } = this.#options;
    const startMs = time.nowMs();
    const batch = await journal.read({ after, limit: READ_LIMIT, waitMs, signal });
    signal.throwIfAborted();
    this.#tail = Math.max(this.#tail, batch.tail);
    if (batch.next <= after && time.nowMs() - startMs < EMPTY_PAUSE_MS) {
      await time.sleep(EMPTY_PAUSE_MS, signal);
    }
    return batch;
  }

  /** Writes the messages of a batch at their rate, and waits until all of them have arrived. */
  async #send(
    batch: JournalBatch,
    range: CursorRange,
    { node, settings }: Delivery,
    { rate, rows, write }: Sending,
    signal: AbortSignal,
  ): Promise<void> {
    const { status, time } = this.#options;
    const { groups, unknown } = groupSamples(batch, node.definition, {
      upTo: range.upTo,
      maximumMetrics: settings.metricsPerMessage,
      maximumBytes: Math.min(settings.bytesPerMessage, node.maximumBytes),
      rows,
    });
    const log = this.#log;
    const arrivals: Promise<void>[] = [];
    for (const group of groups) {
      const delayMs = rate.reserve(time.nowMs());
      if (delayMs > 0) await time.sleep(delayMs, signal);
      const arrival = write(group);
      // Its error is that of all of them, below.
      arrival.catch(() => {});
      arrivals.push(arrival);
    }
    await Promise.all(arrivals);
    status.count('unknownSamples', unknown);
    status.count(
      'gaps',
      batch.gaps.filter(({ sequence }) => sequence > range.after && sequence <= range.upTo).length,
    );
    log?.complete(range, time.nowMs());
    this.acknowledge();
  }

  /** Acknowledges what counts as delivered to the journal. */
  acknowledge(): void {
    const cursor = this.#log?.settle(this.#options.time.nowMs());
    if (cursor !== undefined) this.#store.put(cursor);
  }
}

/** @throws the reason of the signal if it aborts first */
async function untilAborted(event: Promise<void>, signal: AbortSignal): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    await Promise.race([event, promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
