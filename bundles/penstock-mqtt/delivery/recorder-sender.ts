import type { BrokerLink } from '../../mqtt/broker/broker-link.ts';
import { LinkEnded, MessageRefused } from '../../mqtt/broker/broker-link.ts';
import { PACKET_TOO_LARGE } from '../../mqtt/broker/reason-codes.ts';
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
import type { MessageRate } from '../../mqtt/delivery/message-rate.ts';
import type { SendWindow } from './send-window.ts';

export interface RecorderSenderOptions {
  readonly gateway: string;
  readonly recorder: string;
  readonly journal: BundleJournal;
  readonly status: SenderStatus;
  readonly time: Time;
}

/** Parts of a connection that recorders share. */
export interface Delivery {
  readonly link: BrokerLink;
  readonly window: SendWindow;
  readonly rate: MessageRate;
  readonly settings: DeliverySettings;
}

/** One try to deliver, until something fails. */
interface Try extends Delivery {
  readonly signal: AbortSignal;
  /** Ends the try. */
  readonly fail: (error: unknown) => void;
}

const READ_LIMIT = 5000;
const WAIT_MS = 10_000;
/** Pause after an empty batch that came at once, so that no loop is without a wait. */
const EMPTY_PAUSE_MS = 500;
/** Room for header, topic and properties of a packet. */
const PACKET_MARGIN_BYTES = 256;
const SMALLEST_MESSAGE_BYTES = 64;
/**
 * Connections in a row that ended before any message arrived, after which messages become smaller: brokers end the connection for one
 * that is too large, or answer with a reason code that the library takes for a violation of the protocol.
 */
const FRUITLESS_CONNECTIONS = 3;

