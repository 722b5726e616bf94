import { DeviceStatus } from '../../daemon/channel/device-status.ts';
import { NoAnswer } from './opcua-errors.ts';

const COUNTERS = ['reads', 'writes', 'subscriptions', 'timeouts', 'refusals', 'linkLosses'] as const;
export type Counter = (typeof COUNTERS)[number];

export type ServerStatus = DeviceStatus<Counter>;

/** Creates the status of a server of which nothing is known. */
export function createServerStatus(name: string, clock: { epochMs(): number }): ServerStatus {
  return new DeviceStatus({
    name,
    clock,
    counters: COUNTERS,
    interpret: (error) => ({ counter: error instanceof NoAnswer ? 'timeouts' : undefined }),
  });
}
