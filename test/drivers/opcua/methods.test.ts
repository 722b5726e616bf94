import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';

import type { Channel } from '../../../daemon/channel/channel.ts';
import type { SubscribingDriver } from '../../../daemon/channel/driver.ts';
import type { ChannelValue, ValueType } from '../../../daemon/channel/value-type.ts';
import type { OpcuaAddress } from '../../../drivers/opcua/opcua-address.ts';
import { createOpcuaDriverFactory } from '../../../drivers/opcua/opcua-driver.ts';
import { startAsyncuaServer } from '../../support/asyncua-server.ts';
import type { AsyncuaServer } from '../../support/asyncua-server.ts';
import { createOpcuaChannel, createOpcuaDriver } from '../../support/opcua-driver-under-test.ts';
import { NAMESPACE } from '../../support/opcua-server-nodes.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';
import { needs } from '../../support/tests-that-need.ts';
import { writeValues } from '../../support/write-values.ts';

const opcuaDriverFactory = createOpcuaDriverFactory();

const methodOf = (name: string, valueType: ValueType, address = {}): Channel<OpcuaAddress> => ({
  ...createOpcuaChannel(name, valueType, {
    nodeId: `nsu=${NAMESPACE};s=plant`,
    method: `nsu=${NAMESPACE};s=${name}`,
    ...address,
  }),
  type: 'WRITE',
});

test(
  'a method of a server without TranslateBrowsePathsToNodeIds is called with its arguments',
  needs('asyncua'),
  async (t) => {
    const server = await startAsyncuaServer({ translates: false });
    t.after(() => server[Symbol.asyncDispose]());
    const settings = { endpointUrl: `opc.tcp://127.0.0.1:${server.port}` };
    const driver = createOpcuaDriver(settings, { dataDirectory: createTemporaryDirectory(t) });
    t.after(() => driver.disconnect());
    await driver.connect(noDeadline(), () => undefined);
    const outcomes = await writeValues(
      driver,
      [
        { channel: methodOf('setSpeed', 'DOUBLE'), value: 12.5 },
        { channel: methodOf('reset', 'BOOLEAN'), value: true },
        { channel: methodOf('nothing', 'BOOLEAN'), value: true },
      ],
      noDeadline(),
    );
    assert.deepEqual(
      outcomes.map(({ failure }) => failure?.code),
      [undefined, undefined, 'OPCUA_BAD_NODE_ID_INVALID'],
    );
    assert.deepEqual(await server.takeCalls(), [['setSpeed', 12.5], ['reset']]);
  },
);

