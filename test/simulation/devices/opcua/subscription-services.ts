import {
  CreateMonitoredItemsResponse,
  CreateSubscriptionResponse,
  DeleteMonitoredItemsResponse,
  DeleteSubscriptionsResponse,
  ModifyMonitoredItemsResponse,
  ModifySubscriptionResponse,
  RepublishResponse,
  SetPublishingModeResponse,
} from 'node-opcua-client';
import type {
  CreateMonitoredItemsRequest,
  CreateSubscriptionRequest,
  DeleteMonitoredItemsRequest,
  DeleteSubscriptionsRequest,
  ModifyMonitoredItemsRequest,
  ModifySubscriptionRequest,
  MonitoringParameters,
  PublishRequest,
  RepublishRequest,
  SetPublishingModeRequest,
} from 'node-opcua-client';

import type { Clock } from '../../../../daemon/base/clock.ts';
import type { ServiceResponse } from '../../../../drivers/opcua/transport/service-transport.ts';
import type { Random } from '../../world/random.ts';
import type { HealthySinceMs, MessageWait } from '../../world/truth.ts';
import type { AddressSpace } from './address-space.ts';
import { createFault, findStatusCode } from './answers.ts';
import type { Respond } from './answers.ts';
import type { Conditions } from './conditions.ts';
import { rangeOf } from './element-range.ts';
import { MonitoredItem } from './monitored-item.ts';
import { ServerSubscription } from './server-subscription.ts';
import type { SubscriptionTerms } from './server-subscription.ts';
import type { ServerProfile } from './server-profile.ts';
import type { ServerSession } from './server-session.ts';

export interface SubscriptionServicesOptions {
  readonly time: Clock;
  readonly profile: ServerProfile;
  readonly conditions: Conditions;
  readonly space: AddressSpace;
  readonly toClockMs: (ms: number) => number;
  readonly random: Random;
  /** Since when nothing is wrong with the server. */
  readonly healthySinceMs: () => HealthySinceMs;
}

const LEAST_LIFETIMES = 3;
// Shorter ones are the way of a request, and of the answer before it.
const NOTED_WAIT_MS = 2000;
const KEPT_WAITS = 64;
const LOSS = 0.4;

/** The services that watch nodes. */
export class SubscriptionServices {
  readonly #options: SubscriptionServicesOptions;
  readonly #subscriptions = new Set<ServerSubscription>();
  #lastId: number;
  #lastItemId = 0;
  #waits: MessageWait[] = [];

  constructor(options: SubscriptionServicesOptions) {
    this.#options = options;
    this.#lastId = options.random.integer(1, 100_000);
  }

