import { wordsOf } from '../../mqtt/words.ts';
import { LinkEnded } from '../../mqtt/broker/broker-link.ts';
import type { BundleJournal, JournalBatch } from '../../../daemon/software/bundle/runner/context.ts';
import { makeMessages } from '../message/batch-messages.ts';
import type { SampleMessage } from '../message/batch-messages.ts';
import type { DeliverySettings } from '../settings.ts';
import type { SenderStatus } from '../status.ts';
import type { Time } from '../../mqtt/time.ts';
import { AcknowledgedRanges } from '../../mqtt/delivery/acknowledged-ranges.ts';
import type { CursorRange } from '../../mqtt/delivery/acknowledged-ranges.ts';
import { delayBefore, phaseOf } from '../../mqtt/delivery/backoff.ts';
import { CursorStore } from '../../mqtt/delivery/cursor-store.ts';
import { HeldRetry } from './held-retry.ts';
import { HeldTopics } from './held-topics.ts';
import { MessagePublisher } from './message-publisher.ts';
import type { Delivery } from './message-publisher.ts';
import type { Try } from './held-retry.ts';

export interface RecorderSenderOptions {
  readonly gateway: string;
  readonly recorder: string;
  readonly journal: BundleJournal;
  readonly status: SenderStatus;
  readonly time: Time;
}

const READ_LIMIT = 2000;
const WAIT_MS = 10_000;
/** Pause after an empty batch that came at once, so that no loop is without a wait. */
const EMPTY_PAUSE_MS = 500;

/**
 * Sends the samples of one recorder: those taken since the connection at once, and older ones in parallel, marked as backlog.
 * Topics that the broker refuses are held: their samples are tried again after all others, with growing delays.
 *
 * It lasts longer than a connection and remembers which entries have arrived: each is sent once, unless its acknowledgement is lost
 * or the process ends.
 */
export class RecorderSender {
  readonly #options: RecorderSenderOptions;
  readonly #store: CursorStore;
  readonly #phase: number;
  #ranges: AcknowledgedRanges | undefined;
  /** Cursor of the newest entry that was seen. */
  #tail = 0;
  /** Cursor up to which live messages are sent, or held by topic. */
  #live = 0;
  readonly #held = new HeldTopics();
  readonly #publisher: MessagePublisher;
  readonly #retry: HeldRetry;
  /** Templates of the topics. */
  #topics = '';

