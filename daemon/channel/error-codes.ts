import type { DeclaredCode } from '../base/error-codes.ts';

declare module '../base/error-codes.ts' {
  interface ErrorCodeTables {
    readonly plant: typeof PLANT_CODES;
  }
}

/** Error codes of assets, channels, drivers, scans and templates. */
export const PLANT_CODES = {
  ASSET_EXISTS: {
    status: 409,
    meaning: 'an asset with this `pid` already exists',
    remedy: 'leave out `driver`, or choose another `pid`',
  },
  ASSET_NOT_GRANTED: {
    status: 404,
    meaning: 'the identity has no access to this asset; the client receives the response for an unknown one',
    remedy: 'give the identity a [grant](../explanation/control.md)',
  },
  ASSET_OVERLOADED: {
    status: 503,
    meaning: 'too many operations are queued for the asset, or too many of this identity',
    remedy: 'repeat after `Retry-After`; send fewer requests',
  },
  ASSET_UNKNOWN: { status: 404, meaning: 'unknown asset', remedy: 'list the assets' },
  TRACE_UNSUPPORTED: {
    status: 400,
    meaning: 'the driver type does not show the bytes of its connection',
    remedy: 'trace Modbus and serial connections',
  },
  BROWSE_UNSUPPORTED: {
    status: 400,
    meaning: 'the driver type does not support browsing',
    remedy: 'use a driver that does',
  },
  DEVICE_IN_USE: {
    status: 409,
    meaning: 'a driver of another type uses the serial line',
    remedy: 'scan it with that driver removed',
  },
  DRIVER_UNKNOWN: { status: 404, meaning: 'unknown driver', remedy: 'list the drivers' },
  SCALE_UNUSABLE: {
    meaning: 'the value of the scale channel (`scaleFrom`) is neither an exponent of ten nor a factor',
    remedy:
      'check the address and data type of the scale, and its [`kind`](configuration.md#scales-in-the-device)',
  },
  SCAN_FAILED: { meaning: 'a scan failed unexpectedly', remedy: 'see the log' },
  SCAN_RUNNING: {
    status: 409,
    meaning: 'another scan of the same device is in progress',
    remedy: 'wait until it ends',
  },
  SCAN_UNKNOWN: {
    status: 404,
    meaning: 'the identity has no scan with this id, or the scan has expired',
    remedy: 'start another',
  },
  SCAN_UNSUPPORTED: {
    status: 400,
    meaning: 'the driver type cannot scan for devices',
    remedy: 'use one that the message names',
  },
  SCANS_TOO_MANY: {
    status: 409,
    meaning: 'eight background scans are in progress, or four of this identity',
    remedy: 'stop one, or wait until it ends',
  },
  TEMPLATE_UNKNOWN: {
    status: 404,
    meaning: 'unknown device template, or its file has errors',
    remedy: 'list the templates',
  },
  TRUST_UNSUPPORTED: {
    status: 400,
    meaning: 'the driver type does not use device certificates',
    remedy: 'see [OPC UA servers](opcua.md#trust)',
  },
  VALUE_UNPARSABLE: {
    status: 400,
    meaning: 'a value to write does not match its given type',
    remedy: 'correct the value or its type',
  },
  CHANNEL_DISABLED: { meaning: 'the channel is disabled', remedy: 'enable it' },
  CHANNEL_NOT_GRANTED: {
    meaning: 'the identity is allowed to read but not to write the channel, or the reverse',
    remedy: 'give the identity a [grant](../explanation/control.md)',
  },
  CHANNEL_NOT_INSPECTABLE: {
    meaning: 'the driver does not expose raw bytes of the channel',
    remedy: 'nothing',
  },
  CHANNEL_NOT_READABLE: { meaning: 'the channel can only be written', remedy: 'nothing' },
  CHANNEL_NOT_WRITABLE: { meaning: 'the channel can only be read', remedy: 'nothing' },
  CHANNEL_UNKNOWN: {
    meaning: 'the asset has no such channel, or the identity has no access to it',
    remedy: 'list the channels',
  },
  NOT_WRITTEN: {
    meaning: 'the write or dry run failed as a whole; nothing was sent',
    remedy: 'see the status of the request',
  },
  VALUE_NOT_AVAILABLE: {
    meaning:
      'the raw value means "not available" (`notAvailable` of the channel): the device has no value; a write of it is not sent',
    remedy:
      'check whether the sensor is fitted; correct [`notAvailable`](configuration.md#values-that-are-not-available) if it is a value',
  },
  VALUE_NOT_DECODABLE: {
    meaning:
      'the bytes of the device are not a valid value of the `dataType`, for example a BCD digit above 9, or a clock that was never set',
    remedy: 'check address and `dataType`',
  },
  VALUE_NOT_REPRESENTABLE: {
    meaning: 'the channel type cannot represent the value',
    remedy: 'change type or scale',
  },
  VALUE_NOT_TEXT: {
    meaning: 'the text of the device does not match the encoding, or contains NUL or an unpaired surrogate',
    remedy: 'check address and encoding; read it as `BYTE_ARRAY`',
  },
  VALUE_OUT_OF_RANGE: { meaning: 'the value is out of range', remedy: 'correct the value or the type' },
  VALUE_PENDING: { meaning: 'the device has not reported a value to the stream yet', remedy: 'wait' },
  WRITE_INTERRUPTED: {
    meaning: 'the gateway stopped before the outcome of the write was known and does not repeat it',
    remedy: 'read it back',
  },
  VALUE_TYPE_MISMATCH: {
    meaning: 'the value type differs from that of the channel or device',
    remedy: 'correct the type',
  },
  WRITE_NOT_SUPPORTED: { meaning: 'the driver of the bundle cannot write', remedy: 'nothing' },
  WRITE_ANSWER_WITHHELD: {
    meaning:
      'a repeated request whose first response contains channels that the identity is no longer allowed to access; nothing was sent again',
    remedy: 'repeat it for the channels that are granted',
  },
  WRITE_CONDITION_FALSE: {
    meaning:
      'a condition of the channel (`onlyIf`) is false, or a condition hidden from the caller cannot be checked; not sent',
    remedy: 'check the channel that the condition names',
  },
  WRITE_CONDITION_UNKNOWN: {
    meaning:
      'the value of a condition cannot be read, is too old, or was read too long before the write; not sent',
    remedy: 'check the device of the condition',
  },
  WRITE_HELD_BACK: {
    meaning: 'the outcome of an earlier write in the same request is unknown; not sent',
    remedy: 'read the channels, then write the rest',
  },
  WRITE_CLIENT_GONE: { meaning: 'the client disconnected before the write was sent', remedy: 'write again' },
  WRITE_DEADLINE_EXCEEDED: {
    meaning: 'the request exceeded `http.writeDeadlineMs`; not sent',
    remedy: 'write fewer values in a request, or verify them for a shorter time',
  },
  WRITE_LIMIT_EXCEEDED: {
    meaning: 'the value is below `minimum`, above `maximum`, or not finite; not sent',
    remedy: 'send another value',
  },
  WRITE_NOT_VERIFIED: {
    meaning: 'the value was sent but not read back in time; the outcome is unknown',
    remedy: 'read it back',
  },
  WRITE_RATE_EXCEEDED: {
    meaning: 'the value changes faster than `maximumChangePerSecond`; not sent',
    remedy: 'wait as long as the message says',
  },
  WRITE_READ_BACK_DIFFERS: {
    meaning: 'the value read back (`readBack`) differs from the value written',
    remedy: 'check the limits of the device and `tolerance` of `verify`',
  },
  WRITE_STEP_EXCEEDED: {
    meaning: 'the value differs from the current one by more than `maximumStep`; not sent',
    remedy: 'send smaller steps',
  },
  WRITE_UNCONFIRMED: {
    meaning: 'the value was sent, but the device sends no confirmation; the outcome is unknown',
    remedy: 'give the channel `verify` or a confirmation',
  },
  WRITE_VALUE_CHANGED: {
    meaning: 'the current value is not the `ifValue` of the request; not sent',
    remedy: 'read it and decide again',
  },
  WRITE_VALUE_UNKNOWN: {
    meaning: 'the current value, on which the write depends, cannot be read; not sent',
    remedy: 'check the device',
  },
  CONNECTION_CLOSED: { meaning: 'the configuration changed, or the gateway is stopping', remedy: 'repeat' },
  CONNECT_TIMEOUT: {
    meaning: 'the device did not accept the connection in time',
    remedy: 'check address, cable, firewall',
  },
  DEADLINE_EXCEEDED: {
    meaning: 'no response within `callDeadlineMs`',
    remedy: 'read fewer channels, or raise the deadline',
  },
  DRIVER_FAULT: { meaning: 'the driver has a defect or returned no result', remedy: 'report it' },
  DRIVER_OVERDUE: {
    meaning: 'the driver did not finish a call in time; the outcome of a write is unknown',
    remedy: 'read back; report it',
  },
  DRIVER_SETTINGS_INVALID: {
    meaning: 'the bundle rejects the settings of its driver',
    remedy: 'correct them',
  },
  NOT_CONNECTED: { meaning: 'the device is not connected', remedy: 'see `lastError` in `_status`' },
  SECRET_UNREADABLE: {
    meaning: 'the [key](../how-to/hardening.md#secrets-in-the-store) that encrypts its password is lost',
    remedy: 'set it again, or restore `secrets.key`',
  },
} as const satisfies Readonly<Record<string, DeclaredCode>>;
