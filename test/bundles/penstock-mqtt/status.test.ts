import assert from 'node:assert/strict';
import { test } from 'node:test';

import { LinkEnded } from '../../../bundles/mqtt/broker/broker-link.ts';
import { SenderStatus } from '../../../bundles/penstock-mqtt/status.ts';

const LEVELS = { waiting: 2, backlog: 30, heldTopics: 1 };

test('the report has the counters and levels', () => {
  const status = new SenderStatus();
  status.count('sent');
  status.count('samples', 20);
  status.setConnected('mqtt://a');
  const { state, detail, counters } = status.report(LEVELS);
  assert.deepEqual([state, detail], ['OK', 'connected to mqtt://a']);
  assert.equal(counters?.['sent'], 1);
  assert.equal(counters['samples'], 20);
  assert.equal(counters['waiting'], 2);
  assert.equal(counters['backlog'], 30);
  assert.equal(counters['refused'], 0);
});

test('settings come before the connection, the connection before recorders, and these before commands', () => {
  const status = new SenderStatus();
  const look = (): string => `${status.report(LEVELS).state} ${status.report(LEVELS).detail}`;
  status.setConnected('mqtt://a');
  status.setCommandFault('commands refused');
  assert.equal(look(), 'ERROR commands refused');
  status.hold('fast', 'not authorized', 1500);
  assert.equal(look(), 'ERROR recorder "fast": not authorized; again in 2 s');
  status.hold('slow', 'not authorized', 1500);
  assert.match(look(), /\(and 1 more\)$/);
  status.setDisconnected('mqtt://a: connection refused', false, 4200);
  assert.equal(look(), 'WARNING mqtt://a: connection refused; next attempt in 5 s');
  status.setSettingsFault('topic: empty');
  assert.equal(look(), 'ERROR topic: empty');
  status.setSettingsFault(undefined);
  status.setConnected('mqtt://a');
  status.release('fast');
  status.release('slow');
  status.setCommandFault(undefined);
  assert.equal(look(), 'OK connected to mqtt://a');
});

test('a connection that is refused until something is corrected is an error', () => {
  const status = new SenderStatus();
  status.setDisconnected('not authorized', true, 1000);
  assert.equal(status.report(LEVELS).state, 'ERROR');
});

test('a detail is one line of at most 200 characters, whatever the broker sends', () => {
  const status = new SenderStatus();
  status.setDisconnected(`a\nb\u001b[31m${'😀'.repeat(200)}`, false);
  const { detail } = status.report(LEVELS);
  assert.ok(detail.length <= 200);
  assert.ok(detail.isWellFormed());
  assert.match(detail, /^a b \[31m/);
});

test('states, checks and remedies are also in German', () => {
  const status = new SenderStatus();
  const end = new LinkEnded(
    { en: 'mqtt://a refused the connection', de: 'mqtt://a hat die Verbindung abgelehnt' },
    { cause: Object.assign(new Error('x'), { code: 0x87 }) },
  );
  status.setDisconnected(end.words, true, 4200);
  status.setBroker('mqtt://a', end);
  const { de, checks } = status.report(LEVELS);
  assert.equal(de?.detail, 'mqtt://a hat die Verbindung abgelehnt; nächster Versuch in 5 s');
  assert.deepEqual(checks[0]?.de, {
    name: 'broker mqtt://a',
    detail: 'hat die Verbindung abgelehnt',
    remedy: 'Berichtigen Sie „user“ und „password“, oder erlauben Sie diesen Client am Broker',
  });
});

test('what the broker says alone is in no other language', () => {
  const status = new SenderStatus();
  status.setDisconnected('unknown words', true);
  assert.equal(status.report(LEVELS).de, undefined);
});
