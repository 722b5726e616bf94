import { formatLocalTime } from '../terminal/local-time.ts';
import type { Finding } from '../machine-checks.ts';
import { BACKUP_UNITS } from './service-status.ts';
import type { ServiceStatus } from './service-status.ts';

const [SERVICE, TIMER] = BACKUP_UNITS;
const CHECK = 'backup';
const AGAIN = `then: systemctl start ${SERVICE}`;

/** Checks the daily backup if its timer is enabled, and the outcome of the last one. */
export function checkBackup({ units }: ServiceStatus): readonly Finding[] {
  const service = units?.get(SERVICE) ?? {};
  const timer = units?.get(TIMER) ?? {};
  const find = (detail: string, advice: string): readonly Finding[] => [
    { check: CHECK, state: 'WRONG', detail, advice },
  ];
  const { ActiveState = '', Result = '', ConditionResult = '', ExecMainExitTimestamp = '' } = service;
  const ended = toTime(ExecMainExitTimestamp);
  if (ActiveState === 'failed') {
    const status = Result === 'exit-code' ? `exit status ${service['ExecMainStatus']}` : Result;
    const time = ended === undefined ? '' : ` at ${ended}`;
    return find(`the last backup failed${time}: ${status}`, `journalctl -u ${SERVICE}; ${AGAIN}`);
  }
  if (timer['UnitFileState'] !== 'enabled') return [];
  if (timer['ActiveState'] !== 'active') {
    return find(`${TIMER} is enabled but not active`, `systemctl start ${TIMER}`);
  }
  // It was due, but its passphrase file was missing.
  if (ConditionResult === 'no' && toTime(service['ConditionTimestamp'] ?? '') !== undefined) {
    const file = '/etc/credstore/penstock-backup.passphrase';
    return find(
      `no backup is made: ${file} does not exist`,
      `create it (docs: how-to/back-up-and-restore.md), ${AGAIN}`,
    );
  }
  const detail = ended === undefined ? 'daily; none due yet' : `daily; the last one ended at ${ended}`;
  return [{ check: CHECK, state: 'GOOD', detail }];
}

/** Undefined if it has not happened yet. */
function toTime(timestamp: string): string | undefined {
  const seconds = Number(timestamp.replace('@', ''));
  return seconds > 0 ? formatLocalTime(seconds * 1000) : undefined;
}
