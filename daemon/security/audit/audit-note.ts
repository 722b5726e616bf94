import type { AuditDetail, AuditMethod } from './audit-event.ts';
import type { AuditEventName, AuditOutcome } from '../../interface/security/audit-event.ts';

/** Facts about an operation that the request and the status of its answer do not show. */
export interface AuditNote {
  /** The event, where it is not the usual one of the endpoint: a token that was used again, for example. */
  readonly event?: AuditEventName | undefined;
  /** Of an answer below 400 that is no success all the same. */
  readonly outcome?: AuditOutcome | undefined;
  /** Part of it was done, although it failed as a whole. */
  readonly hasEffect?: boolean | undefined;
  readonly method?: AuditMethod | undefined;
  /** The name that the client gave. It is stored when an identity has it, otherwise only a digest of it. */
  readonly claimedName?: string | undefined;
  /** One event is recorded for each; absent: one event. */
  readonly details?: readonly AuditDetail[] | undefined;
}
