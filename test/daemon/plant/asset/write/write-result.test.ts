import assert from 'node:assert/strict';
import { test } from 'node:test';

import { toWriteRecord } from '../../../../../daemon/plant/asset/write/write-result.ts';
import { createChannel } from '../channel-fixture.ts';

test('what a device returned for a write is its value, with the one that was requested', () => {
  const channel = createChannel({ name: 'load', type: 'WRITE', valueType: 'STRING' });
  const write = { name: 'load', valueType: 'STRING', value: '["a"]' } as const;
  const options = { channel, isDryRun: false, nowMs: 5 };
  const record = toWriteRecord(
    write,
    { outcome: { timestampMs: 3, returned: '[7]' }, sent: '["a"]' },
    options,
  );
  assert.deepEqual(record, {
    channel,
    name: 'load',
    value: '[7]',
    requested: '["a"]',
    timestampMs: 3,
    outcome: 'ACKNOWLEDGED',
  });
});
