import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';

import { getCertificateAuthority, getServerCertificate } from '../../support/certificate-authority.ts';
import { findFreePort } from '../../support/free-ports.ts';
import { startMosquitto } from '../../support/mosquitto.ts';
import { testsThatNeed } from '../../support/tests-that-need.ts';
import { makeSettings } from './connection-settings.ts';
import { startSender, until } from './running-sender.ts';

const { test } = testsThatNeed('mosquitto');

/** Timeouts that a busy machine keeps. */
const USUAL = { connectTimeoutMs: 3000, acknowledgeTimeoutMs: 3000 };

/** Starts a sender, and waits for its check of a name. */
async function check(t: TestContext, declared: Readonly<Record<string, unknown>>, name: string) {
  const { report, journal } = startSender(t, makeSettings(0, declared, USUAL));
  await journal.acknowledged();
  journal.take('boiler');
  const find = () => report().checks.find((each) => each.name === name);
  await until(() => find() !== undefined);
  return find() ?? assert.fail();
}

test('a wrong password, another authority and a closed port are named with remedies', async (t) => {
  const [authority, server] = await Promise.all([getCertificateAuthority(), getServerCertificate()]);
  const plain = await startMosquitto(t, ['allow_anonymous false']);
  const secure = await startMosquitto(
    t,
    [
      'allow_anonymous true',
      'cafile @DIRECTORY@/ca.pem',
      'certfile @DIRECTORY@/server.pem',
      'keyfile @DIRECTORY@/server.key',
    ],
    { 'ca.pem': authority.certificate, 'server.pem': server.certificate, 'server.key': server.privateKey },
  );
  const closed = `mqtt://127.0.0.1:${await findFreePort()}`;
  const [refusing, other] = [`mqtt://127.0.0.1:${plain.port}`, `mqtts://127.0.0.1:${secure.port}`];
  for (const [url, state, remedy] of [
    [refusing, 'ERROR', /^correct "user" and "password"/],
    [other, 'ERROR', /^set "certificateAuthorities"/],
    [closed, 'WARNING', /^correct host and port/],
  ] as const) {
    const found = await check(t, { brokers: [url], user: 'x', password: 'y' }, `broker ${url}`);
    assert.equal(found.state, state);
    assert.match(found.remedy ?? '', remedy);
    assert.ok(!found.detail.includes(url), 'the name of the check has it');
    assert.ok(found.detail.length > 10);
  }
});

test('spare brokers are tried as well, without an end of the connection that is', async (t) => {
  const [used, spare] = [await startMosquitto(t), await startMosquitto(t, ['allow_anonymous false'])];
  const closed = await findFreePort();
  const [first, second, third] = [used.port, spare.port, closed].map((port) => `mqtt://127.0.0.1:${port}`);
  const { report, journal, counter } = startSender(
    t,
    makeSettings(0, { brokers: [first, second, third] }, USUAL),
  );
  await until(() => report().checks.length === 3);
  assert.deepEqual(
    report().checks.map(({ name, state }) => [name, state]),
    [
      [`broker ${first}`, 'OK'],
      [`broker ${second}`, 'ERROR'],
      [`broker ${third}`, 'WARNING'],
    ],
  );
  const taken = journal.take('boiler');
  await journal.acknowledgedUpTo(taken);
  assert.equal(report().state, 'OK');
  assert.equal(counter('reconnects'), 0);
});

test('a topic that the access list refuses is a check of its own', async (t) => {
  const { port } = await startMosquitto(t, ['allow_anonymous true', 'acl_file @DIRECTORY@/acl'], {
    acl: 'topic readwrite penstock/north/#\n',
  });
  const brokers = [`mqtt://127.0.0.1:${port}`];
  const found = await check(t, { brokers, topic: 'plant/{asset}' }, 'topic plant/boiler');
  assert.equal(found.state, 'ERROR');
  assert.match(found.detail, /not authorized/);
  assert.match(found.remedy ?? '', /access list/);
});
