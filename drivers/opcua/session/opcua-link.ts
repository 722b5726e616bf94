import { createReason, explain } from '../../../daemon/base/fault-reason.ts';
import { OPCUA_FAILURES } from '../failure-sentences.ts';
import { Semaphore } from '../../../daemon/base/sharing/semaphore.ts';
import { raceWithAbort } from '../../../daemon/base/sharing/race-with-abort.ts';
import { ConnectionError } from '../../../daemon/channel/driver-errors.ts';
import { WriteCancelled } from '../../../daemon/channel/cancelled-write.ts';
import type { DriverContext } from '../../../daemon/channel/driver.ts';
import { DirectoryError } from '../../../daemon/base/file/directory.ts';
import { describeFileFault } from '../../../daemon/base/file/file-fault.ts';
import { DeviceStatus } from '../../../daemon/channel/device-status.ts';
import type { ClientStackFactory, ClientStack } from '../browse/client-stack.ts';
import type { OpcuaConfig } from '../opcua-config.ts';
import { ConnectFailed, ServiceRefused, NoResponse } from '../opcua-errors.ts';
import { OpcuaSession } from './opcua-session.ts';
import type { CallOptions } from '../transport/secure-channel.ts';
import type { ServerAccess } from '../transport/server-channel.ts';
import type { ServiceRequest, ServiceResponse } from '../transport/service-transport.ts';
import { SessionKeeper } from './session-keeper.ts';
import { UnansweredTypes } from './unanswered-types.ts';

const COUNTERS = [
  'reads',
  'writes',
  'readModifyWrites',
  'subscriptions',
  'timeouts',
  'refusals',
  'linkLosses',
] as const;
type Counter = (typeof COUNTERS)[number];

type ServerStatus = DeviceStatus<Counter>;

// A server processes calls in parallel; more calls would only make it buffer more responses.
const CALLS_AT_ONCE = 4;

/** Service of a call, and its counter. */
export interface LinkCallOptions extends Pick<CallOptions, 'service'> {
  readonly counter: Counter;
  readonly signal: AbortSignal;
}

/** The single session of a driver, reactivated on each connection, or created again if the server no longer has it. */
export class OpcuaLink {
  readonly #config: OpcuaConfig;
  readonly #context: DriverContext;
  readonly #equipFrom: ClientStackFactory;
  readonly #calls = new Semaphore({ permits: CALLS_AT_ONCE });
  readonly #status: ServerStatus;
  readonly #keeper = new SessionKeeper();
  readonly #unansweredTypes: UnansweredTypes;
  #session: OpcuaSession | undefined;
  #connecting: AbortController | undefined;
  #equipping: Promise<ClientStack> | undefined;

  constructor(config: OpcuaConfig, context: DriverContext, equip: ClientStackFactory) {
    this.#config = config;
    this.#context = context;
    this.#equipFrom = equip;
    this.#unansweredTypes = new UnansweredTypes(context.clock);
    this.#status = createServerStatus(config.endpointUrl, context.clock);
  }

