import { createRequire, registerHooks } from 'node:module';
import { EventEmitter } from 'node:events';
import type modbusSerial from 'modbus-serial';
import { messageOf } from '../../../daemon/base/errors.ts';
import { createReason, ExplainedError, quoteText } from '../../../daemon/base/fault-reason.ts';
import type { FaultReason } from '../../../daemon/base/fault-reason.ts';
import { MODBUS_FAILURES } from '../failure-sentences.ts';
import { encodeIdentification } from '../pdu/identification-pdu.ts';
import { encodeRegisterRead } from '../pdu/register-pdu.ts';
import type { LineRequest, ModbusRequest } from '../pdu/request.ts';
import { appendCrc } from '../pdu/crc.ts';

type Library = typeof modbusSerial.default;

/** The response does not match its request. */
export class ResponseFault extends ExplainedError {
  /** See `InvalidResponse.isShort`. */
  readonly isShort: boolean;
  /** See `findOtherWord`. */
  readonly otherWord: number | undefined;

  constructor(reason: FaultReason, isShort = false, otherWord?: number) {
    super([reason]);
    this.isShort = isShort;
    this.otherWord = otherWord;
  }
}

const NOTHING = Buffer.alloc(0);

/**
 * Encodes requests and decodes responses with modbus-serial, without giving it access to a link or clock. `interpretResponse` decodes
 * responses to reads without it.
 *
 * Each outstanding call has a number. The caller chooses the numbers and reuses them, because the library keeps state
 * for each.
 */
export class PduCodec {
  readonly #port = new LibraryPort();
  readonly #library = new (loadLibrary())(this.#port);
  #parsed: Buffer | ResponseFault | undefined;

  constructor() {
    this.#library.open();
  }

  /**
   * Returns the PDU of a request.
   *
   * @param call number of the call; the state of an earlier call with this number is dropped
   */
  encode(call: number, request: LineRequest): Buffer {
    if (request.functionCode === 43) return encodeIdentification(request);
    const own = encodeRegisterRead(request);
    return own ?? this.#port.capture(call, () => this.#write(request));
  }

  /**
   * Parses the response to a call.
   *
   * @param pdu a PDU without `findResponseFault`, and not an exception
   * @returns the bytes of a read; empty for a write
   * @throws {ResponseFault}
   */
  decode(call: number, unitId: number, pdu: Buffer): Buffer {
    this.#parsed = undefined;
    this.#port.deliver(call, unitId, pdu);
    const parsed = this.#takeParsed();
    if (parsed instanceof ResponseFault) throw parsed;
    if (parsed === undefined) throw new ResponseFault(createReason(MODBUS_FAILURES, 'RESPONSE_EMPTY', {}));
    return parsed;
  }

  // The library sets it within `deliver`.
  #takeParsed(): Buffer | ResponseFault | undefined {
    return this.#parsed;
  }

  // The unit is passed with the call: the library's `setID` would be connection state.
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
        // The library accepts a Buffer here and copies it unchanged; its declarations allow only numbers.
        return library.writeFC16(unitId, offset, request.registers as unknown as number[], this.#onWritten);
      case 20:
        throw new RangeError('the library does not encode file records here');
      case 22:
        return library.writeFC22(unitId, offset, request.andMask, request.orMask, this.#onWritten);
    }
  }

  readonly #onRead = (error: Error | null, result: { readonly buffer: Buffer } | undefined): void => {
    if (error !== null) this.#parsed = new ResponseFault(quoteText(messageOf(error)));
    else if (result !== undefined) this.#parsed = result.buffer;
  };

  readonly #onWritten = (error: Error | null): void => {
    this.#parsed = error === null ? NOTHING : new ResponseFault(quoteText(messageOf(error)));
  };
}

/**
 * Returns modbus-serial, loaded lazily when the first connection is opened. A gateway without Modbus spends neither
 * time nor memory on it, and its Buffer gets no methods of the library.
 *
 * The serial library is blocked, with its binary: modbus-serial works without it, and only requests and responses pass
 * through here.
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

/**
 * The "serial port" of modbus-serial: its frames carry a CRC, as on a serial line; the input and output of this class
 * do not.
 */
class LibraryPort extends EventEmitter {
  readonly isOpen = true;
  // The library finds the call of a response by these. Its own counter would wrap at 256, so they are set for each
  // call.
  _transactionIdRead = 1;
  _transactionIdWrite = 1;
  #written: Buffer = NOTHING;

  open(done: (error: Error | null) => void): void {
    done(null);
  }

  write(frame: Buffer): void {
    this.#written = frame.subarray(1, -2);
  }

  /** Returns the PDU that `write` makes the library send for `call`. */
  capture(call: number, write: () => void): Buffer {
    this._transactionIdWrite = call;
    this.#written = NOTHING;
    write();
    return this.#written;
  }

  /** Passes the response to a call to the library, which parses it synchronously. */
  deliver(call: number, unitId: number, pdu: Buffer): void {
    this._transactionIdRead = call;
    this.emit('data', appendCrc(unitId, pdu));
  }
}
