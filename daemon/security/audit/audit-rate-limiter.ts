import type { Clock } from '../../base/clock.ts';
import { networkOf } from '../../base/network/network-address.ts';
import type { AuditKind, AuditReport } from './audit-event.ts';

/** Average rate of individually recorded events of one source. */
export const EVENTS_PER_SECOND = 10;
/** Burst of individually recorded events: a large write is several events. */
export const BURST = 100;
/** Maximum addresses tracked for one identity; the rest share one bucket. */
export const MAXIMUM_ADDRESSES = 32;
/** Maximum tracked identities; the rest share one bucket. */
export const MAXIMUM_IDENTITIES = 1000;

/** Source of events; both absent: the shared bucket. */
interface AuditSource {
  readonly identity?: string | undefined;
  /** IPv4 address, or the /64 of an IPv6 address. */
  readonly address?: string | undefined;
}

/** Count of suppressed events of one kind and source. */
interface Suppressed extends AuditKind, AuditSource {
  readonly count: number;
  /** Times of the first and the last one, in milliseconds since the epoch. */
  readonly fromMs: number;
  readonly toMs: number;
}

interface Bucket extends AuditSource {
  tokens: number;
  refilledAtMs: number;
  /** By event and outcome. */
  readonly suppressed: Map<string, Suppressed>;
}

interface Addresses {
  readonly buckets: Map<string, Bucket>;
  readonly others: Bucket;
}

/**
 * Rate limiter with a token bucket for each identity and address; counts the events that it suppresses.
 *
 * Successful operations are always recorded. Refusals and failures beyond the rate limit of their source are only counted.
 * Events without identity have a separate set of addresses, so that unauthenticated clients with many addresses
 * cannot affect authenticated ones.
 */
export class AuditRateLimiter {
  readonly #clock: Clock;
  readonly #identities = new Map<string, Addresses>();
  readonly #others: Addresses = { buckets: new Map(), others: createBucket({}) };

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns true if the event must be recorded; otherwise counts it. */
  admit(report: AuditReport): boolean {
    if (isAlwaysRecorded(report)) return true;
    const bucket = this.#refill(this.#findBucket(report));
    if (bucket.tokens >= 1) {
      bucket.tokens -= 1;
      return true;
    }
    countSuppressed(bucket, report, this.#clock.epochMs());
    return false;
  }

  /** Returns and resets the counts since the last call; drops idle sources. */
  takeSuppressed(): readonly Suppressed[] {
    const taken: Suppressed[] = [];
    for (const { buckets, others } of [...this.#identities.values(), this.#others]) {
      for (const { suppressed } of [...buckets.values(), others]) {
        taken.push(...suppressed.values());
        suppressed.clear();
      }
    }
    this.#forgetQuiet();
    return taken;
  }

  #findBucket({ identity, address }: AuditSource): Bucket {
    const { buckets, others } = this.#findAddresses(identity);
    const network = address === undefined ? '' : toNetwork(address);
    const existing = buckets.get(network);
    if (existing !== undefined) return existing;
    if (buckets.size >= MAXIMUM_ADDRESSES) this.#forgetQuiet();
    if (buckets.size >= MAXIMUM_ADDRESSES) return others;
    const bucket = createBucket({ identity, address: address === undefined ? undefined : network });
    buckets.set(network, bucket);
    return bucket;
  }

  #findAddresses(identity = ''): Addresses {
    const existing = this.#identities.get(identity);
    if (existing !== undefined) return existing;
    if (this.#identities.size >= MAXIMUM_IDENTITIES) this.#forgetQuiet();
    if (this.#identities.size >= MAXIMUM_IDENTITIES) return this.#others;
    const others = createBucket({ identity: identity === '' ? undefined : identity });
    const addresses = { buckets: new Map<string, Bucket>(), others };
    this.#identities.set(identity, addresses);
    return addresses;
  }

  /** Drops full buckets: a new bucket would be identical. */
  #forgetQuiet(): void {
    const isQuiet = (bucket: Bucket): boolean =>
      this.#refill(bucket).tokens >= BURST && bucket.suppressed.size === 0;
    for (const addresses of [...this.#identities.values(), this.#others]) {
      for (const [network, bucket] of addresses.buckets)
        if (isQuiet(bucket)) addresses.buckets.delete(network);
    }
    for (const [identity, { buckets, others }] of this.#identities) {
      if (buckets.size === 0 && isQuiet(others)) this.#identities.delete(identity);
    }
  }

  #refill(bucket: Bucket): Bucket {
    const nowMs = this.#clock.monotonicMs();
    const added = Math.max(0, (nowMs - bucket.refilledAtMs) * EVENTS_PER_SECOND) / 1000;
    bucket.tokens = Math.min(BURST, bucket.tokens + added);
    bucket.refilledAtMs = nowMs;
    return bucket;
  }
}

/** Returns true if the event reports an effect and is exempt from the limit. */
function isAlwaysRecorded({ event, outcome, hasEffect }: AuditReport): boolean {
  // Requests over the local socket change nothing, unless they have an event of their own.
  return hasEffect === true || (outcome === 'SUCCESS' && event !== 'LOCAL_ACCESS');
}

function countSuppressed(bucket: Bucket, { event, outcome }: AuditKind, nowMs: number): void {
  const key = `${event} ${outcome}`;
  const { identity, address, suppressed } = bucket;
  const { count, fromMs } = suppressed.get(key) ?? { count: 0, fromMs: nowMs };
  suppressed.set(key, { event, outcome, identity, address, count: count + 1, fromMs, toMs: nowMs });
}

function createBucket({ identity, address }: AuditSource): Bucket {
  return { identity, address, tokens: BURST, refilledAtMs: -Infinity, suppressed: new Map() };
}

/** Returns the network of an address, or the address itself if it has none, such as the local socket. */
function toNetwork(address: string): string {
  const network = networkOf(address);
  return network === 'unknown' ? address : network;
}
