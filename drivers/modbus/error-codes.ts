import type { DeclaredCode } from '../../daemon/base/error-codes.ts';

declare module '../../daemon/base/error-codes.ts' {
  interface ErrorCodeTables {
    readonly modbus: typeof MODBUS_CODES;
  }
}

/** Error codes of Modbus. */
export const MODBUS_CODES = {
  MODBUS_ACKNOWLEDGE: {
    meaning: 'exception 05: the device accepted the request and is still processing it',
    remedy: 'repeat later; read a write back',
  },
  MODBUS_ADDRESS_SUSPENDED: {
    meaning: 'the device [does not respond at this address](modbus.md#addresses-that-do-not-answer)',
    remedy: 'check the address',
  },
  MODBUS_BIT_WRITE_REFUSED: {
    meaning: '[`bitWrite`](modbus.md#bits-of-registers) forbids writing single bits',
    remedy: 'write the whole register',
  },
  MODBUS_BROADCAST_READ: { meaning: 'unit 0 cannot be read', remedy: 'use another unit' },
  MODBUS_EXCEPTION: {
    meaning: 'an exception code that the standard does not define',
    remedy: 'see the manual of the device',
  },
  MODBUS_GATEWAY_PATH_UNAVAILABLE: {
    meaning: 'exception 0A: the Modbus gateway has no path to the unit',
    remedy: 'check its configuration',
  },
  MODBUS_GATEWAY_TARGET_DEVICE_FAILED_TO_RESPOND: {
    meaning: 'exception 0B: the Modbus gateway received no response from the unit',
    remedy: 'check unit and wiring',
  },
  MODBUS_ILLEGAL_DATA_ADDRESS: {
    meaning: 'exception 02: the device has no such address',
    remedy: 'check table and offset',
  },
  MODBUS_ILLEGAL_DATA_VALUE: {
    meaning: 'exception 03: the device refuses the value or the length',
    remedy: 'check the value',
  },
  MODBUS_ILLEGAL_FUNCTION: {
    meaning: 'exception 01: the device does not support the function',
    remedy: 'check the table',
  },
  MODBUS_INVALID_RESPONSE: {
    meaning: 'the unit sent an invalid response',
    remedy: 'check wiring and settings of the line',
  },
  MODBUS_LINK_LOST: { meaning: 'the connection was lost', remedy: 'see `lastError`' },
  MODBUS_MEMORY_PARITY_ERROR: {
    meaning: 'exception 08: memory error in the device',
    remedy: 'service the device',
  },
  MODBUS_NEGATIVE_ACKNOWLEDGE: {
    meaning: 'exception 07: the device cannot perform the function',
    remedy: 'see its manual',
  },
  MODBUS_NO_RESPONSE: {
    meaning: 'the unit did not respond in time',
    remedy: 'check unit, wiring and `requestTimeoutMs`',
  },
  MODBUS_OTHER_VALUE_CONFIRMED: {
    meaning: 'the unit confirmed a value other than the one sent; `readBack` shows it',
    remedy: 'check the limits of the device',
  },
  MODBUS_PARTLY_WRITTEN: {
    meaning: 'a value [sent in parts](modbus.md#long-values) was refused after its first part',
    remedy: 'read it back',
  },
  MODBUS_QUEUE_FULL: {
    status: 503,
    meaning: 'too many requests are queued for the line',
    remedy: 'read less often',
  },
  MODBUS_SERVER_DEVICE_BUSY: {
    meaning: 'exception 06: the device [stayed busy](modbus.md#busy-units)',
    remedy: 'repeat later',
  },
  MODBUS_SERVER_DEVICE_FAILURE: {
    meaning: 'exception 04: unrecoverable error in the device',
    remedy: 'service the device',
  },
  MODBUS_UNIT_SUSPENDED: {
    meaning:
      'the unit [does not respond](modbus.md#units-that-do-not-answer) and is probed in the background',
    remedy: 'check unit and wiring',
  },
  MODBUS_VALUE_TOO_LONG: {
    meaning: 'the value needs more registers than one write may carry',
    remedy: 'see [long values](modbus.md#long-values)',
  },
  MODBUS_WRITE_OUTCOME_UNKNOWN: {
    meaning: 'sent, but no response arrived; the outcome is unknown',
    remedy: 'read it back',
  },
} as const satisfies Readonly<Record<string, DeclaredCode>>;
