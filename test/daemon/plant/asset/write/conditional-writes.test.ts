import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';

import { GrantedAsset } from '../../../../../daemon/plant/access/granted-asset.ts';
import { AssetRegistry } from '../../../../../daemon/plant/asset/asset-registry.ts';
import { LastWrites, lastWriteMigrations } from '../../../../../daemon/plant/asset/write/last-writes.ts';
import type { ChannelWrite } from '../../../../../daemon/plant/asset/write/prepared-write.ts';
import { checkPlant } from '../../../../../daemon/plant/asset/plant-config.ts';
import { finish } from '../../../../../daemon/base/slices.ts';
import { systemRandom } from '../../../../../daemon/base/random.ts';
import { openStore } from '../../../../../daemon/base/store/store.ts';
import type { ChannelRecord } from '../../../../../daemon/channel/channel-record.ts';
import type { WriteTerms } from '../../../../../daemon/channel/write-terms.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';
import { EVERY_RIGHT } from '../../../../../daemon/security/identity/asset-rights.ts';
import type { AssetRights } from '../../../../../daemon/security/identity/asset-rights.ts';
import { createMemoryLogger } from '../../../../support/memory-logger.ts';
import { createRefusal, createScriptedFactory } from '../../../../support/scripted-driver.ts';
import type { ScriptedDriver } from '../../../../support/scripted-driver.ts';

type Terms = { readonly [Name in keyof WriteTerms]?: unknown };

/** A boiler whose setpoint has terms, and a door of another line. */
async function openBench(t: TestContext, write: Terms, store = openStore(':memory:', [lastWriteMigrations])) {
  const factory = createScriptedFactory();
  const clock = new ManualClock();
  const registry = new AssetRegistry({
    factories: () => [factory],
    driverDirectory: '/nonexistent',
    onChange: () => undefined,
    lastWrites: new LastWrites({ store, clock }),
    logger: createMemoryLogger(),
    clock,
    random: systemRandom,
  });
  t.after(() => registry.stop());
  const channel = (name: string, changes: object = {}): object => {
    return { name, type: 'READ_WRITE', valueType: 'DOUBLE', address: {}, ...changes };
  };
  const plant = finish(
    checkPlant([factory], {
      drivers: [
        { pid: 'line', type: 'scripted', line: '1' },
        { pid: 'other', type: 'scripted', line: '2' },
      ],
      assets: [
        {
          pid: 'boiler',
          driver: 'line',
          channels: [
            channel('setpoint', { write }),
            channel('level'),
            channel('pump', { valueType: 'BOOLEAN' }),
          ],
        },
        { pid: 'door', driver: 'other', channels: [channel('closed', { valueType: 'BOOLEAN' })] },
      ],
    }),
  );
  assert.deepEqual(plant.faults, undefined);
  if (plant.faults !== undefined) throw new RangeError('the plant has faults');
  await registry.apply(plant.value);
  const [[driver] = []] = [...factory.made.values()];
  const [door] = factory.made.get('2') ?? [];
  if (driver === undefined || door === undefined) throw new RangeError('the drivers are made');
  for (const [name, value] of Object.entries({ setpoint: 10, level: 5, pump: true }))
    driver.values.set(name, value);
  door.values.set('closed', true);
  for (const each of [driver, door]) each.timestampMs = clock.epochMs();
  const asset = registry.get('boiler');
  const send = async (value: number, more: Partial<ChannelWrite> = {}, isDryRun = false) => {
    const [record] = await asset.write([{ name: 'setpoint', valueType: 'DOUBLE', value, ...more }], '', {
      isDryRun,
    });
    return record;
  };
  return { driver, door, asset, clock, store, send };
}

function summarize(record: ChannelRecord | undefined): readonly unknown[] {
  const { failure, outcome, readBack } = record ?? {};
  return [outcome, failure?.code, readBack].filter((part) => part !== undefined);
}

const codesOf = (record: ChannelRecord | undefined) =>
  record?.failure?.reasons?.map(({ code, parameters }) => [code, parameters]);
const sent = (driver: ScriptedDriver): readonly unknown[] => driver.written.map(([, value]) => value);

test('a value beyond its limits is not sent, and one within them is acknowledged', async (t) => {
  const { driver, send } = await openBench(t, { minimum: 0, maximum: 100 });
  assert.deepEqual(summarize(await send(-3000)), ['NOT_SENT', 'WRITE_LIMIT_EXCEEDED']);
  assert.deepEqual(summarize(await send(Number.NaN)), ['NOT_SENT', 'WRITE_LIMIT_EXCEEDED']);
  assert.deepEqual(summarize(await send(100)), ['ACKNOWLEDGED']);
  assert.deepEqual(sent(driver), [100]);
});

