import { MessageRefused } from '../../mqtt/broker/broker-link.ts';
import type { BrokerLink, LinkEnded } from '../../mqtt/broker/broker-link.ts';
import { PACKET_TOO_LARGE } from '../../mqtt/broker/reason-codes.ts';
import type { MessageRate } from '../../mqtt/delivery/message-rate.ts';
import type { Time } from '../../mqtt/time.ts';
import type { SampleMessage } from '../message/batch-messages.ts';
import type { DeliverySettings } from '../settings.ts';
import type { SenderStatus } from '../status.ts';
import type { HeldTopics } from './held-topics.ts';
import type { Release, SendWindow } from './send-window.ts';

/** Parts of a connection that recorders share. */
export interface Delivery {
  readonly link: BrokerLink;
  readonly window: SendWindow;
  readonly rate: MessageRate;
  readonly settings: DeliverySettings;
}

/** How messages are published. */
export interface Publishing extends Delivery {
  readonly isBacklog: boolean;
  /** Topic that is sent although it is held. */
  readonly tried?: string | undefined;
  readonly signal: AbortSignal;
  /** Called when a message neither arrived nor is held. */
  readonly fail: (error: unknown) => void;
}

interface MessagePublisherOptions {
  readonly held: HeldTopics;
  readonly status: Pick<SenderStatus, 'count' | 'setOversized'>;
  readonly time: Pick<Time, 'nowMs' | 'sleep'>;
  /** Called when another topic is held. */
  readonly onHeld: () => void;
}

/** Room for header, topic and properties of a packet. */
const PACKET_MARGIN_BYTES = 256;
const SMALLEST_MESSAGE_BYTES = 64;
/**
 * Connections in a row that ended before any message arrived, after which messages become smaller: brokers end the connection for one
 * that is too large, or answer with a reason code that the library takes for a violation of the protocol.
 */
const FRUITLESS_CONNECTIONS = 3;
/** Connections that ended at a message of the same topic, after which the topic is held. */
const SUSPICIOUS_CONNECTIONS = 3;
const MAXIMUM_SUSPECTS = 100;
/** Smaller messages are not suspected for their size: no broker has such a limit. */
const SUSPICIOUS_BYTES = 4096;
/**
 * Pause before a topic at which the broker ended connections is tried again: each try may cost the connection. The first one is short,
 * because a bad network looks the same; each further one is twice as long.
 */
const FIRST_PAUSE_MS = 10_000;
const LONGEST_PAUSE_MS = 600_000;

/**
 * Publishes the messages of a recorder, and remembers what the broker does not accept: topics are held, messages become smaller.
 *
 * A broker without reason codes may end the connection instead. The first message that it did not acknowledge is then suspected.
 */
export class MessagePublisher {
  readonly #options: MessagePublisherOptions;
  /** In the order in which they were sent. */
  readonly #outstanding = new Set<SampleMessage>();
  readonly #promises = new Set<Promise<boolean>>();
  /** Number of connections that ended at a topic since the last message of it arrived. */
  readonly #suspects = new Map<string, number>();
  /** Maximum size of a payload, lowered when the broker refuses a larger one. */
  #maximumBytes = Infinity;
  /** Size of the smallest message that no broker took although it has one sample alone. */
  #refusedBytes = Infinity;
  /** Size of the largest message that arrived. */
  #arrivedBytes = 0;
  /** Message at which the last connections ended. */
  #lastEnd = { first: -1, count: 0 };
  #fruitless = 0;
  /** Since the connection. */
  #arrived = 0;
  #largestBytes = 0;

  constructor(options: MessagePublisherOptions) {
    this.#options = options;
  }

  /** Begins with a new connection. */
  begin(): void {
    this.#arrived = 0;
    this.#largestBytes = 0;
    this.#outstanding.clear();
  }

