import type { ConnectionError } from '../../daemon/channel/driver-errors.ts';
import { ExceptionAnswer } from './exception.ts';
import { LinkUses } from './link-uses.ts';
import type { ClientEvents, ModbusClient, TransactOptions } from './modbus-client.ts';
import { LinkLost } from './modbus-errors.ts';
import type { LineRequest } from './request.ts';

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

/** Holds the client of the newest link of a line, and knows how the device treats its links. */
export class LineClient {
  readonly #options: LineClientOptions;
  readonly #uses = new LinkUses();
  #client: ModbusClient | undefined;
  #underWay = 0;

  constructor(options: LineClientOptions) {
    this.#options = options;
  }

  /** Changes with a link to what may be another device. */
  get linkNumber(): number {
    return this.#uses.linkNumber;
  }

  /** Whether nothing came over the link since a probe went unanswered. */
  get isQuiet(): boolean {
    return this.#client?.isQuiet === true;
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
    this.#client = client;
    if (this.#uses.noteOpen()) onOtherDevice();
    return client;
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
    this.#client = undefined;
  }
}
