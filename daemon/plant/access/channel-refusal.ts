import { describeUnknownChannel } from '../asset/read/channel-slot.ts';
import type { Channel } from '../../channel/channel.ts';
import type { ChannelFailure } from '../../channel/channel-record.ts';
import { holds } from '../../security/identity/asset-rights.ts';
import type { AssetRights } from '../../security/identity/asset-rights.ts';
import type { GrantOperation } from '../../security/identity/grant.ts';

const WORDS: Readonly<Record<GrantOperation, string>> = { READ: 'read', WRITE: 'write' };

/** Why a channel is neither read nor written for a caller. */
interface ChannelRefusal {
  /** Absent when the caller must not learn that there is such a channel. */
  readonly channel?: Channel | undefined;
  readonly name: string;
  readonly failure: ChannelFailure;
}

/**
 * Returns what a caller is told of a channel that it may not read, or not write. One that it may neither read nor write
 * looks as if there were no such channel.
 */
export function refuseChannel(
  { name, channel }: { readonly name: string; readonly channel: Channel | undefined },
  { readable, writable }: AssetRights,
  operation: GrantOperation,
): ChannelRefusal {
  if (channel === undefined || (!holds(readable, name) && !holds(writable, name))) {
    return { name, failure: describeUnknownChannel(name) };
  }
  const message = `this identity is not allowed to ${WORDS[operation]} channel "${name}"`;
  return { channel, name, failure: { code: 'CHANNEL_NOT_GRANTED', message } };
}
