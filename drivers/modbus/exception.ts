import { GatewayError } from '../../daemon/base/errors.ts';

// MODBUS Application Protocol V1.1b3, 7; 07 is named in earlier editions and still answered by devices.
const NAMES: Readonly<Record<number, string>> = {
  0x01: 'ILLEGAL FUNCTION',
  0x02: 'ILLEGAL DATA ADDRESS',
  0x03: 'ILLEGAL DATA VALUE',
  0x04: 'SERVER DEVICE FAILURE',
  0x05: 'ACKNOWLEDGE',
  0x06: 'SERVER DEVICE BUSY',
  0x07: 'NEGATIVE ACKNOWLEDGE',
  0x08: 'MEMORY PARITY ERROR',
  0x0a: 'GATEWAY PATH UNAVAILABLE',
  0x0b: 'GATEWAY TARGET DEVICE FAILED TO RESPOND',
};

export const ILLEGAL_FUNCTION = 0x01;
export const ILLEGAL_DATA_ADDRESS = 0x02;
export const ILLEGAL_DATA_VALUE = 0x03;
const SERVER_DEVICE_FAILURE = 0x04;
export const ACKNOWLEDGE = 0x05;
export const SERVER_DEVICE_BUSY = 0x06;
export const GATEWAY_TARGET_SILENT = 0x0b;
const GATEWAY_PATH_UNAVAILABLE = 0x0a;

/** With these a gateway reports that it got no answer of the unit: they come from the gateway, and not from the unit. */
export const GATEWAY_REPORTS: ReadonlySet<number> = new Set([
  GATEWAY_PATH_UNAVAILABLE,
  GATEWAY_TARGET_SILENT,
]);

/** With these devices refuse a read of entries that they do not have, and one that is longer than they take. */
export const REFUSALS: ReadonlySet<number> = new Set([
  ILLEGAL_DATA_ADDRESS,
  ILLEGAL_DATA_VALUE,
  SERVER_DEVICE_FAILURE,
]);

/** Names an exception code as people look it up: `02 ILLEGAL DATA ADDRESS`. */
function nameException(exceptionCode: number): string {
  const digits = exceptionCode.toString(16).toUpperCase().padStart(2, '0');
  const name = NAMES[exceptionCode];
  return name === undefined ? digits : `${digits} ${name}`;
}

/** The unit refused the request; the connection is in order. */
export class ExceptionAnswer extends GatewayError {
  /** 0..255, as received. */
  readonly exceptionCode: number;
  /** See `ChannelFailure.status`. */
  readonly status: string;

  constructor(unitId: number, exceptionCode: number) {
    const name = NAMES[exceptionCode];
    super({
      code: name === undefined ? 'MODBUS_EXCEPTION' : `MODBUS_${name.replaceAll(' ', '_')}`,
      detail: `unit ${unitId} answered exception ${nameException(exceptionCode)}`,
    });
    this.exceptionCode = exceptionCode;
    this.status = `MODBUS_EXCEPTION_${exceptionCode}`;
  }
}
