import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GatewayError } from '../../../daemon/base/errors.ts';
import { createUnknownOutcome, toFailure } from '../../../daemon/channel/call-failure.ts';

const signal = new AbortController().signal;

test('toFailure shows the code and the detail of a gateway error', () => {
  const error = new GatewayError({ code: 'DRIVER_FAULT', detail: 'unit 7 is silent' });
  assert.deepEqual(toFailure(error, signal), { code: 'DRIVER_FAULT', message: 'unit 7 is silent' });
});

test('toFailure shows DEADLINE_EXCEEDED once the signal has aborted, whatever was thrown', () => {
  const aborted = AbortSignal.abort(new Error('no time left'));
  for (const thrown of [
    new GatewayError({ code: 'DRIVER_FAULT', detail: 'x' }),
    new TypeError('x'),
    undefined,
  ]) {
    assert.deepEqual(toFailure(thrown, aborted), { code: 'DEADLINE_EXCEEDED', message: 'no time left' });
  }
});

test('toFailure throws anything that is not a gateway error', () => {
  const defect = new TypeError('a defect');
  assert.throws(() => toFailure(defect, signal), defect);
});

test('createUnknownOutcome reports that the outcome is unknown', () => {
  assert.deepEqual(createUnknownOutcome('DRIVER_FAULT', 'no answer'), {
    code: 'DRIVER_FAULT',
    message: 'no answer; outcome unknown',
  });
});
