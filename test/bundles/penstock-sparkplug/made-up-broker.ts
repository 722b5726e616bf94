import { LinkEnded } from '../../../bundles/mqtt/broker/broker-link.ts';
import type {
  BrokerLink,
  IncomingMessage,
  OutgoingMessage,
} from '../../../bundles/mqtt/broker/broker-link.ts';
import { matchesFilter } from '../../../bundles/mqtt/broker/topic-filter.ts';
import type { openMqttLink, Will } from '../../../bundles/mqtt/broker/mqtt-link.ts';
import type { Time } from '../../../bundles/mqtt/time.ts';
import type { SparkplugRules } from '../../support/sparkplug-rules.ts';

/** Time that passes when the test says so. */
export class ManualTime implements Time {
  readonly random: () => number;
  #nowMs = 0;
  readonly #sleepers = new Set<{ readonly dueMs: number; readonly wake: () => void }>();

  constructor(random: () => number) {
    this.random = random;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(signal.reason as Error);
        return;
      }
      const onAbort = (): void => {
        this.#sleepers.delete(sleeper);
        reject(signal.reason as Error);
      };
      const sleeper = {
        dueMs: this.#nowMs + ms,
        wake: () => {
          this.#sleepers.delete(sleeper);
          signal.removeEventListener('abort', onAbort);
          resolve();
        },
      };
      this.#sleepers.add(sleeper);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  /** Lets time pass, and wakes who sleeps no longer, one after the other. */
  async pass(ms: number): Promise<void> {
    const endMs = this.#nowMs + ms;
    for (;;) {
      await settle();
      const [next] = [...this.#sleepers].toSorted((one, other) => one.dueMs - other.dueMs);
      if (next === undefined || next.dueMs > endMs) break;
      this.#nowMs = Math.max(this.#nowMs, next.dueMs);
      next.wake();
    }
    this.#nowMs = endMs;
  }
}

/** Lets everything happen that waits for no time. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 12; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/**
 * A broker without bytes: messages arrive at a host when the next PINGREQ is due, and a connection that is cut loses a drawn part of
 * those that wait. The will follows.
 */
export class MadeUpBroker {
  readonly #rules: SparkplugRules;
  readonly #random: () => number;
  readonly #retained = new Map<string, string>();
  #connection: MadeUpLink | undefined;
  #isDown = false;

  constructor(rules: SparkplugRules, random: () => number) {
    this.#rules = rules;
    this.#random = random;
  }

  readonly open: typeof openMqttLink = async (_address, _settings, will) => {
    await Promise.resolve();
    if (this.#isDown) throw new LinkEnded('connection refused');
    if (will === undefined) throw new Error('a connection without a will');
    this.#rules.connect(Buffer.from(will.payload));
    this.#connection = new MadeUpLink(this.#rules, will, this.#retained);
    return this.#connection;
  };

  /** Confirms what was sent. */
  confirm(): void {
    this.#connection?.confirm();
  }

  /** Ends the connection. */
  cut(): void {
    this.#connection?.cut(this.#random());
    this.#connection = undefined;
  }

  /** Refuses connections, or accepts them. */
  setDown(isDown: boolean): void {
    this.#isDown = isDown;
    if (isDown) this.cut();
  }

  /** Publishes a message, retained. */
  retain(topic: string, text: string): void {
    this.#retained.set(topic, text);
    this.#connection?.receive({ topic, payload: Buffer.from(text), isRetained: false });
  }

  /** Publishes a message. */
  send(topic: string, payload: Uint8Array): void {
    this.#connection?.receive({ topic, payload, isRetained: false });
  }
}

class MadeUpLink implements BrokerLink {
  readonly receiveMaximum = 100;
  readonly maximumPacketBytes = 2 ** 28;
  readonly ended: Promise<LinkEnded>;
  readonly #rules: SparkplugRules;
  readonly #will: Will;
  readonly #retained: ReadonlyMap<string, string>;
  readonly #subscriptions: { readonly filter: string; readonly on: (message: IncomingMessage) => void }[] =
    [];
  #waiting: {
    readonly message: OutgoingMessage;
    readonly resolve: () => void;
    readonly reject: (end: LinkEnded) => void;
  }[] = [];
  #end: LinkEnded | undefined;
  #onEnd: (end: LinkEnded) => void = () => {};

  constructor(rules: SparkplugRules, will: Will, retained: ReadonlyMap<string, string>) {
    this.#rules = rules;
    this.#will = will;
    this.#retained = retained;
    this.ended = new Promise((resolve) => (this.#onEnd = resolve));
  }

  publish(message: OutgoingMessage): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#end === undefined) this.#waiting.push({ message, resolve, reject });
      else reject(this.#end);
    });
  }

  async subscribe(filter: string, on: (message: IncomingMessage) => void): Promise<void> {
    await Promise.resolve();
    if (this.#end !== undefined) throw this.#end;
    this.#subscriptions.push({ filter, on });
    for (const [topic, text] of this.#retained) {
      if (matchesFilter(filter, topic)) on({ topic, payload: Buffer.from(text), isRetained: true });
    }
  }

  receive(message: IncomingMessage): void {
    for (const { filter, on } of this.#subscriptions) if (matchesFilter(filter, message.topic)) on(message);
  }

  confirm(): void {
    for (const { message, resolve } of this.#waiting.splice(0)) {
      this.#deliver(message);
      resolve();
    }
  }

  async close(): Promise<void> {
    this.confirm();
    this.#finish(new LinkEnded('closed'));
    await this.ended;
  }

  end(reason: LinkEnded): void {
    if (this.#end !== undefined) return;
    this.cut(1, reason);
  }

  /** @param share of the waiting messages that arrive */
  cut(share: number, reason = new LinkEnded('cut')): void {
    if (this.#end !== undefined) return;
    const count = Math.floor(share * (this.#waiting.length + 1));
    for (const { message } of this.#waiting.slice(0, count)) this.#deliver(message);
    this.#finish(reason);
    this.#rules.take(this.#will.topic, Buffer.from(this.#will.payload));
  }

  #finish(reason: LinkEnded): void {
    if (this.#end !== undefined) return;
    this.#end = reason;
    for (const { reject } of this.#waiting.splice(0)) reject(reason);
    this.#onEnd(reason);
  }

  #deliver({ topic, payload }: OutgoingMessage): void {
    this.#rules.take(topic, Buffer.from(payload));
  }
}
