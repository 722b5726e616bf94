import type { BundleAssets, BundleJournal } from '../../../daemon/software/bundle/runner/context.ts';
import { LinkEnded } from '../../mqtt/broker/broker-link.ts';
import type { BrokerLink, IncomingMessage } from '../../mqtt/broker/broker-link.ts';
import { MessageRate } from '../../mqtt/delivery/message-rate.ts';
import type { Time } from '../../mqtt/time.ts';
import { CurrentValues } from '../node/current-values.ts';
import { HostState, parseState } from '../node/host-state.ts';
import type { HostSession } from '../node/host-state.ts';
import type { DefinedDevice, NodeDefinition } from '../node/node-definition.ts';
import { readCurrent } from '../node/read-current.ts';
import { RebirthPace } from '../node/rebirth-pace.ts';
import { commandFilters, stateTopicOf } from '../node/topics.ts';
import type { SparkplugSettings } from '../settings.ts';
import type { NodeStatus } from '../status.ts';
import type { ChannelList } from './channel-list.ts';
import { NodeLink } from './node-link.ts';
import type { RecorderStream } from './recorder-stream.ts';

export interface EdgeConnectionOptions {
  readonly link: BrokerLink;
  readonly url: string;
  readonly bdSeq: number;
  readonly settings: SparkplugSettings;
  readonly channels: ChannelList;
  readonly values: CurrentValues;
  readonly properties: Readonly<Record<string, string>>;
  readonly streams: ReadonlyMap<string, RecorderStream>;
  readonly journals: ReadonlyMap<string, BundleJournal>;
  readonly hostSession: HostSession;
  readonly assets: Pick<BundleAssets, 'read'>;
  readonly onCommand: (message: IncomingMessage) => void;
  readonly onRefused: (reason: string) => void;
  readonly onBirth: () => void;
  readonly status: NodeStatus;
  readonly time: Time;
  readonly epochMs: () => number;
}

/** The connection is left because the primary host is not there. */
export class HostAway extends Error {
  override readonly name = 'HostAway';
}

/** Time for the values of a birth; a device that has not answered by then is born with what is known. */
const CURRENT_TIMEOUT_MS = 5000;
/** Interval at which the channels are read. */
const CHANNELS_INTERVAL_MS = 2000;
/** Time for the death of the node before the connection is closed. */
const DEATH_TIMEOUT_MS = 1000;

/** One connection of the edge node to a broker: waits for the primary host, is born, sends, and dies. */
export class EdgeConnection {
  readonly #options: EdgeConnectionOptions;
  readonly #node: NodeLink;
  readonly #pace = new RebirthPace();
  readonly #host = new HostState();
  readonly #hostAway = new AbortController();
  /** True if the primary host was online on this connection: its end is that of the connection. */
  #wasOnline = false;
  #onHost: () => void = () => {};
  #refreshing: Promise<void> = Promise.resolve();
  /** Aborts when nothing may be sent any more; undefined: not connected yet. */
  #signal: AbortSignal | undefined;
  #lastFault = '';
  /** Values that were sent on earlier connections, for the rows of their backlog. */
  #earlier = new CurrentValues();

  constructor(options: EdgeConnectionOptions) {
    const { settings, channels } = options;
    this.#options = options;
    this.#node = new NodeLink({ ...options, name: settings.name, aliasOf: (name) => channels.aliasOf(name) });
  }

