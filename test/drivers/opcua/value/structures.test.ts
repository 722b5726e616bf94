import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';

import type { Reading, SubscribingDriver } from '../../../../daemon/channel/driver.ts';
import type { ChannelValue, ValueType } from '../../../../daemon/channel/value-type.ts';
import type { OpcuaAddress } from '../../../../drivers/opcua/opcua-address.ts';
import { createOpcuaDriverFactory } from '../../../../drivers/opcua/opcua-driver.ts';
import { startAsyncuaServer } from '../../../support/asyncua-server.ts';
import type { AsyncuaServer } from '../../../support/asyncua-server.ts';
import { createOpcuaChannel, createOpcuaDriver } from '../../../support/opcua-driver-under-test.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';
import { needs } from '../../../support/tests-that-need.ts';
import { writeValues } from '../../../support/write-values.ts';

const opcuaDriverFactory = createOpcuaDriverFactory();

const MOTOR =
  '{"name":"M1","hours":18446744073709551615,"mode":1,"position":{"x":0.1,"y":12.34},' +
  '"path":[{"x":1,"y":2},{"x":3,"y":4}],"counts":[9007199254740993],"serial":"AQI=",' +
  '"started":"2023-11-14T22:13:20.123Z"}';

suite('with structures on asyncua', needs('asyncua'), () => {
  const dataDirectory = createTemporaryDirectory({ after });
  let server: AsyncuaServer;
  let driver: SubscribingDriver<OpcuaAddress>;

  before(async () => {
    server = await startAsyncuaServer();
    driver = createOpcuaDriver({ endpointUrl: `opc.tcp://127.0.0.1:${server.port}` }, { dataDirectory });
    await driver.connect(noDeadline(), () => undefined);
  });
  after(async () => {
    await driver.disconnect();
    await server[Symbol.asyncDispose]();
  });

  const read = async (name: string, valueType: ValueType, address = {}) => {
    const [reading] = await driver
      .prepareRead([createOpcuaChannel(name, valueType, address)])
      .read(noDeadline());
    return reading;
  };

  const fields: readonly (readonly [name: string, field: string, ValueType, ChannelValue])[] = [
    ['motor', 'name', 'STRING', 'M1'],
    ['motor', 'hours', 'LONG', 2n ** 64n - 1n],
    ['motor', 'mode', 'INTEGER', 1],
    ['motor', 'position.x', 'DOUBLE', 0.1],
    ['motor', 'position.y', 'FLOAT', Math.fround(12.34)],
    ['motor', 'position', 'STRING', '{"x":0.1,"y":12.34}'],
    ['motor', 'path[1].x', 'DOUBLE', 3],
    ['motor', 'path', 'STRING', '[{"x":1,"y":2},{"x":3,"y":4}]'],
    ['motor', 'counts[0]', 'LONG', 2n ** 53n + 1n],
    ['motor', 'counts', 'STRING', '[9007199254740993]'],
    ['motor', 'serial', 'BYTE_ARRAY', Buffer.of(1, 2)],
    ['motor', 'started', 'STRING', '2023-11-14T22:13:20.123Z'],
    ['motors', '[1].name', 'STRING', 'M1'],
    ['range', 'High', 'DOUBLE', 20],
    ['unit', 'DisplayName', 'STRING', '°C'],
  ];
  test('fields are read by their path, nested ones and those in arrays as well', async () => {
    const channels = fields.map(([name, field, valueType]) => createOpcuaChannel(name, valueType, { field }));
    const readings = await driver.prepareRead(channels).read(noDeadline());
    assert.deepEqual(
      readings.map(({ value, failure }) => failure ?? value),
      fields.map(([, , , value]) => value),
    );
  });

  test('a whole structure is JSON text with every digit, an array of them as well', async () => {
    assert.equal((await read('motor', 'STRING'))?.value, MOTOR);
    assert.equal((await read('motors', 'STRING'))?.value, `[${MOTOR},${MOTOR}]`);
    assert.equal((await read('range', 'STRING'))?.value, '{"Low":-1.5,"High":20}');
  });

  test('a LocalizedText without a text is null in a structure: that of the state of every server has one', async () => {
    const reading = await read('state', 'STRING', { nodeId: 'i=2256' });
    const state = JSON.parse(String(reading?.value)) as Readonly<Record<string, unknown>>;
    assert.equal(reading?.failure, undefined);
    assert.equal(state['ShutdownReason'], null);
    assert.equal(state['State'], 0);
  });

  test('what a structure does not have is a failure that names it', async () => {
    const cases: readonly (readonly [string, ValueType, string, RegExp])[] = [
      ['speed', 'DOUBLE', 'OPCUA_FIELD_UNKNOWN', /the value has no field "speed"/],
      ['position.z', 'DOUBLE', 'OPCUA_FIELD_UNKNOWN', /position has no field "z"/],
      ['name.x', 'DOUBLE', 'OPCUA_FIELD_UNKNOWN', /name has no field "x"/],
      ['path[2].x', 'DOUBLE', 'OPCUA_FIELD_UNKNOWN', /path has no element \[2\]/],
      ['note', 'STRING', 'OPCUA_NO_VALUE', /no value/],
      ['position', 'DOUBLE', 'OPCUA_UNSUPPORTED_TYPE', /use field for a part/],
      ['__proto__', 'STRING', 'OPCUA_FIELD_UNKNOWN', /no field "__proto__"/],
    ];
    for (const [field, valueType, code, message] of cases) {
      const reading = await read('motor', valueType, { field });
      assert.equal(reading?.failure?.code, code, field);
      assert.match(reading.failure.message, message);
    }
    assert.equal((await read('level', 'DOUBLE', { field: 'x' }))?.failure?.code, 'OPCUA_FIELD_UNKNOWN');
  });

  test('the types are asked for once in a session', async () => {
    await read('motor', 'STRING');
    const reads = await server.countReads();
    assert.equal((await read('motor', 'STRING'))?.value, MOTOR);
    assert.equal((await server.countReads()) - reads, 1);
  });

  test('a structure that the server does not describe is a failure, and is asked for once', async () => {
    assert.equal((await read('alien', 'STRING'))?.failure?.code, 'OPCUA_UNSUPPORTED_TYPE');
    const reads = await server.countReads();
    assert.equal((await read('alien', 'STRING'))?.failure?.code, 'OPCUA_UNSUPPORTED_TYPE');
    assert.equal((await server.countReads()) - reads, 1);
  });

  test('a structure that is shorter than its type says is a failure', async () => {
    assert.equal((await read('broken', 'STRING'))?.failure?.code, 'OPCUA_UNSUPPORTED_TYPE');
    assert.equal((await read('motor', 'STRING'))?.value, MOTOR);
  });

  test('a structure whose fields have the names of parts of an object harms nothing', async () => {
    for (const field of ['schema', '__proto__', 'constructor', 'toString', 'nodeId']) {
      const reading = await read('odd', 'STRING', { field });
      assert.ok(reading?.value === field || reading?.failure !== undefined, field);
    }
    assert.equal((await read('motor', 'STRING'))?.value, MOTOR);
  });

  test('structures are reported, in order with the values around them', async () => {
    await driver.disconnect();
    await driver.connect(noDeadline(), () => undefined);
    const readings = new Map<number, Reading>();
    const { promise, resolve } = Promise.withResolvers<void>();
    const ending = new AbortController();
    await driver.subscribe({
      channels: [
        createOpcuaChannel('motor', 'DOUBLE', { field: 'position.x' }),
        createOpcuaChannel('level', 'INTEGER'),
        createOpcuaChannel('motors', 'STRING'),
      ],
      minimumIntervalMs: 50,
      signal: ending.signal,
      onEnd: () => undefined,
      onReading(index, reading) {
        readings.set(index, reading);
        if (readings.size === 3) resolve();
      },
    });
    await promise;
    ending.abort();
    assert.equal(readings.get(0)?.value, 0.1);
    assert.equal(readings.get(2)?.value, `[${MOTOR},${MOTOR}]`);
  });

  test('a structure is not written', async () => {
    const channel = createOpcuaChannel('motor', 'STRING');
    const [outcome] = await writeValues(driver, [{ channel, value: MOTOR }], noDeadline());
    assert.equal(outcome?.failure?.code, 'OPCUA_DATA_TYPE_UNKNOWN');
  });
});

test('a field of a structure can only be read, unless the channel allows more', () => {
  const channel = createOpcuaChannel('motor', 'DOUBLE', { field: 'position.x' });
  assert.deepEqual(
    opcuaDriverFactory.checkChannel(channel).map(({ path }) => path),
    [['type']],
  );
  assert.deepEqual(opcuaDriverFactory.checkChannel({ ...channel, type: 'READ' }), []);
});

test('the way to a field is names with dots between them, and indexes', () => {
  const isValid = (field: string): boolean =>
    opcuaDriverFactory.addressSchema.safeParse({ nodeId: 'i=1', field }).success;
  for (const field of ['a', 'a.b', 'a[0].b', '[1].a', 'a[0][1]']) assert.ok(isValid(field), field);
  for (const field of ['', '.a', 'a.', 'a..b', 'a[', 'a[x]', 'a[1]b', 'a]', '[1]a', 'a'.repeat(1025)]) {
    assert.ok(!isValid(field), field);
  }
});

function noDeadline(): AbortSignal {
  return new AbortController().signal;
}
