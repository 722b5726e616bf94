import type { NotificationMessage, PublishRequestOptions } from 'node-opcua-client';

import { messageOf } from '../../../daemon/base/errors.ts';
import { ConnectionError } from '../../../daemon/channel/driver-errors.ts';
import { LinkLost, NoResponse, ServiceRefused } from '../opcua-errors.ts';
import type { OpcuaSession } from '../session/opcua-session.ts';

interface OutstandingRequest {
  readonly timeoutMs: number;
}

type Acknowledgement = NonNullable<PublishRequestOptions['subscriptionAcknowledgements']>[number];

/** A subscription as used by the loop. */
export interface Publication {
  /** Longest wait for the next message of the server, including keep-alives. */
  readonly silenceMs: number;
  /** @returns true if the message must be acknowledged */
  take(message: NotificationMessage): boolean;
  /** No more messages will arrive. */
  end(error: ConnectionError): void;
}

// One request waits while another is being answered; slow networks benefit from more.
const SPARE_REQUESTS = 1;
const MAXIMUM_REQUESTS = 10;
/**
 * Keeps the server supplied with Publish requests while there are subscriptions, and distributes the messages (OPC
 * 10000-4, 5.14.5). The requests belong to the session: each may deliver a message of any subscription.
 */
export class PublishLoop {
  readonly #session: OpcuaSession;
  readonly #publications = new Map<number, Publication>();
  #acknowledgements: Acknowledgement[] = [];
  /** Outstanding requests. */
  readonly #outstanding = new Set<OutstandingRequest>();
  #maximumRequests = MAXIMUM_REQUESTS;
  /** Subscriptions without a publication that sent a message. */
  readonly #unclaimedIds = new Set<number>();
  /** True until a request fails, for example because the server has no subscription. */
  #isSeeking = false;
  #longestSilenceMs = 0;
  /** Silence that is to come, for which new requests already wait; 0: none. */
  #preparedSilenceMs = 0;
  /** Resolves when a request is no longer outstanding. */
  #answered = Promise.withResolvers<void>();

  /** @param acknowledgements those that the server may not have received on a former connection */
  constructor(session: OpcuaSession, acknowledgements: readonly Acknowledgement[] = []) {
    this.#session = session;
    this.#acknowledgements = [...acknowledgements];
  }

  /** Acknowledgements that the server may not have received. */
  get acknowledgements(): readonly Acknowledgement[] {
    return this.#acknowledgements;
  }

  /** Starts distributing the messages of a subscription, or continues after a change of its intervals. */
  add(subscriptionId: number, publication: Publication): void {
    this.#publications.set(subscriptionId, publication);
    this.#preparedSilenceMs = 0;
    this.#longestSilenceMs = Math.max(this.#longestSilenceMs, publication.silenceMs);
    this.#deleteUnclaimed();
    this.#supply();
  }

  /**
   * Finds subscriptions that the server may have and that are not in use, and deletes them. Each sends a message after
   * its first publishing interval and then at least keep-alives, if there is a Publish request (OPC 10000-4, 5.14.1.2).
   *
   * @param silenceMs longest time until the next message
   */
  seek(silenceMs: number): void {
    this.#longestSilenceMs = Math.max(this.#longestSilenceMs, silenceMs);
    this.#isSeeking = true;
    this.#deleteUnclaimed();
    this.#supply();
  }

