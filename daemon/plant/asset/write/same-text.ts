import type { Channel } from '../../../channel/channel.ts';
import type { ChannelValue } from '../../../channel/value-type.ts';
import type { DriverConnection } from '../connection/driver-connection.ts';

/** Channel and connection of a comparison. */
export interface ReadSource {
  readonly channel: Channel;
  readonly connection: DriverConnection;
}

/**
 * True if a text equals the value that was just read, compared in the type of the device.
 *
 * @returns undefined for values other than texts, and if the type is unknown
 */
export function isSameText(
  { channel, connection }: ReadSource,
  shown: ChannelValue,
  text: ChannelValue,
): boolean | undefined {
  if (typeof shown !== 'string' || typeof text !== 'string') return undefined;
  return connection.isSameText(channel, shown, text);
}
