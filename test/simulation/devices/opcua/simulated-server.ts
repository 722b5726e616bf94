import {
  CloseSessionRequest,
  CloseSessionResponse,
  CreateMonitoredItemsRequest,
  CreateSubscriptionRequest,
  DeleteMonitoredItemsRequest,
  DeleteSubscriptionsRequest,
  EndpointDescription,
  MessageSecurityMode,
  ModifyMonitoredItemsRequest,
  ModifySubscriptionRequest,
  PublishRequest,
  ReadRequest,
  ReadResponse,
  RepublishRequest,
  SetPublishingModeRequest,
  UserTokenType,
  WriteRequest,
} from 'node-opcua-client';

import type { Clock } from '../../../../daemon/base/clock.ts';
import type {
  ServiceRequest,
  ServiceResponse,
} from '../../../../drivers/opcua/transport/service-transport.ts';
import type { Chronicle } from '../../world/chronicle.ts';
import type { Random } from '../../world/random.ts';
import type { MessageWait } from '../../world/truth.ts';
import { Health } from '../health.ts';
import { AddressSpace } from './address-space.ts';
import { createFault } from './answers.ts';
import type { Respond } from './answers.ts';
import { Conditions } from './conditions.ts';
import type { ServerProfile } from './server-profile.ts';
import { ServerSession } from './server-session.ts';
import type { ServerChannel } from './server-session.ts';
import type { SimulatedNode } from './simulated-node.ts';
import { SubscriptionServices } from './subscription-services.ts';
import { writeNodes } from './write-service.ts';

export interface SimulatedServerOptions {
  readonly name: string;
  readonly profile: ServerProfile;
  readonly nodes: readonly SimulatedNode[];
  readonly time: Clock;
  readonly random: Random;
  readonly chronicle: Pick<Chronicle, 'note'>;
}

/** A connection as the server sees it; it can be cut. */
interface Connection extends ServerChannel {
  cut(reason: string): void;
}

interface HeldMessage {
  readonly isRequest: boolean;
  readonly pass: () => void;
}

const SECURITY_NONE = 'http://opcfoundation.org/UA/SecurityPolicy#None';
const CUT = 'the server closed the connection';
const CUT_CHANCE = 0.1;
const CONFUSION = 0.3;
const LEAST_READ_LIMIT = 4;
const WRONG_CLOCK_MS = -3 * 3_600_000;

/** An OPC UA server: what it knows of its clients, and what it does with their requests. */
export class SimulatedServer {
  readonly time: Clock;
  readonly conditions = new Conditions();
  readonly health: Health;
  readonly space: AddressSpace;
  readonly #options: SimulatedServerOptions;
  readonly #random: Random;
  readonly #services: SubscriptionServices;
  readonly #connections = new Set<Connection>();
  readonly #sessions = new Map<number, ServerSession>();
  /** When it was asked for a value of the plant last, or told one. */
  askedMs: number | undefined;
  #held: HeldMessage[] = [];
  #lastToken: number;
  #busyUntilMs = 0;

