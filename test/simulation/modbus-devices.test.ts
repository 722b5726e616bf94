import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Channel } from '../../daemon/channel/channel.ts';
import { createChannelSchema } from '../../daemon/channel/channel.ts';
import type { Driver, Reading } from '../../daemon/channel/driver.ts';
import { addressSchema } from '../../drivers/modbus/modbus-address.ts';
import type { ModbusAddress } from '../../drivers/modbus/modbus-address.ts';
import { createModbusDriverFactory } from '../../drivers/modbus/modbus-driver.ts';
import { createDriverContext } from '../support/driver-context.ts';
import { rtuMode, SerialStations } from './devices/modbus/serial-stations.ts';
import { Health } from './devices/health.ts';
import { ModbusPoint } from './devices/modbus/modbus-point.ts';
import { ModbusTcpServer } from './devices/modbus/modbus-tcp-server.ts';
import { ModbusUnit } from './devices/modbus/modbus-unit.ts';
import { UnitConduct } from './devices/modbus/unit-conduct.ts';
import type { FormName } from './devices/modbus/value-form.ts';
import { SimulatedNetwork } from './network/simulated-network.ts';
import { Chronicle } from './world/chronicle.ts';
import { Random } from './world/random.ts';
import { SimulatedTime } from './world/simulated-time.ts';
import { writeValues } from '../support/write-values.ts';

const LINE = '/dev/serial/by-id/usb-line';
const channelSchema = createChannelSchema(addressSchema);

interface Bench {
  readonly time: SimulatedTime;
  readonly chronicle: Chronicle;
  readonly random: Random;
  readonly network: SimulatedNetwork;
  readonly conducts: ReadonlyMap<number, UnitConduct>;
}

function createBench(seed: string): Bench {
  const time = new SimulatedTime();
  const random = new Random(seed);
  const network = new SimulatedNetwork({ time, random: random.branch('network') });
  const conducts = new Map([1, 2].map((unitId) => [unitId, createConduct(unitId, time, random)]));
  return { time, random, network, conducts, chronicle: new Chronicle(time) };
}

function createConduct(unitId: number, time: SimulatedTime, random: Random): UnitConduct {
  const forms: readonly FormName[] = ['UINT32', 'INT16', 'FLOAT32', 'INT64', 'STRING'];
  let offset = 10;
  const points = forms.map((form, index) => {
    const health = [new Health(time)];
    const shared = { time, unitId, form, offset, health, table: 'HOLDING_REGISTERS' } as const;
    const point = new ModbusPoint({
      ...shared,
      name: `u${unitId}${form}`,
      identity: unitId * 32 + index,
      type: index === 0 ? 'READ_WRITE' : 'READ',
      isLowWordFirst: index === 3,
      periodMs: 5000,
      phaseMs: index * 700,
    });
    offset += point.entries;
    return point;
  });
  const settings = { maximumRegisters: 125, tooLongCode: 3, hasHoles: false, missingFunctions: [] } as const;
  return new UnitConduct(
    new ModbusUnit({ unitId, points, ...settings }),
    random.branch(`u${unitId}`),
    [2, 9],
  );
}

function addTcp({ network, time, random, conducts }: Bench): void {
  const server = new ModbusTcpServer({ time, random, units: conducts, isSequential: true, unknownUnit: 11 });
  network.addHost('plc', 502, { accept: (end) => server.accept(end), cutProbability: 0.2 });
}

function addLine({ network, random, conducts }: Bench): void {
  const settings = { baudRate: 19_200, dataBits: 8, stopBits: 1, parity: 'even' } as const;
  const bus = network.addLine(LINE, { ...rtuMode, settings, cutProbability: 0.2 });
  bus.attach(new SerialStations({ bus, random, mode: rtuMode, units: conducts }));
}

interface Client {
  readonly driver: Driver<ModbusAddress>;
  readonly channels: readonly Channel<ModbusAddress>[];
}

function createClient({ time, random, network, conducts }: Bench, settings: object): Client {
  const factory = createModbusDriverFactory(network);
  const draw = random.branch('driver');
  const context = createDriverContext({ clock: time, random: () => draw.fraction() });
  const driver = factory.create(factory.configSchema.parse({ responseTimeoutMs: 200, ...settings }), context);
  const points = [...conducts.values()].flatMap(({ unit }) => unit.points);
  return { driver, channels: points.map(({ channel }) => channelSchema.parse(channel)) };
}

