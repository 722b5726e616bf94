import type { Finding } from '../machine-checks.ts';

/** A channel, as the list of an asset shows it. */
export interface ListedChannel {
  readonly name: string;
  readonly type: string;
  readonly isEnabled: boolean;
  /** Absent: the device does not tell, or was not asked. */
  readonly deviceAccess?: string;
}

/** Warns of channels that are to read or write what their device does not let the gateway read or write. */
export function checkDeviceAccess(pid: string, channels: readonly ListedChannel[]): readonly Finding[] {
  return channels.flatMap((channel) => checkChannel(pid, channel));
}

function checkChannel(pid: string, channel: ListedChannel): readonly Finding[] {
  const { name, type, isEnabled, deviceAccess } = channel;
  if (!isEnabled || deviceAccess === undefined) return [];
  const denied = (['READ', 'WRITE'] as const).filter(
    (operation) => includes(type, operation) && !includes(deviceAccess, operation),
  );
  if (denied.length === 0) return [];
  const what = denied.join(' and ').toLowerCase();
  const detail = `channel ${name} has type ${type}, but the device does not let the gateway ${what} it`;
  const advice = 'give the user of the driver that right at the device, or change the type of the channel';
  return [{ check: `asset ${pid}`, state: 'WARNING', detail, advice }];
}

function includes(access: string, operation: 'READ' | 'WRITE'): boolean {
  return access === operation || access === 'READ_WRITE';
}
