import assert from 'node:assert/strict';
import { after, before, beforeEach, suite, test } from 'node:test';
import type { TestContext } from 'node:test';

import { DriverConnection } from '../../../daemon/plant/asset/connection/driver-connection.ts';
import { systemClock } from '../../../daemon/base/clock.ts';
import { startAsyncuaServer } from '../../support/asyncua-server.ts';
import type { AsyncuaServer } from '../../support/asyncua-server.ts';
import { createMemoryLogger } from '../../support/memory-logger.ts';
import { createOpcuaChannel, createOpcuaDriver } from '../../support/opcua-driver-under-test.ts';
import { layTcpCable } from '../../support/tcp-cable.ts';
import type { TcpCable } from '../../support/tcp-cable.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';
import { needs } from '../../support/tests-that-need.ts';

const text = createOpcuaChannel('text', 'STRING');
const level = createOpcuaChannel('level', 'INTEGER');
let server: AsyncuaServer;

suite('with a connection to asyncua that breaks', needs('asyncua'), () => {
  before(async () => {
    server = await startAsyncuaServer();
  });
  beforeEach(() => server.reset());
  after(() => server[Symbol.asyncDispose]());

  test('a read that was cut off is repeated on another connection', async (t) => {
    const { connection, breakDuring } = await lay(t);
    const prepared = connection.prepareRead([text]);
    const reading = await breakDuring(() => connection.read(prepared), true);
    assert.equal(reading[0]?.value, 'Kessel');
    assert.equal((await server.count()).sessionsMade, 1);
    assert.equal(connection.status().state, 'CONNECTED');
  });

  test('a read that was cut off fails when the server stays away, after one more attempt', async (t) => {
    const { connection, breakDuring } = await lay(t);
    const prepared = connection.prepareRead([text]);
    const read = breakDuring(() => connection.read(prepared), false);
    await assert.rejects(read, { code: 'OPCUA_CONNECT_FAILED' });
    assert.equal(connection.status().state, 'BACKING_OFF');
  });

  test('a write that was cut off is not repeated: its outcome is not known', async (t) => {
    const { connection, breakDuring } = await lay(t);
    const write = async (value: number) => {
      const { steps } = await connection.prepareWrite([{ channel: level, value }]);
      return () => connection.write({ steps, findCancellation: () => undefined });
    };
    await (
      await write(1)
    )();
    const outcome = (await breakDuring(await write(2), true)).get(0);
    assert.equal(outcome?.failure?.code, 'OPCUA_WRITE_OUTCOME_UNKNOWN');
    assert.equal((await server.show('level')).value, 1);
  });
});

interface Laid {
  readonly connection: DriverConnection;
  /** Breaks the connection when the request of the work is on its way, which never arrives. */
  readonly breakDuring: <T>(work: () => Promise<T>, isMended: boolean) => Promise<T>;
}

async function lay(t: TestContext): Promise<Laid> {
  const cable = await layTcpCable(server.port);
  const endpoint = `opc.tcp://127.0.0.1:${cable.port}`;
  const clock = systemClock;
  const connection = new DriverConnection({
    driver: createOpcuaDriver({ endpointUrl: endpoint }, { dataDirectory: createTemporaryDirectory(t) }),
    endpoint,
    callDeadlineMs: 20_000,
    onStateChange: () => undefined,
    logger: createMemoryLogger(),
    clock,
    random: () => 0.5,
  });
  t.after(async () => {
    await connection.close();
    await cable[Symbol.asyncDispose]();
  });
  await connection.read(connection.prepareRead([text]));
  return { connection, breakDuring: (work, isMended) => cutDuring(cable, work, isMended) };
}

async function cutDuring<T>(cable: TcpCable, work: () => Promise<T>, isMended: boolean): Promise<T> {
  cable.hold();
  const result = work();
  // Nobody looks at the outcome before the cable is mended.
  result.catch(() => undefined);
  await new Promise((resolve) => setImmediate(resolve));
  if (isMended) cable.cut();
  else await cable.pull();
  cable.release();
  return result;
}
