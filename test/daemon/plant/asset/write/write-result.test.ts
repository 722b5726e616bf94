import assert from 'node:assert/strict';
import { test } from 'node:test';

import { resolveReadBack, toWriteRecord } from '../../../../../daemon/plant/asset/write/write-result.ts';
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

test('a write that replaced a whole structure says so, also when it was read back', () => {
  const channel = createChannel();
  const write = { name: 'level', valueType: 'INTEGER', value: 7 } as const;
  const outcome = { timestampMs: 3, isWholeStructure: true } as const;
  const record = toWriteRecord(write, { outcome, sent: 7 }, { channel, isDryRun: false, nowMs: 5 });
  assert.equal(record.isWholeStructure, true);
  const found = { isAsWritten: true, isCutShort: false, value: 7, timestampMs: 4 } as const;
  const prepared = { channel } as Parameters<typeof resolveReadBack>[0];
  assert.deepEqual(resolveReadBack(prepared, outcome, found).outcome, {
    timestampMs: 4,
    isWholeStructure: true,
  });
});
