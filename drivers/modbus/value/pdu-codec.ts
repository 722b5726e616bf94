import { createRequire, registerHooks } from 'node:module';
import { EventEmitter } from 'node:events';
import type modbusSerial from 'modbus-serial';
import { messageOf } from '../../../daemon/base/errors.ts';
import { encodeIdentification } from '../pdu/identification-pdu.ts';
import type { LineRequest, ModbusRequest } from '../pdu/request.ts';
import { appendCrc } from '../pdu/crc.ts';

type Library = typeof modbusSerial.default;

/** The answer is none to its request; the message names the reason. */
export class AnswerFault extends Error {
  /** See `InvalidAnswer.isShort`. */
  readonly isShort: boolean;
  /** See `findOtherWord`. */
  readonly otherWord: number | undefined;

  constructor(message: string, isShort = false, otherWord?: number) {
    super(message);
    this.isShort = isShort;
    this.otherWord = otherWord;
  }
}

const NOTHING = Buffer.alloc(0);

/**
 * Writes requests and parses answers with modbus-serial, without letting it near a link or a clock.
 *
 * A call has a number while it is under way, so that several can be; the caller chooses the numbers and keeps them
 * few, because the library keeps something for each.
 */
export class PduCodec {
  readonly #port = new LibraryPort();
  readonly #library = new (loadLibrary())(this.#port);
  #parsed: Buffer | AnswerFault | undefined;

  constructor() {
    this.#library.open();
  }

  /**
   * Returns the PDU of a request.
   *
   * @param call number of the call; the state of an earlier one with the same number is forgotten
   */
  encode(call: number, request: LineRequest): Buffer {
    if (request.functionCode === 43) return encodeIdentification(request);
    return this.#port.capture(call, () => this.#write(request));
  }

  /**
   * Parses the answer to a call.
   *
   * @param pdu one that `findAnswerFault` has nothing against, and no exception
   * @returns the bytes that a read brings; nothing for a write
   * @throws {AnswerFault}
   */
  decode(call: number, unitId: number, pdu: Buffer): Buffer {
    this.#parsed = undefined;
    this.#port.deliver(call, unitId, pdu);
    const parsed = this.#takeParsed();
    if (parsed instanceof AnswerFault) throw parsed;
    if (parsed === undefined) throw new AnswerFault('it is empty');
    return parsed;
  }

  // Set by the library within `deliver`.
  #takeParsed(): Buffer | AnswerFault | undefined {
    return this.#parsed;
  }

  // The unit goes with the call: the library's `setID` would be state of the connection.
  #write(request: ModbusRequest): void {
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
    if (error !== null) this.#parsed = new AnswerFault(messageOf(error));
    else if (result !== undefined) this.#parsed = result.buffer;
  };

  readonly #onWritten = (error: Error | null): void => {
    this.#parsed = error === null ? NOTHING : new AnswerFault(messageOf(error));
  };
}

/**
 * Returns modbus-serial. It is loaded with the first connection that is opened: a gateway without Modbus spends neither
 * time nor memory on it, and its Buffer has no methods of the library.
 *
 * The library for serial lines stays out, with its binary: modbus-serial does without it where it is not installed, and
 * here only requests and answers pass through it.
 */
function loadLibrary(): Library {
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      if (specifier === 'serialport') throw new Error('modbus-serial opens no line');
      return next(specifier, context);
    },
  });
  try {
    return createRequire(import.meta.url)('modbus-serial') as Library;
  } finally {
    hooks.deregister();
  }
}

/** The "serial port" of modbus-serial: its frames carry a CRC, as on a serial line; its input and output do not. */
class LibraryPort extends EventEmitter {
  readonly isOpen = true;
  // The library finds the call of an answer by these. Its own would wrap at 256, so they are set here with each call.
  _transactionIdRead = 1;
  _transactionIdWrite = 1;
  #written: Buffer = NOTHING;

  open(done: (error: Error | null) => void): void {
    done(null);
  }

  write(frame: Buffer): void {
    this.#written = frame.subarray(1, -2);
  }

  /** Returns the PDU that the library writes when `call` runs with that number. */
  capture(call: number, write: () => void): Buffer {
    this._transactionIdWrite = call;
    this.#written = NOTHING;
    write();
    return this.#written;
  }

  /** Hands the answer to a call to the library, which parses it before this returns. */
  deliver(call: number, unitId: number, pdu: Buffer): void {
    this._transactionIdRead = call;
    this.emit('data', appendCrc(unitId, pdu));
  }
}
