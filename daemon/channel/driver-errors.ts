import { GatewayError } from '../base/errors.ts';
import type { ChannelFailure } from './channel-record.ts';

/** No link to the device, or the link was lost; nothing that was asked for got an answer. */
export class ConnectionError extends GatewayError {}

/** A driver cannot serve a channel as it is configured. */
export class ChannelAddressError extends GatewayError {}

/** Gives the failure that a channel record shows for an error that hit a whole operation. */
export function toChannelFailure(error: GatewayError): ChannelFailure {
  return { code: error.code, message: error.detail };
}
