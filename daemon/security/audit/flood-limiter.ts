import type { Clock } from '../../base/clock.ts';
import { networkOf } from '../../base/network/network-address.ts';
import type { AuditKind, AuditReport } from './audit-event.ts';

/** Suppressible events of one source that are recorded one by one, per second in the long run. */
export const EVENTS_PER_SECOND = 10;
/** Suppressible events that are recorded when they come at once: a large write is several events. */
export const BURST = 100;
/** Addresses of one identity that are told apart at a time; those beyond count together. */
export const MAXIMUM_ADDRESSES = 32;
/** Identities that are told apart at a time; those beyond count together. */
export const MAXIMUM_IDENTITIES = 1000;

/** Who events come from; both absent: from more than are told apart. */
interface AuditSource {
  readonly identity?: string | undefined;
  /** An IPv4 address, or the /64 of an IPv6 address. */
  readonly address?: string | undefined;
}

/** How many events of a kind from a source were not recorded one by one. */
interface Suppressed extends AuditKind, AuditSource {
  readonly count: number;
  /** Milliseconds since the epoch of the first and of the last one. */
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
 * Decides which events are recorded and counts the others: a token bucket for each identity and address.
 *
 * What was done is always recorded; so are things that no client can repeat at will. What was refused or has failed is
 * counted beyond the bound of its source. Events without identity share the addresses of nobody: strangers with many
 * addresses take no room from anybody who is known.
 */
export class FloodLimiter {
  readonly #clock: Clock;
  readonly #identities = new Map<string, Addresses>();
  readonly #others: Addresses = { buckets: new Map(), others: createBucket({}) };

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether the event is to be recorded; when not, it has been counted. */
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

  /** Returns the counts since the last call, starts again from zero, and forgets sources that are quiet. */
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
    const present = buckets.get(network);
    if (present !== undefined) return present;
    if (buckets.size >= MAXIMUM_ADDRESSES) this.#forgetQuiet();
    if (buckets.size >= MAXIMUM_ADDRESSES) return others;
    const bucket = createBucket({ identity, address: address === undefined ? undefined : network });
    buckets.set(network, bucket);
    return bucket;
  }

  #findAddresses(identity = ''): Addresses {
    const present = this.#identities.get(identity);
    if (present !== undefined) return present;
    if (this.#identities.size >= MAXIMUM_IDENTITIES) this.#forgetQuiet();
    if (this.#identities.size >= MAXIMUM_IDENTITIES) return this.#others;
    const others = createBucket({ identity: identity === '' ? undefined : identity });
    const addresses = { buckets: new Map<string, Bucket>(), others };
    this.#identities.set(identity, addresses);
    return addresses;
  }

  /** Forgets those whose bucket is full again: a new one would be the same. */
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

/** Whether an answer promised what the event tells, so that it is recorded whatever else comes from there. */
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

/** The socket on the machine itself has no network. */
function toNetwork(address: string): string {
  const network = networkOf(address);
  return network === 'unknown' ? address : network;
}
