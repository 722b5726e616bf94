import type {
  BundleAssets,
  BundleJournal,
  BundleLogger,
} from '../../../daemon/software/bundle/runner/context.ts';
import type { BrokerLink, LinkEnded } from '../../mqtt/broker/broker-link.ts';
import type { openMqttLink } from '../../mqtt/broker/mqtt-link.ts';
import { phaseOf } from '../../mqtt/delivery/backoff.ts';
import { keepConnected, toLinkEnded } from '../../mqtt/delivery/keep-connected.ts';
import type { ConnectionOutcome } from '../../mqtt/delivery/keep-connected.ts';
import type { Time } from '../../mqtt/time.ts';
import { CommandRunner } from '../command/command-runner.ts';
import type { BirthCount } from '../node/birth-count.ts';
import { CurrentValues } from '../node/current-values.ts';
import { HostSession } from '../node/host-state.ts';
import { listBorn } from '../node/node-definition.ts';
import { makeNodeDeath } from '../node/node-session.ts';
import { isSame } from '../settings.ts';
import type { SparkplugSettings } from '../settings.ts';
import type { Levels, NodeStatus } from '../status.ts';
import { ChannelList } from './channel-list.ts';
import { EdgeConnection, HostAway } from './edge-connection.ts';
import { RecorderStream } from './recorder-stream.ts';

export interface EdgeNodeOptions {
  /** Name of the gateway. */
  readonly gateway: string;
  /** Version of the bundle. */
  readonly version: string;
  readonly journal: (recorder: string) => BundleJournal;
  readonly assets: Pick<BundleAssets, 'read' | 'write'>;
  readonly births: Pick<BirthCount, 'next'>;
  readonly status: NodeStatus;
  readonly logger: BundleLogger;
  readonly time: Time;
  /** Milliseconds since the epoch. */
  readonly epochMs: () => number;
  readonly openLink: typeof openMqttLink;
}

/** Keeps an edge node at one of the brokers: at the one where the primary host is, if there is one. */
export class EdgeNode {
  readonly #options: EdgeNodeOptions;
  readonly #phase: number;
  readonly #channels = new ChannelList();
  readonly #values = new CurrentValues();
  readonly #streams = new Map<string, RecorderStream>();
  readonly #hostSession = new HostSession();
  readonly #stopped = new AbortController();
  /** Aborts when the connection has to be replaced. */
  #reconnect = new AbortController();
  #settings: SparkplugSettings;
  #running: Promise<void> | undefined;
  #bdSeq = 0;
  /** True if no broker was sent the number of the last attempt: it is that of the next one. */
  #isUnused = false;
  #lastBirthMs = 0;

  constructor(options: EdgeNodeOptions, settings: SparkplugSettings) {
    this.#options = options;
    this.#settings = settings;
    this.#phase = phaseOf(options.gateway);
  }

  get levels(): Levels {
    const { definition } = this.#channels;
    return {
      backlog: [...this.#streams.values()].reduce((sum, stream) => sum + stream.backlog, 0),
      devices: definition.size,
      metrics: [...definition.values()].reduce((sum, device) => sum + listBorn(device).length, 0),
      lastBirthMs: this.#lastBirthMs,
      bdSeq: this.#bdSeq,
    };
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
        countBrokers: () => this.#settings.broker.brokers.length,
        connect: async (broker, changed) => this.#connectOnce(broker, changed),
      },
      this.#stopped.signal,
    );
  }

  /** Applies other settings, with a new connection. The backlog is kept. */
  change(settings: SparkplugSettings): void {
    if (isSame(this.#settings, settings)) return;
    if (settings.replayMs !== this.#settings.replayMs) this.#streams.clear();
    this.#settings = settings;
    this.#reconnect.abort();
  }

  /** Ends the connection with the death of the node. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#running;
  }

  async #connectOnce(index: number, changed: AbortSignal): Promise<ConnectionOutcome> {
    const { openLink, time, epochMs, births, logger, status } = this.#options;
    const { broker, name } = this.#settings;
    const address = broker.brokers[index];
    if (address === undefined) throw new RangeError(`there is no broker ${index}`);
    if (!this.#isUnused) {
      this.#bdSeq = births.next((error) => logger.error(`bdSeq is not on disk: ${describe(error)}`));
    }
    const bdSeq = this.#bdSeq;
    this.#isUnused = true;
    let link: BrokerLink;
    try {
      const will = {
        ...makeNodeDeath(name, bdSeq, epochMs()),
        isRetained: false,
        onSent: () => (this.#isUnused = false),
      };
      link = await openLink(address, broker, will, changed);
    } catch (error) {
      const end = toLinkEnded(error);
      if (!changed.aborted) status.setBroker(address.url, end);
      return { end, lastedMs: 0 };
    }
    status.setBroker(address.url, undefined);
    const startMs = time.nowMs();
    try {
      const end = await this.#serve(link, address.url, bdSeq, changed);
      if (!changed.aborted) status.setBroker(address.url, end);
      return { end, lastedMs: Math.max(1, time.nowMs() - startMs) };
    } catch (error) {
      const isWalking = error instanceof HostAway;
      return { end: toLinkEnded(error), lastedMs: Math.max(1, time.nowMs() - startMs), isWalking };
    }
  }

  async #serve(link: BrokerLink, url: string, bdSeq: number, changed: AbortSignal): Promise<LinkEnded> {
    const { gateway, version, assets, logger, status, time, epochMs, journal } = this.#options;
    const settings = this.#settings;
    const channels = this.#channels;
    const journals = new Map(settings.recorders.map((recorder) => [recorder, journal(recorder)]));
    const connection = new EdgeConnection({
      link,
      url,
      bdSeq,
      settings,
      channels,
      journals,
      assets,
      status,
      time,
      epochMs,
      values: this.#values,
      hostSession: this.#hostSession,
      properties: { Gateway: gateway, Software: `Penstock ${version}` },
      streams: this.#selectStreams(journals),
      onCommand: (message) => commands.accept(message),
      onRefused: (reason) => logger.error(reason),
      onBirth: () => (this.#lastBirthMs = epochMs()),
    });
    const commands = new CommandRunner({
      assets,
      status,
      logger,
      epochMs,
      name: settings.name,
      maximumAgeMs: settings.commandMaximumAgeMs,
      definition: () => channels.definition,
      requestRebirth: () => connection.requestRebirth(),
    });
    return connection.serve(changed);
  }

  /** Returns the streams of the settings; what is known of the others is forgotten, the gateway has their cursors. */
  #selectStreams(journals: ReadonlyMap<string, BundleJournal>): ReadonlyMap<string, RecorderStream> {
    const { gateway, status, time } = this.#options;
    const { replayMs } = this.#settings;
    for (const name of this.#streams.keys()) {
      if (!journals.has(name)) this.#streams.delete(name);
    }
    for (const [recorder, journal] of journals) {
      if (this.#streams.has(recorder)) continue;
      const stream = new RecorderStream({ gateway, recorder, journal, status, time, replayMs });
      this.#streams.set(recorder, stream);
    }
    return this.#streams;
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