/**
 * Sends the samples of one recorder: those taken since the connection at once, and older ones in parallel, marked as backlog.
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
  readonly #outstanding = new Set<Promise<void>>();
  /** Maximum size of a payload, lowered when the broker refuses a larger one. */
  #maximumBytes = Infinity;
  #fruitless = 0;
  /** Since the connection. */
  #arrivedMessages = 0;
  #largestBytes = 0;

  constructor(options: RecorderSenderOptions) {
    this.#options = options;
    this.#store = new CursorStore(options.journal);
    this.#phase = phaseOf(`${options.gateway}/${options.recorder}`);
  }

  /** Number of entries that have not arrived, those of other recorders included. */
  get backlog(): number {
    const holes = this.#ranges?.missing(this.#tail) ?? [];
    return holes.reduce((sum, { after, upTo }) => sum + upTo - after, 0);
  }

  /**
   * Sends until `signal` aborts or the connection ends. After a refused message or an error of the journal it tries again, with
   * growing delays.
   *
   * Resolves when no message is outstanding and the journal has the last acknowledgement.
   */
  async run(delivery: Delivery, signal: AbortSignal): Promise<void> {
    const { recorder, status, time } = this.#options;
    let failures = 0;
    let isLost = false;
    this.#arrivedMessages = 0;
    this.#largestBytes = 0;
    while (!signal.aborted) {
      const before = this.#ranges?.acknowledged;
      try {
        await this.#deliver(delivery, failures > 0, signal);
      } catch (error) {
        await Promise.allSettled(this.#outstanding);
        isLost = error instanceof LinkEnded;
        if (signal.aborted || isLost) break;
        if (this.#ranges?.acknowledged !== before) failures = 0;
        const delayMs = delayBefore(failures, this.#phase, time.random());
        failures += 1;
        status.hold(recorder, error instanceof Error ? error.message : String(error), delayMs);
        await time.sleep(delayMs, signal).catch(() => {});
      }
    }
    await Promise.allSettled(this.#outstanding);
    await this.#store.flush();
    status.release(recorder);
    if (isLost) this.#judgeConnection();
  }

  #judgeConnection(): void {
    if (this.#arrivedMessages > 0) this.#fruitless = 0;
    else if (this.#largestBytes > 0) this.#fruitless += 1;
    if (this.#fruitless >= FRUITLESS_CONNECTIONS) this.#lowerLimit(this.#largestBytes);
  }

  /** @param isCautious the try before failed: the first batch has to arrive before anything else is sent */
  async #deliver(delivery: Delivery, isCautious: boolean, signal: AbortSignal): Promise<void> {
    const { journal, recorder, status } = this.#options;
    this.#ranges ??= new AcknowledgedRanges(await journal.acknowledged());
    // Again, if the journal could not store it.
    this.#store.put(this.#ranges.acknowledged);
    const failed = new AbortController();
    const attempt: Try = {
      ...delivery,
      signal: AbortSignal.any([signal, failed.signal]),
      fail: (error) => failed.abort(error),
    };
    if (isCautious) {
      const [first] = this.#ranges.missing(await journal.tail());
      if (first !== undefined) await this.#sendFirst(first, attempt);
    }
    status.release(recorder);
    const tail = await journal.tail();
    this.#tail = Math.max(this.#tail, tail);
    const streams = [this.#sendLive(tail, attempt), this.#sendBacklog(this.#ranges.missing(tail), attempt)];
    for (const stream of streams) stream.catch(attempt.fail);
    await Promise.allSettled(streams);
    attempt.signal.throwIfAborted();
  }

  async #sendFirst({ after, upTo }: CursorRange, attempt: Try): Promise<void> {
    const batch = await this.#read(after, attempt, 0);
    const { arrived } = await this.#send(batch, { after, upTo: Math.min(batch.next, upTo) }, true, attempt);
    await arrived;
  }

  async #sendLive(tail: number, attempt: Try): Promise<void> {
    for (let after = tail; ;) {
      const batch = await this.#read(after, attempt, WAIT_MS);
      await this.#send(batch, { after, upTo: batch.next }, false, attempt);
      after = batch.next;
    }
  }

  async #sendBacklog(holes: readonly CursorRange[], attempt: Try): Promise<void> {
    for (const hole of holes) {
      for (let { after } = hole; after < hole.upTo;) {
        const batch = await this.#read(after, attempt, 0);
        const upTo = Math.min(batch.next, hole.upTo);
        await this.#send(batch, { after, upTo }, true, attempt);
        after = upTo;
      }
    }
  }

  async #read(after: number, { signal }: Try, waitMs: number): Promise<JournalBatch> {
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

  /**
   * Hands the messages of a batch to the connection, each when the window has a place for it.
   *
   * @returns a promise that resolves when all of them have arrived
   */
  async #send(
    batch: JournalBatch,
    range: CursorRange,
    isBacklog: boolean,
    attempt: Try,
  ): Promise<{ readonly arrived: Promise<void> }> {
    const { gateway, recorder, time } = this.#options;
    const { settings, window, rate, signal } = attempt;
    const messages = makeMessages(batch, {
      gateway,
      recorder,
      topic: settings.topic,
      gapTopic: settings.gapTopic,
      isBacklog,
      upTo: range.upTo,
      maximumSamples: settings.samplesPerMessage,
      maximumBytes: this.#limitBytes(attempt),
    });
    const arrivals: Promise<void>[] = [];
    for (const message of messages) {
      const delayMs = isBacklog ? rate.reserve(time.nowMs()) : 0;
      if (delayMs > 0) await time.sleep(delayMs, signal);
      const release = await window.acquire(isBacklog ? 'BACKLOG' : 'LIVE', signal);
      const arrival = this.#publish(message, attempt).finally(release);
      this.#outstanding.add(arrival);
      arrival.finally(() => this.#outstanding.delete(arrival)).catch(attempt.fail);
      arrivals.push(arrival);
    }
    const arrived = Promise.all(arrivals).then(() => {
      if (this.#ranges?.complete(range) === true) this.#store.put(this.#ranges.acknowledged);
    });
    arrived.catch(attempt.fail);
    return { arrived };
  }

  async #publish(message: SampleMessage, { link, settings }: Try): Promise<void> {
    const { status } = this.#options;
    const { topic, payload, payloadBytes, samples } = message;
    try {
      if (payloadBytes + PACKET_MARGIN_BYTES + Buffer.byteLength(topic) > link.maximumPacketBytes) {
        throw new MessageRefused(topic, PACKET_TOO_LARGE);
      }
      status.count('sent');
      this.#largestBytes = Math.max(this.#largestBytes, payloadBytes);
      await link.publish({ topic, payload, qos: settings.qos });
    } catch (error) {
      if (error instanceof MessageRefused) {
        status.count('refused');
        if (error.code === PACKET_TOO_LARGE) this.#lowerLimit(payloadBytes);
      }
      throw error;
    }
    this.#arrivedMessages += 1;
    status.count('acknowledged');
    status.count(samples === 0 ? 'gaps' : 'samples', Math.max(samples, 1));
  }

  #limitBytes({ settings, link }: Try): number {
    const { bytesPerMessage } = settings;
    return Math.min(bytesPerMessage, this.#maximumBytes, link.maximumPacketBytes - 2 * PACKET_MARGIN_BYTES);
  }

  #lowerLimit(payloadBytes: number): void {
    this.#maximumBytes = Math.max(SMALLEST_MESSAGE_BYTES, Math.floor(payloadBytes / 2));
  }
}
