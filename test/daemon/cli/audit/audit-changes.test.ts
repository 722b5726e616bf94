import assert from 'node:assert/strict';
import { test } from 'node:test';

import { formatEventChanges } from '../../../../daemon/cli/audit/audit-changes.ts';

test('formatEventChanges writes old and new value of each change in one line', () => {
  const detail = {
    changes: 3,
    'path[0]': 'rest.basicAuthenticationEnabled',
    'old[0]': 'false',
    'new[0]': 'true',
    'path[1]': 'drivers/plc',
    'new[1]': '{"pid":"plc"}',
    'path[2]': 'drivers/opc/password',
    'secret[2]': 'changed',
  };
  assert.equal(
    formatEventChanges(detail),
    [
      '    changes: 3',
      '    rest.basicAuthenticationEnabled: false -> true',
      '    drivers/plc: absent -> {"pid":"plc"}',
      '    drivers/opc/password: secret changed',
      '',
    ].join('\n'),
  );
});

test('formatEventChanges writes the former value of a channel behind the one that was written', () => {
  const detail = {
    asset: 'boiler',
    'channels[0]': 'SUCCESS setpoint 21.5',
    'before[0]': '20 at 2026-03-01T08:00:00.000Z',
    'channels[1]': 'FAILURE CONDITION_NOT_MET pump true',
    'condition[1]': 'boiler/level is 3, and has to be above 5',
    'reasons[1]': '[]',
    reasons: '[]',
  };
  assert.equal(
    formatEventChanges(detail),
    [
      '    asset: boiler',
      '    SUCCESS setpoint 21.5, before 20 at 2026-03-01T08:00:00.000Z',
      '    FAILURE CONDITION_NOT_MET pump true, boiler/level is 3, and has to be above 5',
      '',
    ].join('\n'),
  );
});

test('formatEventChanges makes control characters visible', () => {
  assert.equal(formatEventChanges({ code: 'a\u001B[2J' }).includes('\u001B'), false);
});

test('formatEventChanges gives nothing for an event without detail', () => {
  assert.equal(formatEventChanges(), '');
});
