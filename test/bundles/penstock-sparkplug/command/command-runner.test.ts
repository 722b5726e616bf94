import assert from 'node:assert/strict';
import { test } from 'node:test';

import { CommandRunner } from '../../../../bundles/penstock-sparkplug/command/command-runner.ts';
import type { CommandRunnerOptions } from '../../../../bundles/penstock-sparkplug/command/command-runner.ts';
import { AliasBook, defineNode } from '../../../../bundles/penstock-sparkplug/node/node-definition.ts';
import { NodeStatus } from '../../../../bundles/penstock-sparkplug/status.ts';
import { encodeSparkplug } from '../../../support/sparkplug-payload.ts';
import { makeChannel } from '../running-node.ts';

const NOW = 1_700_000_000_000;
const NODE = { groupId: 'plant', edgeNodeId: 'north' };
const LEVELS = { backlog: 0, devices: 0, metrics: 0, lastBirthMs: 0, bdSeq: 0 };
type Write = CommandRunnerOptions['assets']['write'];

function createBench(write?: Write) {
  const writes: Parameters<Write>[] = [];
  const log: string[] = [];
  let rebirths = 0;
  const note = (message: string): void => void log.push(message);
  const status = new NodeStatus();
  const definition = defineNode([makeChannel('pump', 'speed', { isWritable: true })], new AliasBook());
  const runner = new CommandRunner({
    name: NODE,
    maximumAgeMs: 60_000,
    definition: () => definition,
    requestRebirth: () => (rebirths += 1),
    assets: {
      write: (...call) => {
        writes.push(call);
        return write === undefined ? Promise.resolve([{ name: 'speed', timestampMs: NOW }]) : write(...call);
      },
    },
    status,
    logger: { debug: note, info: note, warn: note, error: note },
    epochMs: () => NOW,
  });
  const send = (
    topic: string,
    metrics: readonly object[],
    more: { isRetained?: boolean; timestamp?: number } = {},
  ) => {
    const { isRetained = false, timestamp = NOW } = more;
    runner.accept({ topic, payload: encodeSparkplug({ timestamp, metrics }), isRetained });
  };
  const counter = (name: string) => status.report(LEVELS).counters[name];
  return { runner, send, writes, log, counter, rebirths: () => rebirths };
}

const SPEED = [{ name: 'speed', doubleValue: 5 }];
const DCMD = 'spBv1.0/plant/DCMD/north/pump';
const NCMD = 'spBv1.0/plant/NCMD/north';

test('a DCMD is written with a key of its own, and the same message with the same key', async () => {
  const { runner, send, writes, counter } = createBench();
  send(DCMD, SPEED);
  send(DCMD, SPEED);
  send(DCMD, SPEED, { timestamp: NOW + 1 });
  await runner.settle();
  assert.deepEqual(writes[0]?.slice(0, 2), ['pump', [{ name: 'speed', type: 'DOUBLE', value: 5 }]]);
  const keys = writes.map(([, , options]) => options?.key ?? '');
  assert.equal(keys[0], keys[1]);
  assert.notEqual(keys[0], keys[2]);
  assert.match(keys[0] ?? '', /^[\x21-\x7e]{1,128}$/);
  assert.equal(counter('writes'), 3);
});

test('NCMD requests a rebirth with true alone, and names any other metric', () => {
  const { send, rebirths, log } = createBench();
  send(NCMD, [{ name: 'Node Control/Rebirth', booleanValue: false }]);
  send(NCMD, [{ name: 'Node Control/Rebirth', intValue: 1 }]);
  assert.equal(rebirths(), 0);
  send(NCMD, [{ name: 'Node Control/Rebirth', booleanValue: true }]);
  assert.equal(rebirths(), 1);
  send(NCMD, [{ name: 'Node Control/Reboot', booleanValue: true }]);
  assert.match(log.at(-1) ?? '', /^NCMD was not carried out: the metric "Node Control\/Reboot" is unknown$/);
});

for (const [reason, topic, metrics, more] of [
  [/it is retained$/, DCMD, SPEED, { isRetained: true }],
  [/it is retained$/, NCMD, [{ name: 'Node Control/Rebirth', booleanValue: true }], { isRetained: true }],
  [/the device is unknown$/, 'spBv1.0/plant/DCMD/north/mixer', SPEED, {}],
  [/more than 65536 bytes$/, DCMD, [{ name: 'speed', stringValue: 'x'.repeat(70_000) }], {}],
] as const) {
  test(`a command is not carried out: ${reason.source} ${topic}`, async () => {
    const { runner, send, writes, log, counter, rebirths } = createBench();
    send(topic, metrics, more);
    await runner.settle();
    assert.deepEqual([writes.length, rebirths(), counter('commandErrors')], [0, 0, 1]);
    assert.match(log[0] ?? '', reason);
  });
}

test('a message for another node is ignored, and bytes that are no payload are not', () => {
  const { runner, send, log, counter } = createBench();
  for (const topic of ['spBv1.0/plant/DCMD/south/pump', 'spBv1.0/other/NCMD/north', 'a', `${DCMD}/x`]) {
    send(topic, SPEED);
  }
  assert.equal(counter('commands'), 0);
  runner.accept({ topic: DCMD, payload: Uint8Array.of(0xff), isRetained: false });
  assert.match(log[0] ?? '', /no Sparkplug payload/);
});

test('a write that fails is in status and log, with its outcome', async () => {
  const failure = { code: 'WRITE_LIMIT_EXCEEDED', message: '5 is above the maximum 4' };
  const { runner, send, log } = createBench(() =>
    Promise.resolve([{ name: 'speed', timestampMs: NOW, outcome: 'NOT_SENT', failure }]),
  );
  send(DCMD, SPEED);
  await runner.settle();
  assert.match(log[0] ?? '', /speed NOT_SENT: WRITE_LIMIT_EXCEEDED 5 is above the maximum 4$/);
});

test('sixteen commands wait, further ones are refused', async () => {
  let release = (): void => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  const { runner, send, writes, log } = createBench(async () => {
    await held;
    return [];
  });
  for (let index = 0; index < 20; index += 1) send(DCMD, SPEED, { timestamp: NOW + index });
  release();
  await runner.settle();
  assert.equal(writes.length, 16);
  assert.equal(log.length, 4);
});
