import assert from 'node:assert/strict';
import { test } from 'node:test';

import { PLANT_ASSETS } from '../../../daemon/simulator/plant-channels.ts';
import { SimulatedPlant } from '../../../daemon/simulator/plant-memory.ts';
import { checkPlant } from '../../../daemon/plant/asset/plant-config.ts';
import { finish } from '../../../daemon/base/slices.ts';
import { createDriverFactories } from '../../../drivers/index.ts';

test('the values of a new plant are in its registers as the channels define', () => {
  const plant = new SimulatedPlant();
  assert.equal(plant.read(1, 'HOLDING_REGISTERS', 0), 600);
  assert.equal(plant.read(1, 'COILS', 0), 1);
  assert.equal(plant.read(1, 'DISCRETE_INPUTS', 0), 1);
  assert.equal(plant.read(1, 'INPUT_REGISTERS', 0), 550);
  assert.equal(plant.read(1, 'INPUT_REGISTERS', 4), 1450);
  const energy = [5, 6, 7, 8].map((offset) => plant.read(1, 'INPUT_REGISTERS', offset) ?? 0);
  assert.equal(
    energy.reduce((sum, register) => sum * 65_536n + BigInt(register), 0n),
    412_650_300n,
  );
  const name = [12, 13, 14, 15, 16, 17, 18, 19].map(
    (offset) => plant.read(1, 'INPUT_REGISTERS', offset) ?? 0,
  );
  const bytes = Buffer.from(name.flatMap((register) => [register >> 8, register & 0xff]));
  assert.equal(bytes.toString('latin1').replace(/\0+$/, ''), 'Boiler house 1');
});

test('the meter has the low word first', () => {
  const plant = new SimulatedPlant();
  const [low = 0, high = 0] = [0, 1].map((offset) => plant.read(2, 'INPUT_REGISTERS', offset));
  assert.equal(high * 65_536 + low, 18_143);
});

test('values change with advance and with nothing else', () => {
  const plant = new SimulatedPlant();
  const before = plant.read(1, 'INPUT_REGISTERS', 0);
  assert.equal(plant.read(1, 'INPUT_REGISTERS', 0), before);
  plant.advance(10_000);
  assert.notEqual(plant.read(1, 'INPUT_REGISTERS', 0), before);
});

test('a written setpoint reads back at once and affects the plant later', () => {
  const plant = new SimulatedPlant();
  assert.equal(plant.write(1, 'HOLDING_REGISTERS', 0, 750), true);
  assert.equal(plant.read(1, 'HOLDING_REGISTERS', 0), 750);
  plant.advance(300_000);
  assert.ok((plant.read(1, 'INPUT_REGISTERS', 0) ?? 0) > 700);
});

test('a negative setpoint reads back', () => {
  const plant = new SimulatedPlant();
  plant.write(1, 'HOLDING_REGISTERS', 0, 0xffff);
  assert.equal(plant.read(1, 'HOLDING_REGISTERS', 0), 0xffff);
});

test('the pump switch stops the pump, and an alarm bit shows it', () => {
  const plant = new SimulatedPlant();
  plant.write(1, 'COILS', 0, 0);
  plant.advance(10_000);
  assert.equal(plant.read(1, 'INPUT_REGISTERS', 4), 0);
  assert.equal(plant.read(1, 'INPUT_REGISTERS', 11), 0b10);
});

test('an entry that a plant does not have is neither read nor written', () => {
  const plant = new SimulatedPlant();
  assert.equal(plant.read(1, 'HOLDING_REGISTERS', 1), undefined);
  assert.equal(plant.read(3, 'HOLDING_REGISTERS', 0), undefined);
  assert.equal(plant.write(1, 'HOLDING_REGISTERS', 1, 5), false);
  assert.equal(plant.write(1, 'INPUT_REGISTERS', 0, 5), false);
});

test('the channels of the plant are a configuration that the gateway accepts', () => {
  const drivers = [{ pid: 'plant', type: 'modbus', host: '127.0.0.1' }];
  const assets = PLANT_ASSETS.map(({ pid, channels }) => ({
    pid,
    driver: 'plant',
    channels: channels.map(({ channel }) => channel),
  }));
  assert.deepEqual(finish(checkPlant(createDriverFactories(), { drivers, assets })).faults, undefined);
});

test('no two values of the plant share registers, except alarm bits', () => {
  const seen = new Map<string, string>();
  for (const { channels } of PLANT_ASSETS) {
    for (const { channel } of channels) {
      const { unitId, table, offset, bit, dataType = 'BOOLEAN', length = 2 } = channel.address;
      const sizes: Readonly<Record<string, number>> = {
        INT32: 2,
        UINT32: 2,
        FLOAT32: 2,
        INT64: 4,
        STRING: length / 2,
      };
      for (let index = 0; index < (sizes[dataType] ?? 1); index += 1) {
        const key = `${unitId} ${table} ${offset + index} ${bit ?? ''}`;
        assert.equal(seen.get(key), undefined, `${channel.name} at ${key}`);
        seen.set(key, channel.name);
      }
    }
  }
});