test('a step is measured from the value that the device holds now', async (t) => {
  const { driver, send } = await openBench(t, { maximumStep: 5 });
  assert.deepEqual(summarize(await send(16)), ['NOT_SENT', 'WRITE_STEP_EXCEEDED']);
  driver.values.set('setpoint', 12);
  assert.deepEqual(summarize(await send(16)), ['ACKNOWLEDGED']);
});

test('a write that depends on the present value is not sent when that cannot be read', async (t) => {
  const { driver, send } = await openBench(t, { maximumStep: 5 });
  driver.values.delete('setpoint');
  assert.deepEqual(summarize(await send(11)), ['NOT_SENT', 'WRITE_VALUE_UNKNOWN']);
  assert.deepEqual(sent(driver), []);
});

test('the rate holds across clients, steps of the clock and a restart', async (t) => {
  const { driver, send, clock, store } = await openBench(t, { maximumChangePerSecond: 1 });
  assert.deepEqual(summarize(await send(50)), ['ACKNOWLEDGED']);
  clock.advance(2000);
  assert.deepEqual(summarize(await send(53)), ['NOT_SENT', 'WRITE_RATE_EXCEEDED']);
  clock.setEpoch(clock.epochMs() + 86_400_000);
  assert.deepEqual(summarize(await send(53)), ['NOT_SENT', 'WRITE_RATE_EXCEEDED']);
  assert.deepEqual(summarize(await send(52)), ['ACKNOWLEDGED']);
  assert.deepEqual(sent(driver), [50, 52]);
  const next = await openBench(t, { maximumChangePerSecond: 1 }, store);
  next.driver.values.set('setpoint', 52);
  assert.deepEqual(summarize(await next.send(60)), ['NOT_SENT', 'WRITE_RATE_EXCEEDED']);
  next.clock.advance(8000);
  assert.deepEqual(summarize(await next.send(60)), ['ACKNOWLEDGED']);
});

test('two clients at once cannot change faster than one', async (t) => {
  const { driver, send } = await openBench(t, { maximumChangePerSecond: 1 });
  await send(50);
  const records = await Promise.all([send(51), send(49), send(52)]);
  assert.deepEqual(new Set(records.map((record) => record?.failure?.code)), new Set(['WRITE_RATE_EXCEEDED']));
  assert.deepEqual(sent(driver), [50]);
});

test('a write that was not sent or was refused does not count for the rate', async (t) => {
  const { driver, send, clock } = await openBench(t, { maximumChangePerSecond: 1 });
  await send(50);
  clock.advance(5000);
  driver.callFault = createRefusal();
  assert.equal((await send(54))?.outcome, 'NOT_SENT');
  driver.callFault = undefined;
  clock.advance(60_000);
  assert.deepEqual(summarize(await send(54)), ['ACKNOWLEDGED']);
});

test('a condition of the same line is read right before the write', async (t) => {
  const terms = { onlyIf: [{ channel: 'level', operator: 'LESS_THAN', value: 8 }] };
  const { driver, send } = await openBench(t, terms);
  assert.deepEqual(summarize(await send(11)), ['ACKNOWLEDGED']);
  assert.deepEqual(driver.rounds, [['level']]);
  driver.values.set('level', 8);
  const record = await send(12);
  assert.deepEqual(summarize(record), ['NOT_SENT', 'WRITE_CONDITION_FALSE']);
  assert.equal(record?.failure?.message, 'boiler level is 8; required: LESS_THAN 8');
  assert.deepEqual(codesOf(record), [
    [
      'CONDITION_FALSE',
      { asset: 'boiler', channel: 'level', value: '8', operator: 'LESS_THAN', required: '8' },
    ],
  ]);
  assert.deepEqual(sent(driver), [11]);
});

const DOOR = { onlyIf: [{ asset: 'door', channel: 'closed', value: true, maximumAgeMs: 1000 }] };

test('a condition of another line that holds lets the write pass; one that does not stops it', async (t) => {
  const { driver, door, send } = await openBench(t, DOOR);
  assert.deepEqual(summarize(await send(11)), ['ACKNOWLEDGED']);
  door.values.set('closed', false);
  assert.deepEqual(summarize(await send(12)), ['NOT_SENT', 'WRITE_CONDITION_FALSE']);
  assert.deepEqual(sent(driver), [11]);
});

