import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, test } from 'node:test';
import type { TestContext } from 'node:test';

import { ConnectionError } from '../../../../daemon/channel/driver-errors.ts';
import type { WriteOutcome } from '../../../../daemon/channel/write-step.ts';
import { createOpcuaChannel, createOpcuaDriver } from '../../../support/opcua-driver-under-test.ts';
import { startOpcuaServer } from '../../../support/opcua-server.ts';
import type { OpcuaServer } from '../../../support/opcua-server.ts';
import { LARGEST, NAMESPACE } from '../../../support/opcua-server-nodes.ts';
import { openPlant } from '../../../support/plant-under-test.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';
import { writeValues } from '../../../support/write-values.ts';

const root = createTemporaryDirectory({ after });
const setpoint = createOpcuaChannel('writable.int32', 'INTEGER', { dataType: 'Int32' });
const other = createOpcuaChannel('writable.int16', 'INTEGER', { dataType: 'Int16' });
let server: OpcuaServer;

before(async () => {
  server = await startOpcuaServer({
    directory: path.join(root, 'server'),
    operationLimits: { maxNodesPerWrite: 1 },
  });
});
after(() => server[Symbol.asyncDispose]());

/** Writes two nodes, for which the server needs a request each. */
async function writeTwo(t: TestContext): Promise<readonly WriteOutcome[]> {
  const driver = createOpcuaDriver(
    { endpointUrl: server.endpointUrl },
    { dataDirectory: path.join(root, 'gateway') },
  );
  t.after(() => driver.disconnect());
  const { signal } = new AbortController();
  await driver.connect(signal, () => undefined);
  await server.countRequests();
  const requests = [setpoint, other].map((channel) => ({ channel, value: 1 }));
  return writeValues(driver, requests, signal);
}

async function countWrites(): Promise<number | undefined> {
  const { WriteRequest } = await server.countRequests();
  return WriteRequest;
}

function codesOf(outcomes: readonly WriteOutcome[]): readonly (string | undefined)[] {
  return outcomes.map(({ failure }) => failure?.code);
}

// Before the server begins to answer writes in other ways.
test('a server that limits a value has refused it: the record shows both values once it was read back', async (t) => {
  const { endpointUrl } = server;
  const limited = (name: string, more: object): object => ({
    name,
    type: 'READ_WRITE',
    valueType: 'DOUBLE',
    address: { nodeId: `nsu=${NAMESPACE};s=limited` },
    ...more,
  });
  const registry = await openPlant(t, {
    drivers: [{ pid: 'line', type: 'opcua', endpointUrl, securityMode: 'NONE' }],
    assets: [
      {
        pid: 'tank',
        driver: 'line',
        channels: [limited('plain', {}), limited('verified', { write: { verify: { withinMs: 0 } } })],
      },
    ],
  });
  const write = async (name: string, value: number): Promise<readonly unknown[]> => {
    const [record] = await registry.get('tank').write([{ name, valueType: 'DOUBLE', value }]);
    return [record?.outcome, record?.failure?.code, record?.asked?.value ?? record?.value, record?.readBack];
  };
  assert.deepEqual(await write('plain', 99), ['REFUSED', 'OPCUA_VALUE_CLAMPED', 99, undefined]);
  assert.deepEqual(await write('verified', 99), ['REFUSED', 'WRITE_READ_BACK_DIFFERS', 99, LARGEST]);
  assert.deepEqual(await write('verified', 50), ['VERIFIED', undefined, 50, 50]);
});

const OPEN = [
  'BadTimeout',
  'BadCommunicationError',
  'BadUnexpectedError',
  'BadResponseTooLarge',
  'BadServerHalted',
  'BadConnectionClosed',
  'BadSessionClosed',
];

for (const fault of OPEN) {
  test(`a write that the server answers with ${fault} has an unknown outcome; the next is not sent`, async (t) => {
    await server.answerWrites(fault);
    const outcomes = await writeTwo(t);
    assert.deepEqual(codesOf(outcomes), ['OPCUA_WRITE_OUTCOME_UNKNOWN', 'WRITE_HELD_BACK']);
    assert.match(outcomes[1]?.failure?.message ?? '', /not sent$/);
    assert.equal(await countWrites(), 1);
  });
}

test('a write that the server answers as if it were a read has an unknown outcome; the next is not sent', async (t) => {
  await server.answerWrites();
  const outcomes = await writeTwo(t);
  assert.deepEqual(codesOf(outcomes), ['OPCUA_WRITE_OUTCOME_UNKNOWN', 'WRITE_HELD_BACK']);
  assert.match(outcomes[1]?.failure?.message ?? '', /not sent$/);
  assert.equal(await countWrites(), 1);
});

for (const [fault, code] of Object.entries({
  BadUserAccessDenied: 'OPCUA_BAD_USER_ACCESS_DENIED',
  BadTooManyOperations: 'OPCUA_BAD_TOO_MANY_OPERATIONS',
  BadServiceUnsupported: 'OPCUA_BAD_SERVICE_UNSUPPORTED',
})) {
  test(`a write that the server answers with ${fault} was not carried out; the next is sent`, async (t) => {
    await server.answerWrites(fault);
    assert.deepEqual(codesOf(await writeTwo(t)), [code, code]);
    assert.equal(await countWrites(), 2);
  });
}

test('a write for which the server knows no session was not carried out, and can be asked for again', async (t) => {
  await server.answerWrites('BadSessionIdInvalid');
  await assert.rejects(writeTwo(t), ConnectionError);
  assert.equal(await countWrites(), 1);
});
