import type { JournalBatch } from '../../../daemon/software/bundle/runner/context.ts';
import { delayBefore } from '../../mqtt/delivery/backoff.ts';
import type { Time } from '../../mqtt/time.ts';
import type { SampleMessage } from '../message/batch-messages.ts';
import type { HeldTopic, HeldTopics } from './held-topics.ts';
import type { MessagePublisher, Publishing } from './message-publisher.ts';

/** One try to deliver, until something fails. */
export type Try = Omit<Publishing, 'isBacklog'>;

interface HeldRetryOptions {
  readonly held: HeldTopics;
  readonly publisher: Pick<MessagePublisher, 'publishAll'>;
  readonly time: Time;
  /** Of the gateway, 0 to 1. */
  readonly phase: number;
  /** Shows the topics; `delayMs` until they are tried again. */
  readonly show: (topics: readonly HeldTopic[], delayMs?: number) => void;
  readonly read: (after: number, attempt: Try, limit?: number) => Promise<JournalBatch>;
  readonly makeMessages: (batch: JournalBatch, upTo: number, attempt: Try) => readonly SampleMessage[];
  /** Cursor up to which live messages are sent, or held by topic. */
  readonly newest: () => number;
  /** Acknowledges to the journal what has arrived in every topic. */
  readonly acknowledge: () => void;
}

/** A topic that is refused is tried with its oldest sample: hundreds of them are not to cost a full batch each. */
const PROBE_LIMIT = 100;

/** Tries topics that the broker refused again, with growing delays. */
export class HeldRetry {
  readonly #options: HeldRetryOptions;
  /** Rounds in a row in which the broker accepted no topic that is held. */
  #refusals = 0;

  constructor(options: HeldRetryOptions) {
    this.#options = options;
  }

  /** Shows the topics that are held. */
  show(delayMs?: number): void {
    this.#options.show(this.#options.held.list(), delayMs);
  }

  /**
   * Tries the held topics again and again, with growing delays while the broker refuses all of them.
   *
   * @throws the reason of the signal of the attempt when it aborts
   */
  async run(attempt: Try): Promise<void> {
    const { held, time, phase } = this.#options;
    const { signal } = attempt;
    for (;;) {
      await held.whenHeld(signal);
      const delayMs = delayBefore(this.#refusals, phase, time.random());
      this.show(delayMs);
      await time.sleep(delayMs, signal);
      let isAccepted = false;
      for (const { topic, dueMs } of held.list()) {
        if (dueMs > time.nowMs()) continue;
        isAccepted = (await this.#sendHeld(topic, attempt)) || isAccepted;
      }
      this.#refusals = isAccepted ? 0 : this.#refusals + 1;
      this.show();
    }
  }

  /**
   * Sends the messages of a held topic, the first one alone, up to the newest one, and releases it.
   *
   * @returns true if a message arrived
   */
  async #sendHeld(topic: string, attempt: Try): Promise<boolean> {
    const { held, read, makeMessages, newest, acknowledge } = this.#options;
    let hasArrived = false;
    for (let limit: number | undefined = PROBE_LIMIT; ; limit = undefined) {
      const from = held.find(topic)?.after;
      if (from === undefined) return hasArrived;
      const batch = await read(from, attempt, limit);
      const upTo = Math.min(batch.next, newest());
      const messages = makeMessages(batch, upTo, attempt);
      const own = messages.filter((message) => message.topic === topic);
      const [first, ...others] = own;
      if (first !== undefined) {
        const [probe] = await this.#publish([first], attempt, topic);
        if ((await probe) !== true) return hasArrived;
        hasArrived = true;
      }
      // What the retention deleted is missing in this topic alone: the others have passed it.
      const lost = messages.filter(({ gap, topic: to }) => gap === 'RETENTION' && to !== topic);
      await Promise.all(await this.#publish(lost, attempt));
      const outcomes = await Promise.all(await this.#publish(others, attempt, topic));
      const refused = others.find((_message, index) => outcomes[index] === false);
      held.advance(topic, from, refused === undefined ? upTo : refused.first - 1);
      acknowledge();
      if (refused !== undefined) return hasArrived;
      // Synchronously: nothing that comes later is held any more.
      if (upTo >= newest() && held.find(topic)?.after === upTo) {
        held.release(topic);
        acknowledge();
        return true;
      }
    }
  }

  #publish(messages: readonly SampleMessage[], attempt: Try, tried?: string) {
    return this.#options.publisher.publishAll(messages, { ...attempt, isBacklog: true, tried });
  }
}
