import { endOf } from './grant.ts';
import type { Grant, GrantOperation } from './grant.ts';
import { matchesAll, PatternIndex } from '../../base/text/name-pattern.ts';

/** Some channels of an asset, or all of them, whatever they are called. */
export type ChannelSet = 'ALL' | ReadonlySet<string>;

/** What an identity may do with the channels of one asset, as long as no grant ends. */
export interface AssetRights {
  readonly readable: ChannelSet;
  readonly writable: ChannelSet;
  /** It holds from this moment, in milliseconds since the epoch: the last one at which a grant ended. */
  readonly validFromMs: number;
  /** It holds until this moment, in milliseconds since the epoch: the next one at which a grant ends. */
  readonly validUntilMs: number;
}

/** An asset, as far as rights depend on it. */
export interface NamedChannels {
  readonly pid: string;
  readonly channels: readonly { readonly name: string }[];
}

interface PreparedGrant {
  readonly grant: Grant;
  readonly endMs: number;
}

/** Grants that are prepared to be compared with many assets. */
export type PreparedGrants = PatternIndex<PreparedGrant>;

/** Everything, for ever. */
export const EVERY_RIGHT: AssetRights = {
  readable: 'ALL',
  writable: 'ALL',
  validFromMs: -Infinity,
  validUntilMs: Infinity,
};

/** Prepares grants; the work grows with their number alone. */
export function prepareGrants(grants: readonly Grant[]): PreparedGrants {
  return new PatternIndex(
    grants.flatMap((grant) => {
      const prepared: PreparedGrant = { grant, endMs: endOf(grant) };
      return grant.assets.map((pattern) => [pattern, prepared] as const);
    }),
  );
}

/**
 * Decides what grants permit on an asset. Nothing is permitted unless a grant says so; a grant ends at its `until`, at
 * which nothing is permitted by it any more.
 *
 * @param nowMs milliseconds since the epoch
 */
export function decideRights(grants: PreparedGrants, asset: NamedChannels, nowMs: number): AssetRights {
  const matching = [...grants.find(asset.pid)];
  const present = matching.filter(({ endMs }) => nowMs < endMs);
  const ends = matching.map(({ endMs }) => endMs);
  return {
    readable: channelsOf(present, 'READ', asset),
    writable: channelsOf(present, 'WRITE', asset),
    validFromMs: ends.reduce((last, endMs) => (endMs <= nowMs && endMs > last ? endMs : last), -Infinity),
    validUntilMs: ends.reduce((next, endMs) => (endMs > nowMs && endMs < next ? endMs : next), Infinity),
  };
}

/** Returns whether rights that were decided before still hold; a clock that was set back makes an ended grant hold again. */
export function areInForce({ validFromMs, validUntilMs }: AssetRights, nowMs: number): boolean {
  return validFromMs <= nowMs && nowMs < validUntilMs;
}

/** Returns whether a channel is in a set. */
export function holds(set: ChannelSet, name: string): boolean {
  return set === 'ALL' || set.has(name);
}

/** Returns whether anything at all is permitted; if not, the asset is as good as unknown. */
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
