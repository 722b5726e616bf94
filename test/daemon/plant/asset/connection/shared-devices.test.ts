import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkPlant } from '../../../../../daemon/plant/asset/plant-config.ts';
import { finish } from '../../../../../daemon/base/slices.ts';
import {
  describeSharedDevice,
  listSharedDevices,
} from '../../../../../daemon/plant/asset/connection/shared-devices.ts';
import { createDriverFactories } from '../../../../../drivers/index.ts';

const FACTORIES = createDriverFactories();

function list(...drivers: readonly Readonly<Record<string, unknown>>[]): readonly string[] {
  const document = {
    drivers: drivers.map((driver, index) => Object.assign({ pid: `d${index + 1}` }, driver)),
  };
  const { value, faults } = finish(checkPlant(FACTORIES, document));
  assert.ok(value, JSON.stringify(faults));
  return listSharedDevices(FACTORIES, value.drivers).map((device) => describeSharedDevice(device).message);
}

const TCP = { type: 'modbus', host: 'meter.example' };
const SERIAL = { type: 'serial', framing: { type: 'delimiter', delimiter: '\\n' } };

test('two Modbus connections to one host and port are pointed out, with both drivers', () => {
  const [warning, ...others] = list(TCP, { ...TCP, host: 'METER.example', transport: 'rtu-over-tcp' });
  assert.match(warning ?? '', /d1, d2/);
  assert.match(warning ?? '', /meter\.example:502/);
  assert.deepEqual(others, []);
});

test('other ports and hosts are none of it', () => {
  assert.deepEqual(list(TCP, { ...TCP, port: 503 }, { ...TCP, host: 'other.example' }), []);
});

test('two drivers for one serial line are pointed out, of any kind, without its path', () => {
  const [warning] = list(
    { type: 'modbus', transport: 'rtu', device: '/dev/ttyUSB0' },
    { ...SERIAL, device: '/dev/ttyUSB0' },
    { ...SERIAL, device: '/dev/ttyUSB1' },
  );
  assert.match(warning ?? '', /d1, d2 all use ttyUSB0:/);
});

test('two drivers for one OPC UA endpoint are in order', () => {
  const opcua = { type: 'opcua', endpointUrl: 'opc.tcp://plc.example:4840' };
  assert.deepEqual(list(opcua, opcua), []);
});

test('of many drivers with one device some are named, and the others counted', () => {
  const [warning] = list(...Array.from({ length: 13 }, () => TCP));
  assert.match(warning ?? '', /^the drivers d1, d2, .*, d10 and 3 more all use/);
});
