import assert from 'node:assert/strict';
import { test } from 'node:test';

import { LineLoad } from './devices/line-load.ts';
import { PaceCheck } from './plant/pace-check.ts';
import { Chronicle } from './world/chronicle.ts';
import { SimulatedTime } from './world/simulated-time.ts';
import type { MessageWait, PlantPart } from './world/truth.ts';

interface Line {
  readonly check: PaceCheck;
  readonly part: PlantPart;
  /** Lets a request reach a unit then. */
  readonly ask: (atMs: number, unitId: number, answerMs?: number) => void;
  /** Lets a request reach an address at which the unit is silent. */
  readonly askSilentAddress: (atMs: number, unitId: number) => void;
  readonly brokenAfter: (endMs: number, act: () => void) => Promise<string | undefined>;
}

function createLine(
  waits: readonly MessageWait[] = [],
  settings: Readonly<Record<string, unknown>> = {},
): Line {
  const time = new SimulatedTime();
  const nowMs = (): number => time.monotonicMs();
  const chronicle = new Chronicle(time);
  const load = new LineLoad({ nowMs, responseTimeoutMs: 500, wayMs: 10 });
  const part: PlantPart = {
    driver: { pid: 'line', type: 'modbus', ...settings },
    assets: [],
    planFaults: () => [],
    recoveryMs: 0,
    load,
    line: load,
    takeWaits: () => waits,
  };
  return {
    part,
    check: new PaceCheck({ chronicle, nowMs, servingSinceMs: () => 0, changedAtMs: () => 0 }),
    ask: (atMs, unitId, answerMs) =>
      void time.schedule(atMs, () =>
        load.note(unitId, answerMs === undefined ? 'SILENT' : 'ANSWERED', answerMs),
      ),
    askSilentAddress: (atMs, unitId) =>
      void time.schedule(atMs, () => load.note(unitId, 'SILENT_ADDRESS', undefined)),
    brokenAfter: async (endMs, act) => {
      await time.runUntil(endMs);
      act();
      return chronicle.broken?.invariant;
    },
  };
}

const waiting = { who: 'somebody', unitId: 1, fromMs: 0 };

test('units that take turns keep the pace', async () => {
  const { ask, part, check, brokenAfter } = createLine();
  for (let atMs = 0; atMs < 2000; atMs += 40) ask(atMs, 1 + ((atMs / 40) % 3), 20);
  assert.equal(await brokenAfter(2000, () => check.checkTurns({ ...waiting, part, toMs: 2000 })), undefined);
});

test('a unit that is asked seven times while another one waits does not', async () => {
  const { ask, part, check, brokenAfter } = createLine();
  ask(0, 1, 20);
  for (let atMs = 40; atMs < 320; atMs += 40) ask(atMs, 2, 20);
  ask(320, 1, 20);
  assert.equal(
    await brokenAfter(360, () => check.checkTurns({ ...waiting, part, toMs: 360 })),
    'healthy-pace',
  );
});

test('a line that waits for a silent unit is not idle', async () => {
  const { ask, part, check, brokenAfter } = createLine();
  ask(0, 2);
  ask(520, 1, 20);
  assert.equal(await brokenAfter(600, () => check.checkTurns({ ...waiting, part, toMs: 600 })), undefined);
});

test('a line that waits for longer is idle', async () => {
  const { ask, part, check, brokenAfter } = createLine();
  ask(0, 2);
  ask(1020, 1, 20);
  assert.equal(
    await brokenAfter(1100, () => check.checkTurns({ ...waiting, part, toMs: 1100 })),
    'healthy-pace',
  );
});

test('a silent unit that is probed every four seconds leaves the others their pace', async () => {
  const { ask, part, check, brokenAfter } = createLine();
  for (let atMs = 0; atMs < 100_000; atMs += 4000) ask(atMs, 2);
  assert.equal(await brokenAfter(100_000, () => check.checkSilences(part)), undefined);
});

