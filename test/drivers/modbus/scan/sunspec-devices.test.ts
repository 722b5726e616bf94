import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';

import { TemplateLibrary } from '../../../../daemon/plant/template/template-library.ts';
import { YamlReader } from '../../../../daemon/settings/yaml-reader.ts';
import { startModbusServer } from '../../../../daemon/simulator/modbus-server.ts';
import { openPlant } from '../../../support/plant-under-test.ts';
import { openModbusScan } from './scan-bench.ts';
import { createCommonModel, createSunspecMap } from './sunspec-memory.ts';

/** Consecutive registers as a unit showed them: the offset of the first from the number of the model, then their values. */
type Run = readonly number[];

interface Device {
  readonly manufacturer: string;
  /** Published place of the values. */
  readonly source: string;
  readonly number: number;
  readonly length: number;
  readonly registers: readonly Run[] | string;
  /** Values that were published with the registers, or follow from registers and scale; undefined: not available. */
  readonly values: Readonly<Record<string, number | undefined>>;
}

const NONE = 0x8000;
const UNSIGNED_NONE = 0xffff;

const DEVICES: readonly Device[] = [
  {
    manufacturer: 'SolarEdge SE3500H',
    source: 'nmakel/solaredge_modbus, README',
    number: 101,
    length: 50,
    registers: [
      [
        2,
        895,
        895,
        UNSIGNED_NONE,
        UNSIGNED_NONE,
        -2,
        2403,
        UNSIGNED_NONE,
        UNSIGNED_NONE,
        UNSIGNED_NONE,
        UNSIGNED_NONE,
        UNSIGNED_NONE,
        -1,
        21_413,
        -1,
        50_003,
        -3,
        21_479,
        -1,
        16_859,
        -2,
        9969,
        -2,
        52,
        58_885,
        0,
        5678,
        -3,
        3826,
        -1,
        21_726,
        -1,
        NONE,
        4979,
        NONE,
        NONE,
        -2,
        4,
        0,
      ],
    ],
    values: {
      current: 8.95,
      currentA: 8.95,
      currentB: undefined,
      voltageAB: 240.3,
      voltageA: undefined,
      activePower: 2141.3,
      frequency: 50.003,
      apparentPower: 2147.9,
      reactivePower: 168.59,
      powerFactor: 99.69,
      energy: 3_466_757,
      dcCurrent: 5.678,
      dcVoltage: 382.6,
      dcPower: 2172.6,
      cabinetTemperature: undefined,
      heatSinkTemperature: 49.79,
      state: 4,
    },
  },
  {
    manufacturer: 'SolarEdge SE15K',
    source: 'volkszaehler/mbmd, issue 128',
    number: 103,
    length: 50,
    registers: [
      [
        2, 4642, 1546, 1547, 1548, -2, 4207, 4217, 4193, 2427, 2436, 2422, -1, 8632, 0, 5000, -2, 11_308, 0,
        -7305, 0, -7632, -2, 18, 8926, 0,
      ],
    ],
    values: {
      current: 46.42,
      currentC: 15.48,
      voltageBC: 421.7,
      voltageC: 242.2,
      activePower: 8632,
      frequency: 50,
      apparentPower: 11_308,
      reactivePower: -7305,
      powerFactor: -76.32,
      energy: 1_188_574,
    },
  },
  {
    manufacturer: 'KOSTAL PLENTICORE plus',
    source: 'evcc-io/evcc, issue 10912',
    number: 103,
    length: 50,
    registers: [
      [
        2,
        115,
        35,
        37,
        41,
        -2,
        UNSIGNED_NONE,
        UNSIGNED_NONE,
        UNSIGNED_NONE,
        2198,
        2210,
        2234,
        -1,
        47,
        0,
        5000,
        -2,
        255,
        0,
        251,
        0,
        1000,
        -3,
        569,
        35_906,
        0,
        UNSIGNED_NONE,
        0,
        UNSIGNED_NONE,
        0,
        70,
        0,
        288,
      ],
      [37, -1],
    ],
    values: {
      current: 1.15,
      voltageAB: undefined,
      voltageC: 223.4,
      activePower: 47,
      reactivePower: 251,
      powerFactor: 1,
      energy: 37_325_890,
      dcCurrent: undefined,
      dcPower: 70,
      cabinetTemperature: 28.8,
    },
  },
  {
    manufacturer: 'Fronius Symo 5.0-3-M at night',
    source: 'evcc-io/evcc, issue 16924',
    number: 103,
    length: 50,
    registers: [
      [6, -2],
      [13, -2],
      [15, -2],
      [17, -2, NONE, NONE, NONE, NONE, NONE, NONE, 1151, 6360, 0, UNSIGNED_NONE, NONE, UNSIGNED_NONE, NONE],
    ],
    values: {
      current: 0,
      voltageA: 0,
      activePower: 0,
      apparentPower: undefined,
      powerFactor: undefined,
      energy: 75_438_296,
      dcVoltage: undefined,
    },
  },
  {
    manufacturer: 'Fronius, two inputs',
    source: 'Brovning/fronius, issue 10',
    number: 160,
    length: 48,
    registers: [
      [2, -2, -2, -1, 0],
      [8, 2],
      [21, 50_243],
      [41, 17_536],
    ],
    values: { dcPower1: 5024.3, dcPower2: 1753.6 },
  },
  {
    manufacturer: 'ABB',
    source: 'volkszaehler/mbmd, issue 98',
    number: 103,
    length: 50,
    registers: [[14, 3123, 0, 5000, -2, NONE, NONE, NONE, NONE, NONE, NONE]],
    values: { activePower: 3123, frequency: 50, apparentPower: undefined, reactivePower: undefined },
  },
  {
    manufacturer: 'meter of SolarEdge',
    source: 'biemond/solaredge.modbus, issue 15',
    number: 203,
    length: 105,
    registers: [
      [2, 27, 0, 3, 24, -1, 23_087, 23_087, 23_326, 23_495],
      [15, -2, 5000, -2, 369, 0, -40, 410, 0, 552, 5, 71, 537, 0, -408, -5, -59, -343, 0],
    ],
    values: {
      current: 2.7,
      currentC: 2.4,
      voltageLN: 230.87,
      voltageC: 234.95,
      frequency: 50,
      activePower: 369,
      activePowerB: -40,
      apparentPowerC: 537,
      reactivePower: -408,
      reactivePowerC: -343,
    },
  },
  {
    manufacturer: 'meter of KOSTAL',
    source: 'evcc-io/evcc, issue 18358, which prints the response and 2350 W for phase A',
    number: 203,
    length: 105,
    registers: `
      80 00 04 06 00 d0 00 a0 ff fe 80 00 59 c6 5a ae 5a ad 80 00 80 00 80 00 80 00 ff fe 13 86 ff fe 01 33 00 eb 00 2f
      00 18 00 01 01 35 00 ec 00 2f 00 1d 00 01 ff e3 ff f2 00 00 ff f1 00 01 03 e3 03 e6 03 e8 03 48 ff fd`,
    values: {
      current: undefined,
      currentA: 10.3,
      voltageLN: undefined,
      voltageA: 229.82,
      voltageAB: undefined,
      frequency: 49.98,
      activePower: 3070,
      activePowerA: 2350,
      apparentPowerC: 290,
      reactivePower: -290,
      powerFactor: 0.995,
    },
  },
];

