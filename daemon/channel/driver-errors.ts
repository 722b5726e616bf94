import { GatewayError } from '../base/errors.ts';
import type { ErrorOptions } from '../base/errors.ts';
import type { ChannelFailure } from './channel-record.ts';

/** No link to the device, or the link was lost; no request got a response. */
export class ConnectionError extends GatewayError {
  /** See `ChannelFailure.stableMessage`. */
  readonly stableMessage: string | undefined;
  /** The link broke with a request outstanding, although the device seems to be running. */
  readonly isCutOff: boolean;

  /** The outcome of the call is unknown; otherwise a write was not sent. */
  readonly mayBeDone: boolean;

  constructor(
    options: ErrorOptions & {
      readonly stableMessage?: string | undefined;
      readonly isCutOff?: boolean | undefined;
      readonly mayBeDone?: boolean | undefined;
    },
  ) {
    super(options);
    this.stableMessage = options.stableMessage;
    this.isCutOff = options.isCutOff ?? false;
    this.mayBeDone = options.mayBeDone ?? false;
  }
}

/** The device has no capacity for a subscription, or does not support any; its channels can be read. */
export class NoSubscriptionCapacity extends ConnectionError {}

/** Returns the failure of a channel record for an error of a whole operation. */
export function toChannelFailure(
  error: GatewayError & { readonly stableMessage?: string | undefined; readonly status?: string | undefined },
): ChannelFailure {
  const { code, detail: message, stableMessage, status, reasons } = error;
  return {
    code,
    message,
    ...(stableMessage === undefined ? {} : { stableMessage }),
    ...(status === undefined ? {} : { status }),
    ...(reasons === undefined ? {} : { reasons }),
  };
}
