import { GatewayError, messageOf } from '../../../daemon/base/errors.ts';
import { ConnectionError, NoSubscriptionCapacity } from '../../../daemon/channel/driver-errors.ts';
import { ServiceRefused } from '../opcua-errors.ts';

// The server has no capacity, or no subscriptions at all: its values can be read all the same.
const NO_CAPACITY: ReadonlySet<string> = new Set([
  'BadNotImplemented',
  'BadNotSupported',
  'BadServiceUnsupported',
  'BadTooManyMonitoredItems',
  'BadTooManySubscriptions',
]);

/** Returns the error for a subscriber that could not be added; an unexpected one stays as it is. */
export function toJoinError(error: unknown): unknown {
  if (error instanceof ConnectionError || !(error instanceof GatewayError)) return error;
  const options = { code: error.code, detail: error.detail, cause: error };
  const hasNoCapacity = error instanceof ServiceRefused && NO_CAPACITY.has(error.status);
  return hasNoCapacity ? new NoSubscriptionCapacity(options) : new ConnectionError(options);
}

/** Returns the error for a subscriber whose subscription could not be renewed. */
export function toEndError(error: unknown): ConnectionError {
  if (error instanceof ConnectionError) return error;
  return new ConnectionError({ code: 'OPCUA_SUBSCRIPTION_LOST', detail: messageOf(error), cause: error });
}
