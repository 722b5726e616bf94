import type { FaultReason } from '../../base/fault-reason.ts';
import type { AuditEventName, AuditOutcome } from '../../interface/security/audit-event.ts';
import { toSafeText } from './safe-text.ts';

/** Authentication method of a successful or failed attempt; `local` is the local socket. */
export type AuditMethod =
  | 'password'
  | 'certificate'
  | 'basic'
  | 'session'
  | 'bearer'
  | 'custom'
  | 'bundle'
  | 'provisioning'
  | 'local';

/** Additional facts, one level deep; a list has the sentences of another fact with their codes. */
export type AuditDetail = Readonly<Record<string, string | number | boolean | readonly FaultReason[]>>;

/** Facts as stored: sentences are JSON text. */
export type StoredAuditDetail = Readonly<Record<string, string | number | boolean>>;

/** Kind of event: unit of counting, rate limiting and retention. */
export interface AuditKind {
  readonly event: AuditEventName;
  readonly outcome: AuditOutcome;
}

/** An event to record, without its time. Never contains a password, token, cookie or key. */
export interface AuditReport extends AuditKind {
  /** Acting identity; for a FAILURE possibly the claimed one, but always the name of an existing identity. */
  readonly identity?: string | undefined;
  readonly method?: AuditMethod | undefined;
  /** Client address. */
  readonly address?: string | undefined;
  /** Request id, as in the response and the log. */
  readonly requestId?: string | undefined;
  /** Object of the event: path of the endpoint without query, or the name of a resource. */
  readonly target?: string | undefined;
  readonly detail?: AuditDetail | undefined;
  /** True for a FAILURE that took effect in part; it is recorded like a success. Not stored. */
  readonly hasEffect?: boolean | undefined;
}

/** An event in the bounded form in which it is stored. */
export interface AuditEvent extends Omit<AuditReport, 'hasEffect' | 'detail'> {
  readonly detail?: StoredAuditDetail | undefined;
  /** Milliseconds since the epoch. */
  readonly timeMs: number;
}

/** Events on which no response depends, so that they can wait for the flush interval. */
export const DEFERRABLE: ReadonlySet<AuditEventName> = new Set([
  'ACCESS_REFUSED',
  'LOCAL_ACCESS',
  'EVENTS_SUPPRESSED',
  'EVENTS_LOST',
  'AUDIT_BROKEN',
]);

/** Levels of events in the log; default: info. Token reuse means theft or a broken client; a broken chain means that the store was manipulated. */
export const LEVELS: ReadonlyMap<AuditEventName, 'warn' | 'error'> = new Map([
  ['TOKEN_REPLAYED', 'warn'],
  ['EVENTS_LOST', 'warn'],
  ['AUDIT_BROKEN', 'error'],
]);

/** Maximum UTF-16 units of a name: 255 characters of an identity name. */
export const IDENTITY_LENGTH = 512;
/** Maximum UTF-16 units of a detail value. */
export const DETAIL_TEXT_LENGTH = 200;
/** Maximum detail entries; the rest is dropped. Fits sixteen channels of a write with their previous values. */
export const DETAIL_ENTRIES = 40;

/** Maximum UTF-16 units of sentences as JSON; longer ones are left out, because a truncated text is not JSON. */
const REASONS_LENGTH = 400;

// Of one value in a sentence.
const PARAMETER_LENGTH = 64;
const DETAIL_KEY_LENGTH = 64;
const TARGET_LENGTH = 256;
// Longer than an IPv6 address with zone and than a request id.
const SHORT_TEXT_LENGTH = 64;

/**
 * Adds the time to a report and makes its texts safe to store and print, see `toSafeText`.
 *
 * @returns an event of a few kilobytes at most, without undefined fields and without an empty detail
 */
export function toAuditEvent(report: AuditReport, timeMs: number): AuditEvent {
  const { event, outcome, identity, method, address, requestId, target, detail } = report;
  return {
    timeMs,
    event,
    outcome,
    ...(identity === undefined ? {} : { identity: toSafeText(identity, IDENTITY_LENGTH) }),
    ...(method === undefined ? {} : { method }),
    ...(address === undefined ? {} : { address: toSafeText(address, SHORT_TEXT_LENGTH) }),
    ...(requestId === undefined ? {} : { requestId: toSafeText(requestId, SHORT_TEXT_LENGTH) }),
    ...(target === undefined ? {} : { target: toSafeText(target, TARGET_LENGTH) }),
    ...(detail === undefined || Object.keys(detail).length === 0 ? {} : { detail: boundDetail(detail) }),
  };
}

function boundDetail(detail: AuditDetail): StoredAuditDetail {
  const entries = Object.entries(detail).slice(0, DETAIL_ENTRIES);
  return Object.fromEntries(
    entries.flatMap(([key, value]) => {
      const bounded = typeof value === 'object' ? renderReasons(value) : boundValue(value);
      return bounded === undefined ? [] : [[toSafeText(key, DETAIL_KEY_LENGTH), bounded] as const];
    }),
  );
}

function boundValue(value: string | number | boolean): string | number | boolean {
  // JSON has no NaN and no infinities.
  return typeof value === 'string' || (typeof value === 'number' && !Number.isFinite(value))
    ? toSafeText(String(value), DETAIL_TEXT_LENGTH)
    : value;
}

/** Renders sentences as JSON text whose values are safe texts; undefined if it is too long. */
function renderReasons(reasons: readonly FaultReason[]): string | undefined {
  const shown = reasons.map(({ code, parameters }) => ({ code, parameters: boundParameters(parameters) }));
  const text = JSON.stringify(shown);
  return text.length <= REASONS_LENGTH ? text : undefined;
}

function boundParameters(parameters: FaultReason['parameters']): FaultReason['parameters'] {
  const bound = (text: string): string => toSafeText(text, PARAMETER_LENGTH);
  const entries = Object.entries(parameters).map(([name, value]) => {
    const bounded =
      typeof value === 'object' ? value.map(bound) : typeof value === 'string' ? bound(value) : value;
    return [name, bounded] as const;
  });
  return Object.fromEntries(entries);
}
