import type { AuditEventName, AuditOutcome } from '../../interface/security/audit-event.ts';
import { toSafeText } from './safe-text.ts';

/** How somebody proved, or tried to prove, who they are; `local` is the socket on the machine itself. */
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

/** Further facts, one level deep. */
export type AuditDetail = Readonly<Record<string, string | number | boolean>>;

/** Events of one kind are counted, limited and trimmed together. */
export interface AuditKind {
  readonly event: AuditEventName;
  readonly outcome: AuditOutcome;
}

/** Something that happened, without its time. Never holds a password, token, cookie or key. */
export interface AuditReport extends AuditKind {
  /** Who did it; of a FAILURE possibly only who was claimed to, but always the name of an identity. */
  readonly identity?: string | undefined;
  readonly method?: AuditMethod | undefined;
  /** Address of the client. */
  readonly address?: string | undefined;
  /** The id that the answer and the log carry. */
  readonly requestId?: string | undefined;
  /** The object of the event: path of the endpoint, without query, or the name of a thing. */
  readonly target?: string | undefined;
  readonly detail?: AuditDetail | undefined;
  /** A FAILURE part of which was done all the same: it is recorded like a success. Not stored. */
  readonly hasEffect?: boolean | undefined;
}

/** Something that happened, in the bounded form in which it is kept. */
export interface AuditEvent extends Omit<AuditReport, 'hasEffect'> {
  /** Milliseconds since the epoch. */
  readonly timeMs: number;
}

/** UTF-16 units of a name: room for the 255 characters of an identity. */
export const IDENTITY_LENGTH = 512;
/** UTF-16 units of a value in the detail. */
export const DETAIL_TEXT_LENGTH = 200;
/** Entries of a detail; those beyond are left out. Room for sixteen channels of a write with the values before. */
export const DETAIL_ENTRIES = 40;

const DETAIL_KEY_LENGTH = 64;
const TARGET_LENGTH = 256;
// IPv6 with a zone, and an id of our own, are shorter.
const SHORT_TEXT_LENGTH = 64;

/**
 * Sets the time of an event and makes all of its text safe to store and print, see `toSafeText`.
 *
 * @returns an event of a few kilobytes at most, whatever the report holds; fields that are undefined, and an empty detail, are left out
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

function boundDetail(detail: AuditDetail): AuditDetail {
  const entries = Object.entries(detail).slice(0, DETAIL_ENTRIES);
  return Object.fromEntries(
    entries.map(([key, value]) => [
      toSafeText(key, DETAIL_KEY_LENGTH),
      // JSON has no NaN and no infinities.
      typeof value === 'string' || (typeof value === 'number' && !Number.isFinite(value))
        ? toSafeText(String(value), DETAIL_TEXT_LENGTH)
        : value,
    ]),
  );
}
