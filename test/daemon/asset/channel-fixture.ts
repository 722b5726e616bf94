import type { Channel } from '../../../daemon/channel/channel.ts';

/** Makes an enabled channel that is read and written as a DOUBLE, unless it is asked for otherwise. */
export function createChannel(changes: Partial<Channel> = {}): Channel {
  return {
    name: 'level',
    type: 'READ_WRITE',
    valueType: 'DOUBLE',
    scaleOffsetType: 'DEFINED_BY_VALUE_TYPE',
    valueScale: 1,
    valueOffset: 0,
    isEnabled: true,
    address: {},
    ...changes,
  };
}
