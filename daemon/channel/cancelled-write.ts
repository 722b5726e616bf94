import { GatewayError } from '../base/errors.ts';
import type { ChannelFailure } from './channel-record.ts';

/** A write was cancelled before it was sent. */
export class WriteCancelled extends GatewayError {
  /** @param failure failure of the channel */
  constructor({ code, message }: ChannelFailure) {
    super({ code, detail: message });
  }
}
