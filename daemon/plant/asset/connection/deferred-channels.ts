import type { Channel } from '../../../channel/channel.ts';

/**
 * Returns an asset whose channels are parsed lazily. A large plant starts sooner, and channels that no
 * client uses cost no time.
 *
 * @param head the asset without its channels
 * @param read called at most once, unless it throws
 */
export function deferChannels<Head extends object>(
  head: Head,
  read: () => readonly Channel[],
): Head & { readonly channels: readonly Channel[] } {
  let channels: readonly Channel[] | undefined;
  // Holds the source of the channels until then.
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
