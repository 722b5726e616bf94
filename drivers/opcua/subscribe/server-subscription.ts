import type { NotificationMessage } from 'node-opcua-client';

import type { Cancel, Clock } from '../../../daemon/base/clock.ts';
import type { Logger } from '../../../daemon/base/logger.ts';
import { ConnectionError } from '../../../daemon/channel/driver-errors.ts';
import type { OpcuaConfig } from '../opcua-config.ts';
import { isNothingDone, LinkLost, ServiceRefused } from '../opcua-errors.ts';
import type { OpcuaSession } from '../session/opcua-session.ts';
import { MessageInbox } from './message-inbox.ts';
import type { Publication, PublishLoop } from './publish-loop.ts';
import { deleteItems } from './server-items.ts';
import {
  compareTerms,
  isIgnored,
  isRevised,
  toLongerTerms,
  toSubscriptionRequest,
  toTerms,
} from './subscription-terms.ts';
import type { ComparedTerms, SubscriptionTerms } from './subscription-terms.ts';

/** A session with the Publish requests of its present connection. */
export interface SessionLoop {
  readonly session: OpcuaSession;
  readonly loop: PublishLoop;
}

/** Why a subscription reports nothing more. */
export type SubscriptionLoss =
  /** The connection was lost; the subscription may continue on another. */
  | { readonly kind: 'LINK'; readonly error: LinkLost }
  /** Changes are lost: the server no longer has some messages, or the whole subscription. */
  | { readonly kind: 'MESSAGES'; readonly reason: string }
  | { readonly kind: 'END'; readonly error: ConnectionError };

export interface ServerSubscriptionOptions {
  readonly config: OpcuaConfig;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly minimumIntervalMs: number;
  /** Called for each subscription that is requested from the server. */
  readonly onCreate: () => void;
  /** Receives the notifications of each message, in order. */
  readonly onNotifications: (notifications: readonly unknown[]) => void;
  readonly onLoss: (loss: SubscriptionLoss) => void;
}

/** Status of a server that no longer has a subscription. */
export const GONE = 'BadSubscriptionIdInvalid';
const NOT_AVAILABLE = 'BadMessageNotAvailable';
// Some servers report up to half as often as they announce.
const MAXIMUM_SILENCES = 3;
const MINIMUM_PROBE_MS = 100;

/** One subscription on a server: it outlives its connection, like the session. */
export class ServerSubscription implements Publication {
  readonly id: number;
  readonly #options: ServerSubscriptionOptions;
  readonly #inbox: MessageInbox;
  #at: SessionLoop;
  #compared: ComparedTerms;
  /** Those that apply; the longer ones while it is not known which. */
  #terms: SubscriptionTerms;
  #isClosed = false;
  /** True from the loss of the connection until `resume`. */
  #isInterrupted = false;
  /** False on another connection until the first message arrives: some servers still send to the former one. */
  #isProven = true;
  #silences = 0;
  #cancelWatch: Cancel | undefined;
  #cancelProbe: Cancel | undefined;

