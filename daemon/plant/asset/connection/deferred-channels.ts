import type { Channel } from '../../../channel/channel.ts';

/**
 * Returns an asset whose channels are read when they are first asked for. A large plant starts sooner, and channels that no
 * client asks for cost no time.
 *
 * @param head all of the asset but its channels
 * @param read called once at most, unless it throws
 */
export function deferChannels<Head extends object>(
  head: Head,
  read: () => readonly Channel[],
): Head & { readonly channels: readonly Channel[] } {
  let channels: readonly Channel[] | undefined;
  // Holds what the channels are read from until then.
  let pending = read;
  return {
    ...head,
    get channels() {
      if (channels === undefined) {
        channels = pending();
        pending = () => [];
      }
      return channels;
    },
  };
}
