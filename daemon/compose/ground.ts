import type { AuditLog } from '../audit/audit-log.ts';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { Store } from '../base/store.ts';

/** What every part stands on. */
export interface Ground {
  readonly store: Store;
  readonly audit: Pick<AuditLog, 'record'>;
  readonly dataDirectory: string;
  readonly logger: Logger;
  readonly clock: Clock;
}