  private constructor(
    id: number,
    compared: ComparedTerms,
    at: SessionLoop,
    options: ServerSubscriptionOptions,
  ) {
    this.id = id;
    this.#compared = compared;
    this.#terms = compared.given;
    this.#at = at;
    this.#options = options;
    this.#inbox = new MessageInbox({
      fetch: (sequenceNumber) => this.#republish(sequenceNumber),
      deliver: ({ notificationData }) => {
        this.#silences = 0;
        options.onNotifications(notificationData ?? []);
      },
      onMissing: () => this.#lose({ kind: 'MESSAGES', reason: 'the server no longer has a message' }),
      onFailure: (error) => this.#onFailure(error),
    });
  }

  /**
   * Creates a subscription without items.
   *
   * @throws the errors of `OpcuaSession.call`
   */
  static async create(at: SessionLoop, options: ServerSubscriptionOptions): Promise<ServerSubscription> {
    const { config, minimumIntervalMs, logger, onCreate } = options;
    const { session } = at;
    const { library, onServer } = session;
    const requested = toSubscriptionRequest(config, minimumIntervalMs);
    const request = new library.CreateSubscriptionRequest({
      ...requested,
      maxNotificationsPerPublish: 0,
      publishingEnabled: true,
    });
    onCreate();
    const response = await onServer
      .createSubscription(() =>
        session.call(request, library.CreateSubscriptionResponse, { service: 'CreateSubscription' }),
      )
      .catch((error: unknown) => {
        const { requestedPublishingInterval: intervalMs, requestedMaxKeepAliveCount: intervals } = requested;
        if (!(error instanceof LinkLost))
          at.loop.seek((intervals + 1) * intervalMs + config.requestTimeoutMs);
        throw error;
      });
    const compared = compareTerms(requested, response);
    if (isRevised(compared)) logger.info('opcua.subscriptionRevised', { ...compared });
    return new ServerSubscription(response.subscriptionId, compared, at, options);
  }

  get session(): OpcuaSession {
    return this.#at.session;
  }

  get silenceMs(): number {
    return this.#silenceOf(this.#terms);
  }

  /**
   * Changes the publishing interval. The items stay, with all values in their queues (OPC 10000-4, 5.14.3).
   *
   * @returns false if the server accepts the request and changes nothing
   * @throws the errors of `OpcuaSession.call`
   */
  async modify(minimumIntervalMs: number): Promise<boolean> {
    const { config, logger } = this.#options;
    const { library } = this.session;
    const requested = toSubscriptionRequest(config, minimumIntervalMs);
    const parameters = { ...requested, subscriptionId: this.id, maxNotificationsPerPublish: 0 };
    const request = new library.ModifySubscriptionRequest(parameters);
    const previous = this.#compared;
    this.#terms = toLongerTerms(previous.given, toTerms(requested));
    const response = await this.session
      .call(request, library.ModifySubscriptionResponse, { service: 'ModifySubscription' })
      .catch((error: unknown) => {
        if (isNothingDone(error)) this.#terms = previous.given;
        throw error;
      });
    const compared = compareTerms(requested, response);
    this.#terms = compared.given;
    if (isIgnored(previous, compared)) return false;
    this.#compared = compared;
    if (isRevised(compared)) logger.info('opcua.subscriptionRevised', { ...compared });
    if (!this.#isInterrupted) this.start();
    return true;
  }

  /**
   * Prepares for a longer publishing interval, for which outstanding Publish requests may not wait long enough.
   *
   * @returns undefined if they do; otherwise resolves when the server has responded to those that do not
   */
  prepare(minimumIntervalMs: number): Promise<void> | undefined {
    const silenceMs = this.#silenceOf(
      toTerms(toSubscriptionRequest(this.#options.config, minimumIntervalMs)),
    );
    return this.#at.loop.waitsFor(silenceMs) ? undefined : this.#at.loop.prepare(silenceMs);
  }

  /** Begins to take messages. */
  start(): void {
    if (this.#isClosed) return;
    this.#at.loop.add(this.id, this);
    this.#watch();
    this.#probe(this.#options.clock.monotonicMs() + this.#staleMs());
  }

  /** Takes no messages until `resume`. */
  interrupt(): void {
    this.#isInterrupted = true;
    this.#cancelWatch?.();
    this.#cancelProbe?.();
  }

  /** Continues on another connection: first with the messages that the server has stored (OPC 10000-4, 6.7). */
  async resume(at: SessionLoop): Promise<void> {
    this.#at = at;
    this.#isInterrupted = false;
    this.#isProven = false;
    try {
      await this.#checkPresence();
      await this.#inbox.fetch();
    } catch (error) {
      this.#onFailure(error);
    }
    if (!this.#isActiveOn(at)) return;
    const reason = 'the server does not send stored messages again';
    if (at.session.republishes) this.start();
    else this.#lose({ kind: 'MESSAGES', reason });
  }

  take(message: NotificationMessage): boolean {
    if (this.#isClosed) return false;
    this.#isProven = true;
    this.#silences = 0;
    this.#watch();
    this.#inbox.take(message);
    // A message without notifications is a keep-alive, which is not acknowledged.
    return (message.notificationData ?? []).length > 0;
  }

  end(error: ConnectionError): void {
    this.#lose(error instanceof LinkLost ? { kind: 'LINK', error } : { kind: 'END', error });
  }

  /** Deletes the subscription; the server also does so after its lifetime, so there is no need to wait. Never rejects. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.interrupt();
    this.#at.loop.remove(this.id);
    this.#inbox.close();
    await this.#at.loop.delete([this.id]);
  }

  /**
   * Deletes items, which would be sampled and reported for no subscriber. Never rejects.
   *
   * @param onFailure called with items that may still be there
   */
  async deleteItems(
    itemIds: readonly number[],
    onFailure: (itemIds: readonly number[]) => void,
  ): Promise<void> {
    if (this.#isClosed || itemIds.length === 0) return;
    await deleteItems(this, itemIds).catch(() => onFailure(itemIds));
  }

  // Not every server reports by Republish that it has deleted a subscription, for example after its lifetime.
  async #checkPresence(): Promise<void> {
    const { session } = this.#at;
    const { SetPublishingModeRequest, SetPublishingModeResponse } = session.library;
    const service = 'SetPublishingMode';
    const request = new SetPublishingModeRequest({ publishingEnabled: true, subscriptionIds: [this.id] });
    const { results } = await session
      .call(request, SetPublishingModeResponse, { service })
      .catch((error: unknown) => {
        if (error instanceof LinkLost) throw error;
        return { results: null };
      });
    const [result] = results ?? [];
    if (result?.name === GONE) throw new ServiceRefused(service, GONE);
  }

  async #republish(retransmitSequenceNumber: number): Promise<NotificationMessage | undefined> {
    const { session, loop } = this.#at;
    const { RepublishRequest, RepublishResponse } = session.library;
    const request = new RepublishRequest({ subscriptionId: this.id, retransmitSequenceNumber });
    if (!session.republishes) return undefined;
    try {
      const response = await session.call(request, RepublishResponse, { service: 'Republish' });
      const { sequenceNumber, notificationData } = response.notificationMessage;
      // Some servers return an empty message for one that they do not have.
      if (sequenceNumber !== retransmitSequenceNumber || !notificationData?.length) return undefined;
      loop.acknowledge(this.id, sequenceNumber);
      return response.notificationMessage;
    } catch (error) {
      const status = error instanceof ServiceRefused ? error.status : undefined;
      if (error instanceof LinkLost || status === GONE) throw error;
      // Not every server supports the service, and some do not respond to it.
      if (status !== NOT_AVAILABLE) session.republishes = false;
      return undefined;
    }
  }

  #silenceOf({ keepAliveMs, publishingIntervalMs }: SubscriptionTerms): number {
    return keepAliveMs + publishingIntervalMs + this.#options.config.requestTimeoutMs;
  }

  #onFailure(error: unknown): void {
    if (error instanceof LinkLost) this.#lose({ kind: 'LINK', error });
    else this.#lose({ kind: 'MESSAGES', reason: 'the server no longer has the subscription' });
  }

  #watch(): void {
    this.#cancelWatch?.();
    this.#cancelWatch = this.#options.clock.schedule(this.silenceMs, () => void this.#checkSilence());
  }

  // A message may have been lost, or the server may be slower than announced.
  async #checkSilence(): Promise<void> {
    const at = this.#at;
    const { session } = at;
    this.#silences += 1;
    if (!this.#isProven) {
      this.#lose({ kind: 'MESSAGES', reason: 'the server reports nothing on another connection' });
      return;
    }
    if (session.republishes && this.#silences < MAXIMUM_SILENCES) {
      await this.#inbox.fetch();
      if (!this.#isActiveOn(at)) return;
      if (session.republishes) {
        this.#watch();
        return;
      }
    }
    const detail = `the server reported nothing for ${this.#silences * this.silenceMs} ms`;
    this.#lose({ kind: 'END', error: new ConnectionError({ code: 'OPCUA_SUBSCRIPTION_SILENT', detail }) });
  }

  /**
   * Fetches what the server answers to Publish requests of a former connection, which it may still hold. It sends one
   * message for each of them, which never arrives.
   */
  #probe(untilMs: number): void {
    const { clock } = this.#options;
    this.#cancelProbe?.();
    if (this.#staleMs() === 0 || clock.monotonicMs() >= untilMs) return;
    const at = this.#at;
    const intervalMs = Math.max(MINIMUM_PROBE_MS, this.#terms.publishingIntervalMs);
    this.#cancelProbe = clock.schedule(intervalMs, () => {
      // Until then, the server may well be silent.
      if (this.#isProven) this.#watch();
      void this.#inbox.fetch().then(() => {
        if (this.#isActiveOn(at)) this.#probe(untilMs);
      });
    });
  }

  // The server sends at least a keep-alive for each request.
  #staleMs(): number {
    const { unansweredPublishes } = this.session.onServer;
    if (!this.session.republishes) return 0;
    return unansweredPublishes * (this.#terms.keepAliveMs + this.#terms.publishingIntervalMs);
  }

  #isActiveOn(at: SessionLoop): boolean {
    return this.#at === at && !this.#isInterrupted;
  }

  #lose(loss: SubscriptionLoss): void {
    if (!this.#isClosed) this.#options.onLoss(loss);
  }
}