/** Reads all channels each second, and notes which of them had what the device had. */
async function readFor(bench: Bench, settings: object, seconds: number): Promise<readonly string[]> {
  const { time, chronicle, conducts } = bench;
  const { driver, channels } = createClient(bench, settings);
  const points = [...conducts.values()].flatMap(({ unit }) => unit.points);
  const rounds: string[] = [];
  const judge = (readings: readonly Reading[], fromMs: number): string =>
    readings
      .map((reading, index) => {
        if (reading.failure !== undefined) return reading.failure.code;
        const value = typeof reading.value === 'bigint' ? Number(reading.value) : reading.value;
        const isTrue = points[index]?.had(value as string, fromMs, time.monotonicMs()) === true;
        chronicle.note(channels[index]?.name ?? '', String(value));
        return isTrue ? 'true' : `false ${String(value)}`;
      })
      .join(' ');
  const run = async (): Promise<void> => {
    await driver.connect(new AbortController().signal, () => undefined);
    const read = driver.prepareRead(channels);
    for (let round = 0; round < seconds; round += 1) {
      const fromMs = time.monotonicMs();
      rounds.push(judge(await read.read(new AbortController().signal), fromMs));
      await new Promise<void>((resolve) => {
        time.schedule(1000, resolve);
      });
    }
    await driver.disconnect();
  };
  const done = run();
  await time.runUntil((seconds + 40) * 1000);
  await done;
  return rounds;
}

const allTrue = (count: number): string => Array.from({ length: count }, () => 'true').join(' ');
const rtu = { transport: 'rtu', device: LINE };

for (const [name, add, settings] of [
  ['Modbus TCP', addTcp, { host: 'plc', port: 502 }],
  ['a line in RTU mode', addLine, rtu],
] as const) {
  test(`the driver reads what the units behind ${name} have`, async () => {
    const bench = createBench(name);
    add(bench);
    const rounds = await readFor(bench, settings, 20);
    assert.deepEqual([...new Set(rounds)], [allTrue(10)]);
  });

  test(`a unit behind ${name} that is silent for a time fails alone, and comes back`, async () => {
    const bench = createBench(name);
    add(bench);
    bench.time.schedule(3000, () => {
      const end = bench.conducts.get(2)?.begin({ instead: { exceptionCode: undefined } });
      if (end !== undefined) bench.time.schedule(10_000, end);
    });
    const rounds = await readFor(bench, settings, 40);
    assert.ok(rounds.every((round) => round.startsWith(allTrue(5))));
    assert.ok(rounds.some((round) => round.endsWith('MODBUS_UNIT_SUSPENDED')));
    assert.equal(rounds.at(-1), allTrue(10));
  });

  test(`two runs of a seed over ${name} are the same`, async () => {
    const digests: string[] = [];
    for (let run = 0; run < 2; run += 1) {
      const bench = createBench(name);
      add(bench);
      await readFor(bench, settings, 20);
      digests.push(bench.chronicle.digest());
    }
    assert.equal(digests[0], digests[1]);
  });
}

test('a write is carried out by the device once, and is in its history', async () => {
  const bench = createBench('write');
  addTcp(bench);
  const { driver, channels } = createClient(bench, { host: 'plc', port: 502 });
  const point = bench.conducts.get(1)?.unit.points[0];
  const [channel] = channels;
  assert.ok(point !== undefined && channel !== undefined);
  const value = point.nextValue?.() as number;
  const run = async (): Promise<void> => {
    await driver.connect(new AbortController().signal, () => undefined);
    const outcomes = await writeValues(
      driver,
      [{ channel, value: BigInt(value) }],
      new AbortController().signal,
    );
    assert.equal(outcomes[0]?.failure, undefined);
    await driver.disconnect();
  };
  const done = run();
  await bench.time.runUntil(5000);
  await done;
  assert.deepEqual(
    point.writes.map((write) => write.value),
    [value],
  );
  assert.ok(point.had(value, 4000, 5000));
});
