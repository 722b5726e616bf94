import { GatewayError } from '../base/errors.ts';
import type { ErrorOptions } from '../base/errors.ts';
import type { ChannelFailure } from './channel-record.ts';

/** No link to the device, or the link was lost; nothing that was asked for got an answer. */
export class ConnectionError extends GatewayError {
  /** See `ChannelFailure.stableMessage`. */
  readonly stableMessage: string | undefined;
  /** The link broke while an answer was awaited, from a device that lives as far as is known. */
  readonly isCutOff: boolean;

  /** Nobody knows whether what was asked for was carried out; otherwise a write was not sent. */
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

/** Returns the failure that a channel record shows for an error of a whole operation. */
export function toChannelFailure(
  error: GatewayError & { readonly stableMessage?: string | undefined; readonly status?: string | undefined },
): ChannelFailure {
  const { code, detail: message, stableMessage, status } = error;
  const failure = stableMessage === undefined ? { code, message } : { code, message, stableMessage };
  return status === undefined ? failure : { ...failure, status };
}
