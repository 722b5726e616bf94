import type { ServiceResponse } from '../../../../drivers/opcua/transport/service-transport.ts';
import { createFault } from './answers.ts';
import type { Respond } from './answers.ts';
import type { ServerSubscription } from './server-subscription.ts';

/** Where a session is active: the connection of a client, as the server knows it. */
export interface ServerChannel {
  /** Whether the server still has the connection. */
  readonly isAlive: boolean;
}

/** A session as a server has it: subscriptions, and Publish requests that wait for something to say. */
export class ServerSession {
  readonly token: number;
  readonly timeoutMs: number;
  readonly subscriptions = new Map<number, ServerSubscription>();
  channel: ServerChannel;
  lastHeardMs: number;
  readonly #keepsRequests: boolean;
  #waiting: { readonly channel: ServerChannel; readonly respond: Respond }[] = [];

  constructor(options: {
    readonly token: number;
    readonly timeoutMs: number;
    readonly channel: ServerChannel;
    readonly nowMs: number;
    /** See `ServerProfile`. */
    readonly keepsRequests: boolean;
  }) {
    this.token = options.token;
    this.timeoutMs = options.timeoutMs;
    this.channel = options.channel;
    this.lastHeardMs = options.nowMs;
    this.#keepsRequests = options.keepsRequests;
  }

  /** Keeps a Publish request; of too many the oldest is refused (OPC 10000-4, 5.14.5). */
  addRequest(respond: Respond, maximum: number): void {
    this.#dropDead();
    this.#waiting.push({ channel: this.channel, respond });
    if (this.#waiting.length > maximum) {
      this.#waiting.shift()?.respond(createFault('BadTooManyPublishRequests'));
    }
    for (const subscription of this.subscriptions.values()) subscription.serve();
  }

  /** Takes the oldest Publish request, of the present connection unless it keeps others. */
  takeRequest(): Respond | undefined {
    this.#dropDead();
    return this.#waiting.shift()?.respond;
  }

  /** Answers all Publish requests, as when the last subscription was deleted. */
  refuseRequests(createResponse: () => ServiceResponse): void {
    this.#dropDead();
    for (const { respond } of this.#waiting.splice(0)) respond(createResponse());
  }

  /** Ends the session. */
  end(): void {
    for (const subscription of this.subscriptions.values()) subscription.delete();
    this.subscriptions.clear();
    this.#waiting = [];
  }

  #dropDead(): void {
    if (this.#keepsRequests) return;
    this.#waiting = this.#waiting.filter(({ channel }) => channel === this.channel && channel.isAlive);
  }
}
