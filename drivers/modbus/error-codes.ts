import type { DeclaredCode } from '../../daemon/base/error-codes.ts';

declare module '../../daemon/base/error-codes.ts' {
  interface ErrorCodeTables {
    readonly modbus: typeof MODBUS_CODES;
  }
}

/** Error codes of Modbus. */
export const MODBUS_CODES = {
  MODBUS_ACKNOWLEDGE: { meaning: 'exception 05: the device accepted the request and is still processing it' },
  MODBUS_ADDRESS_SUSPENDED: { meaning: 'the device does not respond at this address' },
  MODBUS_BIT_WRITE_REFUSED: { meaning: '`bitWrite` forbids writing single bits' },
  MODBUS_BROADCAST_READ: { meaning: 'unit 0 cannot be read' },
  MODBUS_EXCEPTION: { meaning: 'an exception code that the standard does not define' },
  MODBUS_GATEWAY_PATH_UNAVAILABLE: {
    meaning: 'exception 0A: the Modbus gateway has no path to the unit',
  },
  MODBUS_GATEWAY_TARGET_DEVICE_FAILED_TO_RESPOND: {
    meaning: 'exception 0B: the Modbus gateway received no response from the unit',
  },
  MODBUS_ILLEGAL_DATA_ADDRESS: { meaning: 'exception 02: the device has no such address' },
  MODBUS_ILLEGAL_DATA_VALUE: { meaning: 'exception 03: the device refuses the value or the length' },
  MODBUS_ILLEGAL_FUNCTION: { meaning: 'exception 01: the device does not support the function' },
  MODBUS_INVALID_RESPONSE: { meaning: 'the unit sent an invalid response' },
  MODBUS_LINK_LOST: { meaning: 'the connection was lost' },
  MODBUS_MEMORY_PARITY_ERROR: { meaning: 'exception 08: memory error in the device' },
  MODBUS_NEGATIVE_ACKNOWLEDGE: { meaning: 'exception 07: the device cannot perform the function' },
  MODBUS_NO_RESPONSE: { meaning: 'the unit did not respond in time' },
  MODBUS_OTHER_VALUE_CONFIRMED: {
    meaning: 'the unit confirmed a value other than the one sent; `readBack` shows it',
  },
  MODBUS_PARTLY_WRITTEN: { meaning: 'a value sent in parts was refused after its first part' },
  MODBUS_QUEUE_FULL: { status: 503, meaning: 'too many requests are queued for the line' },
  MODBUS_SERVER_DEVICE_BUSY: { meaning: 'exception 06: the device stayed busy' },
  MODBUS_SERVER_DEVICE_FAILURE: { meaning: 'exception 04: unrecoverable error in the device' },
  MODBUS_UNIT_SUSPENDED: { meaning: 'the unit does not respond and is probed in the background' },
  MODBUS_VALUE_TOO_LONG: { meaning: 'the value needs more registers than one write may carry' },
  MODBUS_WRITE_OUTCOME_UNKNOWN: { meaning: 'sent, but no response arrived; the outcome is unknown' },
} as const satisfies Readonly<Record<string, DeclaredCode>>;
