import type { ErrorCode } from '../../../base/error-codes.ts';
import type { FaultReason } from '../../../base/fault-reason.ts';
import type { UnitStatus } from '../../../channel/driver.ts';
import type { ConnectionState } from '../../../interface/plant/drivers.ts';

/** State of a connection and its devices, for operators. */
export interface ConnectionStatus {
  readonly state: ConnectionState;
  /** Milliseconds since the epoch at which `state` began. */
  readonly sinceMs: number;
  /** Milliseconds since the epoch of the loss of the link, through all attempts; absent: connected, or never used. */
  readonly lostSinceMs?: number | undefined;
  readonly lastError?: string | undefined;
  readonly lastErrorCode?: ErrorCode | undefined;
  /** Its sentences with their codes; absent: one has none. */
  readonly lastErrorReasons?: readonly FaultReason[] | undefined;
  readonly lastErrorAtMs?: number | undefined;
  /** Milliseconds since the epoch before which no further attempt is made. */
  readonly nextAttemptAtMs?: number | undefined;
  readonly counters: Readonly<Record<string, number>>;
  readonly units: readonly UnitStatus[];
}
