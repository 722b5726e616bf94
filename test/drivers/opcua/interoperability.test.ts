import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { after, before, suite, test } from 'node:test';
import type { TestContext } from 'node:test';

import type { Reading, SubscribingDriver } from '../../../daemon/channel/driver.ts';
import type { OpcuaAddress } from '../../../drivers/opcua/opcua-address.ts';
import { SECURITY_POLICIES } from '../../../drivers/opcua/opcua-config.ts';
import { startAsyncuaServer } from '../../support/asyncua-server.ts';
import type { AsyncuaServer } from '../../support/asyncua-server.ts';
import { createOpcuaChannel, createOpcuaDriver } from '../../support/opcua-driver-under-test.ts';
import { openssl } from '../../support/openssl.ts';
import { layTcpCable } from '../../support/tcp-cable.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';
import { needs } from '../../support/tests-that-need.ts';
import { writeValues } from '../../support/write-values.ts';

const SESSIONS = 3;
let server: AsyncuaServer;
const level = createOpcuaChannel('level', 'INTEGER', { nodeId: 'nsu=urn:penstock:test;s=level' });

suite('with a server on asyncua that allows three sessions', needs('asyncua'), () => {
  before(async () => {
    server = await startAsyncuaServer();
  });
  after(() => server[Symbol.asyncDispose]());

  test('a connection that drops again and again costs no session, and values go on', async (t) => {
    const { driver, connect, drop } = await lay(t);
    for (let round = 0; round <= 2 * SESSIONS; round += 1) {
      await connect();
      const [outcome] = await writeValues(driver, [{ channel: level, value: round }], noDeadline());
      assert.equal(outcome?.failure, undefined);
      assert.equal(await readLevel(driver), round);
      await drop();
    }
    assert.deepEqual(await server.count(), { sessions: 1, subscriptions: 0, sessionsMade: 1 });
  });

  test('a subscription that is asked for again after a drop is the only one of the session', async (t) => {
    const { driver, connect, drop } = await lay(t);
    for (let round = 1; round <= 2 * SESSIONS; round += 1) {
      await connect();
      const first = Promise.withResolvers<Reading>();
      const change = Promise.withResolvers<Reading>();
      const ended = Promise.withResolvers<Error>();
      await driver.subscribe({
        channels: [level],
        minimumIntervalMs: 50,
        signal: noDeadline(),
        onEnd: ended.resolve,
        onReading(_, reading) {
          first.resolve(reading);
          if (reading.value === round) change.resolve(reading);
        },
      });
      assert.equal((await first.promise).value, round - 1);
      await writeValues(driver, [{ channel: level, value: round }], noDeadline());
      await change.promise;
      assert.deepEqual(await server.count(), { sessions: 1, subscriptions: 1, sessionsMade: 1 });
      await drop();
      await ended.promise;
    }
  });

  test('a subscription that was asked for and not answered costs the session, with which it ends', async (t) => {
    const { driver, connect, drop, hold } = await lay(t);
    await connect();
    hold();
    const options = { channels: [level], minimumIntervalMs: 50, signal: noDeadline() };
    const asked = driver.subscribe({
      ...options,
      onReading: () => undefined,
      onEnd: () => undefined,
    });
    await Promise.all([assert.rejects(asked, { code: 'OPCUA_LINK_LOST' }), drop()]);
    await connect();
    assert.deepEqual(await server.count(), { sessions: 1, subscriptions: 0, sessionsMade: 2 });
  });

  test('a session with a user certificate is activated again, and ended once the user has another', async (t) => {
    const directory = makeCertificates(t);
    const { driver, connect, drop } = await lay(t, directory);
    for (const sessionsMade of [1, 1, 2]) {
      if (sessionsMade === 2) makeCertificate(directory, 'user');
      await connect();
      assert.equal(await readLevel(driver), 0);
      assert.deepEqual(await server.count(), { sessions: 1, subscriptions: 0, sessionsMade });
      await drop();
    }
  });

  test('disconnect ends a session that was activated again', async (t) => {
    const { driver, connect, drop } = await lay(t);
    await connect();
    await drop();
    await connect();
    await driver.disconnect();
    assert.deepEqual(await server.count(), { sessions: 0, subscriptions: 0, sessionsMade: 1 });
  });
});

const MODES = { SIGN: 'Sign', SIGN_AND_ENCRYPT: 'SignAndEncrypt' } as const;
const PAIRS = SECURITY_POLICIES.flatMap((securityPolicy) =>
  (['SIGN', 'SIGN_AND_ENCRYPT'] as const).map((securityMode) => ({ securityPolicy, securityMode })),
);

