import type { AuditDetail, AuditMethod } from './audit-event.ts';
import type { AuditEventName, AuditOutcome } from '../../interface/security/audit-event.ts';

/** Audit facts about an operation beyond its request and response status. */
export interface AuditAnnotation {
  /** Event that replaces the usual one of the endpoint, for example for a replayed token. */
  readonly event?: AuditEventName | undefined;
  /** Outcome of a response below 400 that is nevertheless a failure. */
  readonly outcome?: AuditOutcome | undefined;
  /** True if the operation failed as a whole but took effect in part. */
  readonly hasEffect?: boolean | undefined;
  readonly method?: AuditMethod | undefined;
  /** Name given by the client. Stored if an identity has this name; otherwise only its digest is stored. */
  readonly claimedName?: string | undefined;
  /** One event is recorded for each element; absent: one event. */
  readonly details?: readonly AuditDetail[] | undefined;
}