const library = new TemplateLibrary({
  directories: [path.resolve(import.meta.dirname, '../../../../packaging/templates')],
  listPackagedFiles: () => Promise.resolve([]),
  yaml: new YamlReader(),
});

/** Returns the registers of a model after its length; those that were not published hold 0. */
function toRegisters({ registers, length }: Device): readonly number[] {
  if (typeof registers !== 'string') {
    const words = Array.from({ length }, () => 0);
    for (const [offset = 2, ...values] of registers) {
      for (const [index, value] of values.entries()) words[offset - 2 + index] = value & 0xffff;
    }
    return words;
  }
  const words = (registers.match(/[0-9a-f]{2} [0-9a-f]{2}/g) ?? []).map((pair) =>
    parseInt(pair.replace(' ', ''), 16),
  );
  return Array.from({ length }, (_, index) => words[index] ?? 0);
}

for (const device of DEVICES) {
  const { manufacturer, number, values } = device;

  test(`${manufacturer}: model ${number} is found, and its values are those that were published`, async (t) => {
    const memory = createSunspecMap(40_000, [
      createCommonModel('Manufacturer', 'Unit', 'SN-1'),
      [number, toRegisters(device)],
    ]);
    const server = await startModbusServer({
      host: '127.0.0.1',
      port: 0,
      memory: {
        read: (unitId, table, offset) =>
          unitId === 1 && table === 'HOLDING_REGISTERS' ? memory.get(offset) : undefined,
        write: () => false,
      },
    });
    t.after(() => server.close());
    const settings = { host: '127.0.0.1', port: server.port };
    const { scan } = await openModbusScan(t, {}, await library.listDescribed());
    const { assets } = await scan(settings, { options: { units: '1', ranges: false } });
    const [found] = assets;
    assert.ok(found?.template !== undefined && assets.length === 1, JSON.stringify(assets));
    const { loaded } = await library.get(found.template);
    const expanded = loaded.expand(found.template, found.parameters ?? {});
    assert.equal(expanded.faults, undefined);
    const registry = await openPlant(t, {
      drivers: [{ pid: 'line', type: 'modbus', ...settings }],
      assets: [
        { pid: 'unit', driver: 'line', channels: (expanded.value ?? []).map(({ channel }) => channel) },
      ],
    });
    const { records } = await registry.get('unit').read(['model', ...Object.keys(values)]);
    const shown = records.map(({ name, value, failure }) => [
      name,
      failure === undefined ? value : failure.code,
    ]);
    const expected = Object.entries({ model: number, ...values }).map(([name, value]) => [
      name,
      value ?? 'VALUE_NOT_AVAILABLE',
    ]);
    assert.deepEqual(shown, expected);
  });
}
