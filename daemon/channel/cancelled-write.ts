import { GatewayError } from '../base/errors.ts';
import type { ChannelFailure } from './channel-record.ts';

/** A write is no longer to be sent, now that its turn has come; nothing was sent. */
export class WriteCancelled extends GatewayError {
  /** @param failure what the channel shows */
  constructor({ code, message }: ChannelFailure) {
    super({ code, detail: message });
  }
}
