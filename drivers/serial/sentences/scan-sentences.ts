/** English sentences of scans for meters, by their code. */
export const SERIAL_SCAN_SENTENCES = {
  SCAN_METER: 'meter',
  SCAN_METER_AT: 'meter {meter}',
  SCAN_METER_READOUT: 'meter: readout',
  SCAN_METER_AT_READOUT: 'meter {meter}: readout',
  SCAN_METER_IDENTIFIED: '{name}, mode {mode}, {baudRate} bit/s',
  SCAN_METER_LINE: 'meter, sign-on at {line}',
  SCAN_METER_LINE_AT_MOST: 'meter, sign-on at {line}, at most {bound} bit/s',
  SCAN_METER_LINE_SENDING: 'meter, without a request at {line}',
  SCAN_METER_VALUES_NOT_LISTED:
    'meter: {others} of {count} values are not listed: empty, repeated or of earlier periods',
  SCAN_METER_AT_VALUES_NOT_LISTED:
    'meter {meter}: {others} of {count} values are not listed: empty, repeated or of earlier periods',
  SCAN_ONLY_METERS:
    'on a serial line only meters with the framing IEC62056_21 can be found; other instruments have no common request',
  SCAN_WITHOUT_METER:
    'no meter identified itself. Align the optical head, and compare the device address; some meters need framing.wakeUp or framing.requestCharacter',
} as const;
