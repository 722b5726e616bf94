import { GatewayError } from '../../daemon/base/errors.ts';
import { ConnectionError } from '../../daemon/channel/driver-errors.ts';

/** No frame arrived in time; the instrument may have carried out a request. */
export class NoResponse extends GatewayError {
  /** @param lack what did not happen, for example `did not respond` */
  constructor(device: string, timeoutMs: number, lack: string) {
    super({
      code: 'SERIAL_NO_RESPONSE',
      detail: `the instrument at ${device} ${lack} within ${timeoutMs} ms`,
    });
  }
}

/** A response arrived in time, but not the expected one. */
export class InvalidResponse extends GatewayError {
  constructor(device: string, fault: string) {
    super({
      code: 'SERIAL_INVALID_RESPONSE',
      detail: `the instrument at ${device} sent an unexpected frame: ${fault}`,
    });
  }
}

/** Only damaged frames arrived. */
export class ChecksumMismatch extends GatewayError {
  constructor(device: string, fault: string) {
    super({
      code: 'SERIAL_CHECKSUM_MISMATCH',
      detail: `the instrument at ${device} sent a damaged frame: ${fault}`,
    });
  }
}

/** The instrument answered that it does not carry out the request. */
export class InstrumentRefusal extends GatewayError {
  constructor(device: string, answer: string) {
    super({ code: 'SERIAL_REFUSED', detail: `the instrument at ${device} refused: ${answer}` });
  }
}

/** The line was lost during a call; the instrument may have carried out a request. */
export class LinkLost extends ConnectionError {
  constructor(device: string, cause: Error) {
    super({
      code: 'SERIAL_LINK_LOST',
      detail: `the serial line ${device} was lost: ${cause.message}`,
      cause,
    });
  }
}
