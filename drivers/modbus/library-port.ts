import { EventEmitter } from 'node:events';
import { appendCrc } from './crc.ts';

const NOTHING = Buffer.alloc(0);

/** The "serial port" of modbus-serial: its frames carry a CRC, as on a serial line; its input and output do not. */
export class LibraryPort extends EventEmitter {
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
