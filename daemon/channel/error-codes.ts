import type { DeclaredCode } from '../base/error-codes.ts';

declare module '../base/error-codes.ts' {
  interface ErrorCodeTables {
    readonly plant: typeof PLANT_CODES;
  }
}

/** Error codes of assets, channels, drivers, scans and templates. */
export const PLANT_CODES = {
  ASSET_EXISTS: { status: 409, meaning: 'an asset has this `pid` already' },
  ASSET_NOT_GRANTED: {
    status: 404,
    meaning: 'the identity has no right on this asset; the client reads what it reads of an unknown one',
  },
  ASSET_OVERLOADED: {
    status: 503,
    meaning: 'too many operations wait for the asset, or too many of this identity',
  },
  ASSET_UNKNOWN: { status: 404, meaning: 'no asset has this `pid`' },
  BROWSE_UNSUPPORTED: { status: 400, meaning: 'devices of this kind do not show what they have' },
  DEVICE_IN_USE: { status: 409, meaning: 'a driver of another kind has the serial line' },
  DRIVER_UNKNOWN: { status: 404, meaning: 'no driver has this `pid`' },
  SCAN_FAILED: { meaning: 'a scan failed unexpectedly' },
  SCAN_RUNNING: { status: 409, meaning: 'another scan of the same device is under way' },
  SCAN_UNKNOWN: { status: 404, meaning: 'the identity has no scan of this id, or no longer' },
  SCAN_UNSUPPORTED: { status: 400, meaning: 'the kind of driver does not look for devices' },
  SCANS_TOO_MANY: {
    status: 409,
    meaning: 'eight scans that go on by themselves are under way, or four of this identity',
  },
  TEMPLATE_UNKNOWN: { status: 404, meaning: 'there is no such device template, or its file has faults' },
  TRUST_UNSUPPORTED: { status: 400, meaning: 'drivers of this kind know no certificates of devices' },
  VALUE_UNPARSABLE: { status: 400, meaning: 'a value to write does not fit the type that is given for it' },
  CHANNEL_DISABLED: { meaning: 'the channel is disabled' },
  CHANNEL_NOT_GRANTED: {
    meaning: 'the identity may read the channel and not write it, or the other way round',
  },
  CHANNEL_NOT_INSPECTABLE: { meaning: 'the driver cannot show the bytes of the channel' },
  CHANNEL_NOT_READABLE: { meaning: 'the channel can only be written' },
  CHANNEL_NOT_WRITABLE: { meaning: 'the channel can only be read' },
  CHANNEL_UNKNOWN: {
    meaning: 'the asset has no such channel, or the identity may neither read nor write it',
  },
  NOT_WRITTEN: { meaning: 'the write, or the trial of one, failed as a whole; nothing was sent' },
  VALUE_NOT_DECODABLE: {
    meaning:
      'the device holds bytes that are no value of the `dataType`, such as a digit above 9 in BCD, or a clock that was never set',
  },
  VALUE_NOT_REPRESENTABLE: { meaning: 'the type of the channel cannot hold the value' },
  VALUE_NOT_TEXT: {
    meaning:
      'the device holds a text that is not in the encoding, or that holds NUL or half of a surrogate pair',
  },
  VALUE_OUT_OF_RANGE: { meaning: 'the value is out of range' },
  VALUE_PENDING: { meaning: 'the device has not reported a value to the stream yet' },
  WRITE_INTERRUPTED: {
    meaning: 'the gateway stopped before it knew how the write ended, and does not write again',
  },
  VALUE_TYPE_MISMATCH: { meaning: 'the value has another type than the channel or device' },
  WRITE_NOT_SUPPORTED: { meaning: 'the driver of a bundle cannot write' },
  WRITE_ANSWER_WITHHELD: {
    meaning:
      'a repeated request whose first answer tells of channels that the identity may no longer use; nothing was sent again',
  },
  WRITE_CONDITION_FALSE: {
    meaning:
      'a condition of the channel (`onlyIf`) does not hold, or one that the caller may not know cannot be checked; not sent',
  },
  WRITE_CONDITION_UNKNOWN: {
    meaning:
      'the value of a condition cannot be read, is too old, or waited too long with the write; not sent',
  },
  WRITE_HELD_BACK: { meaning: 'the outcome of an earlier write of the same request is not known; not sent' },
  WRITE_CLIENT_GONE: { meaning: 'the client went away before this was sent' },
  WRITE_DEADLINE_EXCEEDED: { meaning: 'the request took longer than `http.writeDeadlineMs`; not sent' },
  WRITE_LIMIT_EXCEEDED: {
    meaning: 'the value is below `minimum`, above `maximum`, or no finite number; not sent',
  },
  WRITE_NOT_VERIFIED: {
    meaning: 'the value was sent and could not be read back in time; its outcome is not known',
  },
  WRITE_RATE_EXCEEDED: { meaning: 'the value changes faster than `maximumChangePerSecond`; not sent' },
  WRITE_READ_BACK_DIFFERS: {
    meaning: 'the device holds another value, shown as `readBack`, than the one that was written',
  },
  WRITE_STEP_EXCEEDED: { meaning: 'the value is farther from the present one than `maximumStep`; not sent' },
  WRITE_UNCONFIRMED: {
    meaning: 'the value was sent, and the device confirms nothing; its outcome is not known',
  },
  WRITE_VALUE_CHANGED: { meaning: 'the channel does not hold the `ifValue` of the request; not sent' },
  WRITE_VALUE_UNKNOWN: { meaning: 'the present value cannot be read, and the write depends on it; not sent' },
  CONNECTION_CLOSED: { meaning: 'the configuration changed or the gateway stops' },
  CONNECT_TIMEOUT: { meaning: 'the device did not accept in time' },
  DEADLINE_EXCEEDED: { meaning: 'no answer within `callDeadlineMs`' },
  DRIVER_FAULT: { meaning: 'the driver has a defect or gave no answer' },
  DRIVER_OVERDUE: { meaning: 'the driver did not end a call in time; the outcome of a write is unknown' },
  DRIVER_SETTINGS_INVALID: { meaning: 'the bundle refuses the settings of its driver' },
  NOT_CONNECTED: { meaning: 'there is no connection to the device at present' },
  SECRET_UNREADABLE: { meaning: 'the key of its password is lost' },
} as const satisfies Readonly<Record<string, DeclaredCode>>;
