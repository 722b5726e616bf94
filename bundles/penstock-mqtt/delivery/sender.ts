import { MessageRefused } from '../../mqtt/broker/broker-link.ts';
import type { BrokerLink, IncomingMessage, LinkEnded } from '../../mqtt/broker/broker-link.ts';
import type { openMqttLink, Will } from '../../mqtt/broker/mqtt-link.ts';
import type { BundleJournal } from '../../../daemon/software/bundle/runner/context.ts';
import { needsReconnect } from '../settings.ts';
import type { ConnectionSettings, MqttSettings } from '../settings.ts';
import type { Levels, SenderStatus } from '../status.ts';
import type { Time } from '../../mqtt/time.ts';
import { phaseOf } from '../../mqtt/delivery/backoff.ts';
import { keepConnected, toLinkEnded } from '../../mqtt/delivery/keep-connected.ts';
import type { ConnectionOutcome } from '../../mqtt/delivery/keep-connected.ts';
import { MessageRate } from '../../mqtt/delivery/message-rate.ts';
import { RecorderSender } from './recorder-sender.ts';
import { SendWindow } from './send-window.ts';

/** Handler of messages on the command topic. */
export type CommandHandler = (message: IncomingMessage, connection: CommandConnection) => void;

/** Parts of a connection that responses need. */
export interface CommandConnection {
  readonly link: BrokerLink;
  readonly window: SendWindow;
  readonly commandTopic: string;
  readonly responseTopic: string;
  /** Aborts when the connection is no longer used. */
  readonly signal: AbortSignal;
}

export interface SenderOptions {
  readonly gateway: string;
  readonly journal: (recorder: string) => BundleJournal;
  readonly status: SenderStatus;
  readonly time: Time;
  readonly openLink: typeof openMqttLink;
  readonly onCommand: CommandHandler;
}

const ASK_INTERVAL_MS = 3_600_000;
const ACCEPTED_SPARE = {
  en: 'accepts the connection; used if another one fails',
  de: 'nimmt die Verbindung an; genutzt, wenn ein anderer ausfällt',
};
/** Time for outstanding messages before a connection is closed on purpose. */
const DRAIN_MS = 2000;

/** Keeps a connection to one of the brokers, and sends the samples of all recorders. */
export class Sender {
  readonly #options: SenderOptions;
  readonly #phase: number;
  readonly #recorders = new Map<string, RecorderSender>();
  readonly #stopped = new AbortController();
  /** Aborts when the connection has to be replaced. */
  #reconnect = new AbortController();
  /** Aborts when the deliveries have to begin again on the same connection. */
  #restart = new AbortController();
  #settings: MqttSettings;
  #window: SendWindow | undefined;
  #running: Promise<void> | undefined;
  #isServing = false;

  constructor(options: SenderOptions, settings: MqttSettings) {
    this.#options = options;
    this.#settings = settings;
    this.#phase = phaseOf(options.gateway);
  }

