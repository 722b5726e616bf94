import { delay } from '../../../base/clock.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Channel } from '../../../channel/channel.ts';
import { isReportingAccess } from '../../../channel/access-reporting-driver.ts';
import type { DeviceAccess } from '../../../channel/access-reporting-driver.ts';
import type { DriverConnection } from './driver-connection.ts';

// Who lists channels does not wait for a device that is slow to tell; the next list has it.
const ASKING_TIMEOUT_MS = 2000;

/**
 * Returns what a device lets the gateway do with its channels, in the same order; undefined where it has not told. A device that
 * is connected is asked for what it was not asked before; one that is not is left alone. Never throws.
 */
export async function listDeviceAccess(
  connection: DriverConnection,
  channels: readonly Channel[],
  clock: Clock,
): Promise<readonly (DeviceAccess | undefined)[]> {
  const driver = connection.find(isReportingAccess);
  if (driver === undefined) return channels.map(() => undefined);
  if (connection.isConnected) {
    const learn = async (signal: AbortSignal): Promise<void> => driver.learnDeviceAccess(channels, signal);
    const waiting = new AbortController();
    const asked = connection.call(learn).finally(() => waiting.abort());
    // Whatever fails, the driver's other calls tell it as well.
    await Promise.allSettled([Promise.race([asked, delay(clock, ASKING_TIMEOUT_MS, waiting.signal)])]);
  }
  return channels.map((channel) => driver.findDeviceAccess(channel));
}
