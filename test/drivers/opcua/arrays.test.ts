import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';

import type { SubscribingDriver } from '../../../daemon/channel/driver.ts';
import type { ChannelValue, ValueType } from '../../../daemon/channel/value-type.ts';
import type { OpcuaAddress } from '../../../drivers/opcua/opcua-address.ts';
import { startAsyncuaServer } from '../../support/asyncua-server.ts';
import type { AsyncuaServer } from '../../support/asyncua-server.ts';
import { createOpcuaChannel, createOpcuaDriver } from '../../support/opcua-driver-under-test.ts';
import { startOpcuaServer } from '../../support/opcua-server.ts';
import type { OpcuaServer } from '../../support/opcua-server.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';
import { needs } from '../../support/tests-that-need.ts';
import { writeValues } from '../../support/write-values.ts';

const ARRAYS: Readonly<Record<string, string>> = {
  flags: '[true,false]',
  ints: '[1,-2,2147483647]',
  longs: '[9007199254740993,-9223372036854775808]',
  unsigned: '[18446744073709551615]',
  floats: '[12.5,0.25]',
  doubles: '[0.1,"NaN","Infinity"]',
  texts: String.raw`["a,b","say \"]\"",""]`,
  times: '["2023-11-14T22:13:20.123Z"]',
  guids: '["72962B91-FA75-4AE6-8D28-B404DC7DAF63"]',
  blobs: '["AQI=",""]',
  names: '["Vorlauf"]',
  none: '[]',
  matrix: '[[1,2,3],[4,5,6]]',
  cube: '[[[1.5],[2]],[[3],[4]]]',
};

interface Bench {
  readonly driver: SubscribingDriver<OpcuaAddress>;
  readonly read: (name: string, valueType: ValueType, indexRange?: string) => Promise<unknown>;
  /** Returns the code of the failure. */
  readonly write: (
    name: string,
    valueType: ValueType,
    value: ChannelValue,
    indexRange?: string,
  ) => Promise<string | undefined>;
}

async function createBench(port: number, dataDirectory: string): Promise<Bench> {
  const driver = createOpcuaDriver({ endpointUrl: `opc.tcp://127.0.0.1:${port}` }, { dataDirectory });
  await driver.connect(noDeadline(), () => undefined);
  const toChannel = (name: string, valueType: ValueType, indexRange?: string) =>
    createOpcuaChannel(name, valueType, indexRange === undefined ? {} : { indexRange });
  return {
    driver,
    async read(...selection) {
      const [reading] = await driver.prepareRead([toChannel(...selection)]).read(noDeadline());
      return reading?.failure?.code ?? reading?.value;
    },
    async write(name, valueType, value, indexRange) {
      const channel = toChannel(name, valueType, indexRange);
      const [outcome] = await writeValues(driver, [{ channel, value }], noDeadline());
      return outcome?.failure?.code;
    },
  };
}