suite('with methods on asyncua', needs('asyncua'), () => {
  const dataDirectory = createTemporaryDirectory({ after });
  let server: AsyncuaServer;
  let driver: SubscribingDriver<OpcuaAddress>;

  before(async () => {
    server = await startAsyncuaServer();
    const settings = { endpointUrl: `opc.tcp://127.0.0.1:${server.port}`, requestTimeoutMs: 1500 };
    driver = createOpcuaDriver(settings, { dataDirectory });
    await driver.connect(noDeadline(), () => undefined);
  });
  after(async () => {
    await driver.disconnect();
    await server[Symbol.asyncDispose]();
  });

  const call = async (name: string, valueType: ValueType, value: ChannelValue, address = {}) => {
    const [outcome] = await writeValues(
      driver,
      [{ channel: methodOf(name, valueType, address), value }],
      noDeadline(),
    );
    return outcome?.failure;
  };

  const called: readonly (readonly [string, ValueType, ChannelValue, readonly unknown[]])[] = [
    ['reset', 'BOOLEAN', true, ['reset']],
    ['reset', 'STRING', '[]', ['reset']],
    ['setSpeed', 'DOUBLE', 12.5, ['setSpeed', 12.5]],
    ['setSpeed', 'STRING', '[12.5]', ['setSpeed', 12.5]],
    ['start', 'STRING', '[0.1, 300]', ['start', 0.1, 300]],
    ['setShift', 'INTEGER', 1, ['setShift', 1]],
    [
      'load',
      'STRING',
      '["a,]", 9007199254740993, [1, -2], true]',
      ['load', 'a,]', '9007199254740993', [1, -2], true],
    ],
    ['load', 'STRING', '["", 0, [], false]', ['load', '', 0, [], false]],
  ];
  for (const [name, valueType, value, expected] of called) {
    test(`the method "${name}" is called once with ${valueType} ${String(value)}`, async () => {
      await server.takeCalls();
      assert.equal(await call(name, valueType, value), undefined);
      assert.deepEqual(await server.takeCalls(), [expected]);
    });
  }

  test('what a method returns is the value of the write, as JSON text of all results', async () => {
    const outcomes = await writeValues(
      driver,
      [
        { channel: methodOf('measure', 'STRING'), value: '[]' },
        { channel: methodOf('measure', 'BOOLEAN'), value: true },
        { channel: methodOf('reset', 'STRING'), value: '[]' },
      ],
      noDeadline(),
    );
    assert.deepEqual(
      outcomes.map((outcome) => outcome.failure ?? outcome.returned),
      ['[18446744073709551615,[1,2]]', undefined, undefined],
    );
  });

  const refused: readonly (readonly [string, ValueType, ChannelValue, string, RegExp])[] = [
    ['reset', 'BOOLEAN', false, 'VALUE_OUT_OF_RANGE', /only true/],
    ['reset', 'STRING', '[1]', 'VALUE_OUT_OF_RANGE', /has no arguments.*not 1/],
    ['reset', 'INTEGER', 1, 'VALUE_TYPE_MISMATCH', /BOOLEAN/],
    ['start', 'DOUBLE', 1, 'VALUE_TYPE_MISMATCH', /2 arguments \(speed, ramp\).*STRING/],
    ['start', 'STRING', '[1]', 'VALUE_OUT_OF_RANGE', /2 arguments \(speed, ramp\).*not 1/],
    ['start', 'STRING', '12', 'VALUE_TYPE_MISMATCH', /JSON array/],
    ['start', 'STRING', '[1,]', 'VALUE_TYPE_MISMATCH', /argument "ramp": it is missing/],
    ['start', 'STRING', '[1,70000]', 'VALUE_OUT_OF_RANGE', /argument "ramp".*70000/],
    ['start', 'STRING', '["x",1]', 'VALUE_TYPE_MISMATCH', /argument "speed"/],
    ['start', 'STRING', '[[1],1]', 'VALUE_TYPE_MISMATCH', /argument "speed"/],
    ['load', 'STRING', '["a",1,5,true]', 'OPCUA_ARRAY_VALUE', /argument "steps"/],
    ['load', 'STRING', '["a",1,[2147483648],true]', 'VALUE_OUT_OF_RANGE', /argument "steps": element \[0\]/],
    ['setSpeed', 'STRING', 'fast', 'VALUE_TYPE_MISMATCH', /1 argument \(speed\)/],
  ];
  for (const [name, valueType, value, code, message] of refused) {
    test(`the method "${name}" is not called with ${valueType} ${String(value)}`, async () => {
      await server.takeCalls();
      const failure = await call(name, valueType, value);
      assert.equal(failure?.code, code);
      assert.match(failure.message, message);
      assert.deepEqual(await server.takeCalls(), []);
    });
  }

  test('a refused argument is named', async () => {
    const failure = await call('refuse', 'STRING', '[1,2]');
    assert.equal(failure?.code, 'OPCUA_BAD_INVALID_ARGUMENT');
    assert.match(failure.message, /BadInvalidArgument; argument "ramp": BadOutOfRange$/);
  });

  test('an uncertain result and a bad one are failures, and with a time-out the outcome is unknown', async () => {
    assert.equal((await call('doubt', 'BOOLEAN', true))?.code, 'OPCUA_UNCERTAIN');
    assert.equal((await call('fail', 'BOOLEAN', true))?.code, 'OPCUA_BAD_INVALID_STATE');
    assert.equal((await call('expire', 'BOOLEAN', true))?.code, 'OPCUA_WRITE_OUTCOME_UNKNOWN');
  });

  test('a method or an object that the server does not have is a failure', async () => {
    assert.equal((await call('nothing', 'BOOLEAN', true))?.code, 'OPCUA_BAD_NODE_ID_INVALID');
    const far = { method: 'nsu=urn:elsewhere;s=reset' };
    assert.equal((await call('reset', 'BOOLEAN', true, far))?.code, 'OPCUA_NAMESPACE_UNKNOWN');
  });

  test('calls and writes are carried out in the order given', async () => {
    const level = createOpcuaChannel('level', 'INTEGER');
    const fast = methodOf('setSpeed', 'DOUBLE');
    const outcomes = await writeValues(
      driver,
      [
        { channel: fast, value: 1 },
        { channel: level, value: 41 },
        { channel: fast, value: 2 },
        { channel: level, value: 42 },
      ],
      noDeadline(),
    );
    assert.deepEqual(
      outcomes.map(({ failure }) => failure),
      [undefined, undefined, undefined, undefined],
    );
    assert.deepEqual(await server.takeCalls(), [
      ['setSpeed', 1],
      ['setSpeed', 2],
    ]);
    assert.equal((await server.show('level')).value, 42);
  });

  test('the arguments of a method are asked for once', async () => {
    await call('start', 'STRING', '[1,2]');
    const reads = await server.countReads();
    await call('start', 'STRING', '[3,4]');
    assert.equal(await server.countReads(), reads);
  });

  // The last one: the server goes on waiting.
  test('a call that is not answered has an unknown outcome, is not repeated, and the next one is not sent', async () => {
    await server.takeCalls();
    const slow = methodOf('slow', 'BOOLEAN');
    const outcomes = await writeValues(
      driver,
      [
        { channel: slow, value: true },
        { channel: methodOf('setSpeed', 'DOUBLE'), value: 1 },
      ],
      noDeadline(),
    );
    assert.equal(outcomes[0]?.failure?.code, 'OPCUA_WRITE_OUTCOME_UNKNOWN');
    assert.match(outcomes[1]?.failure?.message ?? '', /not sent$/);
    assert.deepEqual(await server.takeCalls(), [['slow']]);
  });
});

test('a method is a channel that can only be written, without the fields of a variable', () => {
  const faultsOf = (channel: Channel<OpcuaAddress>) =>
    opcuaDriverFactory.checkChannel(channel).map(({ path }) => path.join('.'));
  assert.deepEqual(faultsOf(methodOf('reset', 'BOOLEAN')), []);
  assert.deepEqual(faultsOf({ ...methodOf('reset', 'BOOLEAN'), type: 'READ_WRITE' }), ['type']);
  const address = { attribute: 'DisplayName', indexRange: '1', dataType: 'Int16', queueSize: 2 };
  assert.deepEqual(faultsOf(methodOf('reset', 'INTEGER', { ...address, samplingIntervalMs: 1 })), [
    'address.attribute',
    'address.queueSize',
    'address.indexRange',
    'address.dataType',
    'address.samplingIntervalMs',
  ]);
});

function noDeadline(): AbortSignal {
  return new AbortController().signal;
}
