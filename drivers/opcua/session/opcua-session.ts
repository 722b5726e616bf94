import { toReasons } from '../../../daemon/base/errors.ts';
import type { FaultReason } from '../../../daemon/base/fault-reason.ts';
import type { Cancel, Clock } from '../../../daemon/base/clock.ts';
import { GatewayError } from '../../../daemon/base/errors.ts';
import type { DeviceAccess } from '../../../daemon/channel/access-reporting-driver.ts';
import { ReadTypes } from '../value/same-text.ts';
import type { MethodArgument } from '../write/method-arguments.ts';
import { Namespaces } from './namespaces.ts';
import type { OpcuaConfig } from '../opcua-config.ts';
import { InvalidResponse, LinkLost, explainLibraryFault } from '../opcua-errors.ts';
import type { OpcuaModule } from './opcua-library.ts';
import { openSession } from './open-session.ts';
import type { OpenedSession, OpenOptions } from './open-session.ts';
import type { CallOptions, SecureChannel } from '../transport/secure-channel.ts';
import { closeSession } from './server-session.ts';
import type { ServerSession } from './server-session.ts';
import type { ServiceRequest, ServiceResponse } from '../transport/service-transport.ts';
import type { SessionKeeper } from './session-keeper.ts';
import { Semaphore } from '../../../daemon/base/sharing/semaphore.ts';
import { StructureTypes } from '../value/structure-types.ts';
import type { ServerDataType } from '../browse/offered-channel.ts';
import type { UnansweredTypes } from './unanswered-types.ts';
import type { NodeWriteInfo } from '../value/write-type.ts';

/**
 * Maximum nodes or items of one request: the lowest of the configured limit, the limit that the server reports and the
 * detected one.
 */
export interface SessionLimits {
  nodesPerRead: number;
  nodesPerWrite: number;
  itemsPerCall: number;
  nodesPerBrowse: number;
}

/** Nodes that describe the server (OPC 10000-6, A.3). */
const SERVER_NODES = {
  namespaceArray: 'i=2255',
  maximumNodesPerRead: 'i=11705',
  maximumNodesPerWrite: 'i=11707',
  maximumItemsPerCall: 'i=11714',
} as const;
const SERVER_STATE = 'i=2259';
const VALUE_ATTRIBUTE = 13;
// A server stores the rest of each long response, and many can store only few.
const NODES_PER_BROWSE = 100;
// Two keep-alives may be late before the server ends the session.
const KEEP_ALIVES_PER_TIMEOUT = 3;

/** A session on one connection. It is opened once; after a loss, another object replaces it. */
export class OpcuaSession {
  readonly library: OpcuaModule;
  readonly namespaces: Namespaces;
  readonly limits: SessionLimits;
  /** Cached write types by NodeId. */
  readonly writeTypes = new Map<string, NodeWriteInfo>();
  /** Cached access rights of the session user by NodeId; undefined if the server does not report them. */
  readonly deviceAccess = new Map<string, DeviceAccess | undefined>();
  /** Cached input arguments of methods by NodeId. */
  readonly methodArguments = new Map<string, readonly MethodArgument[]>();
  /** Cached data types by NodeId. */
  readonly valueTypes = new Map<string, ServerDataType>();
  /** False if the server does not support TranslateBrowsePathsToNodeIds. */
  translatesPaths = true;
  /** False if the server does not support Republish. */
  republishes = true;
  /** Serialises the writes of fields: each reads and writes a whole structure. */
  readonly structureWrites = new Semaphore({ permits: 1 });
  /** Types of the texts that were read. */
  readonly readTypes = new ReadTypes();
  /** Structures of the server. */
  readonly structures = new StructureTypes(this);
  /** Types that no session of the driver requests at the moment. */
  readonly unansweredTypes: UnansweredTypes;
  readonly #channel: SecureChannel;
  /** The session on the server, which may be older than the connection. */
  readonly onServer: ServerSession;
  readonly #keeper: SessionKeeper;
  readonly #config: OpcuaConfig;
  readonly #clock: Clock;
  #cancelKeepAlive: Cancel | undefined;
  #isClosing = false;

