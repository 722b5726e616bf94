import assert from 'node:assert/strict';
import { test } from 'node:test';

import { formatSyslogMessage } from '../../../../daemon/security/audit/syslog-message.ts';

const event = { time: 1_767_225_600_123, event: 'LOGIN', outcome: 'FAILURE' };

test('an event is a message of RFC 5424, with its hash as structured data and its text after a byte order mark', () => {
  const text = '{"id":1,"identity":"Süd"}';
  assert.equal(
    formatSyslogMessage(event, { hostname: 'gateway', text, hash: 'ab' }),
    `<109>1 2026-01-01T00:00:00.123Z gateway penstock - LOGIN [audit@32473 hash="ab"] \uFEFF${text}`,
  );
  const done = formatSyslogMessage({ ...event, outcome: 'SUCCESS' }, { hostname: 'gateway', text });
  assert.equal(done, `<110>1 2026-01-01T00:00:00.123Z gateway penstock - LOGIN - \uFEFF${text}`);
});

test('a hostname that the format does not allow is left out', () => {
  assert.match(formatSyslogMessage(event, { hostname: 'a b\nü', text: '{}' }), /Z ab penstock /);
  assert.match(formatSyslogMessage(event, { hostname: '', text: '{}' }), /Z - penstock /);
});
