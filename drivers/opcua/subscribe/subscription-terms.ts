import { isDeepStrictEqual } from 'node:util';
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

/** Requested terms, and those that the server gave. */
export interface ComparedTerms {
  readonly asked: SubscriptionTerms;
  readonly given: SubscriptionTerms;
}

/** Parameters of a request; the server counts times in publishing intervals. */
type RequestedTerms = Required<
  Pick<
    CreateSubscriptionRequestOptions,
    'requestedPublishingInterval' | 'requestedMaxKeepAliveCount' | 'requestedLifetimeCount'
  >
>;

type RevisedTerms = Pick<
  CreateSubscriptionResponse,
  'revisedPublishingInterval' | 'revisedMaxKeepAliveCount' | 'revisedLifetimeCount'
>;

/** Returns the publishing interval for a subscriber. */
export function findInterval(
  { publishingIntervalMs }: OpcuaConfig,
  { minimumIntervalMs }: { readonly minimumIntervalMs: number },
): number {
  return publishingIntervalMs ?? minimumIntervalMs;
}

/** Returns the request parameters. */
export function toSubscriptionRequest(config: OpcuaConfig, minimumIntervalMs: number): RequestedTerms {
  const intervalMs = findInterval(config, { minimumIntervalMs });
  const keepAliveCount = Math.max(1, Math.ceil(config.keepAliveMs / Math.max(1, intervalMs)));
  return {
    requestedPublishingInterval: intervalMs,
    requestedMaxKeepAliveCount: keepAliveCount,
    requestedLifetimeCount: LIFETIME_FACTOR * keepAliveCount,
  };
}

/** Returns the requested intervals. */
export function toTerms(requested: RequestedTerms): SubscriptionTerms {
  const { requestedPublishingInterval, requestedMaxKeepAliveCount, requestedLifetimeCount } = requested;
  return countTerms(requestedPublishingInterval, requestedMaxKeepAliveCount, requestedLifetimeCount);
}

/** Returns the requested and the revised intervals; the revised ones apply. */
export function compareTerms(asked: RequestedTerms, given: RevisedTerms): ComparedTerms {
  return {
    asked: toTerms(asked),
    given: countTerms(
      usable(given.revisedPublishingInterval, asked.requestedPublishingInterval),
      usable(given.revisedMaxKeepAliveCount, asked.requestedMaxKeepAliveCount),
      usable(given.revisedLifetimeCount, asked.requestedLifetimeCount),
    ),
  };
}

/** True if the server gave other terms than requested. */
export function isRevised({ asked, given }: ComparedTerms): boolean {
  return !isDeepStrictEqual(asked, given);
}

/**
 * True if a server ignored a change of the publishing interval: it gave all previous intervals again. One that is at its shortest
 * interval gives other keep-alive times, which depend on it, or had revised the previous interval.
 */
export function isIgnored(previous: ComparedTerms, present: ComparedTerms): boolean {
  const previousMs = previous.given.publishingIntervalMs;
  return (
    previous.asked.publishingIntervalMs === previousMs &&
    present.asked.publishingIntervalMs !== previousMs &&
    isDeepStrictEqual(previous.given, present.given)
  );
}

/** Returns the longer interval of each kind. */
export function toLongerTerms(one: SubscriptionTerms, other: SubscriptionTerms): SubscriptionTerms {
  return {
    publishingIntervalMs: Math.max(one.publishingIntervalMs, other.publishingIntervalMs),
    keepAliveMs: Math.max(one.keepAliveMs, other.keepAliveMs),
    lifetimeMs: Math.max(one.lifetimeMs, other.lifetimeMs),
  };
}

function countTerms(publishingIntervalMs: number, keepAlives: number, lifetimes: number): SubscriptionTerms {
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