  private constructor(
    { library, config, clock, keeper, unansweredTypes }: OpenOptions,
    { channel, onServer }: OpenedSession,
    description: { readonly namespaces: readonly string[]; readonly limits: SessionLimits },
  ) {
    this.library = library;
    this.#config = config;
    this.#clock = clock;
    this.#channel = channel;
    this.onServer = onServer;
    this.#keeper = keeper;
    this.unansweredTypes = unansweredTypes;
    this.namespaces = new Namespaces({
      uris: description.namespaces,
      read: async () => (await this.#readValues([SERVER_NODES.namespaceArray]))[0],
      clock,
      paceMs: config.keepAliveMs,
      onRenumbered: () => channel.close(new Error('the server renumbered its namespaces')),
    });
    this.limits = description.limits;
  }

  /**
   * Activates the session of the previous connection or creates one, then reads the namespaces and limits of the
   * server.
   *
   * @throws {ConnectionError}
   */
  static async open(options: OpenOptions): Promise<OpcuaSession> {
    const opened = await openSession(options);
    const { signal } = options;
    const onAbort = (): void => opened.channel.close(signal.reason as Error);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      signal.throwIfAborted();
      const bare = new OpcuaSession(options, opened, NOTHING_KNOWN);
      const session = new OpcuaSession(options, opened, await bare.#describeServer(signal));
      session.#scheduleKeepAlive();
      return session;
    } catch (error) {
      await opened.channel.dispose();
      signal.throwIfAborted();
      throw error instanceof LinkLost
        ? error
        : new LinkLost(options.config.endpointUrl, explainFault(error), { cause: error });
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** Resolves when the session is lost or closed. */
  get lost(): Promise<LinkLost> {
    return this.#channel.lost;
  }

  /** True while the connection is open and not being closed. */
  get isOpen(): boolean {
    return !this.#isClosing && this.#channel.isOpen;
  }

  /** True while the session is being closed on purpose. */
  get isClosing(): boolean {
    return this.#isClosing;
  }

  /** Calls a service of the session; see `SecureChannel.call`. Default timeout: as configured. */
  call<Response extends ServiceResponse>(
    request: ServiceRequest,
    expected: abstract new () => Response,
    options: Omit<CallOptions, 'timeoutMs'> & { readonly timeoutMs?: number },
  ): Promise<Response> {
    request.requestHeader.authenticationToken = this.onServer.authenticationToken;
    return this.#channel.call(request, expected, { timeoutMs: this.#config.requestTimeoutMs, ...options });
  }

  /** Closes the session; outstanding calls fail at once, and the server is notified if reachable. Never throws. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#channel.endCalls(new Error('it was closed'));
    if (await closeSession(this.#channel, this.onServer, this.library)) this.#keeper.forget();
    await this.release();
  }

  /** Releases everything at once, for example after a lost connection. Never throws. */
  async release(): Promise<void> {
    this.#cancelKeepAlive?.();
    await this.#channel.dispose();
  }

  async #describeServer(
    signal: AbortSignal,
  ): Promise<{ readonly namespaces: readonly string[]; readonly limits: SessionLimits }> {
    const [namespaces, ...limits] = await this.#readValues(Object.values(SERVER_NODES), signal);
    if (!Array.isArray(namespaces)) throw new InvalidResponse('its NamespaceArray is missing');
    const [nodesPerRead, nodesPerWrite, itemsPerCall] = limits.map((limit) => this.#limit(limit));
    const usual = this.#config.maximumNodesPerRequest;
    return {
      namespaces: namespaces.map(String),
      limits: {
        nodesPerRead: nodesPerRead ?? usual,
        nodesPerWrite: nodesPerWrite ?? usual,
        itemsPerCall: itemsPerCall ?? usual,
        nodesPerBrowse: Math.min(usual, NODES_PER_BROWSE),
      },
    };
  }

  // A server without a limit reports 0 or nothing.
  #limit(value: unknown): number {
    const { maximumNodesPerRequest } = this.#config;
    return typeof value === 'number' && value > 0
      ? Math.min(value, maximumNodesPerRequest)
      : maximumNodesPerRequest;
  }

  async #readValues(nodeIds: readonly string[], signal?: AbortSignal): Promise<readonly unknown[]> {
    const { ReadRequest, ReadResponse, TimestampsToReturn } = this.library;
    const request = new ReadRequest({
      maxAge: 0,
      timestampsToReturn: TimestampsToReturn.Neither,
      nodesToRead: nodeIds.map((nodeId) => ({ nodeId, attributeId: VALUE_ATTRIBUTE })),
    });
    const { results } = await this.call(request, ReadResponse, { service: 'Read', signal });
    return nodeIds.map((_, index): unknown => results?.[index]?.value.value);
  }

  // The server ends an inactive session, and a connection can break unnoticed.
  #scheduleKeepAlive(): void {
    const { timeoutMs } = this.onServer;
    const intervalMs = Math.min(this.#config.keepAliveMs, timeoutMs / KEEP_ALIVES_PER_TIMEOUT);
    this.#cancelKeepAlive = this.#clock.schedule(intervalMs, () => void this.#keepAlive());
  }

  async #keepAlive(): Promise<void> {
    try {
      await this.#readValues([SERVER_STATE]);
      this.#scheduleKeepAlive();
    } catch (error) {
      this.#channel.close(error as Error);
    }
  }
}

// Errors that are not ours come from the library.
function explainFault(error: unknown): readonly FaultReason[] {
  return error instanceof GatewayError ? toReasons(error) : [explainLibraryFault(error, 'Read')];
}

const NOTHING_KNOWN = {
  namespaces: [],
  limits: { nodesPerRead: 0, nodesPerWrite: 0, itemsPerCall: 0, nodesPerBrowse: 0 },
};
