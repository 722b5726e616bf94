import assert from 'node:assert/strict';
import { test } from 'node:test';

import { checkBackup } from '../../../../daemon/cli/doctor/check-backup.ts';
import type { UnitProperties } from '../../../../daemon/cli/doctor/service-status.ts';

const ENABLED = { UnitFileState: 'enabled', ActiveState: 'active' };
const ENDED = { ActiveState: 'inactive', Result: 'success', ExecMainExitTimestamp: '@1800000000' };

function check(service: UnitProperties, timer: UnitProperties) {
  const units = new Map([
    ['penstock-backup.service', service],
    ['penstock-backup.timer', timer],
  ]);
  return checkBackup({ units, clock: undefined });
}

test('nothing is found of backups where the timer is off and none has failed', () => {
  assert.deepEqual(check(ENDED, { UnitFileState: 'disabled', ActiveState: 'inactive' }), []);
  assert.deepEqual(checkBackup({ units: undefined, clock: undefined }), []);
  assert.deepEqual(check({ LoadState: 'not-found' }, { LoadState: 'not-found' }), []);
});

test('backups that are made are well', () => {
  assert.deepEqual(
    [ENDED, { ActiveState: 'inactive', ExecMainExitTimestamp: '' }].map(
      (service) => check(service, ENABLED)[0]?.state,
    ),
    ['GOOD', 'GOOD'],
  );
});

for (const [what, service, timer, detail, advice] of [
  [
    'that failed, also without the timer',
    { ...ENDED, ActiveState: 'failed', Result: 'exit-code', ExecMainStatus: '1' },
    { UnitFileState: 'disabled', ActiveState: 'inactive' },
    /^the last backup failed at \S.*: exit status 1$/,
    'journalctl -u penstock-backup.service',
  ],
  [
    'that took too long',
    { ActiveState: 'failed', Result: 'timeout' },
    ENABLED,
    /^the last backup failed: timeout$/,
    'journalctl -u penstock-backup.service',
  ],
  [
    'of which the timer was stopped',
    ENDED,
    { UnitFileState: 'enabled', ActiveState: 'inactive' },
    /^penstock-backup\.timer is enabled but not active$/,
    'systemctl start penstock-backup.timer',
  ],
  [
    'without a passphrase',
    { ActiveState: 'inactive', ConditionResult: 'no', ConditionTimestamp: '@1800000000' },
    ENABLED,
    /^no backup is made: \/etc\/credstore\/penstock-backup\.passphrase does not exist$/,
    'systemctl start penstock-backup.service',
  ],
] as const) {
  test(`a backup ${what} is wrong`, () => {
    const [finding] = check(service, timer);
    assert.equal(finding?.state, 'WRONG');
    assert.match(finding.detail, detail);
    assert.ok(finding.advice?.includes(advice), finding.advice);
  });
}