test('a silent unit that is asked every second does not', async () => {
  const { ask, part, check, brokenAfter } = createLine();
  for (let atMs = 0; atMs < 20_000; atMs += 1000) ask(atMs, 2);
  assert.equal(await brokenAfter(20_000, () => check.checkSilences(part)), 'healthy-pace');
});

test('datagrams that are on the way together are one silence', async () => {
  const settings = { transport: 'udp', pipelineDepth: 4 };
  for (const [isTooOften, silences] of [
    [false, 2],
    [true, 3],
  ] as const) {
    const { ask, part, check, brokenAfter } = createLine([], settings);
    for (let number = 0; number < silences * 4; number += 1) ask(500 * Math.floor(number / 4), 2);
    const broken = await brokenAfter(2000, () => check.checkSilences(part));
    assert.equal(broken, isTooOften ? 'healthy-pace' : undefined);
  }
});

test('a unit that has answered nothing yet is probed at a silent address like a silent one', async () => {
  const { ask, askSilentAddress, part, check, brokenAfter } = createLine();
  for (let atMs = 0; atMs < 400_000; atMs += 4000) askSilentAddress(atMs, 2);
  ask(400_000, 2, 20);
  assert.equal(await brokenAfter(401_000, () => check.checkSilences(part)), undefined);
});

test('a silent address of a unit that answers is not probed as often', async () => {
  const { ask, askSilentAddress, part, check, brokenAfter } = createLine();
  ask(1000, 2, 20);
  for (let atMs = 2000; atMs < 400_000; atMs += 4000) askSilentAddress(atMs, 2);
  assert.equal(await brokenAfter(401_000, () => check.checkSilences(part)), 'healthy-pace');
});

test('a unit that is not polled any more does not keep its pace', async () => {
  const { ask, part, check, brokenAfter } = createLine();
  ask(0, 1, 20);
  assert.equal(await brokenAfter(31_000, () => check.checkPoll(part, 1, 5000)), 'healthy-pace');
});

test('an instrument whose line is busy while a request waits keeps its pace', async () => {
  const { ask, part, check, brokenAfter } = createLine();
  for (let atMs = 0; atMs < 2000; atMs += 600) ask(atMs, 0, 500);
  const wait = { who: 'somebody', part, fromMs: 500, toMs: 2000 };
  assert.equal(await brokenAfter(2000, () => check.checkLine(wait)), undefined);
});

test('an instrument whose line is idle while a request waits does not, whenever it began to be', async () => {
  const { ask, part, check, brokenAfter } = createLine();
  ask(0, 0, 500);
  ask(1500, 0, 500);
  const wait = { who: 'somebody', part, fromMs: 1000, toMs: 1800 };
  assert.equal(await brokenAfter(1800, () => check.checkLine(wait)), 'healthy-pace');
});

test('an instrument that is not polled any more does not keep its pace', async () => {
  const { ask, part, check, brokenAfter } = createLine();
  ask(0, 0, 20);
  assert.equal(await brokenAfter(31_000, () => check.checkPoll(part, undefined, 5000)), 'healthy-pace');
});

for (const [what, wait, broken] of [
  [
    'waits for a request for long',
    { fromMs: 1000, toMs: 7000, quietSinceMs: 900, healthySinceMs: 500 },
    'healthy-pace',
  ],
  [
    'waits for the way of a request',
    { fromMs: 1000, toMs: 5000, quietSinceMs: 900, healthySinceMs: 500 },
    undefined,
  ],
  [
    'waits with what may have lost its owner',
    { fromMs: 1000, toMs: 7000, quietSinceMs: 400, healthySinceMs: 500 },
    undefined,
  ],
] as const) {
  test(`a server that ${what} ${broken === undefined ? 'keeps' : 'does not keep'} its pace`, async () => {
    const { part, check, brokenAfter } = createLine([wait]);
    assert.equal(await brokenAfter(8000, () => check.checkMessages(part)), broken);
  });
}