test('a condition whose value is bad, too old or out of reach stops the write and tells why', async (t) => {
  const { driver, door, send, clock } = await openBench(t, DOOR);
  clock.advance(1001);
  const old = await send(11);
  assert.deepEqual(summarize(old), ['NOT_SENT', 'WRITE_CONDITION_UNKNOWN']);
  assert.equal(old?.failure?.message, 'the value of door closed is 1001 ms old; maximum 1000 ms');
  const place = { asset: 'door', channel: 'closed' };
  assert.deepEqual(codesOf(old), [['CONDITION_VALUE_OLD', { ...place, ageMs: 1001, maximumMs: 1000 }]]);
  door.timestampMs = clock.epochMs() + 5000;
  assert.deepEqual(summarize(await send(11)), ['NOT_SENT', 'WRITE_CONDITION_UNKNOWN']);
  door.values.delete('closed');
  assert.deepEqual(summarize(await send(11)), ['NOT_SENT', 'WRITE_CONDITION_UNKNOWN']);
  door.callFault = createRefusal('the door is dead');
  const dead = await send(11);
  assert.deepEqual(summarize(dead), ['NOT_SENT', 'WRITE_CONDITION_UNKNOWN']);
  assert.equal(dead?.failure?.message, 'cannot read door closed: the door is dead');
  // The error of the device has its own code, and its sentence as value.
  assert.deepEqual(codesOf(dead), [
    ['CONDITION_UNREADABLE', place],
    [createRefusal().code, { message: 'the door is dead' }],
  ]);
  assert.deepEqual(sent(driver), []);
});

test('ifValue writes only over the value that it names', async (t) => {
  const { driver, send } = await openBench(t, {});
  assert.deepEqual(summarize(await send(11, { ifValue: 9 })), ['NOT_SENT', 'WRITE_VALUE_CHANGED']);
  const records = await Promise.all([11, 12, 13].map((value) => send(value, { ifValue: 10 })));
  assert.deepEqual(
    records.map((record) => record?.outcome),
    ['ACKNOWLEDGED', 'NOT_SENT', 'NOT_SENT'],
  );
  assert.deepEqual(sent(driver), [11]);
});

test('a write without terms does not come between the comparison and the write of another', async (t) => {
  const { driver, asset, send } = await openBench(t, {});
  await asset.readAll();
  driver.hold();
  const compared = send(11, { ifValue: 10 });
  await driver.arrived(1);
  const plain = asset.write([{ name: 'level', valueType: 'DOUBLE', value: 7 }]);
  driver.release();
  await Promise.all([compared, plain]);
  assert.deepEqual(driver.written, [
    ['setpoint', 11],
    ['level', 7],
  ]);
});

const VERIFY = { verify: { tolerance: 0.5, withinMs: 0 } };

test('a value that reads back within the tolerance is verified', async (t) => {
  const { driver, send } = await openBench(t, VERIFY);
  driver.largest = 20;
  assert.deepEqual(summarize(await send(20.25)), ['VERIFIED', 20]);
});

test('a value that the device clipped is refused, with both values', async (t) => {
  const { driver, send } = await openBench(t, VERIFY);
  driver.largest = 20;
  const record = await send(30);
  assert.deepEqual(summarize(record), ['REFUSED', 'WRITE_READ_BACK_DIFFERS', 20]);
  assert.equal(record?.asked?.value, 30);
});

test('a lost confirmation is made good by reading back', async (t) => {
  const { driver, send } = await openBench(t, VERIFY);
  driver.silence = 'CARRIED_OUT';
  assert.deepEqual(summarize(await send(30)), ['VERIFIED', 30]);
  assert.deepEqual(sent(driver), [30]);
});

test('silence after a write that was not carried out leaves the outcome unknown', async (t) => {
  const { driver, send } = await openBench(t, VERIFY);
  driver.silence = 'IGNORED';
  assert.deepEqual(summarize(await send(30)), ['UNKNOWN', 'DEVICE_SILENT', 10]);
});

test('a value that is shown late is waited for', async (t) => {
  const { driver, send, clock } = await openBench(t, { verify: { withinMs: 1000 } });
  driver.lateRounds = 3;
  const written = send(30);
  for (let round = 0; round < 3; round += 1) {
    for (let turn = 0; turn < 10; turn += 1) await setImmediate();
    clock.advance(100);
  }
  assert.deepEqual(summarize(await written), ['VERIFIED', 30]);
});

test('a confirmed write that cannot be read back is not known to be done', async (t) => {
  const { driver, asset, send } = await openBench(t, VERIFY);
  await asset.readAll();
  driver.hold();
  const written = send(30);
  await driver.arrived(1);
  driver.release();
  driver.hold();
  await driver.arrived(1);
  driver.callFault = createRefusal('it is gone');
  driver.release();
  const record = await written;
  assert.deepEqual(summarize(record), ['UNKNOWN', 'WRITE_NOT_VERIFIED']);
});

