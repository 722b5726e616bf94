import type { DeclaredCode } from '../../daemon/base/error-codes.ts';

declare module '../../daemon/base/error-codes.ts' {
  interface ErrorCodeTables {
    readonly link: typeof LINK_CODES;
  }
}

/** Error codes of links to devices. */
export const LINK_CODES = {
  CONNECT_ABORTED: { meaning: 'the connection attempt was aborted' },
  CONNECT_FAILED: { meaning: 'the device refused the connection or is unreachable' },
  TLS_CREDENTIALS_INVALID: { meaning: 'certificate or key for the device cannot be used' },
  TLS_FILE_UNREADABLE: { meaning: 'a file for TLS cannot be read' },
  SERIAL_BUSY: { meaning: 'another program has the line open' },
  SERIAL_NOT_A_LINE: { meaning: 'the device is not a serial line' },
  SERIAL_NOT_FOUND: { meaning: 'no such device' },
  SERIAL_NOT_PERMITTED: { meaning: 'the daemon may not open the device' },
  SERIAL_NO_RS485: { meaning: 'the line has no RS-485 mode' },
  SERIAL_OPEN_FAILED: { meaning: 'the line did not open' },
  SERIAL_RS485_NOT_SET: { meaning: 'the line did not accept the settings in `rs485`' },
} as const satisfies Readonly<Record<string, DeclaredCode>>;
