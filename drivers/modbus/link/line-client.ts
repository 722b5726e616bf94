import type { ConnectionError } from '../../../daemon/channel/driver-errors.ts';
import { LinkUses } from './link-uses.ts';
import type { ClientEvents, ModbusClient, TransactOptions } from './modbus-client.ts';
import { LinkLost, ExceptionAnswer } from '../modbus-errors.ts';
import type { LineRequest } from '../pdu/request.ts';

export interface LineClientOptions {
  /** Creates a client whose link was never opened. */
  readonly createClient: (events: ClientEvents) => ModbusClient;
  /** What the client reports; `onLost` only while its link is the newest one. */
  readonly events: ClientEvents;
  /** Returns the error that the line is not connected. */
  readonly createError: (cause?: unknown) => ConnectionError;
  /** Called with each link at whose far end another device may be. */
  readonly onOtherDevice: () => void;
}

/** What a line makes of a link that is needed. */
export interface LinkUse {
  /** Throws while no link is to be opened. */
  readonly throwIfDown: () => void;
  /** Called when a link was opened. */
  readonly onOpen: () => void;
  /** Returns the error for the caller that failed to open one, before others that wait go on. */
  readonly toFailure: (error: unknown) => unknown;
}

/** Holds the client of the newest link of a line, and knows how the device treats its links. */
export class LineClient {
  readonly #options: LineClientOptions;
  readonly #uses = new LinkUses();
  #client: ModbusClient | undefined;
  #opening: Promise<ModbusClient> | undefined;
  /** Of an earlier link. */
  #warmUpMs: number | undefined;
  #underWay = 0;

  constructor(options: LineClientOptions) {
    this.#options = options;
  }

  /** Changes with a link to what may be another device. */
  get linkNumber(): number {
    return this.#uses.linkNumber;
  }

  /** Whether nothing came over the open link since a probe went unanswered. */
  get isQuiet(): boolean {
    return this.#client?.isOpen === true && this.#client.isQuiet;
  }

  /** Returns for how many milliseconds the open link is kept although nobody uses it. */
  keepMs(): number {
    return this.#client?.isOpen === true ? (this.#client.warmUp?.keepMs() ?? 0) : 0;
  }

  /** Whether nothing came over a young link yet although something was asked for: the device may need time. */
  get isWarmingUp(): boolean {
    return this.#client?.isOpen === true && this.#client.warmUp?.isUnderWay === true;
  }

  /** Milliseconds for which the device ignored requests over a link before it answered; undefined: it did not. */
  get warmUpMs(): number | undefined {
    return this.#client?.warmUp?.neededMs ?? this.#warmUpMs;
  }

  /** Whether a link is good for one request only, so that no other may be under way with it. */
  get isForOne(): boolean {
    return this.#uses.isForOne;
  }

  /** Returns the client when its link is open and the device is not about to close it. */
  find(): ModbusClient | undefined {
    const client = this.#client;
    if (client?.isOpen !== true) return undefined;
    // A request sent while the device closes the link is lost, and the outcome of a write is not known then.
    if (!this.#uses.isUsedUp || this.#underWay > 0) return client;
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
        this.#uses.noteLoss();
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
    if (this.#uses.noteOpen()) onOtherDevice();
    return client;
  }

  /**
   * Returns the client of the open link, or of one that is opened now; callers that wait at once share it.
   *
   * @param signal ends the wait
   * @throws the error of `throwIfDown` or `toFailure`, or the reason of the signal
   */
  async use(signal: AbortSignal, { throwIfDown, onOpen, toFailure }: LinkUse): Promise<ModbusClient> {
    for (;;) {
      throwIfDown();
      const client = this.find();
      if (client !== undefined) return client;
      if (this.#opening === undefined) break;
      // The state of the line shows the outcome; the caller that opens it may have been stopped by its own signal.
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

  /** Sends a request over a client that was found or opened; see `ModbusClient.transact`. */
  async transact(client: ModbusClient, request: LineRequest, options: TransactOptions): Promise<Buffer> {
    this.#underWay += 1;
    try {
      const bytes = await client.transact(request, options);
      this.#uses.noteAnswer();
      return bytes;
    } catch (error) {
      if (error instanceof ExceptionAnswer) this.#uses.noteAnswer();
      else if (error instanceof LinkLost) this.#uses.noteLoss();
      throw error;
    } finally {
      this.#underWay -= 1;
    }
  }

  /** Closes the link, which is in order; the next one leads to the same device. */
  closeByChoice(): void {
    if (this.#client?.isOpen !== true) return;
    this.#client.close(this.#options.createError());
    this.#uses.noteClosed(true);
  }

  /** Closes the link for good. */
  close(error: ConnectionError): void {
    this.#uses.noteClosed(false);
    this.#client?.close(error);
    this.#warmUpMs = this.warmUpMs;
    this.#client = undefined;
  }
}