test('a trial reads, tells what would happen, and sends nothing', async (t) => {
  const terms = { maximum: 20, maximumStep: 5, ...DOOR, ...VERIFY };
  const { driver, door, send } = await openBench(t, terms);
  const passed = await send(12, {}, true);
  assert.deepEqual([passed?.isDryRun, passed?.failure, passed?.outcome], [true, undefined, undefined]);
  for (const [value, code] of [
    [21, 'WRITE_LIMIT_EXCEEDED'],
    [17, 'WRITE_STEP_EXCEEDED'],
  ] as const) {
    assert.deepEqual(summarize(await send(value, {}, true)), ['NOT_SENT', code]);
  }
  door.values.set('closed', false);
  assert.deepEqual(summarize(await send(12, {}, true)), ['NOT_SENT', 'WRITE_CONDITION_FALSE']);
  assert.deepEqual(sent(driver), []);
});

test('a refused element does not stop the others; after an unknown outcome nothing more is sent', async (t) => {
  const { driver, asset } = await openBench(t, { maximum: 20, maximumStep: 50 });
  const write = (name: string, value: number): ChannelWrite => ({ name, valueType: 'DOUBLE', value });
  const first = await asset.write([write('level', 1), write('setpoint', 99), write('level', 2)]);
  assert.deepEqual(
    first.map(({ outcome }) => outcome),
    ['ACKNOWLEDGED', 'NOT_SENT', 'ACKNOWLEDGED'],
  );
  driver.silence = 'IGNORED';
  const second = await asset.write([write('setpoint', 12), write('level', 3), write('setpoint', 13)]);
  assert.deepEqual(
    second.map(({ outcome, failure }) => [outcome, failure?.code]),
    [
      ['UNKNOWN', 'DEVICE_SILENT'],
      ['NOT_SENT', 'WRITE_HELD_BACK'],
      ['NOT_SENT', 'WRITE_HELD_BACK'],
    ],
  );
  assert.deepEqual(sent(driver), [1, 2, 12]);
});

test('a client that may only write is told that a step is too large, and not how large it is', async (t) => {
  const { asset, clock } = await openBench(t, { maximumStep: 5 });
  const write: ChannelWrite = { name: 'setpoint', valueType: 'DOUBLE', value: 27 };
  const openFor = (rights: AssetRights) =>
    new GrantedAsset(asset, { rights, findRights: () => rights, requester: '', mayRead: () => true, clock });
  const [seen] = await openFor(EVERY_RIGHT).write([write]);
  assert.match(seen?.failure?.message ?? '', /step of 17 /);
  const [unseen] = await openFor({ ...EVERY_RIGHT, readable: new Set() }).write([write]);
  assert.equal(unseen?.failure?.code, 'WRITE_STEP_EXCEEDED');
  assert.doesNotMatch(unseen?.failure?.message ?? '', /\d/);
});

test('a record tells what was read before the write, by whatever read it, without asking the device for it', async (t) => {
  const { driver, asset, clock, send } = await openBench(t, { maximum: 1000 });
  assert.equal((await send(20))?.before, undefined);
  clock.advance(10);
  await asset.readAll();
  const timestampMs = driver.timestampMs;
  const rounds = driver.rounds.length;
  clock.advance(10);
  assert.deepEqual((await send(30))?.before, { value: 20, timestampMs });
  assert.equal((await send(40))?.before, undefined, 'nothing has read what the write before left');
  clock.advance(10);
  await asset.read(['level']);
  assert.equal((await send(50))?.before, undefined, 'another channel was read');
  assert.equal(driver.rounds.length, rounds + 1);
});

test('a record tells what the terms of the write read before it, also when it is refused', async (t) => {
  const { driver, send } = await openBench(t, { maximumStep: 5, verify: { tolerance: 0, withinMs: 100 } });
  assert.equal((await send(16))?.before?.value, 10);
  assert.equal((await send(14))?.before?.value, 10);
  driver.values.set('setpoint', 12);
  assert.equal((await send(13, { ifValue: 12 }))?.before?.value, 12);
});

test('what a verified write read back is what the next one takes the place of', async (t) => {
  const { send } = await openBench(t, { verify: { tolerance: 0, withinMs: 100 } });
  assert.equal((await send(14))?.before, undefined);
  assert.equal((await send(15))?.before?.value, 14);
});
