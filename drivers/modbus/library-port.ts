import { EventEmitter } from 'node:events';
import { appendCrc } from './crc.ts';

/** The "serial port" of modbus-serial: its frames carry a CRC, as on a serial line; what goes in and out here does not. */
export class LibraryPort extends EventEmitter {
  readonly isOpen = true;
  // The library finds the call of an answer by these. One call at a time: any constant does.
  _transactionIdRead = 1;
  _transactionIdWrite = 1;
  readonly #onRequest: (unitId: number, pdu: Buffer) => void;

  /** @param onRequest receives each request that the library writes */
  constructor(onRequest: (unitId: number, pdu: Buffer) => void) {
    super();
    this.#onRequest = onRequest;
  }

  open(done: (error: Error | null) => void): void {
    done(null);
  }

  write(frame: Buffer): void {
    this.#onRequest(frame[0] ?? 0, frame.subarray(1, -2));
  }

  /** Hands an answer to the library, which parses it before this returns. */
  deliver(unitId: number, pdu: Buffer): void {
    this.emit('data', appendCrc(unitId, pdu));
  }
}
