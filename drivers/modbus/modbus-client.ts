import modbusSerial from 'modbus-serial';
import type { Cancel, Clock } from '../../daemon/base/clock.ts';
import { messageOf } from '../../daemon/base/errors.ts';
import type { ByteLink } from '../link/byte-link.ts';
import { ExceptionAnswer } from './exception.ts';
import { LibraryPort } from './library-port.ts';
import { encodeFrame, FrameReader, FramingFault } from './mbap.ts';
import { InvalidAnswer, LinkLost, NoAnswer } from './modbus-errors.ts';
import { findAnswerFault } from './request.ts';
import type { ModbusRequest } from './request.ts';

/** Where the client reports what belongs to no call. */
export interface ClientEvents {
  /** The link is gone while no call was under way; called at most once. */
  readonly onLost: (error: LinkLost) => void;
  /** An answer came that nobody waits for: late, twice, or from nowhere. */
  readonly onStray: () => void;
  /** The answer to a probe came after the probe gave up: the unit is there. */
  readonly onLateProbeAnswer: (unitId: number) => void;
}

export interface ClientOptions {
  readonly link: ByteLink;
  /** Names the far end in messages. */
  readonly endpoint: string;
  readonly clock: Clock;
  readonly events: ClientEvents;
}

export interface TransactOptions {
  readonly timeoutMs: number;
  /** Ends the call, and with it the link. */
  readonly signal?: AbortSignal | undefined;
  /** A probe that gets no answer leaves the link as it is. */
  readonly isProbe?: boolean;
}

interface Pending {
  readonly request: ModbusRequest;
  readonly transactionId: number;
  readonly succeed: (bytes: Buffer) => void;
  readonly fail: (error: unknown) => void;
}

const NOTHING = Buffer.alloc(0);

// Nobody sends this many answers that were not asked for; whoever does would keep the process busy for ever.
const MAXIMUM_STRAYS = 1000;

/**
 * Carries one request at a time over one link and gives only answers that belong to it.
 *
 * PDUs are written and parsed by modbus-serial; framing, transaction identifiers, time-outs, the checks of an answer
 * and the end of calls when the link goes are done here. Whatever ends a call except an answer closes the link, because
 * nothing is known of it any more. One unanswered probe does not, so that a dead unit costs the others no reconnects; its
 * late answer is known by its transaction identifier.
 */
export class ModbusClient {
  readonly #options: ClientOptions;
  readonly #library: InstanceType<typeof modbusSerial.default>;
  readonly #port: LibraryPort;
  readonly #reader: FrameReader;
  #pending: Pending | undefined;
  #missedProbe: { readonly transactionId: number; readonly unitId: number } | undefined;
  /** Nothing came in since a probe was not answered. */
  #isQuiet = false;
  #transactionId = 0;
  #strays = 0;
  #isOpen = false;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#port = new LibraryPort((unitId, pdu) => this.#send(unitId, pdu));
    this.#library = new modbusSerial.default(this.#port);
    this.#reader = new FrameReader((transactionId, unitId, pdu) => this.#onFrame(transactionId, unitId, pdu));
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /**
   * Opens the link.
   *
   * @throws {ConnectionError}
   */
  async open(signal: AbortSignal): Promise<void> {
    const { link, endpoint } = this.#options;
    await link.open(signal, {
      onChunk: (bytes) => this.#onChunk(bytes),
      onClose: (cause) => this.#lose(new LinkLost(endpoint, cause.message, cause)),
    });
    this.#library.open();
    this.#isOpen = true;
  }

  /** Closes the link; a call under way fails with `reason`. */
  close(reason: Error): void {
    this.#isOpen = false;
    this.#options.link.close();
    this.#pending?.fail(reason);
  }

