import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  DETAIL_ENTRIES,
  DETAIL_TEXT_LENGTH,
  toAuditEvent,
} from '../../../../daemon/security/audit/audit-event.ts';

const hostile = '\r\n\u001b[2J\u202e'.repeat(200_000);

test('toAuditEvent omits undefined fields and a detail without entries', () => {
  const event = toAuditEvent({ event: 'LOGIN', outcome: 'SUCCESS', identity: undefined, detail: {} }, 5);
  assert.deepEqual(event, { timeMs: 5, event: 'LOGIN', outcome: 'SUCCESS' });
});

test('toAuditEvent makes every text safe and short, whatever the input', () => {
  const event = toAuditEvent(
    {
      event: 'ACCESS_REFUSED',
      outcome: 'FAILURE',
      identity: hostile,
      address: hostile,
      requestId: hostile,
      target: hostile,
      detail: { [hostile]: hostile },
    },
    5,
  );
  const { identity, address, requestId, target, detail = {} } = event;
  const [[key, value] = []] = Object.entries(detail);
  for (const text of [identity, address, requestId, target, key, value]) {
    assert.match(String(text), /^[\u0020-\u007e…]{1,512}$/);
  }
});

test('toAuditEvent keeps numbers and booleans, and writes numbers that JSON cannot represent as text', () => {
  const detail = { count: 3, isNew: true, ratio: NaN, top: -Infinity };
  assert.deepEqual(toAuditEvent({ event: 'LOGIN', outcome: 'SUCCESS', detail }, 5).detail, {
    count: 3,
    isNew: true,
    ratio: 'NaN',
    top: '-Infinity',
  });
});

test('toAuditEvent bounds the number and the length of the entries of the detail', () => {
  const entries = Array.from({ length: 5000 }, (_, index) => [`key ${index}`, 'x'.repeat(5000)]);
  const { detail = {} } = toAuditEvent(
    { event: 'LOGIN', outcome: 'SUCCESS', detail: Object.fromEntries(entries) as Record<string, string> },
    5,
  );
  assert.equal(Object.keys(detail).length, DETAIL_ENTRIES);
  assert.ok(Object.values(detail).every((value) => String(value).length === DETAIL_TEXT_LENGTH));
});

const reason = (name: string) => ({ code: 'UNREADABLE', parameters: { name, ms: 5 }, message: 'in English' });

test('toAuditEvent stores sentences as JSON text, without the English ones', () => {
  const detail = { reasons: [reason('boiler')] };
  assert.deepEqual(toAuditEvent({ event: 'LOGIN', outcome: 'SUCCESS', detail }, 5).detail, {
    reasons: '[{"code":"UNREADABLE","parameters":{"name":"boiler","ms":5}}]',
  });
});

test('toAuditEvent makes the values of sentences safe and short, and omits what is too long to stay JSON', () => {
  const few = { reasons: [reason(hostile)] };
  const { reasons } = toAuditEvent({ event: 'LOGIN', outcome: 'SUCCESS', detail: few }, 5).detail ?? {};
  assert.match(String(reasons), /^[\u0020-\u007e…]+$/);
  const [{ parameters }] = JSON.parse(String(reasons)) as [{ parameters: { name: string } }];
  assert.match(parameters.name, /^[\u0020-\u007e]{63}…$/);
  const many = { reasons: Array.from({ length: 50 }, () => reason('boiler')), kept: 1 };
  assert.deepEqual(toAuditEvent({ event: 'LOGIN', outcome: 'SUCCESS', detail: many }, 5).detail, { kept: 1 });
});

test('toAuditEvent treats a key that is a property of every object like any other', () => {
  const detail = JSON.parse('{"__proto__":"x"}') as Record<string, string>;
  const bounded = toAuditEvent({ event: 'LOGIN', outcome: 'SUCCESS', detail }, 5).detail;
  assert.equal(JSON.stringify(bounded), '{"__proto__":"x"}');
});
