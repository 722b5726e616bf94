import type { DeclaredCode } from '../../daemon/base/error-codes.ts';

declare module '../../daemon/base/error-codes.ts' {
  interface ErrorCodeTables {
    readonly modbus: typeof MODBUS_CODES;
  }
}

/** Error codes of Modbus. */
export const MODBUS_CODES = {
  MODBUS_ACKNOWLEDGE: { meaning: 'exception 05: the device accepted the request and is still working on it' },
  MODBUS_ADDRESS_SUSPENDED: { meaning: 'the device does not answer this address' },
  MODBUS_BIT_WRITE_REFUSED: { meaning: '`bitWrite` refuses single bits' },
  MODBUS_BROADCAST_READ: { meaning: 'unit 0 cannot be read' },
  MODBUS_EXCEPTION: { meaning: 'an exception that the standard does not name' },
  MODBUS_GATEWAY_PATH_UNAVAILABLE: {
    meaning: 'exception 0A: the gateway of the device has no path to the unit',
  },
  MODBUS_GATEWAY_TARGET_DEVICE_FAILED_TO_RESPOND: {
    meaning: 'exception 0B: the unit behind a gateway did not answer',
  },
  MODBUS_ILLEGAL_DATA_ADDRESS: { meaning: 'exception 02: the device does not have the address' },
  MODBUS_ILLEGAL_DATA_VALUE: { meaning: 'exception 03: the device refuses the value or the length' },
  MODBUS_ILLEGAL_FUNCTION: { meaning: 'exception 01: the device does not know the function' },
  MODBUS_INVALID_RESPONSE: { meaning: 'the unit sent an invalid answer' },
  MODBUS_LINK_LOST: { meaning: 'the connection was lost' },
  MODBUS_MEMORY_PARITY_ERROR: { meaning: 'exception 08: memory error in the device' },
  MODBUS_NEGATIVE_ACKNOWLEDGE: { meaning: 'exception 07: the device cannot do it' },
  MODBUS_NO_RESPONSE: { meaning: 'the unit did not answer in time' },
  MODBUS_OTHER_VALUE_CONFIRMED: {
    meaning: 'the unit confirmed another value, shown as `readBack`, than the one that was sent',
  },
  MODBUS_PARTLY_WRITTEN: { meaning: 'a value that is sent in parts was refused after its first part' },
  MODBUS_QUEUE_FULL: { status: 503, meaning: 'too many requests wait for the line' },
  MODBUS_SERVER_DEVICE_BUSY: { meaning: 'exception 06: the device stayed busy' },
  MODBUS_SERVER_DEVICE_FAILURE: { meaning: 'exception 04: the device failed' },
  MODBUS_UNIT_SUSPENDED: { meaning: 'the unit does not answer and is probed in the background' },
  MODBUS_VALUE_TOO_LONG: { meaning: 'the value takes more registers than one write may carry' },
  MODBUS_WRITE_OUTCOME_UNKNOWN: { meaning: 'it was sent, and no answer tells what it did' },
} as const satisfies Readonly<Record<string, DeclaredCode>>;