  /** Number of subscriptions of all sessions that a client can know. */
  get count(): number {
    return [...this.#subscriptions].filter(({ isUnheard }) => !isUnheard).length;
  }

  /** Returns the waits of messages for a request since the last time. */
  takeWaits(): readonly MessageWait[] {
    const waits = this.#waits;
    if (waits.length > 0) this.#waits = [];
    return waits;
  }

  create(request: CreateSubscriptionRequest, session: ServerSession): ServiceResponse {
    const { profile, conditions, time, random } = this.#options;
    const isFull = this.#subscriptions.size >= profile.maximumSubscriptions;
    if (isFull || conditions.has('NO_SUBSCRIPTIONS')) return createFault('BadTooManySubscriptions');
    this.#lastId += 1;
    const id = this.#lastId;
    const terms = this.#revise(request);
    const subscription = new ServerSubscription({
      ...terms,
      id,
      storedMessages: profile.storedMessages,
      time,
      takeRequest: () => session.takeRequest(),
      isMute: () => conditions.has('MUTE'),
      losesNext: () => conditions.has('LOSSY') && random.chance(LOSS),
      onWaited: (wait) => this.#noteWait(session, wait),
      onExpired: () => this.#remove(session, subscription),
    });
    this.#subscriptions.add(subscription);
    session.subscriptions.set(id, subscription);
    return new CreateSubscriptionResponse({ subscriptionId: id, ...toRevised(terms) });
  }

  modify(request: ModifySubscriptionRequest, session: ServerSession): ServiceResponse {
    if (!this.#isModifying) return createFault('BadServiceUnsupported');
    const subscription = session.subscriptions.get(request.subscriptionId);
    if (subscription === undefined) return createFault('BadSubscriptionIdInvalid');
    const terms = this.#revise(request);
    subscription.modify(terms);
    return new ModifySubscriptionResponse(toRevised(terms));
  }

  createItems(request: CreateMonitoredItemsRequest, session: ServerSession): ServiceResponse {
    const { profile, space, time, toClockMs } = this.#options;
    const subscription = session.subscriptions.get(request.subscriptionId);
    if (subscription === undefined) return createFault('BadSubscriptionIdInvalid');
    const wanted = request.itemsToCreate ?? [];
    if (wanted.length > profile.maximumItemsPerCall) return createFault('BadTooManyOperations');
    const beginMs = time.monotonicMs();
    const results = wanted.map(({ itemToMonitor, requestedParameters }) => {
      const node = space.find(itemToMonitor.nodeId, beginMs);
      // A node that is gone for a while is refused, and has to be asked for again.
      if (node === undefined || node.statusAt(beginMs) === 'BadNodeIdUnknown')
        return { statusCode: findStatusCode('BadNodeIdUnknown') };
      const { clientHandle, discardOldest } = requestedParameters;
      const itemTerms = this.#reviseItem(requestedParameters, subscription);
      this.#lastItemId += 1;
      const item = new MonitoredItem({
        clientHandle,
        node,
        range: node.type.length === undefined ? undefined : rangeOf(itemToMonitor),
        ...itemTerms,
        discardsOldest: discardOldest,
        beginMs,
        toClockMs,
      });
      subscription.items.set(this.#lastItemId, item);
      return {
        statusCode: findStatusCode('Good'),
        monitoredItemId: this.#lastItemId,
        revisedSamplingInterval: itemTerms.samplingIntervalMs,
        revisedQueueSize: itemTerms.queueSize,
      };
    });
    subscription.plan();
    return new CreateMonitoredItemsResponse({ results });
  }

  modifyItems(request: ModifyMonitoredItemsRequest, session: ServerSession): ServiceResponse {
    const { profile, time } = this.#options;
    if (!this.#isModifying) return createFault('BadServiceUnsupported');
    const subscription = session.subscriptions.get(request.subscriptionId);
    if (subscription === undefined) return createFault('BadSubscriptionIdInvalid');
    const wanted = request.itemsToModify ?? [];
    if (wanted.length > profile.maximumItemsPerCall) return createFault('BadTooManyOperations');
    const results = wanted.map(({ monitoredItemId, requestedParameters }) => {
      const item = subscription.items.get(monitoredItemId);
      if (item === undefined) return { statusCode: findStatusCode('BadMonitoredItemIdInvalid') };
      const terms = this.#reviseItem(requestedParameters, subscription);
      item.modify(terms, time.monotonicMs());
      return {
        statusCode: findStatusCode('Good'),
        revisedSamplingInterval: terms.samplingIntervalMs,
        revisedQueueSize: terms.queueSize,
      };
    });
    subscription.plan();
    return new ModifyMonitoredItemsResponse({ results });
  }

  deleteItems(request: DeleteMonitoredItemsRequest, session: ServerSession): ServiceResponse {
    const subscription = session.subscriptions.get(request.subscriptionId);
    if (subscription === undefined) return createFault('BadSubscriptionIdInvalid');
    const results = (request.monitoredItemIds ?? []).map((id) =>
      findStatusCode(subscription.items.delete(id) ? 'Good' : 'BadMonitoredItemIdInvalid'),
    );
    subscription.plan();
    return new DeleteMonitoredItemsResponse({ results });
  }

  publish(request: PublishRequest, session: ServerSession, respond: Respond): void {
    for (const { subscriptionId, sequenceNumber } of request.subscriptionAcknowledgements ?? []) {
      session.subscriptions.get(subscriptionId)?.acknowledge(sequenceNumber);
    }
    if (session.subscriptions.size === 0) respond(createFault('BadNoSubscription'));
    else session.addRequest(respond, this.#options.profile.maximumPublishRequests);
  }

  republish(request: RepublishRequest, session: ServerSession): ServiceResponse {
    if (this.#options.profile.storedMessages === 0) return createFault('BadServiceUnsupported');
    const subscription = session.subscriptions.get(request.subscriptionId);
    if (subscription === undefined) return createFault('BadSubscriptionIdInvalid');
    const notificationMessage = subscription.findMessage(request.retransmitSequenceNumber);
    return notificationMessage === undefined
      ? createFault('BadMessageNotAvailable')
      : new RepublishResponse({ notificationMessage });
  }

  setMode(request: SetPublishingModeRequest, session: ServerSession): ServiceResponse {
    const results = (request.subscriptionIds ?? []).map((id) =>
      findStatusCode(session.subscriptions.has(id) ? 'Good' : 'BadSubscriptionIdInvalid'),
    );
    return new SetPublishingModeResponse({ results });
  }

  delete(request: DeleteSubscriptionsRequest, session: ServerSession): ServiceResponse {
    const results = (request.subscriptionIds ?? []).map((id) => {
      const subscription = session.subscriptions.get(id);
      if (subscription !== undefined) this.#remove(session, subscription);
      return findStatusCode(subscription === undefined ? 'BadSubscriptionIdInvalid' : 'Good');
    });
    return new DeleteSubscriptionsResponse({ results });
  }

  /** Ends all subscriptions of a session that ended. */
  forget(session: ServerSession): void {
    for (const subscription of session.subscriptions.values()) this.#subscriptions.delete(subscription);
    session.end();
  }

  /** Ends the subscriptions of a session, and tells the client. */
  terminate(session: ServerSession): void {
    for (const subscription of session.subscriptions.values()) {
      subscription.terminate('BadTimeout');
      this.#remove(session, subscription);
    }
  }

  /** Looks at nodes again: one of them changed otherwise than was foretold. */
  noteChange(node: unknown): void {
    const nowMs = this.#options.time.monotonicMs();
    for (const subscription of this.#subscriptions) {
      let isConcerned = false;
      for (const item of subscription.items.values()) {
        if (item.node !== node) continue;
        item.noteChange(nowMs);
        isConcerned = true;
      }
      if (isConcerned) subscription.plan();
    }
  }

  /** Sends what is overdue. */
  catchUp(): void {
    for (const subscription of this.#subscriptions) subscription.serve();
  }

  /** Whether the server can change what it has created: an old one, without Republish, cannot. */
  get #isModifying(): boolean {
    return this.#options.profile.storedMessages > 0;
  }

  #revise(
    request: Pick<
      CreateSubscriptionRequest,
      'requestedPublishingInterval' | 'requestedMaxKeepAliveCount' | 'requestedLifetimeCount'
    >,
  ): SubscriptionTerms {
    const { shortestPublishingIntervalMs } = this.#options.profile;
    const keepAliveCount = Math.max(1, request.requestedMaxKeepAliveCount);
    return {
      publishingIntervalMs: Math.max(request.requestedPublishingInterval, shortestPublishingIntervalMs),
      keepAliveCount,
      lifetimeCount: Math.max(request.requestedLifetimeCount, LEAST_LIFETIMES * keepAliveCount),
    };
  }

  #reviseItem(
    { samplingInterval, queueSize }: Pick<MonitoringParameters, 'samplingInterval' | 'queueSize'>,
    { publishingIntervalMs }: ServerSubscription,
  ): { readonly samplingIntervalMs: number; readonly queueSize: number } {
    const { shortestPublishingIntervalMs, longestQueue } = this.#options.profile;
    return {
      samplingIntervalMs:
        samplingInterval < 0
          ? publishingIntervalMs
          : Math.max(samplingInterval, shortestPublishingIntervalMs),
      queueSize: Math.min(Math.max(1, queueSize), longestQueue),
    };
  }

  // Whoever has gone without a word asks for nothing.
  #noteWait({ channel }: ServerSession, waited: Pick<MessageWait, 'fromMs' | 'quietSinceMs'>): void {
    const toMs = this.#options.time.monotonicMs();
    if (toMs - waited.fromMs < NOTED_WAIT_MS || !channel.isAlive) return;
    const wait = { ...waited, toMs, healthySinceMs: this.#options.healthySinceMs() };
    this.#waits = [...this.#waits, wait].slice(-KEPT_WAITS);
  }

  #remove(session: ServerSession, subscription: ServerSubscription): void {
    subscription.delete();
    this.#subscriptions.delete(subscription);
    session.subscriptions.delete(subscription.id);
    if (session.subscriptions.size === 0) session.refuseRequests(() => createFault('BadNoSubscription'));
  }
}

function toRevised({ publishingIntervalMs, keepAliveCount, lifetimeCount }: SubscriptionTerms) {
  return {
    revisedPublishingInterval: publishingIntervalMs,
    revisedMaxKeepAliveCount: keepAliveCount,
    revisedLifetimeCount: lifetimeCount,
  };
}
