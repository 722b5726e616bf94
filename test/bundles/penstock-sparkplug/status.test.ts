import assert from 'node:assert/strict';
import { test } from 'node:test';

import { LinkEnded } from '../../../bundles/mqtt/broker/broker-link.ts';
import { NodeStatus } from '../../../bundles/penstock-sparkplug/status.ts';

const LEVELS = { backlog: 30, devices: 2, metrics: 5, lastBirthMs: 1, bdSeq: 7 };

test('the report has the counters and levels, at most 32', () => {
  const status = new NodeStatus();
  status.count('births');
  status.count('samples', 20);
  status.setBorn('mqtt://a');
  const { state, detail, counters } = status.report(LEVELS);
  assert.deepEqual([state, detail], ['OK', 'connected to mqtt://a, born']);
  assert.deepEqual([counters['births'], counters['samples'], counters['bdSeq']], [1, 20, 7]);
  assert.ok(Object.keys(counters).length <= 32);
});

test('settings come before the connection, the connection before recorders, and these before commands', () => {
  const status = new NodeStatus();
  const look = (): string => `${status.report(LEVELS).state} ${status.report(LEVELS).detail}`;
  status.setBorn('mqtt://a');
  status.setCommandFault('DCMD for "pump" was not carried out');
  assert.equal(look(), 'WARNING DCMD for "pump" was not carried out');
  status.hold('fast', 'unknown', 1500);
  assert.equal(look(), 'ERROR recorder "fast": unknown; again in 2 s');
  status.setWaiting('mqtt://a', 'scada');
  assert.equal(look(), 'WARNING connected to mqtt://a, waits for host "scada"');
  status.setDisconnected('not authorized', true, 4200);
  assert.equal(look(), 'ERROR not authorized; next attempt in 5 s');
  status.setSettingsFault('groupId: it is empty');
  assert.equal(look(), 'ERROR groupId: it is empty');
});

test('checks name brokers, host, recorders and commands, with what can be done', () => {
  const status = new NodeStatus();
  status.setBroker('mqtt://a', new LinkEnded('mqtt://a: connection refused'));
  status.setBroker('mqtt://b', undefined);
  status.setWaiting('mqtt://b', 'scada');
  status.hold('fast', 'unknown', 1000);
  status.setCommandFault('refused');
  const { checks } = status.report(LEVELS);
  assert.deepEqual(
    checks.map(({ name, state, detail, remedy }) => [name, state, detail, remedy !== undefined]),
    [
      ['broker mqtt://a', 'WARNING', 'connection refused', true],
      ['broker mqtt://b', 'OK', 'connected', false],
      ['recorder fast', 'ERROR', 'unknown; again in 1 s', true],
      ['host scada', 'WARNING', 'not online at mqtt://b', true],
      ['commands', 'WARNING', 'refused', true],
    ],
  );
  status.setHost('scada', true, 'online at mqtt://b');
  assert.equal(status.report(LEVELS).checks[3]?.state, 'OK');
  status.forgetBrokers();
  assert.equal(status.report(LEVELS).checks.length, 2);
});
