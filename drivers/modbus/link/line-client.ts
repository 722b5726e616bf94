import type { ConnectionError } from '../../../daemon/channel/driver-errors.ts';
import { SingleUseLinkDetector } from './single-use-link.ts';
import type { ClientEvents, ModbusClient, TransactOptions } from './modbus-client.ts';
import { LinkLost, ExceptionResponse, ILLEGAL_FUNCTION } from '../modbus-errors.ts';
import type { LineRequest } from '../pdu/request.ts';
import { isWrite } from '../pdu/modbus-functions.ts';
import { sentFunctionOf } from '../pdu/response.ts';

export interface LineClientOptions {
  /** Creates a client whose link was never opened. */
  readonly createClient: (events: ClientEvents) => ModbusClient;
  /** Events of the client; `onLost` only for the newest link. */
  readonly events: ClientEvents;
  /** Creates the error for a line that is not connected. */
  readonly createError: (cause?: unknown) => ConnectionError;
  /** Called for each link that may lead to another device. */
  readonly onOtherDevice: () => void;
}

/** Hooks of a line for opening a link on demand. */
export interface AcquireOptions {
  /** Throws if no link may be opened. */
  readonly throwIfDown: () => void;
  /** Called when a link was opened. */
  readonly onOpen: () => void;
  /** Converts the error of a failed attempt for its caller, before waiting callers continue. */
  readonly toFailure: (error: unknown) => unknown;
}

/** Keeps the client of the newest link of a line and detects how the device treats its links. */
export class LineClient {
  readonly #options: LineClientOptions;
  readonly #singleUse = new SingleUseLinkDetector();
  #client: ModbusClient | undefined;
  #opening: Promise<ModbusClient> | undefined;
  /** Units that reported function code 3 as unsupported and answered none since. */
  readonly #withoutRead = new Set<number>();
  /** Value of an earlier link. */
  #warmUpMs: number | undefined;
  #outstanding = 0;

  constructor(options: LineClientOptions) {
    this.#options = options;
  }

  /** Changes with each link that may lead to another device. */
  get linkNumber(): number {
    return this.#singleUse.linkNumber;
  }

  /** True if nothing was received over the open link since a probe timed out. */
  get isQuiet(): boolean {
    return this.#client?.isOpen === true && this.#client.isQuiet;
  }

  /** Returns the milliseconds for which an idle link is kept. */
  keepMs(): number {
    return this.#client?.isOpen === true ? (this.#client.warmUp?.keepMs() ?? 0) : 0;
  }

  /** True if nothing was received over a new link although requests were sent: the device may need time. */
  get isWarmingUp(): boolean {
    return this.#client?.isOpen === true && this.#client.warmUp?.isInProgress === true;
  }

  /** Milliseconds for which the device ignored requests before its first response; undefined if it did not. */
  get warmUpMs(): number | undefined {
    return this.#client?.warmUp?.neededMs ?? this.#warmUpMs;
  }

  /** Returns the units that need another function code to read holding registers. */
  get unitsWithoutRead(): readonly number[] {
    return [...this.#withoutRead];
  }

  /** True if the device closes each link after one request, so that requests cannot overlap. */
  get isSingleUse(): boolean {
    return this.#singleUse.isSingleUse;
  }

  /** Returns the client for a request if its link is open and the device is not about to close it. */
  find(request: LineRequest): ModbusClient | undefined {
    const client = this.#client;
    if (client?.isOpen !== true) return undefined;
    // A request sent while the device closes the link is lost, and the outcome of a write would be unknown.
    if (!this.#singleUse.isSpent || this.#outstanding > 0) return client;
    if (!isWrite(request) && this.#singleUse.isTrialDue) return client;
    this.closeByChoice();
    return undefined;
  }

  /**
   * Opens a new link.
   *
   * @throws {ConnectionError}
   */
  async open(signal: AbortSignal): Promise<ModbusClient> {
    const { createClient, createError, events, onOtherDevice } = this.#options;
    const client: ModbusClient = createClient({
      ...events,
      onLost: (error) => {
        if (this.#client !== client) return;
        this.#singleUse.recordLoss();
        events.onLost(error);
      },
    });
    await client.open(signal);
    if (signal.aborted) {
      const error = createError(signal.reason);
      client.close(error);
      throw error;
    }
    this.#warmUpMs = this.warmUpMs;
    this.#client = client;
    if (this.#singleUse.recordOpen()) onOtherDevice();
    return client;
  }

  /**
   * Returns the client of the open link, or opens one; concurrent callers share it.
   *
   * @param signal ends the wait
   * @throws the error of `throwIfDown` or `toFailure`, or the reason of the signal
   */
  async acquire(
    request: LineRequest,
    signal: AbortSignal,
    { throwIfDown, onOpen, toFailure }: AcquireOptions,
  ): Promise<ModbusClient> {
    for (;;) {
      throwIfDown();
      const client = this.find(request);
      if (client !== undefined) return client;
      if (this.#opening === undefined) break;
      // The line state shows the outcome; the caller that opened the link may have been aborted by its own signal.
      await this.#opening.catch(() => undefined);
      signal.throwIfAborted();
    }
    try {
      this.#opening = this.open(signal);
      const client = await this.#opening;
      onOpen();
      return client;
    } catch (error) {
      throw toFailure(error);
    } finally {
      this.#opening = undefined;
    }
  }

  /** Sends a request over the client returned by `find` or `acquire`; see `ModbusClient.transact`. */
  async transact(client: ModbusClient, request: LineRequest, options: TransactOptions): Promise<Buffer> {
    this.#outstanding += 1;
    this.#singleUse.recordRequest();
    try {
      const bytes = await client.transact(request, options);
      this.#singleUse.recordResponse();
      if (this.#withoutRead.size > 0 && request.functionCode === 3) this.#withoutRead.delete(request.unitId);
      return bytes;
    } catch (error) {
      if (error instanceof ExceptionResponse) this.#recordException(request, error);
      else if (error instanceof LinkLost) this.#singleUse.recordLoss();
      throw error;
    } finally {
      this.#outstanding -= 1;
    }
  }

  #recordException(request: LineRequest, { exceptionCode }: ExceptionResponse): void {
    this.#singleUse.recordResponse();
    if (exceptionCode === ILLEGAL_FUNCTION && sentFunctionOf(request) === 3)
      this.#withoutRead.add(request.unitId);
  }

  /** Closes an intact link; the next link leads to the same device. */
  closeByChoice(): void {
    if (this.#client?.isOpen !== true) return;
    this.#client.close(this.#options.createError());
    this.#singleUse.recordClosed(true);
  }

  /** Closes the link permanently. */
  close(error: ConnectionError): void {
    this.#singleUse.recordClosed(false);
    this.#client?.close(error);
    this.#warmUpMs = this.warmUpMs;
    this.#client = undefined;
  }
}
