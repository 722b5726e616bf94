import { delay } from '../../../base/clock.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Channel } from '../../../channel/channel.ts';
import { isReportingAccess } from '../../../channel/access-reporting-driver.ts';
import type { DeviceAccess } from '../../../channel/access-reporting-driver.ts';
import type { DriverConnection } from './driver-connection.ts';

// Listing channels does not wait for a slow device; the next list contains its response.
const ASKING_TIMEOUT_MS = 2000;

/**
 * Returns the access rights that a device reports for channels, in the same order; undefined if not reported. A device that
 * is connected is queried for missing ones; others are not. Never throws.
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
    // Other calls of the driver report the same failure.
    await Promise.allSettled([Promise.race([asked, delay(clock, ASKING_TIMEOUT_MS, waiting.signal)])]);
  }
  return channels.map((channel) => driver.findDeviceAccess(channel));
}