  /**
   * Sends one request and waits for its answer. Only one call at a time.
   *
   * @returns the bytes that a read brings, without padding; nothing for a write
   * @throws {ExceptionAnswer} when the unit refuses
   * @throws {NoAnswer} after `timeoutMs`
   * @throws {InvalidAnswer} when the answer is not one to the request
   * @throws {LinkLost} when the link goes
   * @throws the reason of the signal
   */
  transact(request: ModbusRequest, { timeoutMs, signal, isProbe = false }: TransactOptions): Promise<Buffer> {
    const { clock } = this.#options;
    if (this.#pending !== undefined) throw new TypeError('one call at a time');
    if (signal?.aborted === true) return Promise.reject(signal.reason as Error);
    this.#transactionId = (this.#transactionId + 1) & 0xffff;
    const transactionId = this.#transactionId;
    return new Promise((resolve, reject) => {
      const onAbort = (): void => this.close(signal?.reason as Error);
      const cancelTimeout: Cancel = clock.schedule(timeoutMs, () => {
        const error = new NoAnswer(request.unitId, timeoutMs);
        // A link on which nothing came since the probe before may be dead itself, with TCP repeating ever more slowly.
        if (!isProbe || this.#isQuiet) return this.close(error);
        this.#isQuiet = true;
        this.#missedProbe = { transactionId, unitId: request.unitId };
        this.#pending?.fail(error);
      });
      const settle = (): void => {
        this.#pending = undefined;
        cancelTimeout();
        signal?.removeEventListener('abort', onAbort);
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#pending = {
        request,
        transactionId,
        succeed: (bytes) => {
          settle();
          resolve(bytes);
        },
        fail: (error) => {
          settle();
          reject(error);
        },
      };
      this.#writeRequest(request);
    });
  }

  // The unit goes with the call: the library's `setID` would be state of the connection.
  #writeRequest(request: ModbusRequest): void {
    const { unitId, offset } = request;
    const library = this.#library;
    switch (request.functionCode) {
      case 1:
        return library.writeFC1(unitId, offset, request.quantity, this.#onRead);
      case 2:
        return library.writeFC2(unitId, offset, request.quantity, this.#onRead);
      case 3:
        return library.writeFC3(unitId, offset, request.quantity, this.#onRead);
      case 4:
        return library.writeFC4(unitId, offset, request.quantity, this.#onRead);
      case 5:
        return library.writeFC5(unitId, offset, request.state, this.#onWritten);
      case 6:
        return library.writeFC6(unitId, offset, request.register, this.#onWritten);
      case 15:
        return library.writeFC15(unitId, offset, [...request.states], this.#onWritten);
      case 16:
        // The library takes a Buffer here and copies it as it is; its declarations know only numbers.
        return library.writeFC16(unitId, offset, request.registers as unknown as number[], this.#onWritten);
      case 22:
        return library.writeFC22(unitId, offset, request.andMask, request.orMask, this.#onWritten);
    }
  }

  readonly #onRead = (error: Error | null, result: { readonly buffer: Buffer } | undefined): void => {
    if (error === null && result !== undefined) this.#pending?.succeed(result.buffer);
    else this.#refuseAnswer(error === null ? 'it is empty' : messageOf(error));
  };

  readonly #onWritten = (error: Error | null): void => {
    if (error === null) this.#pending?.succeed(NOTHING);
    else this.#refuseAnswer(messageOf(error));
  };

  // Called by the library within `#writeRequest`.
  #send(unitId: number, pdu: Buffer): void {
    this.#options.link.send(encodeFrame(this.#transactionId, unitId, pdu));
  }

  #onChunk(bytes: Buffer): void {
    try {
      this.#reader.push(bytes);
    } catch (error) {
      if (!(error instanceof FramingFault)) throw error;
      this.#dropIllegal(error.message);
    }
  }

  #onFrame(transactionId: number, unitId: number, pdu: Buffer): void {
    // The rest of what came in with an answer that closed the link.
    if (!this.#isOpen) return;
    this.#isQuiet = false;
    const pending = this.#pending;
    if (pending?.transactionId !== transactionId) return this.#onStray(transactionId, unitId);
    this.#strays = 0;
    const { request } = pending;
    if (unitId !== request.unitId) return this.#refuseAnswer(`it comes from unit ${unitId}`);
    const fault = findAnswerFault(request, pdu);
    if (fault !== undefined) return this.#refuseAnswer(fault);
    if (((pdu[0] ?? 0) & 0x80) !== 0) return pending.fail(new ExceptionAnswer(unitId, pdu[1] ?? 0));
    this.#port.deliver(unitId, pdu);
  }

  #onStray(transactionId: number, unitId: number): void {
    this.#options.events.onStray();
    if (this.#missedProbe?.transactionId === transactionId && this.#missedProbe.unitId === unitId) {
      this.#missedProbe = undefined;
      this.#options.events.onLateProbeAnswer(unitId);
    }
    this.#strays += 1;
    if (this.#strays > MAXIMUM_STRAYS) this.#dropIllegal('it sends answers without end');
  }

  #refuseAnswer(fault: string): void {
    const unitId = this.#pending?.request.unitId ?? 0;
    this.close(new InvalidAnswer(unitId, fault));
  }

  #dropIllegal(fault: string): void {
    const { endpoint, link } = this.#options;
    link.close();
    if (this.#pending !== undefined) this.#refuseAnswer(fault);
    else this.#lose(new LinkLost(endpoint, `what it sent is not Modbus TCP: ${fault}`));
  }

  #lose(error: LinkLost): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    if (this.#pending !== undefined) this.#pending.fail(error);
    else this.#options.events.onLost(error);
  }
}
