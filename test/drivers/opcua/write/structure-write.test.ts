import assert from 'node:assert/strict';
import { after, before, beforeEach, suite, test } from 'node:test';

import type { SubscribingDriver } from '../../../../daemon/channel/driver.ts';
import type { ChannelValue, ValueType } from '../../../../daemon/channel/value-type.ts';
import type { OpcuaAddress } from '../../../../drivers/opcua/opcua-address.ts';
import { createOpcuaDriverFactory } from '../../../../drivers/opcua/opcua-driver.ts';
import { startAsyncuaServer } from '../../../support/asyncua-server.ts';
import type { AsyncuaServer } from '../../../support/asyncua-server.ts';
import { createOpcuaChannel, createOpcuaDriver } from '../../../support/opcua-driver-under-test.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';
import { needs } from '../../../support/tests-that-need.ts';
import { writeValues } from '../../../support/write-values.ts';

const MOTOR = {
  name: 'M1',
  hours: '18446744073709551615',
  mode: 1,
  position: { x: 0.1, y: 12.34 },
  path: [
    { x: 1, y: 2 },
    { x: 3, y: 4 },
  ],
  counts: [1],
  serial: 'AQI=',
  started: '2023-11-14T22:13:20.123Z',
};

const fieldOf = (node: string, field: string, valueType: ValueType) =>
  createOpcuaChannel(node, valueType, { field, wholeStructure: true });

