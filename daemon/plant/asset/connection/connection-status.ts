import type { UnitStatus } from '../../../channel/driver.ts';
import type { ConnectionState } from '../../../interface/plant/drivers.ts';

/** State of a connection and the devices behind it, for operators. */
export interface ConnectionStatus {
  readonly state: ConnectionState;
  /** Milliseconds since the epoch at which `state` began. */
  readonly sinceMs: number;
  /** Milliseconds since the epoch since when there is no link, through all attempts; absent: there is one, or nobody asked. */
  readonly lostSinceMs?: number | undefined;
  readonly lastError?: string | undefined;
  readonly lastErrorAtMs?: number | undefined;
  /** Milliseconds since the epoch before which no further attempt is made. */
  readonly nextAttemptAtMs?: number | undefined;
  readonly counters: Readonly<Record<string, number>>;
  readonly units: readonly UnitStatus[];
}
