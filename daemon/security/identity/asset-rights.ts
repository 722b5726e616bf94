import { endOf } from './grant.ts';
import type { Grant, GrantOperation } from './grant.ts';
import { matchesAll, PatternIndex } from '../../base/text/name-pattern.ts';

/** A set of channel names of an asset, or all channels. */
export type ChannelSet = 'ALL' | ReadonlySet<string>;

/** Rights of an identity on the channels of one asset until the next grant expires. */
export interface AssetRights {
  readonly readable: ChannelSet;
  readonly writable: ChannelSet;
  /** Start of validity, in milliseconds since the epoch: the last expiry of a grant. */
  readonly validFromMs: number;
  /** End of validity, in milliseconds since the epoch: the next expiry of a grant. */
  readonly validUntilMs: number;
}

/** Asset properties on which rights depend. */
export interface NamedChannels {
  readonly pid: string;
  readonly channels: readonly { readonly name: string }[];
}

interface PreparedGrant {
  readonly grant: Grant;
  readonly endMs: number;
}

/** Grants indexed for matching against many assets. */
export type PreparedGrants = PatternIndex<PreparedGrant>;

/** Unlimited rights without expiry. */
export const EVERY_RIGHT: AssetRights = {
  readable: 'ALL',
  writable: 'ALL',
  validFromMs: -Infinity,
  validUntilMs: Infinity,
};

/** Indexes grants; linear in their number. */
export function prepareGrants(grants: readonly Grant[]): PreparedGrants {
  return new PatternIndex(
    grants.flatMap((grant) => {
      const prepared: PreparedGrant = { grant, endMs: endOf(grant) };
      return grant.assets.map((pattern) => [pattern, prepared] as const);
    }),
  );
}

/**
 * Evaluates the rights that grants give on an asset. Default deny: only what a grant permits is allowed. A grant is no longer
 * effective at its `until`.
 *
 * @param nowMs milliseconds since the epoch
 */
export function decideRights(grants: PreparedGrants, asset: NamedChannels, nowMs: number): AssetRights {
  const matching = [...grants.find(asset.pid)];
  const active = matching.filter(({ endMs }) => nowMs < endMs);
  const ends = matching.map(({ endMs }) => endMs);
  return {
    readable: channelsOf(active, 'READ', asset),
    writable: channelsOf(active, 'WRITE', asset),
    validFromMs: ends.reduce((last, endMs) => (endMs <= nowMs && endMs > last ? endMs : last), -Infinity),
    validUntilMs: ends.reduce((next, endMs) => (endMs > nowMs && endMs < next ? endMs : next), Infinity),
  };
}

/** Returns true if earlier evaluated rights are still valid; setting the clock back makes an expired grant effective again. */
export function areInForce({ validFromMs, validUntilMs }: AssetRights, nowMs: number): boolean {
  return validFromMs <= nowMs && nowMs < validUntilMs;
}

/** Returns true if a channel is in a set. */
export function holds(set: ChannelSet, name: string): boolean {
  return set === 'ALL' || set.has(name);
}

/** Returns true if any right exists; otherwise the asset is treated as unknown. */
export function isVisible({ readable, writable }: AssetRights): boolean {
  return [readable, writable].some((set) => set === 'ALL' || set.size > 0);
}

function channelsOf(
  present: readonly PreparedGrant[],
  operation: GrantOperation,
  { channels }: NamedChannels,
): ChannelSet {
  const patterns = new Set<string>();
  for (const { grant } of present) {
    if (!grant.operations.includes(operation)) continue;
    if (grant.channels === undefined) return 'ALL';
    for (const pattern of grant.channels) patterns.add(pattern);
  }
  if ([...patterns].some(matchesAll)) return 'ALL';
  const index = new PatternIndex([...patterns].map((pattern) => [pattern, true] as const));
  const names = channels.map(({ name }) => name).filter((name) => index.has(name));
  return names.length > 0 && names.length === channels.length ? 'ALL' : new Set(names);
}
