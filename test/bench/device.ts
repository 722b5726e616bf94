import type { Owner } from '../support/temporary-directory.ts';
import type { DeviceCount, DeviceOptions } from './device-process.ts';
import { pin } from './process-usage.ts';
import { startRemote } from './remote.ts';

/** A device that is slow, or silent. */
export interface Device {
  readonly port: number;
  /** Returns the requests to the device since the previous call. */
  count(): Promise<DeviceCount>;
}

/** Starts a device on the core of clients and devices; registers hold their offset, and more if they move. */
export async function startDevice(t: Owner, options: DeviceOptions): Promise<Device> {
  const remote = await startRemote(t, 'device-process.ts');
  pin(remote.pid, 'client');
  return {
    port: await remote.call<number>('listen', options),
    count: () => remote.call<DeviceCount>('count'),
  };
}
