import { describeUnknownChannel } from '../asset/read/channel-slot.ts';
import type { Channel } from '../../channel/channel.ts';
import type { ChannelFailure } from '../../channel/channel-record.ts';
import { holds } from '../../security/identity/asset-rights.ts';
import type { AssetRights } from '../../security/identity/asset-rights.ts';
import type { GrantOperation } from '../../security/identity/grant.ts';

const WORDS: Readonly<Record<GrantOperation, string>> = { READ: 'read', WRITE: 'write' };

/** Reason for denying a caller access to a channel. */
interface ChannelRefusal {
  /** Absent if the channel must stay hidden from the caller. */
  readonly channel?: Channel | undefined;
  readonly name: string;
  readonly failure: ChannelFailure;
}

/**
 * Returns the refusal of a channel that the caller may not read, or not write. A channel that it may neither read nor write
 * is reported as unknown.
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