  /**
   * Records that the connection was lost: its topic is suspected, or messages become smaller.
   *
   * @param hasTopics true if messages have different topics: if there is one alone, it is tried again with the next connection
   */
  recordLoss(end: LinkEnded, hasTopics: boolean): void {
    const [first] = this.#outstanding;
    if (first !== undefined && !end.isSilent) {
      this.#suspectSize(first);
      if (hasTopics) this.#suspect(first);
    }
    if (this.#arrived > 0) this.#fruitless = 0;
    else if (this.#largestBytes > 0) this.#fruitless += 1;
    if (this.#fruitless >= FRUITLESS_CONNECTIONS) this.#lowerLimit(this.#largestBytes);
  }

  /** Returns the maximum size of a payload. */
  limitBytes(wanted: number, link: Pick<BrokerLink, 'maximumPacketBytes'>): number {
    return Math.min(wanted, this.#maximumBytes, link.maximumPacketBytes - 2 * PACKET_MARGIN_BYTES);
  }

  /**
   * Publishes messages when the window has a place for each, but for those of topics that are held.
   *
   * @returns a promise for each that was handed over, in order: true if it arrived or is left out, false if it is held by topic
   * @throws the reason of the signal when it aborts first
   */
  async publishAll(
    messages: readonly SampleMessage[],
    publishing: Publishing,
  ): Promise<readonly Promise<boolean>[]> {
    const { isBacklog, window, rate, signal } = publishing;
    const { time } = this.#options;
    const arrivals: Promise<boolean>[] = [];
    for (const message of messages) {
      if (this.#isHeld(message, publishing)) {
        arrivals.push(Promise.resolve(false));
        continue;
      }
      const delayMs = isBacklog ? rate.reserve(time.nowMs()) : 0;
      if (delayMs > 0) await time.sleep(delayMs, signal);
      const release = await window.acquire(isBacklog ? 'BACKLOG' : 'LIVE', signal);
      arrivals.push(this.#start(message, publishing, release));
    }
    return arrivals;
  }

  /** Resolves when no message is outstanding. */
  async whenSettled(): Promise<void> {
    await Promise.allSettled(this.#promises);
  }

  #start(message: SampleMessage, publishing: Publishing, release: Release): Promise<boolean> {
    // The one before it may have been refused while this one waited.
    if (this.#isHeld(message, publishing)) {
      release();
      return Promise.resolve(false);
    }
    const arrival = this.#publish(message, publishing).finally(release);
    this.#promises.add(arrival);
    arrival.finally(() => this.#promises.delete(arrival)).catch(publishing.fail);
    return arrival;
  }

  #isHeld({ topic, first }: SampleMessage, { tried }: Publishing): boolean {
    if (topic === tried || this.#options.held.find(topic) === undefined) return false;
    this.#options.held.skip(topic, first - 1);
    return true;
  }

  /**
   * @throws {MessageRefused} if it is too large and can be divided, or no further topic can be held
   * @throws {LinkEnded}
   */
  async #publish(message: SampleMessage, { link, settings: { qos } }: Publishing): Promise<boolean> {
    const { status } = this.#options;
    const { topic, payload, payloadBytes, samples } = message;
    try {
      const packetBytes = payloadBytes + PACKET_MARGIN_BYTES + Buffer.byteLength(topic);
      const isRefused = samples <= 1 && payloadBytes >= this.#refusedBytes;
      if (isRefused || packetBytes > link.maximumPacketBytes) {
        throw new MessageRefused(topic, PACKET_TOO_LARGE);
      }
      status.count('sent');
      this.#largestBytes = Math.max(this.#largestBytes, payloadBytes);
      this.#outstanding.add(message);
      await link.publish({ topic, payload, qos });
    } catch (error) {
      if (!(error instanceof MessageRefused)) throw error;
      this.#outstanding.delete(message);
      status.count('refused');
      if (error.code === PACKET_TOO_LARGE && samples > 1) {
        this.#lowerLimit(payloadBytes);
        throw error;
      }
      if (error.code === PACKET_TOO_LARGE) {
        this.#leaveOut(message);
        return true;
      }
      if (!this.#hold(message, error.message, 0)) throw error;
      return false;
    }
    this.#outstanding.delete(message);
    this.#suspects.delete(topic);
    this.#arrived += 1;
    this.#arrivedBytes = Math.max(this.#arrivedBytes, payloadBytes);
    status.count('acknowledged');
    status.count(samples === 0 ? 'gaps' : 'samples', Math.max(samples, 1));
    return true;
  }

  /** Makes messages smaller if connections end at a large one, and leaves it out if it has one sample alone. */
  #suspectSize({ first, payloadBytes, samples }: SampleMessage): void {
    const count = this.#lastEnd.first === first ? this.#lastEnd.count + 1 : 1;
    this.#lastEnd = { first, count };
    if (count < SUSPICIOUS_CONNECTIONS || payloadBytes < SUSPICIOUS_BYTES) return;
    this.#lastEnd = { first: -1, count: 0 };
    if (samples > 1) this.#maximumBytes = Math.min(this.#maximumBytes, SUSPICIOUS_BYTES);
    else if (payloadBytes > this.#arrivedBytes)
      this.#refusedBytes = Math.min(this.#refusedBytes, payloadBytes);
  }

  #suspect(message: SampleMessage): void {
    const { topic } = message;
    const count = (this.#suspects.get(topic) ?? 0) + 1;
    if (count === 1 && this.#suspects.size >= MAXIMUM_SUSPECTS) return;
    this.#suspects.set(topic, count);
    if (count < SUSPICIOUS_CONNECTIONS) return;
    const reason = `the broker ended ${count} connections at "${topic}"`;
    const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (count - SUSPICIOUS_CONNECTIONS));
    this.#hold(message, reason, pauseMs);
  }

  #hold({ topic, first }: SampleMessage, reason: string, pauseMs: number): boolean {
    const dueMs = this.#options.time.nowMs() + pauseMs;
    const isHeld = this.#options.held.hold({ topic, after: first - 1, reason, dueMs });
    if (isHeld) this.#options.onHeld();
    return isHeld;
  }

  /** Leaves out a message that the broker takes in no size: what follows it would wait until the retention. */
  #leaveOut({ topic, first, payloadBytes, samples }: SampleMessage): void {
    const what = samples === 0 ? 'a gap' : `sample ${first}`;
    const detail = `${what} of "${topic}" is left out: ${payloadBytes} bytes are more than the broker accepts`;
    this.#suspects.delete(topic);
    this.#options.status.setOversized(detail);
  }

  #lowerLimit(payloadBytes: number): void {
    this.#maximumBytes = Math.max(SMALLEST_MESSAGE_BYTES, Math.floor(payloadBytes / 2));
  }
}
