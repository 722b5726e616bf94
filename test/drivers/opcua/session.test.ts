import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after } from 'node:test';
import type { TestContext } from 'node:test';

import type { SubscribingDriver } from '../../../daemon/channel/driver.ts';
import type { OpcuaAddress } from '../../../drivers/opcua/opcua-address.ts';
import { createOpcuaChannel, createOpcuaDriver } from '../../support/opcua-driver-under-test.ts';
import { openssl } from '../../support/openssl.ts';
import { startOpcuaServer } from '../../support/opcua-server.ts';
import type { OpcuaServer } from '../../support/opcua-server.ts';
import { layTcpCable } from '../../support/tcp-cable.ts';
import type { TcpCable } from '../../support/tcp-cable.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';
import { testsThatNeed } from '../../support/tests-that-need.ts';

const { test, before, after: afterAll } = testsThatNeed('openssl');

const root = createTemporaryDirectory({ after });
const dataDirectory = path.join(root, 'gateway');
const string = createOpcuaChannel('string', 'STRING');
let server: OpcuaServer;

before(async () => {
  makeUser('user');
  server = await startOpcuaServer({
    directory: path.join(root, 'server'),
    securityModes: ['None', 'SignAndEncrypt'],
    securityPolicies: ['None', 'Basic256Sha256'],
    users: { operator: 'correct horse' },
    userCertificates: [readFileSync(file('user', 'crt'), 'utf8')],
  });
  mkdirSync(path.join(dataDirectory, 'trusted'), { recursive: true, mode: 0o700 });
  writeFileSync(path.join(dataDirectory, 'trusted', 'server.der'), server.certificate.raw);
});
afterAll(() => server[Symbol.asyncDispose]());

const operator = { userName: 'operator', password: 'correct horse' };

test('a session is activated again on another channel with its user, and no other is created', async (t) => {
  const { connect, drop, driver } = await lay(t, operator);
  await connect();
  await drop();
  await server.countRequests();
  await connect();
  assert.equal(await readString(driver), 'Kessel');
  const { CreateSessionRequest: made, ActivateSessionRequest: activated } = await server.countRequests();
  assert.deepEqual([made, activated, await server.countSessions()], [undefined, 1, 1]);
});

test('a session that the server refuses to activate again is replaced at once', async (t) => {
  // This server cannot compare certificates of users.
  const files = { userCertificateFile: file('user', 'crt'), userPrivateKeyFile: file('user', 'key') };
  const { connect, drop, driver } = await lay(t, files);
  await connect();
  await drop();
  await connect();
  assert.equal(await readString(driver), 'Kessel');
  await driver.disconnect();
  await server.closeSessions();
});

test('a session that the server has no more is replaced at once', async (t) => {
  const { connect, drop, driver } = await lay(t, operator);
  await connect();
  await drop();
  await server.closeSessions();
  await connect();
  assert.equal(await readString(driver), 'Kessel');
  assert.equal(await server.countSessions(), 1);
});

test('disconnect ends a session that was activated again', async (t) => {
  const { connect, drop, driver } = await lay(t, operator);
  await connect();
  await drop();
  await connect();
  await driver.disconnect();
  assert.equal(await server.countSessions(), 0);
});

interface Laid {
  readonly driver: SubscribingDriver<OpcuaAddress>;
  readonly cable: TcpCable;
  readonly connect: () => Promise<void>;
  /** Breaks the connection and plugs the cable in again; resolves when the driver knows. */
  readonly drop: () => Promise<void>;
}

async function lay(t: TestContext, user: Readonly<Record<string, string>> = {}): Promise<Laid> {
  const cable = await layTcpCable(server.port);
  const endpointUrl = `opc.tcp://127.0.0.1:${cable.port}`;
  const driver = createOpcuaDriver(
    { endpointUrl, securityMode: 'SIGN_AND_ENCRYPT', ...user },
    { dataDirectory },
  );
  t.after(async () => {
    await driver.disconnect();
    await cable[Symbol.asyncDispose]();
  });
  let lost = Promise.withResolvers<Error>();
  return {
    driver,
    cable,
    connect() {
      lost = Promise.withResolvers<Error>();
      return driver.connect(noDeadline(), lost.resolve);
    },
    async drop() {
      await cable.pull();
      await lost.promise;
      await cable.mend();
    },
  };
}

async function readString(driver: SubscribingDriver<OpcuaAddress>): Promise<unknown> {
  const [reading] = await driver.prepareRead([string]).read(noDeadline());
  return reading?.value;
}

function makeUser(name: string): void {
  const key = ['-newkey', 'rsa:2048', '-nodes', '-keyout', `${name}.key`, '-out', `${name}.crt`];
  openssl(['req', '-x509', '-days', '1', '-subj', `/CN=${name}`, ...key], root);
}

function file(name: string, kind: 'crt' | 'key'): string {
  return path.join(root, `${name}.${kind}`);
}

function noDeadline(): AbortSignal {
  return new AbortController().signal;
}
