import type { ChannelRecord } from '../../interface/assets.ts';
import type { Finding } from '../machine-checks.ts';

type CheckedChannel = Pick<ChannelRecord, 'name' | 'type' | 'isEnabled' | 'deviceAccess'>;

/** Warns of channels that are to read or write what their device does not let the gateway read or write. */
export function checkDeviceAccess(pid: string, channels: readonly CheckedChannel[]): readonly Finding[] {
  return channels.flatMap((channel) => checkChannel(pid, channel));
}

function checkChannel(pid: string, channel: CheckedChannel): readonly Finding[] {
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
