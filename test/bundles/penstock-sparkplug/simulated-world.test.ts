import assert from 'node:assert/strict';
import { test } from 'node:test';

import { EdgeNode } from '../../../bundles/penstock-sparkplug/delivery/edge-node.ts';
import { NodeStatus } from '../../../bundles/penstock-sparkplug/status.ts';
import type { RecordedChannel } from '../../../daemon/software/bundle/runner/context.ts';
import { MemoryJournal } from '../../support/memory-journal.ts';
import { createRandom } from '../../support/random.ts';
import { encodeSparkplug } from '../../support/sparkplug-payload.ts';
import { SparkplugRules } from '../../support/sparkplug-rules.ts';
import { makeSettings } from './declared-settings.ts';
import { MadeUpBroker, ManualTime } from './made-up-broker.ts';
import { makeChannel } from './running-node.ts';

const FIRST_SEED = Number(process.env['SPARKPLUG_SEED'] ?? 1);
const SEEDS = Number(process.env['SPARKPLUG_RUNS'] ?? 12);
const EVENTS = 150;
/** Channels that stay, so that each of their values has to arrive. */
const LASTING: readonly RecordedChannel[] = [makeChannel('boiler'), makeChannel('pump')];
const CHANGING: readonly RecordedChannel[] = [
  makeChannel('boiler', 'flow'),
  makeChannel('mixer', 'speed'),
  makeChannel('mixer', 'speed', { valueType: 'LONG' }),
  makeChannel('mixer', 'torque'),
];

/** Runs an edge node among drawn events. */
async function run(
  seed: number,
): Promise<{ readonly rules: SparkplugRules; readonly taken: readonly number[] }> {
  const random = createRandom(seed);
  const draw = <T>(list: readonly T[]): T | undefined => list[Math.floor(random() * list.length)];
  const rules = new SparkplugRules();
  const broker = new MadeUpBroker(rules, random);
  const time = new ManualTime(random);
  const journal = new MemoryJournal();
  const hasHost = random() < 0.5;
  const declared = hasHost ? { primaryHost: 'scada' } : {};
  // Some worlds are so calm that sequence numbers begin again.
  const calm = random();
  const dataSets = draw([[], ['boiler', 'mixer=only'], ['*=only']]) ?? [];
  const settings = { metricsPerMessage: calm > 0.8 ? 1 : 4, dataSets, ...declared };
  journal.define(LASTING);
  await journal.acknowledged();
  let bdSeq = Math.floor(random() * 256);
  let clockMs = 1_700_000_000_000;
  const status = new NodeStatus();
  const note = (): void => {};
  const node = new EdgeNode(
    {
      gateway: 'north',
      version: '1',
      journal: () => journal,
      assets: { read: () => Promise.resolve([]), write: () => Promise.resolve([]) },
      births: { next: () => (bdSeq = (bdSeq + 1) % 256) },
      status,
      logger: { debug: note, info: note, warn: note, error: note },
      time,
      epochMs: () => clockMs + time.nowMs(),
      openLink: broker.open,
    },
    makeSettings([1883], settings),
  );
  node.start();
  const taken: number[] = [];
  let stateMs = 0;
  const setState = (online: boolean): void => {
    stateMs += 1;
    broker.retain('spBv1.0/STATE/scada', JSON.stringify({ online, timestamp: stateMs }));
  };
  const rebirth = encodeSparkplug({
    timestamp: 1,
    metrics: [{ name: 'Node Control/Rebirth', datatype: 11, booleanValue: true }],
  });
  const events: readonly (() => void)[] = [
    () => broker.cut(),
    () => broker.setDown(random() < 0.5),
    () => setState(random() < 0.5),
    () => {
      for (let index = 0; index < 100; index += 1) broker.send('spBv1.0/Penstock/NCMD/north', rebirth);
    },
    () => journal.define([...LASTING, ...CHANGING.filter(() => random() < 0.5)]),
    () => (clockMs += Math.round((random() - 0.5) * 86_400_000)),
    () => journal.takeSample({ asset: 'pump', value: undefined, quality: 'BAD' }),
    () => {
      const { asset = '', channel = '', valueType = '' } = draw(CHANGING) ?? {};
      journal.takeSample({ asset, channel, valueType, value: valueType === 'LONG' ? 1n : 0.5 });
    },
  ];
  if (hasHost) setState(true);
  for (let index = 0; index < EVENTS; index += 1) {
    for (let count = Math.floor(random() * 6); count > 0; count -= 1) {
      taken.push(journal.take(draw(LASTING)?.asset ?? ''));
    }
    // What is written now may not have arrived when something happens.
    await time.pass(random() * 50);
    if (random() > calm) draw(events)?.();
    if (random() < 0.7) broker.confirm();
    await time.pass(random() * 3000);
    if (random() < 0.9) broker.confirm();
  }
  // Everything is repaired, and what waits arrives.
  broker.setDown(false);
  setState(true);
  journal.define(LASTING);
  for (let index = 0; index < 200 && taken.some((value) => !has(rules, value)); index += 1) {
    await time.pass(1000);
    broker.confirm();
  }
  const stopping = node.stop();
  await time.pass(5000);
  broker.confirm();
  await time.pass(5000);
  await stopping;
  return { rules, taken };
}

function has({ values, rows }: SparkplugRules, wanted: number): boolean {
  return (
    values.some(({ value }) => value === wanted) ||
    rows.some(({ elements }) => elements.get('value') === wanted)
  );
}

for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed += 1) {
  test(`no rule is broken, and nothing is lost, in the world of seed ${seed}`, async () => {
    const { rules, taken } = await run(seed);
    assert.deepEqual(rules.violations, [], `again with SPARKPLUG_SEED=${seed} SPARKPLUG_RUNS=1`);
    assert.deepEqual(
      taken.filter((value) => !has(rules, value)),
      [],
      `again with SPARKPLUG_SEED=${seed} SPARKPLUG_RUNS=1`,
    );
    assert.ok(rules.messages.some(({ verb }) => verb === 'NBIRTH'));
    assert.equal(rules.isOnline, false);
  });
}