  /** Sends a birth at the next moment at which one is allowed. */
  requestRebirth(): void {
    const { status, time } = this.#options;
    const signal = this.#signal;
    status.count('rebirthRequests');
    if (!this.#node.isBorn || signal === undefined || signal.aborted) return;
    const delayMs = this.#pace.request(time.nowMs());
    if (delayMs === undefined) return;
    if (delayMs === 0) {
      void this.#birth().catch(() => {});
      return;
    }
    time
      .sleep(delayMs, signal)
      .then(async () => this.#birth())
      .catch(() => {});
  }

  /**
   * Serves the connection until it ends or `changed` aborts.
   *
   * @returns how it ended
   * @throws {HostAway} if the primary host is not there
   */
  async serve(changed: AbortSignal): Promise<LinkEnded> {
    const { link, status } = this.#options;
    const ended = new AbortController();
    void link.ended.then((end) => ended.abort(end));
    const signal = AbortSignal.any([changed, ended.signal, this.#hostAway.signal]);
    this.#signal = signal;
    try {
      await this.#subscribe(signal);
      await this.#awaitHost(signal);
      await this.#prepare(signal);
      const tails = await this.#startStreams();
      signal.throwIfAborted();
      await this.#birth();
      await this.#run(tails, signal);
    } catch (error) {
      if (!signal.aborted && !(error instanceof LinkEnded)) throw error;
    } finally {
      await this.#leave(ended.signal);
    }
    if (this.#hostAway.signal.aborted && !changed.aborted) {
      if (this.#node.isBorn) status.count('hostLosses');
      throw this.#hostAway.signal.reason as HostAway;
    }
    return link.ended;
  }

  async #subscribe(signal: AbortSignal): Promise<void> {
    const { link, settings, onCommand } = this.#options;
    for (const filter of commandFilters(settings.name)) await link.subscribe(filter, onCommand);
    const { primaryHost } = settings;
    if (primaryHost === undefined) return;
    await link.subscribe(stateTopicOf(primaryHost), ({ payload }) => this.#acceptState(payload), {
      wantsRetained: true,
    });
    signal.throwIfAborted();
  }

  #acceptState(payload: Uint8Array): void {
    const state = parseState(payload);
    if (state === undefined || !this.#host.accept(state)) return;
    this.#onHost();
    const { settings, streams, url, hostSession } = this.#options;
    if (state.isOnline) {
      this.#wasOnline = true;
      // Its own loss may not have been reported.
      if (hostSession.begin(url, state.timestampMs)) for (const stream of streams.values()) stream.loseHost();
      return;
    }
    // With one broker, the host is waited for on it.
    if (!this.#wasOnline && settings.broker.brokers.length === 1) return;
    if (this.#node.isBorn) for (const stream of streams.values()) stream.loseHost();
    this.#hostAway.abort(new HostAway(`host "${settings.primaryHost}" is offline at ${url}`));
  }

  async #awaitHost(signal: AbortSignal): Promise<void> {
    const { settings, status, time, url } = this.#options;
    const { primaryHost, hostWaitMs, broker } = settings;
    if (primaryHost === undefined) return;
    status.setWaiting(url, primaryHost);
    const online = new Promise<void>((resolve) => {
      this.#onHost = () => {
        if (this.#host.isOnline === true) resolve();
      };
      this.#onHost();
    });
    const aborted = new Promise<never>((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    });
    aborted.catch(() => {});
    const waiting = [online, aborted];
    if (broker.brokers.length > 1) {
      const timer = time.sleep(hostWaitMs, signal).then(() => {
        if (this.#host.isOnline === true) return;
        this.#hostAway.abort(new HostAway(`host "${primaryHost}" is not at ${url}`));
      });
      timer.catch(() => {});
    }
    await Promise.race(waiting);
    signal.throwIfAborted();
    status.setHost(primaryHost, true, { en: `online at ${url}`, de: `online an ${url}` });
  }

  /** Reads the channels and their values, so that the birth has both. */
  async #prepare(signal: AbortSignal): Promise<void> {
    const { channels, journals } = this.#options;
    await channels.refresh(journals, this.#options.settings.forms);
    signal.throwIfAborted();
    this.#earlier = this.#options.values.clone();
    await this.#readValues(channels.definition, signal);
  }

  async #readValues(definition: NodeDefinition, signal: AbortSignal): Promise<void> {
    const { values, assets, time } = this.#options;
    const over = new AbortController();
    const limit = time.sleep(CURRENT_TIMEOUT_MS, AbortSignal.any([signal, over.signal])).catch(() => {});
    await Promise.race([limit, readCurrent(definition, values, assets, over.signal)]);
    over.abort();
    signal.throwIfAborted();
  }

  async #startStreams(): Promise<ReadonlyMap<RecorderStream, number>> {
    const tails = new Map<RecorderStream, number>();
    for (const stream of this.#options.streams.values()) tails.set(stream, await stream.start());
    return tails;
  }

  #birth(): Promise<void> {
    const { channels, time, status, url, onBirth } = this.#options;
    this.#pace.onBirth(time.nowMs());
    status.setBorn(url);
    onBirth();
    return this.#node.birth(channels.definition);
  }

  async #run(tails: ReadonlyMap<RecorderStream, number>, signal: AbortSignal): Promise<void> {
    const { settings } = this.#options;
    const delivery = {
      node: this.#node,
      settings,
      values: this.#options.values,
      earlier: this.#earlier,
      rate: new MessageRate(settings.messagesPerSecond),
      backlogRate: new MessageRate(settings.backlogMessagesPerSecond),
      refresh: async () => this.#refresh(),
    };
    const running = [...tails].map(async ([stream, tail]) => stream.run(delivery, tail, signal));
    await Promise.all([...running, this.#watchChannels(signal)]);
  }

  async #watchChannels(signal: AbortSignal): Promise<void> {
    const { time, onRefused, streams } = this.#options;
    while (!signal.aborted) {
      try {
        await time.sleep(CHANNELS_INTERVAL_MS, signal);
        // What has arrived counts as delivered after a while, also if nothing follows.
        for (const stream of streams.values()) stream.acknowledge();
        await this.#refresh();
        this.#lastFault = '';
      } catch (error) {
        if (signal.aborted || error instanceof LinkEnded) return;
        const fault = `channels: ${error instanceof Error ? error.message : String(error)}`;
        if (fault !== this.#lastFault) onRefused(fault);
        this.#lastFault = fault;
      }
    }
  }

  /** Reads the channels as they are now, and sends a birth if they have changed. */
  #refresh(): Promise<void> {
    // One after the other: the answer to an earlier call may be older than the sample that needs this one.
    const refreshed = this.#refreshing.then(async () => this.#refreshOnce());
    this.#refreshing = refreshed.catch(() => {});
    return refreshed;
  }

  async #refreshOnce(): Promise<void> {
    const { channels, journals, values } = this.#options;
    const signal = this.#signal;
    if (
      signal === undefined ||
      signal.aborted ||
      !(await channels.refresh(journals, this.#options.settings.forms))
    )
      return;
    const isNew = ({ metrics }: DefinedDevice): boolean =>
      [...metrics.values()].some((metric) => values.find(metric) === undefined);
    await this.#readValues(new Map([...channels.definition].filter(([, device]) => isNew(device))), signal);
    await this.#birth();
  }

  /** Sends the death of a node that was born, and ends the connection. */
  async #leave(ended: AbortSignal): Promise<void> {
    const { link, time } = this.#options;
    if (!this.#node.isBorn) {
      // A birth has to be the first message: the broker publishes the will.
      link.end(new LinkEnded('ended before the birth'));
      return;
    }
    if (!ended.aborted) {
      const death = this.#node.die().catch(() => {});
      await Promise.race([death, time.sleep(DEATH_TIMEOUT_MS, ended).catch(() => {})]);
    }
    await link.close({ publishesWill: true });
  }
}