  constructor(options: RecorderSenderOptions) {
    this.#options = options;
    this.#store = new CursorStore(options.journal);
    this.#phase = phaseOf(`${options.gateway}/${options.recorder}`);
    this.#publisher = new MessagePublisher({
      held: this.#held,
      status: options.status,
      time: options.time,
      onHeld: () => this.#retry.show(),
    });
    this.#retry = new HeldRetry({
      held: this.#held,
      publisher: this.#publisher,
      time: options.time,
      phase: this.#phase,
      show: (topics, delayMs) => options.status.setRefused(options.recorder, topics, delayMs),
      read: (after, attempt, limit = READ_LIMIT) => this.#read(after, attempt, 0, limit),
      makeMessages: (batch, upTo, attempt) => this.#makeMessages(batch, upTo, true, attempt),
      newest: () => this.#live,
      acknowledge: () => this.#acknowledge(),
    });
  }

  /** Number of topics that the broker refuses. */
  get heldTopics(): number {
    return this.#held.count;
  }

  /** Number of entries that have not arrived, those of other recorders included and those of held topics not. */
  get backlog(): number {
    const holes = this.#ranges?.missing(this.#tail) ?? [];
    return holes.reduce((sum, { after, upTo }) => sum + upTo - after, 0);
  }

  /**
   * Sends until `signal` aborts or the connection ends. After an error of the journal, or a message that is too large, it tries again
   * with growing delays.
   *
   * Resolves when no message is outstanding and the journal has the last acknowledgement.
   */
  async run(delivery: Delivery, signal: AbortSignal): Promise<void> {
    const { recorder, status, time } = this.#options;
    let failures = 0;
    let end: LinkEnded | undefined;
    this.#publisher.begin();
    while (!signal.aborted) {
      const before = this.#ranges?.acknowledged;
      try {
        await this.#deliver(delivery, failures > 0, signal);
      } catch (error) {
        await this.#publisher.whenSettled();
        if (error instanceof LinkEnded) end = error;
        if (signal.aborted || end !== undefined) break;
        if (this.#ranges?.acknowledged !== before) failures = 0;
        const delayMs = delayBefore(failures, this.#phase, time.random());
        failures += 1;
        status.hold(recorder, wordsOf(error), delayMs);
        await time.sleep(delayMs, signal).catch(() => {});
      }
    }
    await this.#publisher.whenSettled();
    await this.#store.flush();
    status.release(recorder);
    const { topic } = delivery.settings;
    const hasTopics = topic.names.has('asset') || topic.names.has('channel');
    if (end !== undefined) this.#publisher.recordLoss(end, hasTopics);
  }

  /**
   * Looks at the journal without a connection: a new consumer begins, and the backlog is known.
   *
   * Never rejects: an error of the journal is reported when there is a connection.
   */
  async look(): Promise<void> {
    try {
      await this.#openRanges();
      this.#tail = Math.max(this.#tail, await this.#options.journal.tail());
    } catch {
      // The next call tries it again.
    }
  }

  async #openRanges(): Promise<AcknowledgedRanges> {
    const known = this.#ranges ?? new AcknowledgedRanges(await this.#options.journal.acknowledged());
    this.#ranges ??= known;
    return this.#ranges;
  }

  /** @param isCautious the try before failed: the first batch has to arrive before anything else is sent */
  async #deliver(delivery: Delivery, isCautious: boolean, signal: AbortSignal): Promise<void> {
    const { journal, recorder, status } = this.#options;
    this.#forgetOtherTopics(delivery.settings);
    const ranges = await this.#openRanges();
    // Again, if the journal could not store it.
    this.#acknowledge();
    const failed = new AbortController();
    const attempt: Try = {
      ...delivery,
      signal: AbortSignal.any([signal, failed.signal]),
      fail: (error) => failed.abort(error),
    };
    if (isCautious) {
      const [first] = ranges.missing(await journal.tail());
      if (first !== undefined) await this.#sendFirst(first, attempt);
    }
    status.release(recorder);
    const tail = await journal.tail();
    this.#tail = Math.max(this.#tail, tail);
    this.#live = tail;
    const streams = [this.#sendLive(tail, attempt), this.#sendOlder(ranges.missing(tail), attempt)];
    for (const stream of streams) stream.catch(attempt.fail);
    await Promise.allSettled(streams);
    attempt.signal.throwIfAborted();
  }

  /** Forgets how far each topic has come if the topics are others: what was held is read again, with all that came after it. */
  #forgetOtherTopics({ topic, gapTopic }: DeliverySettings): void {
    const topics = JSON.stringify([topic.text, gapTopic.text]);
    if (this.#topics !== topics && this.#held.count > 0) {
      this.#held.clear();
      this.#ranges = undefined;
      this.#retry.show();
    }
    this.#topics = topics;
  }

  async #sendFirst({ after, upTo }: CursorRange, attempt: Try): Promise<void> {
    const batch = await this.#read(after, attempt, 0);
    const { arrived } = await this.#send(batch, { after, upTo: Math.min(batch.next, upTo) }, true, attempt);
    await arrived;
  }

  async #sendLive(tail: number, attempt: Try): Promise<void> {
    for (let after = tail; ;) {
      const batch = await this.#read(after, attempt, WAIT_MS);
      this.#live = batch.next;
      await this.#send(batch, { after, upTo: batch.next }, false, attempt);
      after = batch.next;
    }
  }

  async #sendOlder(holes: readonly CursorRange[], attempt: Try): Promise<void> {
    await this.#sendBacklog(holes, attempt);
    await this.#retry.run(attempt);
  }

  async #sendBacklog(holes: readonly CursorRange[], attempt: Try): Promise<void> {
    for (const hole of holes) {
      let reading = this.#read(hole.after, attempt, 0);
      for (let { after } = hole; after < hole.upTo;) {
        const batch = await reading;
        const upTo = Math.min(batch.next, hole.upTo);
        // The next batch is read while this one is sent.
        if (upTo < hole.upTo) {
          reading = this.#read(upTo, attempt, 0);
          reading.catch(attempt.fail);
        }
        await this.#send(batch, { after, upTo }, true, attempt);
        after = upTo;
      }
    }
  }

  async #read(after: number, { signal }: Try, waitMs: number, limit = READ_LIMIT): Promise<JournalBatch> {
    const { journal, time } = this.#options;
    const startMs = time.nowMs();
    const batch = await journal.read({ after, limit, waitMs, signal });
    signal.throwIfAborted();
    this.#tail = Math.max(this.#tail, batch.tail);
    if (batch.next <= after && time.nowMs() - startMs < EMPTY_PAUSE_MS) {
      await time.sleep(EMPTY_PAUSE_MS, signal);
    }
    return batch;
  }

  /**
   * Hands the messages of a batch to the connection, each when the window has a place for it.
   *
   * @returns a promise that resolves when all of them have arrived or are held by topic
   */
  async #send(
    batch: JournalBatch,
    range: CursorRange,
    isBacklog: boolean,
    attempt: Try,
  ): Promise<{ readonly arrived: Promise<void> }> {
    const messages = this.#makeMessages(batch, range.upTo, isBacklog, attempt);
    const arrivals = await this.#publisher.publishAll(messages, { ...attempt, isBacklog });
    const arrived = Promise.all(arrivals).then(() => {
      if (this.#ranges?.complete(range) === true) this.#acknowledge();
    });
    arrived.catch(attempt.fail);
    return { arrived };
  }

  #makeMessages(
    batch: JournalBatch,
    upTo: number,
    isBacklog: boolean,
    { settings, link }: Try,
  ): readonly SampleMessage[] {
    const { gateway, recorder } = this.#options;
    return makeMessages(batch, {
      gateway,
      recorder,
      topic: settings.topic,
      gapTopic: settings.gapTopic,
      isBacklog,
      upTo,
      maximumSamples: settings.samplesPerMessage,
      maximumBytes: this.#publisher.limitBytes(settings.bytesPerMessage, link),
    });
  }

  /** Acknowledges to the journal what has arrived in every topic. */
  #acknowledge(): void {
    if (this.#ranges !== undefined) this.#store.put(Math.min(this.#ranges.acknowledged, this.#held.after));
  }
}