  /**
   * Connects and activates or creates the session.
   *
   * @param onLost called at most once, when the session is lost unexpectedly
   * @throws {ConnectionError}
   */
  async connect(signal: AbortSignal, onLost: (error: Error) => void): Promise<void> {
    await this.disconnect();
    signal.throwIfAborted();
    const connecting = new AbortController();
    this.#connecting = connecting;
    try {
      const session = await this.#openInTime(AbortSignal.any([signal, connecting.signal]));
      this.#session = session;
      this.#status.noteAnswer();
      void session.lost.then((error) => this.#onLost(session, error, onLost));
    } catch (thrown) {
      const error = withoutPath(thrown, this.#config.endpointUrl);
      this.#status.noteFailure(error);
      throw error;
    } finally {
      if (this.#connecting === connecting) this.#connecting = undefined;
    }
  }

  /** Closes the session, or aborts its creation; outstanding calls fail. Never throws. */
  async disconnect(): Promise<void> {
    const url = { url: this.#config.endpointUrl };
    const closed = createReason(OPCUA_FAILURES, 'SERVER_CONNECTION_CLOSED', url);
    this.#connecting?.abort(new ConnectionError({ code: 'OPCUA_CLOSED', ...explain(closed) }));
    const session = this.#session;
    this.#session = undefined;
    await session?.close();
  }

  /**
   * Returns the current session.
   *
   * @throws {ConnectionError} if there is none
   */
  getSession(): OpcuaSession {
    if (this.#session !== undefined) return this.#session;
    const url = { url: this.#config.endpointUrl };
    const reason = createReason(OPCUA_FAILURES, 'SERVER_NOT_CONNECTED', url);
    throw new ConnectionError({ code: 'OPCUA_NOT_CONNECTED', ...explain(reason) });
  }

  /** Returns the current session; undefined if there is none. */
  findSession(): OpcuaSession | undefined {
    return this.#session;
  }

  /** Calls a service of a session once the number of outstanding calls allows it; see `SecureChannel.call`. */
  async call<Response extends ServiceResponse>(
    session: OpcuaSession,
    createRequest: () => ServiceRequest,
    expected: abstract new () => Response,
    { service, counter, signal }: LinkCallOptions,
  ): Promise<Response> {
    try {
      return await this.#calls.run(signal, async () => {
        const request = createRequest();
        this.#status.count(counter);
        const response = await session.call(request, expected, { service, signal });
        this.#status.noteAnswer();
        return response;
      });
    } catch (error) {
      if (error instanceof ServiceRefused) this.#status.count('refusals');
      // Does not concern the server.
      if (!(error instanceof WriteCancelled)) this.#status.noteFailure(error);
      throw error;
    }
  }

  get status(): ServerStatus {
    return this.#status;
  }

  /**
   * Runs `work` with the server outside the session, within the connect timeout.
   *
   * @throws {ConnectionError}
   */
  async withServerAccess<T>(signal: AbortSignal, work: (access: ServerAccess) => Promise<T>): Promise<T> {
    try {
      return await this.#workInTime(signal, 'SERVER_WITHOUT_OFFER', work);
    } catch (thrown) {
      throw withoutPath(thrown, this.#config.endpointUrl);
    }
  }

  #openInTime(signal: AbortSignal): Promise<OpcuaSession> {
    const { logger } = this.#context;
    return this.#workInTime(signal, 'SERVER_WITHOUT_SESSION', (access) =>
      OpcuaSession.open({ ...access, keeper: this.#keeper, unansweredTypes: this.#unansweredTypes, logger }),
    );
  }

  async #workInTime<T>(
    signal: AbortSignal,
    omission: 'SERVER_WITHOUT_SESSION' | 'SERVER_WITHOUT_OFFER',
    work: (access: ServerAccess) => Promise<T>,
  ): Promise<T> {
    const { endpointUrl, connectTimeoutMs } = this.#config;
    const { dataDirectory, clock } = this.#context;
    // Not counted against the server: a small gateway may need longer to create its own key.
    const equipment = await raceWithAbort(this.#equip(), signal);
    const overdue = new AbortController();
    const cancel = clock.schedule(connectTimeoutMs, () => {
      const values = { url: endpointUrl, timeoutMs: connectTimeoutMs };
      const reason = createReason(OPCUA_FAILURES, omission, values);
      overdue.abort(new ConnectFailed({ code: 'OPCUA_CONNECT_TIMEOUT', ...explain(reason) }));
    });
    const ending = AbortSignal.any([signal, overdue.signal]);
    try {
      const access = { ...equipment, config: this.#config, dataDirectory, clock, signal: ending };
      return await raceWithAbort(work(access), ending);
    } finally {
      cancel();
    }
  }

  // Key creation cannot be aborted: if a caller aborts, the next attempt uses the key.
  #equip(): Promise<ClientStack> {
    this.#equipping ??= this.#equipFrom(this.#context).finally(() => {
      this.#equipping = undefined;
    });
    return this.#equipping;
  }

  #onLost(session: OpcuaSession, error: Error, onLost: (error: Error) => void): void {
    void session.release();
    // A session that was closed on purpose is no longer current.
    if (this.#session !== session) return;
    this.#session = undefined;
    this.#status.count('linkLosses');
    this.#status.noteLoss(error);
    onLost(error);
  }
}

/**
 * Removes the path from errors about unusable certificate or trust files, for clients; returns other errors unchanged.
 */
function withoutPath(error: unknown, endpointUrl: string): unknown {
  const fault = error instanceof DirectoryError ? error.cause : error;
  if (!(fault instanceof Error) || !('code' in fault) || !('path' in fault)) return error;
  const values = { url: endpointUrl, reason: describeFileFault(fault) };
  const reason = createReason(OPCUA_FAILURES, 'SERVER_FILE_UNUSABLE', values);
  return new ConnectionError({ code: 'OPCUA_FILE_UNUSABLE', ...explain(reason), cause: error });
}

/** Creates the status of a server without any information yet. */
function createServerStatus(name: string, clock: { epochMs(): number }): ServerStatus {
  return new DeviceStatus({
    name,
    clock,
    counters: COUNTERS,
    interpret: (error) => ({ counter: error instanceof NoResponse ? 'timeouts' : undefined }),
  });
}
