import type { AuditDetail, AuditEventName, AuditMethod, AuditOutcome } from './audit-event.ts';

/** What an operation knows about itself that the request and the status of its answer do not tell. */
export interface AuditNote {
  /** What happened, where it is not what the endpoint is for: a token that was used again, for example. */
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
