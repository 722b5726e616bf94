import type { Channel } from '../../../channel/channel.ts';
import type { ChannelValue } from '../../../channel/value-type.ts';
import type { DriverConnection } from '../connection/driver-connection.ts';

/** Where a channel is read. */
export interface ReadPlace {
  readonly channel: Channel;
  readonly connection: DriverConnection;
}

/**
 * Whether a text means the value that was just read, in the type of the device.
 *
 * @returns undefined for what is no text, and where the driver does not know the type
 */
export function isSameText(
  { channel, connection }: ReadPlace,
  shown: ChannelValue,
  text: ChannelValue,
): boolean | undefined {
  if (typeof shown !== 'string' || typeof text !== 'string') return undefined;
  return connection.isSameText(channel, shown, text);
}
