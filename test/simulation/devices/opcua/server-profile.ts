import type { Random } from '../../world/random.ts';

/** What a server is able to do. */
export interface ServerProfile {
  readonly maximumNodesPerRead: number;
  readonly maximumNodesPerWrite: number;
  readonly maximumItemsPerCall: number;
  /** Whether it tells these limits, or only refuses what is above them. */
  readonly tellsLimits: boolean;
  readonly maximumSessions: number;
  readonly maximumSubscriptions: number;
  readonly maximumPublishRequests: number;
  readonly longestSessionMs: number;
  readonly shortestPublishingIntervalMs: number;
  readonly longestQueue: number;
  /** Messages that a subscription stores until they are acknowledged; 0: it does not support Republish. */
  readonly storedMessages: number;
  /** Whether it answers Publish requests of a connection that is gone, after the session was activated on another. */
  readonly keepsRequests: boolean;
  /** Time that a message travels. */
  readonly latencyMs: { readonly least: number; readonly most: number };
  /** Time that a request takes. */
  readonly processingMs: { readonly least: number; readonly most: number };
}

/** Draws what a server is able to do. */
export function drawServerProfile(random: Random): ServerProfile {
  return {
    maximumNodesPerRead: random.pick([5, 20, 100, 1000]),
    maximumNodesPerWrite: random.pick([1, 5, 100]),
    maximumItemsPerCall: random.pick([3, 50, 1000]),
    tellsLimits: random.chance(0.7),
    maximumSessions: random.integer(5, 12),
    maximumSubscriptions: random.integer(20, 60),
    maximumPublishRequests: random.pick([2, 5, 100]),
    longestSessionMs: random.pick([15_000, 30_000, 3_600_000]),
    shortestPublishingIntervalMs: random.pick([10, 100, 250]),
    longestQueue: random.pick([1, 10, 1000]),
    latencyMs: random.pick([
      { least: 0.2, most: 1 },
      { least: 2, most: 15 },
      { least: 30, most: 80 },
    ]),
    processingMs: random.pick([
      { least: 0.1, most: 2 },
      { least: 1, most: 40 },
    ]),
    storedMessages: random.pick([0, 2, 100]),
    keepsRequests: random.chance(0.5),
  };
}
