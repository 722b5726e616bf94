import type { DeclaredCode } from '../../daemon/base/error-codes.ts';

declare module '../../daemon/base/error-codes.ts' {
  interface ErrorCodeTables {
    readonly serial: typeof SERIAL_CODES;
  }
}

/** Error codes of serial instruments. */
export const SERIAL_CODES = {
  SERIAL_ADDRESS_MISMATCH: {
    meaning: 'the address does not fit the framing of the line',
    remedy: 'use `obis` with framing `IEC62056_21`, and `request` or `response` with the others',
  },
  SERIAL_CHECKSUM_MISMATCH: {
    meaning: 'the instrument sent a damaged frame: its checksum is wrong',
    remedy: 'check the wiring; if every frame has it, correct `checksum`',
  },
  SERIAL_INVALID_RESPONSE: {
    meaning: 'the instrument sent an unexpected response',
    remedy: 'check pattern and settings',
  },
  SERIAL_LINK_LOST: { meaning: 'the line was lost', remedy: 'check the adapter' },
  SERIAL_NOT_ENCODABLE: {
    meaning: 'the request or value cannot be encoded as configured',
    remedy: 'correct the template',
  },
  SERIAL_NO_RESPONSE_CONFIGURED: { meaning: 'the address has no `response`', remedy: 'configure one' },
  SERIAL_NO_RESPONSE: {
    meaning: 'the instrument did not respond in time',
    remedy: 'check wiring and settings',
  },
  SERIAL_OBIS_NOT_FOUND: {
    meaning: 'the readout of the meter does not contain the OBIS code',
    remedy: 'the message lists its codes',
  },
  SERIAL_QUEUE_FULL: {
    status: 503,
    meaning: 'too many requests are queued for the line',
    remedy: 'read less often',
  },
  SERIAL_REFUSED: { meaning: 'the instrument refused the request', remedy: 'the message shows its answer' },
  SERIAL_WRITE_OUTCOME_UNKNOWN: { meaning: 'sent, but no confirmation arrived', remedy: 'read it back' },
} as const satisfies Readonly<Record<string, DeclaredCode>>;