  /**
   * Deletes subscriptions; those that a server without response keeps are deleted when they send a message. Resolves after the
   * response, or without. Never rejects.
   */
  async delete(subscriptionIds: readonly number[]): Promise<void> {
    const { onServer, library } = this.#session;
    const { DeleteSubscriptionsRequest, DeleteSubscriptionsResponse } = library;
    if (subscriptionIds.length === 0) return;
    const request = new DeleteSubscriptionsRequest({ subscriptionIds: [...subscriptionIds] });
    await this.#session
      .call(request, DeleteSubscriptionsResponse, { service: 'DeleteSubscriptions' })
      .then(({ results }) => {
        for (const [index, id] of subscriptionIds.entries())
          onServer.noteDeleted(id, results?.[index]?.name === 'Good');
      })
      .catch((error: unknown) => {
        onServer.noteUndeleted(subscriptionIds);
        if (!(error instanceof LinkLost)) this.seek(this.#longestSilenceMs);
      });
  }

  /** Acknowledges a message that did not come as a response to a Publish request. */
  acknowledge(subscriptionId: number, sequenceNumber: number): void {
    this.#acknowledgements.push({ subscriptionId, sequenceNumber });
  }

  /** True if the outstanding requests wait long enough for messages that come after such a silence. */
  waitsFor(silenceMs: number): boolean {
    return [...this.#outstanding].every(({ timeoutMs }) => timeoutMs >= 2 * silenceMs);
  }

  /** Has new requests wait for a longer silence; resolves when all do, or when a subscription is added or another silence prepared. */
  async prepare(silenceMs: number): Promise<void> {
    this.#preparedSilenceMs = silenceMs;
    while (this.#preparedSilenceMs === silenceMs && !this.waitsFor(silenceMs)) await this.#answered.promise;
  }

  /** Stops distributing the messages of a subscription. */
  remove(subscriptionId: number): void {
    this.#publications.delete(subscriptionId);
    this.#acknowledgements = this.#acknowledgements.filter((each) => each.subscriptionId !== subscriptionId);
  }

  #supply(): void {
    const isSeeking = this.#isSeeking && this.#session.onServer.hasUnusedSubscriptions;
    const isNeeded = this.#publications.size > 0 || isSeeking;
    if (!isNeeded) return;
    const wanted = Math.min(this.#publications.size + SPARE_REQUESTS, this.#maximumRequests);
    while (this.#outstanding.size < wanted) void this.#publish();
  }

  async #publish(): Promise<void> {
    const session = this.#session;
    const { PublishRequest, PublishResponse } = session.library;
    const subscriptionAcknowledgements = this.#acknowledgements;
    this.#acknowledgements = [];
    const asked = new Map(this.#publications);
    const silencesMs = [...asked.values()].map(({ silenceMs }) => silenceMs);
    const silenceMs = asked.size === 0 ? this.#longestSilenceMs : Math.max(...silencesMs);
    const timeoutMs = 2 * Math.max(silenceMs, this.#preparedSilenceMs);
    const outstanding: OutstandingRequest = { timeoutMs };
    this.#outstanding.add(outstanding);
    try {
      const { subscriptionId, notificationMessage } = await session.call(
        new PublishRequest({ subscriptionAcknowledgements }),
        PublishResponse,
        { service: 'Publish', timeoutMs },
      );
      // The server answers the requests in their order, so that it has none of a former connection any more.
      session.onServer.unansweredPublishes = 0;
      this.#handOut(subscriptionId, notificationMessage);
    } catch (error) {
      if (error instanceof LinkLost || error instanceof NoResponse) {
        session.onServer.unansweredPublishes += 1;
        this.#acknowledgements.push(...subscriptionAcknowledgements);
      }
      this.#classifyFailure(error, asked);
    } finally {
      this.#outstanding.delete(outstanding);
      this.#supply();
      this.#answered.resolve();
      this.#answered = Promise.withResolvers();
    }
  }

  #handOut(subscriptionId: number, message: NotificationMessage): void {
    const publication = this.#publications.get(subscriptionId);
    if (publication === undefined) {
      this.#unclaimedIds.add(subscriptionId);
      this.#deleteUnclaimed();
    } else if (publication.take(message)) this.acknowledge(subscriptionId, message.sequenceNumber);
  }

  #deleteUnclaimed(): void {
    const { onServer } = this.#session;
    const unused = [...this.#unclaimedIds].filter((id) => onServer.isUnused(id));
    // Until it is answered, any of them may be the one that a pending request creates.
    if (!onServer.isCreating) this.#unclaimedIds.clear();
    for (const id of unused) this.#unclaimedIds.delete(id);
    void this.delete(unused);
  }

  #classifyFailure(error: unknown, asked: ReadonlyMap<number, Publication>): void {
    // With `BadNoSubscription` there are none, and a server without messages does not show them.
    if (asked.size === 0 || error instanceof LinkLost) this.#isSeeking = false;
    if (error instanceof NoResponse) return;
    const isExcess = error instanceof ServiceRefused && error.status === 'BadTooManyPublishRequests';
    if (isExcess && this.#outstanding.size > 1) {
      // The other requests are still outstanding, which is the maximum that the server accepts.
      this.#maximumRequests = this.#outstanding.size - 1;
      return;
    }
    // The outcome of a request does not concern subscriptions created after it.
    for (const [subscriptionId, publication] of asked) {
      if (this.#publications.get(subscriptionId) !== publication) continue;
      this.#publications.delete(subscriptionId);
      publication.end(toEndError(error));
    }
  }
}

function toEndError(error: unknown): ConnectionError {
  if (error instanceof ConnectionError) return error;
  const detail = `the server stopped reporting changes: ${messageOf(error)}`;
  return new ConnectionError({ code: 'OPCUA_SUBSCRIPTION_LOST', detail, cause: error });
}
