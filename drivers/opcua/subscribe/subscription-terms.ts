import type { CreateSubscriptionRequestOptions, CreateSubscriptionResponse } from 'node-opcua-client';

import type { OpcuaConfig } from '../opcua-config.ts';

/** Intervals of a subscription, in milliseconds. */
export interface SubscriptionTerms {
  readonly publishingIntervalMs: number;
  /** Maximum time between two messages. */
  readonly keepAliveMs: number;
  /** Time for which the server keeps the subscription without Publish requests. */
  readonly lifetimeMs: number;
}

// Missing keep-alives after which the server deletes the subscription (OPC 10000-4, 5.14.2: at least 3).
const LIFETIME_FACTOR = 10;

/** Returns the request parameters; the server counts times in publishing intervals. */
export function toSubscriptionRequest(
  { publishingIntervalMs, keepAliveMs }: OpcuaConfig,
  minimumIntervalMs: number,
): Required<
  Pick<
    CreateSubscriptionRequestOptions,
    'requestedPublishingInterval' | 'requestedMaxKeepAliveCount' | 'requestedLifetimeCount'
  >
> {
  const intervalMs = publishingIntervalMs ?? minimumIntervalMs;
  const keepAliveCount = Math.max(1, Math.ceil(keepAliveMs / Math.max(1, intervalMs)));
  return {
    requestedPublishingInterval: intervalMs,
    requestedMaxKeepAliveCount: keepAliveCount,
    requestedLifetimeCount: LIFETIME_FACTOR * keepAliveCount,
  };
}

/** Returns the requested and the revised intervals; the revised ones apply. */
export function compareTerms(
  asked: ReturnType<typeof toSubscriptionRequest>,
  given: CreateSubscriptionResponse,
): { readonly asked: SubscriptionTerms; readonly given: SubscriptionTerms; readonly isRevised: boolean } {
  const terms = {
    asked: toTerms(
      asked.requestedPublishingInterval,
      asked.requestedMaxKeepAliveCount,
      asked.requestedLifetimeCount,
    ),
    given: toTerms(
      usable(given.revisedPublishingInterval, asked.requestedPublishingInterval),
      usable(given.revisedMaxKeepAliveCount, asked.requestedMaxKeepAliveCount),
      usable(given.revisedLifetimeCount, asked.requestedLifetimeCount),
    ),
  };
  const isRevised = (Object.keys(terms.asked) as (keyof SubscriptionTerms)[]).some(
    (name) => terms.asked[name] !== terms.given[name],
  );
  return { ...terms, isRevised };
}

function toTerms(publishingIntervalMs: number, keepAlives: number, lifetimes: number): SubscriptionTerms {
  return {
    publishingIntervalMs,
    keepAliveMs: publishingIntervalMs * keepAlives,
    lifetimeMs: publishingIntervalMs * lifetimes,
  };
}

// Some servers return unusable values; the requested ones are assumed then.
function usable(given: number, asked: number): number {
  return Number.isFinite(given) && given > 0 ? given : asked;
}