suite('with a server on asyncua that protects its messages', needs('asyncua'), () => {
  before(async () => {
    server = await startAsyncuaServer();
  });
  after(() => server[Symbol.asyncDispose]());

  for (const { securityPolicy, securityMode } of PAIRS) {
    test(`values are written and read with ${securityPolicy}, ${securityMode}`, async (t) => {
      const directory = makeCertificates(t);
      // Nothing else is offered, so nothing else can have been used.
      const policies = [`${securityPolicy.replaceAll('_', '')}_${MODES[securityMode]}`];
      await server.reset({ directory, policies });
      const endpointUrl = `opc.tcp://127.0.0.1:${server.port}`;
      const settings = { endpointUrl, securityMode, securityPolicy };
      const driver = createOpcuaDriver(settings, { dataDirectory: directory });
      t.after(() => driver.disconnect());
      await driver.connect(noDeadline(), () => undefined);
      const [outcome] = await writeValues(driver, [{ channel: level, value: 7 }], noDeadline());
      assert.equal(outcome?.failure, undefined);
      assert.equal(await readLevel(driver), 7);
    });
  }
});

test(
  'a server on asyncua that dies and starts again is read and followed as before',
  needs('asyncua'),
  async (t) => {
    const first = await startAsyncuaServer();
    t.after(() => first[Symbol.asyncDispose]());
    const endpointUrl = `opc.tcp://127.0.0.1:${first.port}`;
    const driver = createOpcuaDriver({ endpointUrl }, { dataDirectory: createTemporaryDirectory(t) });
    t.after(() => driver.disconnect());
    const lost = Promise.withResolvers<Error>();
    await driver.connect(noDeadline(), lost.resolve);
    await writeValues(driver, [{ channel: level, value: 7 }], noDeadline());
    assert.equal(await readLevel(driver), 7);
    await first.kill();
    await lost.promise;
    const next = await startAsyncuaServer({ port: first.port });
    t.after(() => next[Symbol.asyncDispose]());
    await driver.connect(noDeadline(), () => undefined);
    assert.equal(await readLevel(driver), 0);
    const change = Promise.withResolvers<unknown>();
    await driver.subscribe({
      channels: [level],
      minimumIntervalMs: 50,
      signal: noDeadline(),
      onEnd: change.reject,
      onReading(_, reading) {
        if (reading.value === 8) change.resolve(reading);
      },
    });
    await writeValues(driver, [{ channel: level, value: 8 }], noDeadline());
    await change.promise;
  },
);

interface Laid {
  readonly driver: SubscribingDriver<OpcuaAddress>;
  readonly connect: () => Promise<void>;
  /** Breaks the connection and plugs the cable in again; resolves when the driver knows. */
  readonly drop: () => Promise<void>;
  /** Passes nothing on until the next drop. */
  readonly hold: () => void;
}

/** @param directory has the certificates of server and user; without it nothing is protected */
async function lay(t: TestContext, directory?: string): Promise<Laid> {
  await server.reset({ sessions: SESSIONS, ...(directory === undefined ? {} : { directory }) });
  const cable = await layTcpCable(server.port);
  const endpointUrl = `opc.tcp://127.0.0.1:${cable.port}`;
  const driver = createOpcuaDriver(
    { endpointUrl, ...(directory === undefined ? {} : toUserSettings(directory)) },
    { dataDirectory: directory ?? createTemporaryDirectory(t) },
  );
  t.after(async () => {
    await driver.disconnect();
    await cable[Symbol.asyncDispose]();
  });
  let lost = Promise.withResolvers<Error>();
  return {
    driver,
    hold: () => cable.hold(),
    connect() {
      lost = Promise.withResolvers<Error>();
      return driver.connect(noDeadline(), lost.resolve);
    },
    async drop() {
      await cable.pull();
      await lost.promise;
      cable.release();
      await cable.mend();
    },
  };
}

function makeCertificates(t: TestContext): string {
  const directory = createTemporaryDirectory(t);
  makeCertificate(directory, 'user');
  const names = 'subjectAltName=IP:127.0.0.1,URI:urn:penstock:test:server';
  const usage = 'keyUsage=digitalSignature,nonRepudiation,keyEncipherment,dataEncipherment';
  makeCertificate(directory, 'server', names, usage);
  mkdirSync(path.join(directory, 'trusted'), { mode: 0o700 });
  copyFileSync(path.join(directory, 'server.crt'), path.join(directory, 'trusted', 'server.crt'));
  return directory;
}

function makeCertificate(directory: string, name: string, ...extensions: readonly string[]): void {
  const files = ['-keyout', `${name}.key`, '-out', `${name}.crt`];
  const request = ['req', '-x509', '-nodes', '-newkey', 'rsa:2048', '-days', '2', '-subj', `/CN=${name}`];
  openssl([...request, ...files, ...extensions.flatMap((line) => ['-addext', line])], directory);
}

function toUserSettings(directory: string): Readonly<Record<string, string>> {
  return {
    securityMode: 'SIGN_AND_ENCRYPT',
    userCertificateFile: path.join(directory, 'user.crt'),
    userPrivateKeyFile: path.join(directory, 'user.key'),
  };
}

async function readLevel(driver: SubscribingDriver<OpcuaAddress>): Promise<unknown> {
  const [reading] = await driver.prepareRead([level]).read(noDeadline());
  return reading?.value;
}

function noDeadline(): AbortSignal {
  return new AbortController().signal;
}
