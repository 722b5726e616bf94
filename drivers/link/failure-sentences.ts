/** English sentences of failures of links to devices, by their code. */
export const LINK_FAILURES = {
  LINK_NOT_OPENED: 'no connection to {host}:{port}:',
  LINK_SILENT: 'no response within {timeoutMs} ms',
  LINK_CLOSED_BY_FAR_END: 'closed by the far end',
  LINK_CLOSED_DURING_ATTEMPT: 'closed during the attempt',
  LINK_PEER: 'its certificate is for {subject}, issued by {issuer}',
  LINK_FILE_UNREADABLE: 'the file in {setting} cannot be read: {reason}',
  LINK_FILES_UNUSABLE:
    '{settings} cannot be used: {reason}; expected PEM files with matching certificate and key',
  LINE_NOT_OPENED: 'cannot open serial line {device}:',
  LINE_OPEN_OVERDUE: 'it did not open within {timeoutMs} ms',
  LINE_NOT_FOUND: 'no such device; is the adapter plugged in?',
  LINE_NOT_FOUND_NO_ADAPTER: 'no such device; is the adapter plugged in? no adapter is plugged in',
  LINE_NOT_FOUND_OTHERS: 'no such device; is the adapter plugged in? plugged in: {adapters}',
  LINE_NOT_FOUND_OTHERS_AND_MORE:
    'no such device; is the adapter plugged in? plugged in: {adapters} and {more} more',
  LINE_NOT_PERMITTED: 'permission denied; add the daemon user to the group of the device, dialout on Debian',
  LINE_BUSY: 'another program or driver has it open; stop it, or use another line',
  LINE_NOT_SERIAL: 'not a serial line; expected the path of a serial device',
  LINE_WITHOUT_RS485:
    'the line has no RS-485 mode; an adapter that switches direction automatically, as most USB adapters do, works without rs485',
  LINE_RS485_REFUSED: 'the RS-485 mode was not set as configured in rs485: {reason}',
  LINE_HUNG_UP: 'the line hung up; was its adapter unplugged?',
  CALLER_MISSING_BEFORE: '{device} has not connected:',
  CALLER_MISSING_BEFORE_CLOSE: '{device} has not connected before the link was closed',
  CALLER_AGAIN: 'the device has connected again',
  CALLER_MISSING: '{device} has not connected',
  CALLER_MISSING_AND_REFUSED: '{device} has not connected; refused: {address}',
  CALLER_MISSING_AND_REFUSED_WITH: '{device} has not connected; refused: {address}, which sent {packet}',
  LINE_QUEUE_FULL: '{maximum} requests are already queued for the line',
} as const;
