import { GatewayError } from '../../daemon/base/errors.ts';
import { ConnectionError } from '../../daemon/channel/driver-errors.ts';

/** Nothing came in time; a request that was sent may have been carried out. */
export class NoAnswer extends GatewayError {
  constructor(device: string, timeoutMs: number, isAnswer: boolean) {
    const lack = isAnswer ? 'did not respond' : 'sent nothing';
    super({
      code: 'SERIAL_NO_RESPONSE',
      detail: `the instrument at ${device} ${lack} within ${timeoutMs} ms`,
    });
  }
}

/** An answer came in time, but not one that the channel expects. */
export class InvalidAnswer extends GatewayError {
  constructor(device: string, fault: string) {
    super({
      code: 'SERIAL_INVALID_RESPONSE',
      detail: `the instrument at ${device} sent an unexpected frame: ${fault}`,
    });
  }
}

/** The line went under a call; a request that was sent may have been carried out. */
export class LinkLost extends ConnectionError {
  constructor(device: string, cause: Error) {
    super({
      code: 'SERIAL_LINK_LOST',
      detail: `the serial line ${device} was lost: ${cause.message}`,
      cause,
    });
  }
}
