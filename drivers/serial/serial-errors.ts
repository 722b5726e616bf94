import { GatewayError, toReasons } from '../../daemon/base/errors.ts';
import { createReason, explain } from '../../daemon/base/fault-reason.ts';
import type { FaultReason } from '../../daemon/base/fault-reason.ts';
import { ConnectionError } from '../../daemon/channel/driver-errors.ts';
import { SERIAL_FAILURES } from './sentences/failure-sentences.ts';

/** No frame arrived in time; the instrument may have carried out a request. */
export class NoResponse extends GatewayError {
  /** @param reason what did not happen */
  constructor(reason: FaultReason) {
    super({ code: 'SERIAL_NO_RESPONSE', ...explain(reason) });
  }
}

/** A response arrived in time, but not the expected one. */
export class InvalidResponse extends GatewayError {
  constructor(device: string, fault: string) {
    const reason = createReason(SERIAL_FAILURES, 'INSTRUMENT_FRAME_UNEXPECTED', { device, fault });
    super({ code: 'SERIAL_INVALID_RESPONSE', ...explain(reason) });
  }
}

/** Only damaged frames arrived. */
export class ChecksumMismatch extends GatewayError {
  constructor(device: string, fault: string) {
    const reason = createReason(SERIAL_FAILURES, 'INSTRUMENT_FRAME_DAMAGED', { device, fault });
    super({ code: 'SERIAL_CHECKSUM_MISMATCH', ...explain(reason) });
  }
}

/** The instrument answered that it does not carry out the request. */
export class InstrumentRefusal extends GatewayError {
  constructor(device: string, answer: string) {
    const reason = createReason(SERIAL_FAILURES, 'INSTRUMENT_REFUSED', { device, answer });
    super({ code: 'SERIAL_REFUSED', ...explain(reason) });
  }
}

/** The line was lost during a call; the instrument may have carried out a request. */
export class LinkLost extends ConnectionError {
  constructor(device: string, cause: Error) {
    const lost = createReason(SERIAL_FAILURES, 'INSTRUMENT_LINE_LOST', { device });
    super({ code: 'SERIAL_LINK_LOST', ...explain(lost, ...toReasons(cause)), cause });
  }
}
