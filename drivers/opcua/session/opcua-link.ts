import { Semaphore } from '../../../daemon/base/sharing/semaphore.ts';
import { raceWithAbort } from '../../../daemon/base/sharing/race-with-abort.ts';
import { ConnectionError } from '../../../daemon/channel/driver-errors.ts';
import { WriteCancelled } from '../../../daemon/channel/cancelled-write.ts';
import type { DriverContext } from '../../../daemon/channel/driver.ts';
import { DirectoryError } from '../../../daemon/base/file/directory.ts';
import { describeFileFault } from '../../../daemon/base/file/file-fault.ts';
import { DeviceStatus } from '../../../daemon/channel/device-status.ts';
import type { Equip, Equipment } from '../browse/equipment.ts';
import type { OpcuaConfig } from '../opcua-config.ts';
import { ConnectFailed, ServiceRefused, NoAnswer } from '../opcua-errors.ts';
import { OpcuaSession } from './opcua-session.ts';
import type { CallOptions } from '../transport/secure-channel.ts';
import type { ServerAccess } from '../transport/server-channel.ts';
import type { ServiceRequest, ServiceResponse } from '../transport/service-transport.ts';
import { SessionKeeper } from './session-keeper.ts';
import { UnansweredTypes } from './unanswered-types.ts';

const COUNTERS = ['reads', 'writes', 'subscriptions', 'timeouts', 'refusals', 'linkLosses'] as const;
type Counter = (typeof COUNTERS)[number];

type ServerStatus = DeviceStatus<Counter>;

// A server answers in parallel; with more at once it only keeps more answers.
const CALLS_AT_ONCE = 4;

/** The service that a call uses, and the counter it belongs to. */
export interface LinkCallOptions extends Pick<CallOptions, 'service'> {
  readonly counter: Counter;
  readonly signal: AbortSignal;
}

/** The one session of a driver, activated again on each connection, or created again when the server no longer has it. */
export class OpcuaLink {
  readonly #config: OpcuaConfig;
  readonly #context: DriverContext;
  readonly #equipFrom: Equip;
  readonly #calls = new Semaphore({ permits: CALLS_AT_ONCE });
  readonly #status: ServerStatus;
  readonly #keeper = new SessionKeeper();
  readonly #unansweredTypes: UnansweredTypes;
  #session: OpcuaSession | undefined;
  #connecting: AbortController | undefined;
  #equipping: Promise<Equipment> | undefined;

  constructor(config: OpcuaConfig, context: DriverContext, equip: Equip) {
    this.#config = config;
    this.#context = context;
    this.#equipFrom = equip;
    this.#unansweredTypes = new UnansweredTypes(context.clock);
    this.#status = createServerStatus(config.endpointUrl, context.clock);
  }

  /**
   * Connects, and activates the session or creates one.
   *
   * @param onLost called at most once, when the session is lost by itself
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

  /** Ends the session, or the attempt to create one; calls under way end with failures. Never throws. */
  async disconnect(): Promise<void> {
    const detail = `the connection to ${this.#config.endpointUrl} was closed`;
    this.#connecting?.abort(new ConnectionError({ code: 'OPCUA_CLOSED', detail }));
    const session = this.#session;
    this.#session = undefined;
    await session?.close();
  }

  /**
   * Returns the present session.
   *
   * @throws {ConnectionError} when there is none
   */
  getSession(): OpcuaSession {
    if (this.#session !== undefined) return this.#session;
    const detail = `not connected to ${this.#config.endpointUrl}`;
    throw new ConnectionError({ code: 'OPCUA_NOT_CONNECTED', detail });
  }

  /** Returns the present session; undefined when there is none. */
  findSession(): OpcuaSession | undefined {
    return this.#session;
  }

  /** Calls a service of a session, when few enough calls are under way; see `SecureChannel.call`. */
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
      // Says nothing about the server.
      if (!(error instanceof WriteCancelled)) this.#status.noteFailure(error);
      throw error;
    }
  }

  get status(): ServerStatus {
    return this.#status;
  }

  /**
   * Does work with the server beside the session, in the time for a connection.
   *
   * @throws {ConnectionError}
   */
  async workApart<T>(signal: AbortSignal, work: (access: ServerAccess) => Promise<T>): Promise<T> {
    try {
      return await this.#workInTime(signal, 'did not say how it can be spoken to', work);
    } catch (thrown) {
      throw withoutPath(thrown, this.#config.endpointUrl);
    }
  }

  #openInTime(signal: AbortSignal): Promise<OpcuaSession> {
    const { logger } = this.#context;
    return this.#workInTime(signal, 'gave no session', (access) =>
      OpcuaSession.open({ ...access, keeper: this.#keeper, unansweredTypes: this.#unansweredTypes, logger }),
    );
  }

  async #workInTime<T>(
    signal: AbortSignal,
    omission: string,
    work: (access: ServerAccess) => Promise<T>,
  ): Promise<T> {
    const { endpointUrl, connectTimeoutMs } = this.#config;
    const { dataDirectory, clock } = this.#context;
    // The time is that of the server: a small machine may need longer to create its own key.
    const equipment = await raceWithAbort(this.#equip(), signal);
    const overdue = new AbortController();
    const cancel = clock.schedule(connectTimeoutMs, () => {
      const detail = `${endpointUrl} ${omission} within ${connectTimeoutMs} ms`;
      overdue.abort(new ConnectFailed({ code: 'OPCUA_CONNECT_TIMEOUT', detail }));
    });
    const ending = AbortSignal.any([signal, overdue.signal]);
    try {
      const access = { ...equipment, config: this.#config, dataDirectory, clock, signal: ending };
      return await raceWithAbort(work(access), ending);
    } finally {
      cancel();
    }
  }

  // The creation of the key cannot be aborted: when a caller gives up, the next attempt uses the key.
  #equip(): Promise<Equipment> {
    this.#equipping ??= this.#equipFrom(this.#context).finally(() => {
      this.#equipping = undefined;
    });
    return this.#equipping;
  }

  #onLost(session: OpcuaSession, error: Error, onLost: (error: Error) => void): void {
    void session.release();
    // One that was closed on purpose is no longer the present one.
    if (this.#session !== session) return;
    this.#session = undefined;
    this.#status.count('linkLosses');
    this.#status.noteLoss(error);
    onLost(error);
  }
}

/**
 * Returns an error for clients, without the path, when a file or directory of the own certificates or of the trust lists
 * cannot be used; any other error as it is.
 */
function withoutPath(error: unknown, endpointUrl: string): unknown {
  const fault = error instanceof DirectoryError ? error.cause : error;
  if (!(fault instanceof Error) || !('code' in fault) || !('path' in fault)) return error;
  const detail = `the driver of ${endpointUrl} cannot use a file of the gateway: ${describeFileFault(fault)}; the log names it`;
  return new ConnectionError({ code: 'OPCUA_FILE_UNUSABLE', detail, cause: error });
}

/** Creates the status of a server of which nothing is known. */
function createServerStatus(name: string, clock: { epochMs(): number }): ServerStatus {
  return new DeviceStatus({
    name,
    clock,
    counters: COUNTERS,
    interpret: (error) => ({ counter: error instanceof NoAnswer ? 'timeouts' : undefined }),
  });
}
