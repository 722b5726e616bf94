import type { DeclaredCode } from '../base/error-codes.ts';

declare module '../base/error-codes.ts' {
  interface ErrorCodeTables {
    readonly plant: typeof PLANT_CODES;
  }
}

/** Error codes of assets, channels, drivers, scans and templates. */
export const PLANT_CODES = {
  ASSET_EXISTS: { status: 409, meaning: 'an asset with this `pid` already exists' },
  ASSET_NOT_GRANTED: {
    status: 404,
    meaning: 'the identity has no access to this asset; the client receives the response for an unknown one',
  },
  ASSET_OVERLOADED: {
    status: 503,
    meaning: 'too many operations are queued for the asset, or too many of this identity',
  },
  ASSET_UNKNOWN: { status: 404, meaning: 'unknown asset' },
  BROWSE_UNSUPPORTED: { status: 400, meaning: 'the driver type does not support browsing' },
  DEVICE_IN_USE: { status: 409, meaning: 'a driver of another type uses the serial line' },
  DRIVER_UNKNOWN: { status: 404, meaning: 'unknown driver' },
  SCAN_FAILED: { meaning: 'a scan failed unexpectedly' },
  SCAN_RUNNING: { status: 409, meaning: 'another scan of the same device is in progress' },
  SCAN_UNKNOWN: { status: 404, meaning: 'the identity has no scan with this id, or the scan has expired' },
  SCAN_UNSUPPORTED: { status: 400, meaning: 'the driver type cannot scan for devices' },
  SCANS_TOO_MANY: {
    status: 409,
    meaning: 'eight background scans are in progress, or four of this identity',
  },
  TEMPLATE_UNKNOWN: { status: 404, meaning: 'unknown device template, or its file has errors' },
  TRUST_UNSUPPORTED: { status: 400, meaning: 'the driver type does not use device certificates' },
  VALUE_UNPARSABLE: { status: 400, meaning: 'a value to write does not match its given type' },
  CHANNEL_DISABLED: { meaning: 'the channel is disabled' },
  CHANNEL_NOT_GRANTED: {
    meaning: 'the identity is allowed to read but not to write the channel, or the reverse',
  },
  CHANNEL_NOT_INSPECTABLE: { meaning: 'the driver does not expose raw bytes of the channel' },
  CHANNEL_NOT_READABLE: { meaning: 'the channel can only be written' },
  CHANNEL_NOT_WRITABLE: { meaning: 'the channel can only be read' },
  CHANNEL_UNKNOWN: {
    meaning: 'the asset has no such channel, or the identity has no access to it',
  },
  NOT_WRITTEN: { meaning: 'the write or dry run failed as a whole; nothing was sent' },
  VALUE_NOT_DECODABLE: {
    meaning:
      'the bytes of the device are not a valid value of the `dataType`, for example a BCD digit above 9, or a clock that was never set',
  },
  VALUE_NOT_REPRESENTABLE: { meaning: 'the channel type cannot represent the value' },
  VALUE_NOT_TEXT: {
    meaning: 'the text of the device does not match the encoding, or contains NUL or an unpaired surrogate',
  },
  VALUE_OUT_OF_RANGE: { meaning: 'the value is out of range' },
  VALUE_PENDING: { meaning: 'the device has not reported a value to the stream yet' },
  WRITE_INTERRUPTED: {
    meaning: 'the gateway stopped before the outcome of the write was known and does not repeat it',
  },
  VALUE_TYPE_MISMATCH: { meaning: 'the value type differs from that of the channel or device' },
  WRITE_NOT_SUPPORTED: { meaning: 'the driver of the bundle cannot write' },
  WRITE_ANSWER_WITHHELD: {
    meaning:
      'a repeated request whose first response contains channels that the identity is no longer allowed to access; nothing was sent again',
  },
  WRITE_CONDITION_FALSE: {
    meaning:
      'a condition of the channel (`onlyIf`) is false, or a condition hidden from the caller cannot be checked; not sent',
  },
  WRITE_CONDITION_UNKNOWN: {
    meaning:
      'the value of a condition cannot be read, is too old, or was read too long before the write; not sent',
  },
  WRITE_HELD_BACK: { meaning: 'the outcome of an earlier write in the same request is unknown; not sent' },
  WRITE_CLIENT_GONE: { meaning: 'the client disconnected before the write was sent' },
  WRITE_DEADLINE_EXCEEDED: { meaning: 'the request exceeded `http.writeDeadlineMs`; not sent' },
  WRITE_LIMIT_EXCEEDED: {
    meaning: 'the value is below `minimum`, above `maximum`, or not finite; not sent',
  },
  WRITE_NOT_VERIFIED: {
    meaning: 'the value was sent but not read back in time; the outcome is unknown',
  },
  WRITE_RATE_EXCEEDED: { meaning: 'the value changes faster than `maximumChangePerSecond`; not sent' },
  WRITE_READ_BACK_DIFFERS: {
    meaning: 'the value read back (`readBack`) differs from the value written',
  },
  WRITE_STEP_EXCEEDED: {
    meaning: 'the value differs from the current one by more than `maximumStep`; not sent',
  },
  WRITE_UNCONFIRMED: {
    meaning: 'the value was sent, but the device sends no confirmation; the outcome is unknown',
  },
  WRITE_VALUE_CHANGED: { meaning: 'the current value is not the `ifValue` of the request; not sent' },
  WRITE_VALUE_UNKNOWN: { meaning: 'the current value, on which the write depends, cannot be read; not sent' },
  CONNECTION_CLOSED: { meaning: 'the configuration changed, or the gateway is stopping' },
  CONNECT_TIMEOUT: { meaning: 'the device did not accept the connection in time' },
  DEADLINE_EXCEEDED: { meaning: 'no response within `callDeadlineMs`' },
  DRIVER_FAULT: { meaning: 'the driver has a defect or returned no result' },
  DRIVER_OVERDUE: { meaning: 'the driver did not finish a call in time; the outcome of a write is unknown' },
  DRIVER_SETTINGS_INVALID: { meaning: 'the bundle rejects the settings of its driver' },
  NOT_CONNECTED: { meaning: 'the device is not connected' },
  SECRET_UNREADABLE: { meaning: 'the key that encrypts its password is lost' },
} as const satisfies Readonly<Record<string, DeclaredCode>>;
