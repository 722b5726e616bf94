import type { DeclaredCode } from '../../daemon/base/error-codes.ts';

declare module '../../daemon/base/error-codes.ts' {
  interface ErrorCodeTables {
    readonly link: typeof LINK_CODES;
  }
}

/** Error codes of links to devices. */
export const LINK_CODES = {
  CONNECT_ABORTED: { meaning: 'the connection attempt was aborted', remedy: 'nothing' },
  CONNECT_FAILED: {
    meaning: 'the device refused the connection or is unreachable',
    remedy: 'check address, cable, firewall',
  },
  DEVICE_NOT_CONNECTED: {
    meaning: 'the device that connects to the gateway has not done so',
    remedy: 'check address and port in the device, firewall, `identify`',
  },
  LISTEN_FAILED: {
    meaning: 'the port for devices cannot be opened',
    remedy: 'choose another `listenPort`',
  },
  TLS_CREDENTIALS_INVALID: {
    meaning: 'certificate or key for the device cannot be used',
    remedy: 'replace them',
  },
  TLS_FILE_UNREADABLE: { meaning: 'a file for TLS cannot be read', remedy: 'check path and permissions' },
  SERIAL_BUSY: { meaning: 'another program has the line open', remedy: 'stop it' },
  SERIAL_NOT_A_LINE: {
    meaning: 'the device is not a serial line',
    remedy: 'use a name below `/dev/serial/by-id`',
  },
  SERIAL_NOT_FOUND: { meaning: 'no such device', remedy: 'check the adapter' },
  SERIAL_NOT_PERMITTED: {
    meaning: 'the daemon may not open the device',
    remedy: 'add its user to the group `dialout`',
  },
  SERIAL_NO_RS485: { meaning: 'the line has no RS-485 mode', remedy: 'remove `rs485`, or use another port' },
  SERIAL_OPEN_FAILED: { meaning: 'the line did not open', remedy: 'see the message' },
  SERIAL_RS485_NOT_SET: {
    meaning: 'the line did not accept the settings in `rs485`',
    remedy: 'configure the settings that the message names',
  },
} as const satisfies Readonly<Record<string, DeclaredCode>>;