  constructor(options: SimulatedServerOptions) {
    const { time, random, profile, nodes } = options;
    this.#options = options;
    this.time = time;
    this.health = new Health(time);
    this.#random = random.branch('traffic');
    this.#lastToken = random.branch('tokens').integer(1, 1_000_000);
    this.space = new AddressSpace(profile, nodes);
    this.#services = new SubscriptionServices({
      time,
      profile,
      conditions: this.conditions,
      space: this.space,
      toClockMs: (ms) => this.#toClockMs(ms),
      random: random.branch('subscriptions'),
      healthySinceMs: () => this.health.sinceMs,
    });
    for (const node of nodes) node.onChange = () => this.#services.noteChange(node);
  }

  /** Sessions that the server has, those whose time is over left out. */
  get sessionCount(): number {
    this.#dropExpired();
    return this.#sessions.size;
  }

  /** Subscriptions that the server has, those that a client cannot know yet left out. */
  get subscriptionCount(): number {
    this.#dropExpired();
    return this.#services.count;
  }

  /** Returns the waits of messages for a request of the gateway since the last time. */
  takeWaits(): readonly MessageWait[] {
    return this.#services.takeWaits();
  }

  get isShuffled(): boolean {
    return this.conditions.has('SHUFFLED');
  }

  /** Draws how long the next message travels. */
  drawLatencyMs(): number {
    const { least, most } = this.#options.profile.latencyMs;
    return least + (most - least) * this.#random.fraction();
  }

  /** Draws how long the next answer takes, travel not included. */
  drawDelayMs(): number {
    const { least, most } = this.#options.profile.processingMs;
    const usualMs = least + (most - least) * this.#random.fraction();
    if (this.conditions.has('LATE')) return usualMs + 6000 * this.#random.fraction();
    return this.isShuffled ? usualMs + 500 * this.#random.fraction() : usualMs;
  }

  /** Takes a message of a client. */
  receive(connection: Connection, work: () => void): void {
    const { conditions } = this;
    if (conditions.has('OFF')) return connection.cut('connection refused');
    if (this.#isHeldUp) {
      this.#held.push({ isRequest: true, pass: () => this.receive(connection, work) });
      return;
    }
    // What was sent before the client hung up may arrive or not.
    if (!connection.isAlive && this.#random.chance(0.5)) return;
    if (conditions.has('CUTTING') && this.#random.chance(CUT_CHANCE)) {
      if (this.#random.chance(0.5)) work();
      return connection.cut(CUT);
    }
    if (!conditions.has('SLOW')) return work();
    // One after the other, as a busy server does.
    const nowMs = this.time.monotonicMs();
    this.#busyUntilMs = Math.max(nowMs, this.#busyUntilMs) + 2500 * this.#random.fraction();
    this.time.schedule(this.#busyUntilMs - nowMs, () => {
      if (!this.conditions.has('OFF')) work();
    });
  }

  /** Lets an answer through, now or when the way is free. */
  deliver(pass: () => void): void {
    if (this.conditions.has('UNREACHABLE')) this.#held.push({ isRequest: false, pass });
    else pass();
  }

  accept(connection: Connection): void {
    this.#connections.add(connection);
  }

  /** Records that a connection ended. */
  release(connection: Connection): void {
    this.#connections.delete(connection);
  }

  describeEndpoints(endpointUrl: string): readonly EndpointDescription[] {
    return [
      new EndpointDescription({
        endpointUrl,
        securityMode: MessageSecurityMode.None,
        securityPolicyUri: SECURITY_NONE,
        server: { applicationUri: `urn:server:${this.#options.name}` },
        userIdentityTokens: [{ policyId: 'anonymous', tokenType: UserTokenType.Anonymous }],
      }),
    ];
  }

  /** Creates and activates a session; returns the name of a status when it does not. */
  createSession(channel: ServerChannel, askedMs: number): ServerSession | string {
    const { profile } = this.#options;
    if (this.conditions.has('HALTED')) return 'BadServerHalted';
    this.#dropExpired();
    if (this.conditions.has('FULL') || this.#sessions.size >= profile.maximumSessions) {
      return 'BadTooManySessions';
    }
    this.#lastToken += 1;
    const token = this.#lastToken;
    const timeoutMs = Math.min(askedMs, profile.longestSessionMs);
    const { keepsRequests } = profile;
    const nowMs = this.time.monotonicMs();
    const session = new ServerSession({ token, timeoutMs, channel, nowMs, keepsRequests });
    this.#sessions.set(token, session);
    this.#note('session created');
    return session;
  }

  /** Activates a session on another connection; returns the answer of refusal when it does not. */
  activateSession(channel: ServerChannel, token: number): ServiceResponse | undefined {
    if (this.conditions.has('HALTED')) return createFault('BadServerHalted');
    this.#dropExpired();
    const session = this.#sessions.get(token);
    if (session === undefined) return createFault('BadSessionIdInvalid');
    session.channel = channel;
    session.lastHeardMs = this.time.monotonicMs();
    this.#note('session activated again');
    return undefined;
  }

  /** Carries out a request of a session. */
  handle(channel: ServerChannel, request: ServiceRequest, respond: Respond): void {
    if (this.conditions.has('HALTED')) return respond(createFault('BadServerHalted'));
    this.#dropExpired();
    const session = this.#sessions.get(Number(request.requestHeader.authenticationToken.value));
    if (session === undefined) return respond(createFault('BadSessionIdInvalid'));
    if (session.channel !== channel) return respond(createFault('BadSecureChannelIdInvalid'));
    session.lastHeardMs = this.time.monotonicMs();
    if (request instanceof PublishRequest) this.#services.publish(request, session, respond);
    else respond(this.#confuse(this.#answer(request, session)));
  }

  /** Lets everything through that a condition, which is over, held up. */
  resume(): void {
    for (const { isRequest, pass } of this.#held.splice(0)) {
      if (isRequest ? this.#isHeldUp : this.conditions.has('UNREACHABLE'))
        this.#held.push({ isRequest, pass });
      else pass();
    }
    this.#services.catchUp();
  }

  /** Cuts all connections; sessions stay. */
  cutAll(): void {
    for (const connection of this.#connections) connection.cut(CUT);
  }

  /** Forgets all sessions without a word. */
  forgetSessions(): void {
    for (const session of this.#sessions.values()) this.#services.forget(session);
    this.#sessions.clear();
  }

  /** Ends all subscriptions, and tells the clients. */
  endSubscriptions(): void {
    for (const session of this.#sessions.values()) this.#services.terminate(session);
  }

  /** Ends everything, as when the server stops: connections, sessions, and what is on its way to it. */
  stop(): void {
    this.#held = this.#held.filter(({ isRequest }) => !isRequest);
    this.cutAll();
    this.forgetSessions();
  }

  get #isHeldUp(): boolean {
    return this.conditions.has('FROZEN') || this.conditions.has('UNREACHABLE');
  }

  #answer(request: ServiceRequest, session: ServerSession): ServiceResponse {
    if (request instanceof ReadRequest) return this.#read(request);
    if (request instanceof WriteRequest) return this.#write(request);
    if (request instanceof CreateSubscriptionRequest) return this.#services.create(request, session);
    if (request instanceof CreateMonitoredItemsRequest) return this.#services.createItems(request, session);
    if (request instanceof ModifySubscriptionRequest) return this.#services.modify(request, session);
    if (request instanceof ModifyMonitoredItemsRequest) return this.#services.modifyItems(request, session);
    if (request instanceof DeleteMonitoredItemsRequest) return this.#services.deleteItems(request, session);
    if (request instanceof DeleteSubscriptionsRequest) return this.#services.delete(request, session);
    if (request instanceof SetPublishingModeRequest) return this.#services.setMode(request, session);
    if (request instanceof RepublishRequest) return this.#services.republish(request, session);
    if (request instanceof CloseSessionRequest) return this.#close(session);
    return createFault('BadServiceUnsupported');
  }

  #read({ nodesToRead, maxAge }: ReadRequest): ServiceResponse {
    const wanted = nodesToRead ?? [];
    const { maximumNodesPerRead } = this.#options.profile;
    const limit = this.conditions.has('SMALL')
      ? Math.max(LEAST_READ_LIMIT, Math.floor(maximumNodesPerRead / 4))
      : maximumNodesPerRead;
    if (wanted.length > limit) return createFault('BadTooManyOperations');
    if (maxAge !== 0) return createFault('BadMaxAgeInvalid');
    const nowMs = this.time.monotonicMs();
    // What a client asks about the server itself, to see whether it is there, is in its first namespace.
    if (wanted.some(({ nodeId }) => nodeId.namespace > 0)) this.askedMs = nowMs;
    const clockMs = this.#toClockMs(nowMs);
    return new ReadResponse({ results: wanted.map((each) => this.space.read(each, nowMs, clockMs)) });
  }

  #write(request: WriteRequest): ServiceResponse {
    const { length } = request.nodesToWrite ?? [];
    if (length > this.#options.profile.maximumNodesPerWrite) return createFault('BadTooManyOperations');
    this.#note(`${length} nodes written`);
    this.askedMs = this.time.monotonicMs();
    return writeNodes(request, this.space, this.time.monotonicMs());
  }

  #close(session: ServerSession): ServiceResponse {
    this.#services.forget(session);
    this.#sessions.delete(session.token);
    this.#note('session closed');
    return new CloseSessionResponse();
  }

  #confuse(response: ServiceResponse): ServiceResponse {
    if (!this.conditions.has('CONFUSED') || !this.#random.chance(CONFUSION)) return response;
    if (!(response instanceof ReadResponse)) return new ReadResponse({ results: [] });
    return this.#random.chance(0.5) ? new CloseSessionResponse() : shorten(response);
  }

  #toClockMs(ms: number): number {
    const { time, conditions } = this;
    const nowMs = time.epochMs() + (conditions.has('CLOCK_WRONG') ? WRONG_CLOCK_MS : 0);
    // Whole milliseconds of both: otherwise two fractions would be lost, that of now and that of then.
    return nowMs - Math.floor(time.monotonicMs()) + Math.floor(ms);
  }

  #dropExpired(): void {
    const nowMs = this.time.monotonicMs();
    for (const [token, session] of this.#sessions) {
      if (nowMs - session.lastHeardMs <= session.timeoutMs) continue;
      this.#services.forget(session);
      this.#sessions.delete(token);
      this.#note('session expired');
    }
  }

  #note(what: string): void {
    this.#options.chronicle.note(this.#options.name, what);
  }
}

function shorten({ results }: ReadResponse): ReadResponse {
  return new ReadResponse({ results: results?.slice(1) ?? [] });
}
