import type { AuditEventName } from '../../interface/security/audit-event.ts';

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