suite('with structures on asyncua', needs('asyncua'), () => {
  const dataDirectory = createTemporaryDirectory({ after });
  let server: AsyncuaServer;
  let driver: SubscribingDriver<OpcuaAddress>;

  before(async () => {
    server = await startAsyncuaServer();
  });
  beforeEach(async () => {
    await (driver as typeof driver | undefined)?.disconnect();
    await server.reset();
    driver = createOpcuaDriver({ endpointUrl: `opc.tcp://127.0.0.1:${server.port}` }, { dataDirectory });
    await driver.connect(noDeadline(), () => undefined);
  });
  after(async () => {
    await driver.disconnect();
    await server[Symbol.asyncDispose]();
  });

  const readText = async (name: string): Promise<unknown> => {
    const [reading] = await driver.prepareRead([createOpcuaChannel(name, 'STRING')]).read(noDeadline());
    return reading?.failure?.code ?? JSON.parse(quoteLarge(String(reading?.value)));
  };

  const written: readonly (readonly [string, ValueType, ChannelValue, object])[] = [
    ['name', 'STRING', 'M2', { name: 'M2' }],
    ['hours', 'LONG', 2n ** 53n + 1n, { hours: '9007199254740993' }],
    ['mode', 'INTEGER', 0, { mode: 0 }],
    ['position.x', 'DOUBLE', 7.5, { position: { x: 7.5, y: 12.34 } }],
    [
      'path[1].y',
      'FLOAT',
      0.5,
      {
        path: [
          { x: 1, y: 2 },
          { x: 3, y: 0.5 },
        ],
      },
    ],
    ['serial', 'BYTE_ARRAY', Uint8Array.of(3), { serial: 'Aw==' }],
    ['started', 'STRING', '2024-02-29T12:00:00.000Z', { started: '2024-02-29T12:00:00.000Z' }],
    ['counts', 'STRING', '[1,-2]', { counts: [1, -2] }],
    ['note', 'STRING', 'new', { note: 'new' }],
  ];
  for (const [field, valueType, value, changed] of written) {
    test(`the field "${field}" is written, and every other field stays as it is`, async () => {
      const first = { channel: fieldOf('motor', 'counts', 'STRING'), value: '[1]' };
      const [, outcome] = await writeValues(
        driver,
        [first, { channel: fieldOf('motor', field, valueType), value }],
        noDeadline(),
      );
      assert.equal(outcome?.failure, undefined);
      assert.equal(outcome?.isWholeStructure, true);
      assert.deepEqual(await readText('motor'), { ...MOTOR, ...changed });
    });
  }

  test('a field with elements of any type is written in the types that they have', async () => {
    const parts = fieldOf('box', 'parts', 'STRING');
    assert.deepEqual(await readText('box'), { label: 'B1', parts: [7, 'x'] });
    const outcomes = await writeValues(
      driver,
      ['[8,"y"]', '["y",8]', '[8]'].map((value) => ({ channel: parts, value })),
      noDeadline(),
    );
    assert.deepEqual(
      outcomes.map(({ failure }) => failure?.code),
      [undefined, 'VALUE_TYPE_MISMATCH', 'VALUE_OUT_OF_RANGE'],
    );
    assert.deepEqual(await readText('box'), { label: 'B1', parts: [8, 'y'] });
    assert.match(JSON.stringify((await server.show('box')).value), /Int32.*String/);
  });

  test('the outcome has the value before, and the counter counts', async () => {
    const channel = fieldOf('motor', 'position.x', 'DOUBLE');
    const outcomes = await writeValues(
      driver,
      [5, 6].map((value) => ({ channel, value })),
      noDeadline(),
    );
    assert.deepEqual(
      outcomes.map((outcome) => outcome.failure ?? outcome.before),
      [0.1, 5],
    );
    assert.equal(driver.counters()['readModifyWrites'], 2);
  });

  test('fields that are written together are all written', async () => {
    const pairs = [
      { channel: fieldOf('motor', 'position.x', 'DOUBLE'), value: 1 },
      { channel: fieldOf('motor', 'position.y', 'DOUBLE'), value: 2 },
      { channel: fieldOf('motor', 'name', 'STRING'), value: 'M3' },
    ];
    await Promise.all(pairs.map((pair) => writeValues(driver, [pair], noDeadline())));
    const { position, name } = (await readText('motor')) as typeof MOTOR;
    assert.deepEqual([position, name], [{ x: 1, y: 2 }, 'M3']);
  });

  test('an element of an array of structures is written by its index', async () => {
    const channel = fieldOf('motors', '[1].name', 'STRING');
    const [outcome] = await writeValues(driver, [{ channel, value: 'second' }], noDeadline());
    assert.equal(outcome?.failure, undefined);
    const motors = (await readText('motors')) as readonly (typeof MOTOR)[];
    assert.deepEqual(
      motors.map(({ name }) => name),
      ['M1', 'second'],
    );
  });

  test('what the field cannot hold, or that is no field, is not sent', async () => {
    const cases: readonly (readonly [string, string, ValueType, ChannelValue, string])[] = [
      ['motor', 'nothing', 'DOUBLE', 1, 'OPCUA_FIELD_UNKNOWN'],
      ['motor', 'mode', 'LONG', 2n ** 40n, 'VALUE_OUT_OF_RANGE'],
      ['motor', 'name', 'INTEGER', 5, 'VALUE_TYPE_MISMATCH'],
      ['motor', 'position', 'STRING', '{"x":1}', 'OPCUA_UNSUPPORTED_TYPE'],
      ['level', 'x', 'DOUBLE', 1, 'OPCUA_FIELD_UNKNOWN'],
      ['alien', 'x', 'DOUBLE', 1, 'OPCUA_FIELD_UNKNOWN'],
    ];
    const former = await readText('motor');
    for (const [node, field, valueType, value, code] of cases) {
      const [outcome] = await writeValues(
        driver,
        [{ channel: fieldOf(node, field, valueType), value }],
        noDeadline(),
      );
      assert.equal(outcome?.failure?.code, code, field);
    }
    assert.deepEqual(await readText('motor'), former);
    assert.equal(driver.counters()['readModifyWrites'], 0);
  });
});

test('a field is written only where the channel allows it, and the reason names the setting', () => {
  const factory = createOpcuaDriverFactory();
  const refused = createOpcuaChannel('motor', 'DOUBLE', { field: 'position.x' });
  const [fault] = factory.checkChannel(refused);
  assert.match(fault?.message ?? '', /replaces the whole structure; .*wholeStructure true/);
  assert.deepEqual(factory.checkChannel(fieldOf('motor', 'position.x', 'DOUBLE')), []);
  assert.deepEqual(
    factory
      .checkChannel(createOpcuaChannel('motor', 'STRING', { wholeStructure: true }))
      .map(({ path }) => path),
    [['address', 'wholeStructure']],
  );
});

// JSON of this reader has no digits beyond 53 bits.
function quoteLarge(text: string): string {
  return text.replaceAll(/(?<=[:[,])\d{16,}(?=[,}\]])/g, '"$&"');
}

function noDeadline(): AbortSignal {
  return new AbortController().signal;
}
