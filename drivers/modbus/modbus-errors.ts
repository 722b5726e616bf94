import { GatewayError } from '../../daemon/base/errors.ts';
import { ConnectionError } from '../../daemon/channel/driver-errors.ts';

/** The unit did not answer in time; the request may have been carried out. */
export class NoAnswer extends GatewayError {
  constructor(unitId: number, timeoutMs: number) {
    super({ code: 'MODBUS_NO_RESPONSE', detail: `unit ${unitId} did not answer within ${timeoutMs} ms` });
  }
}

/** What came back is no answer to what was asked; the request may have been carried out. */
export class InvalidAnswer extends GatewayError {
  constructor(unitId: number, fault: string) {
    super({ code: 'MODBUS_INVALID_RESPONSE', detail: `unit ${unitId} sent an invalid answer: ${fault}` });
  }
}

/** The unit is not asked for now, because it did not answer before. */
export class UnitSetAside extends GatewayError {
  /** See `ChannelFailure.lasting`. */
  readonly lasting: string;

  constructor(detail: string, lasting: string) {
    super({ code: 'MODBUS_UNIT_SET_ASIDE', detail });
    this.lasting = lasting;
  }
}

/** The link went down under a request that was sent; the request may have been carried out. */
export class LinkLost extends ConnectionError {
  constructor(endpoint: string, reason: string, cause?: unknown) {
    super({
      code: 'MODBUS_LINK_LOST',
      detail: `the connection to ${endpoint} was lost: ${reason}`,
      cause,
    });
  }
}
