import type { Channel } from '../../../../daemon/channel/channel.ts';

/** Creates an enabled channel that is read and written as a DOUBLE unless specified otherwise. */
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
