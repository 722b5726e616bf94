import assert from 'node:assert/strict';
import { test } from 'node:test';

import { redactCurrentValue } from '../../../../daemon/plant/access/redact-write-record.ts';
import { findRateFailure, findStepFailure } from '../../../../daemon/plant/asset/write/write-limits.ts';
import type { ChannelFailure, ChannelRecord } from '../../../../daemon/channel/channel-record.ts';

const toRecord = (failure: ChannelFailure): ChannelRecord => ({
  name: 'setpoint',
  failure,
  timestampMs: 1,
  outcome: 'NOT_SENT',
  readBack: 7341,
  asked: { valueType: 'DOUBLE', value: 1 },
});

test('who may not read a channel is not told how far its value is from the one to be written', () => {
  const current = 7341;
  const earlier = { value: current, elapsedMs: 1000 };
  const failures = [
    findStepFailure({ maximumStep: 5 }, 1, current),
    findRateFailure({ maximumChangePerSecond: 1 }, 1, { current, earlier }),
    { code: 'WRITE_VALUE_CHANGED', message: 'the current value is 7341, not 3' },
  ] as const;
  for (const failure of failures) {
    assert.ok(failure !== undefined);
    const redacted = redactCurrentValue(toRecord(failure));
    assert.equal(redacted.failure?.code, failure.code);
    assert.equal(redacted.outcome, 'NOT_SENT');
    assert.doesNotMatch(JSON.stringify(redacted), /73\d\d/);
  }
});

test('a failure that tells nothing of the value stays as it is', () => {
  const failure = { code: 'WRITE_LIMIT_EXCEEDED', message: '3000 is above the maximum 80' } as const;
  assert.deepEqual(redactCurrentValue(toRecord(failure)).failure, failure);
});