suite('with arrays on asyncua', needs('asyncua'), () => {
  const dataDirectory = createTemporaryDirectory({ after });
  let server: AsyncuaServer;
  let bench: Bench;

  before(async () => {
    server = await startAsyncuaServer();
    bench = await createBench(server.port, dataDirectory);
  });
  after(async () => {
    await bench.driver.disconnect();
    await server[Symbol.asyncDispose]();
  });

  for (const [name, text] of Object.entries(ARRAYS)) {
    test(`an array "${name}" is JSON text of a STRING, and reads back as it was written`, async () => {
      assert.equal(await bench.read(name, 'STRING'), text);
      const held = await server.show(name);
      assert.equal(await bench.write(name, 'STRING', name === 'none' ? '[7]' : '[]'), undefined);
      assert.equal(await bench.write(name, 'STRING', text), undefined);
      assert.equal(await bench.read(name, 'STRING'), text);
      const { type, value, dimensions } = await server.show(name);
      assert.deepEqual({ type, value, dimensions }, held);
    });
  }

  test('elements of any type, names of the standard and integers of 64 bits are texts', async () => {
    assert.equal(await bench.read('mixed', 'STRING'), '[7,"x",[0.5]]');
    assert.equal(await bench.read('name', 'STRING'), '2:Boiler');
    assert.equal(await bench.read('far', 'STRING'), 'svr=4;nsu=urn:far;i=7');
    assert.equal(await bench.read('largest', 'STRING'), '18446744073709551615');
    assert.equal(await bench.write('largest', 'STRING', '18446744073709551614'), undefined);
    assert.equal(await bench.read('largest', 'STRING'), '18446744073709551614');
    assert.equal(await bench.write('largest', 'STRING', '18446744073709551616'), 'VALUE_OUT_OF_RANGE');
    assert.equal(await bench.write('largest', 'STRING', '1.5'), 'VALUE_TYPE_MISMATCH');
  });

  test('elements of any type are written in the types that they have, or in the data type of the channel', async () => {
    const first = await server.show('mixed');
    assert.equal(await bench.write('mixed', 'STRING', '[8,"y",[0.25,1]]'), undefined);
    assert.equal(await bench.read('mixed', 'STRING'), '[8,"y",[0.25,1]]');
    assert.match(JSON.stringify((await server.show('mixed')).value), /Int32.*String.*Double/);
    for (const [text, code] of [
      ['[8,"y"]', 'VALUE_OUT_OF_RANGE'],
      ['[true,"y",[]]', 'VALUE_TYPE_MISMATCH'],
      ['[8,null,[]]', 'VALUE_TYPE_MISMATCH'],
    ] as const)
      assert.equal(await bench.write('mixed', 'STRING', text), code);
    assert.equal(await bench.write('mixed', 'INTEGER', 8), 'OPCUA_ARRAY_VALUE');
    const typed = createOpcuaChannel('mixed', 'STRING', { dataType: 'UInt16' });
    const [outcome] = await writeValues(bench.driver, [{ channel: typed, value: '[1,2]' }], noDeadline());
    assert.equal(outcome?.failure, undefined);
    assert.match(JSON.stringify((await server.show('mixed')).value), /UInt16.*UInt16/);
    assert.equal(first.type, (await server.show('mixed')).type);
  });

  test('a scalar never overwrites an array, whether the node or only its value is one', async () => {
    for (const name of ['ints', 'matrix', 'any']) {
      const held = await server.show(name);
      assert.equal(await bench.write(name, 'INTEGER', 5), 'OPCUA_ARRAY_VALUE');
      assert.deepEqual(await server.show(name), held);
    }
    const declared = createOpcuaChannel('ints', 'INTEGER', { dataType: 'Int32' });
    const [outcome] = await writeValues(bench.driver, [{ channel: declared, value: 5 }], noDeadline());
    assert.equal(outcome?.failure?.code, 'OPCUA_ARRAY_VALUE');
    assert.equal(await bench.write('texts', 'STRING', 'Kessel'), 'VALUE_TYPE_MISMATCH');
    assert.deepEqual((await server.show('ints')).value, [1, -2, 2 ** 31 - 1]);
  });

  test('an array never overwrites a scalar', async () => {
    assert.equal(await bench.write('level', 'STRING', '[1]'), 'VALUE_TYPE_MISMATCH');
    assert.equal(await bench.write('level', 'INTEGER', 3), undefined);
    assert.equal(await bench.write('anyScalar', 'INTEGER', 3), undefined);
  });

  test('the form of a node that may hold both follows its value', async () => {
    assert.equal(await bench.write('any', 'STRING', '[1,2,3]'), undefined);
    assert.deepEqual((await server.show('any')).value, [1, 2, 3]);
    await server.burst('any', [[4, 0, 1000]]);
    assert.equal(await bench.write('any', 'INTEGER', 5), undefined);
    assert.equal((await server.show('any')).value, 5);
  });

  test('an element of a matrix is sent as a matrix of one element', async () => {
    // This server ignores the indexRange, so that it shows exactly what it was sent.
    assert.equal(await bench.write('matrix', 'INTEGER', 7, '1,2'), undefined);
    assert.deepEqual(await server.show('matrix'), { type: 'Int16', value: [[7]], dimensions: [1, 1] });
    assert.equal(await bench.write('matrix', 'STRING', '[[7,8]]', '1,0:1'), undefined);
    assert.deepEqual(await server.show('matrix'), { type: 'Int16', value: [[7, 8]], dimensions: [1, 2] });
  });

  test('a server that ignores the indexRange gives no value of another element', async () => {
    assert.equal(await bench.read('ints', 'INTEGER', '1'), 'OPCUA_ARRAY_VALUE');
    assert.equal(await bench.read('ints', 'STRING', '0:1'), 'OPCUA_ARRAY_VALUE');
  });
});

// asyncua knows no index ranges.
suite('with arrays on a server that takes index ranges', () => {
  const directory = createTemporaryDirectory({ after });
  let server: OpcuaServer;
  let bench: Bench;

  before(async () => {
    server = await startOpcuaServer({ directory: `${directory}/server` });
    bench = await createBench(server.port, `${directory}/gateway`);
  });
  after(async () => {
    await bench.driver.disconnect();
    await server[Symbol.asyncDispose]();
  });

  test('elements and parts of an array are read and written, and the others stay', async () => {
    assert.equal(await bench.read('writable.array', 'STRING', '1:2'), '[2,3]');
    assert.equal(await bench.write('writable.array', 'STRING', '[20,30]', '1:2'), undefined);
    assert.equal(await bench.write('writable.array', 'INTEGER', 10, '0'), undefined);
    assert.equal(await bench.read('writable.array', 'STRING'), '[10,20,30]');
    assert.equal(await bench.write('writable.array', 'STRING', '[1]', '1:2'), 'VALUE_OUT_OF_RANGE');
  });

  test('elements and parts of a matrix are read and written, and the others stay', async () => {
    assert.equal(await bench.read('writable.matrix', 'INTEGER', '1,2'), 6);
    assert.equal(await bench.read('writable.matrix', 'STRING', '0:1,1:2'), '[[2,3],[5,6]]');
    assert.equal(await bench.write('writable.matrix', 'INTEGER', 60, '1,2'), undefined);
    assert.equal(await bench.write('writable.matrix', 'STRING', '[[20,30]]', '0,1:2'), undefined);
    assert.equal(await bench.read('writable.matrix', 'STRING'), '[[1,20,30],[4,5,60]]');
  });
});

function noDeadline(): AbortSignal {
  return new AbortController().signal;
}
