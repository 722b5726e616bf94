import { GatewayError } from '../base/errors.ts';
import type { ErrorOptions } from '../base/errors.ts';
import type { ChannelFailure } from './channel-record.ts';

/** No link to the device, or the link was lost; nothing that was asked for got an answer. */
export class ConnectionError extends GatewayError {
  /** See `ChannelFailure.lasting`. */
  readonly lasting: string | undefined;
  /** The link broke while an answer was awaited, from a device that lives as far as is known. */
  readonly isCutOff: boolean;

  /** Nobody knows whether what was asked for was carried out; otherwise a write was not sent. */
  readonly mayBeDone: boolean;

  constructor(
    options: ErrorOptions & {
      readonly lasting?: string | undefined;
      readonly isCutOff?: boolean | undefined;
      readonly mayBeDone?: boolean | undefined;
    },
  ) {
    super(options);
    this.lasting = options.lasting;
    this.isCutOff = options.isCutOff ?? false;
    this.mayBeDone = options.mayBeDone ?? false;
  }
}

/** Returns the failure that a channel record shows for an error of a whole operation. */
export function toChannelFailure(
  error: GatewayError & { readonly lasting?: string | undefined; readonly status?: string | undefined },
): ChannelFailure {
  const { code, detail: message, lasting, status } = error;
  const failure = lasting === undefined ? { code, message } : { code, message, lasting };
  return status === undefined ? failure : { ...failure, status };
}