  /** What is not at the broker at this moment. */
  get levels(): Levels {
    const recorders = [...this.#recorders.values()];
    const sum = (numberOf: (recorder: RecorderSender) => number): number =>
      recorders.reduce((total, recorder) => total + numberOf(recorder), 0);
    return {
      waiting: this.#window?.used ?? 0,
      backlog: sum(({ backlog }) => backlog),
      heldTopics: sum(({ heldTopics }) => heldTopics),
    };
  }

  /** Looks at the journal while there is no connection, so that `levels` has the backlog. */
  async look(): Promise<void> {
    if (this.#isServing || this.#stopped.signal.aborted) return;
    await Promise.all(this.#selectRecorders().map((recorder) => recorder.look()));
  }

  start(): void {
    const { status, time } = this.#options;
    this.#running ??= keepConnected(
      {
        phase: this.#phase,
        time,
        status,
        begin: () => {
          this.#reconnect = new AbortController();
          return this.#reconnect.signal;
        },
        countBrokers: () => this.#settings.connection.brokers.length,
        connect: async (broker, changed) => this.#connectOnce(broker, changed),
      },
      this.#stopped.signal,
    );
  }

  /** Applies other settings: with a new connection only if they need one. The backlog is kept in both cases. */
  change(settings: MqttSettings): void {
    const isOther = needsReconnect(this.#settings.connection, settings.connection);
    this.#settings = settings;
    (isOther ? this.#reconnect : this.#restart).abort();
  }

  /** Ends the connection, after the outstanding messages if the broker acknowledges them soon. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#running;
  }

  async #connectOnce(index: number, changed: AbortSignal): Promise<ConnectionOutcome> {
    const { openLink, status, time } = this.#options;
    const { connection } = this.#settings;
    const address = connection.brokers[index];
    if (address === undefined) throw new RangeError(`there is no broker ${index}`);
    let link: BrokerLink;
    try {
      link = await openLink(address, connection, this.#makeWill(connection), changed);
    } catch (error) {
      const end = toLinkEnded(error);
      if (!changed.aborted) status.setBroker(address.url, end);
      return { end, lastedMs: 0 };
    }
    const startMs = time.nowMs();
    status.setConnected(address.url);
    status.setBroker(address.url, undefined);
    const asking = new AbortController();
    void this.#askOthers(index, AbortSignal.any([changed, asking.signal]));
    this.#isServing = true;
    const end = await this.#serve(link, connection, changed);
    this.#isServing = false;
    asking.abort();
    if (!changed.aborted) status.setBroker(address.url, end);
    return { end, lastedMs: Math.max(1, time.nowMs() - startMs) };
  }

  /** Connects to each of the other brokers and leaves it again, now and every hour, so that the status says if it can be used. */
  async #askOthers(used: number, signal: AbortSignal): Promise<void> {
    const { openLink, status, time } = this.#options;
    const { connection } = this.#settings;
    // A second connection with the same identifier would end the first one if the brokers are a cluster.
    const own = { ...connection, clientId: `${connection.clientId}-check` };
    while (!signal.aborted) {
      for (const [index, address] of connection.brokers.entries()) {
        if (index === used || signal.aborted) continue;
        let end: LinkEnded | undefined;
        try {
          const link = await openLink(address, own, undefined, signal);
          await link.close();
        } catch (error) {
          end = toLinkEnded(error);
        }
        if (!signal.aborted) status.setBroker(address.url, end, ACCEPTED_SPARE);
      }
      await time.sleep(ASK_INTERVAL_MS, signal).catch(() => {});
    }
  }

  async #serve(link: BrokerLink, connection: ConnectionSettings, changed: AbortSignal): Promise<LinkEnded> {
    const ended = new AbortController();
    void link.ended.then((end) => ended.abort(end));
    const signal = AbortSignal.any([changed, ended.signal]);
    const limit = (): number => Math.min(this.#settings.delivery.window, link.receiveMaximum);
    const window = new SendWindow(limit());
    this.#window = window;
    // A broker that acknowledges nothing is not waited for when the connection is replaced.
    changed.addEventListener('abort', () => void closeLater(link, window), { once: true });
    await this.#announce(link, connection, window, signal);
    while (!signal.aborted) {
      this.#restart = new AbortController();
      const restart = AbortSignal.any([signal, this.#restart.signal]);
      const settings = this.#settings.delivery;
      window.resize(limit());
      const rate = new MessageRate(settings.backlogMessagesPerSecond);
      const delivery = { link, window, rate, settings };
      await Promise.all(this.#selectRecorders().map((recorder) => recorder.run(delivery, restart)));
      if (!restart.aborted) await link.ended;
    }
    // Not waited for: a broker that is silent would delay the end.
    if (!ended.signal.aborted) void this.#publishState(link, connection, 'OFFLINE');
    await link.close();
    return link.ended;
  }

  /** Subscribes to commands, then publishes the state; a refusal of either leaves the rest as it is. */
  async #announce(
    link: BrokerLink,
    connection: ConnectionSettings,
    window: SendWindow,
    signal: AbortSignal,
  ): Promise<void> {
    const { status, onCommand } = this.#options;
    const { commandTopic, responseTopic } = connection;
    status.setCommandFault(undefined);
    if (commandTopic !== undefined) {
      const commands = { link, window, commandTopic, responseTopic, signal };
      try {
        await link.subscribe(commandTopic, (message) => onCommand(message, commands));
      } catch (error) {
        if (error instanceof MessageRefused) status.setCommandFault(error.words);
      }
    }
    await this.#publishState(link, connection, 'ONLINE');
  }

  async #publishState(
    link: BrokerLink,
    { stateTopic }: ConnectionSettings,
    state: 'ONLINE' | 'OFFLINE',
  ): Promise<void> {
    if (stateTopic === undefined) return;
    const payload = this.#formatState(state);
    try {
      await link.publish({ topic: stateTopic, payload, qos: 1, isRetained: true });
    } catch (error) {
      if (error instanceof MessageRefused) this.#options.status.setCommandFault(error.words);
    }
  }

  #makeWill({ stateTopic }: ConnectionSettings): Will | undefined {
    return stateTopic === undefined
      ? undefined
      : { topic: stateTopic, payload: this.#formatState('OFFLINE'), isRetained: true };
  }

  #formatState(state: 'ONLINE' | 'OFFLINE'): string {
    return JSON.stringify({ gateway: this.#options.gateway, state });
  }

  /** Returns the recorders of the settings; what is known of the others is forgotten, the gateway has their cursors. */
  #selectRecorders(): readonly RecorderSender[] {
    const { gateway, journal, status, time } = this.#options;
    const { recorders } = this.#settings.delivery;
    for (const name of this.#recorders.keys()) {
      if (recorders.includes(name)) continue;
      this.#recorders.delete(name);
      status.setRefused(name, []);
    }
    return recorders.map((recorder) => {
      const sender =
        this.#recorders.get(recorder) ??
        new RecorderSender({ gateway, recorder, journal: journal(recorder), status, time });
      this.#recorders.set(recorder, sender);
      return sender;
    });
  }
}

/** Closes a connection when its outstanding messages are acknowledged, or after a while. */
async function closeLater(link: BrokerLink, window: SendWindow): Promise<void> {
  const timer = setTimeout(() => void link.close(), DRAIN_MS);
  await window.whenIdle();
  clearTimeout(timer);
}
