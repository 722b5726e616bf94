import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { collectSupport, readGatewayLog } from '../../daemon/interface/status.ts';
import type { SupportReport } from '../../daemon/interface/status.ts';
import { beginSecondFactor } from '../../daemon/interface/security/second-factor.ts';
import { obtainTokens } from '../../daemon/interface/security/tokens.ts';
import { listBundles } from '../../daemon/interface/software/bundles.ts';
import { runCommand } from '../daemon/cli/command.ts';
import { answerOf } from '../support/answer-of.ts';
import { startGateway } from '../support/gateway.ts';
import { send, SessionClient } from '../support/https-client.ts';
import { buildPackage } from '../support/package-builder.ts';
import { awaitOperation, uploadPackage } from '../support/package-upload.ts';

const PASSWORD = 'turbine-canary-in-support';
const KEY = `-----BEGIN PRIVATE KEY-----\nMIGHcanarykeyline\n-----END PRIVATE KEY-----\n`;
const ROOT = '/services/status/v1';

// A bundle that shows its secret wherever it can.
const TALKER = `export function activate({ logger, settings, status }) {
  const { key, url } = settings.current;
  logger.error('cannot connect with ' + key, { key, url });
  status({ state: 'ERROR', detail: 'no answer from ' + url + ' with ' + key, checks: [
    { name: 'server ' + url, state: 'ERROR', detail: 'refused ' + key, remedy: 'not ' + key } ] });
}`;

test('the report for support has versions, states, log and configuration, and no secret of any kind', async (t) => {
  const secrets = new Map([
    ['password', PASSWORD],
    ['password of a device', 'canary-of-opcua-password'],
    ['key in a private key', 'MIGHcanarykeyline'],
    ['setting of a bundle', 'canary"of\\the bundle'],
    ['password in a URL of a bundle', 'canary-in-bundle-url'],
    ['password in the URL of a package', 'canary-in-package-url'],
    ['signature in the URL of a package', 'canary-signature-of-package'],
    ['wrong password', 'canary-wrong-password'],
    ['bearer token', 'canary-bearer-token'],
  ]);
  const secretOf = (name: string): string => secrets.get(name) ?? assert.fail(name);
  const gateway = await startGateway(t, {
    config: {
      log: { level: 'debug' },
      provision: {
        rest: { basicAuthenticationEnabled: true, jwtAuthenticationEnabled: true },
        identities: [{ name: 'chief', permissions: ['rest.admin'], password: PASSWORD }],
        drivers: [
          {
            pid: 'plc',
            type: 'opcua',
            endpointUrl: 'opc.tcp://127.0.0.1:9',
            userName: 'u',
            password: secretOf('password of a device'),
          },
        ],
        assets: [{ pid: 'boiler', driver: 'plc', channels: [] }],
        bundles: [
          {
            pid: 'talker',
            settings: {
              key: secretOf('setting of a bundle'),
              certificateKey: KEY,
              url: `mqtt://edge:${secretOf('password in a URL of a bundle')}@127.0.0.1:9`,
            },
          },
        ],
      },
    },
  });
  const [port = 0] = gateway.httpsPorts;
  const client = new SessionClient({ port });
  await client.login('chief', PASSWORD);
  secrets.set('session', client.cookie?.split('=')[1] ?? assert.fail());
  secrets.set('XSRF token', client.xsrfToken ?? assert.fail());
  const tokens = answerOf(obtainTokens, await client.send('POST', '/services/token/jwt/v1/issue'));
  for (const [name, token] of Object.entries(tokens)) {
    if (typeof token === 'string') secrets.set(name, token.split('.').at(-1) ?? token);
  }
  const begun = await client.send('POST', '/services/session/v1/secondFactor/begin', {
    body: { currentPassword: PASSWORD },
  });
  secrets.set('second factor', answerOf(beginSecondFactor, begun).secret);
  const login = { username: 'chief', password: secretOf('wrong password') };
  await send({ port }, 'POST', '/services/session/v1/login/password', { body: login });
  const headers = { Authorization: `Bearer ${secretOf('bearer token')}` };
  await send({ port }, 'GET', '/services/assets', { headers });
  const settingsSchema = {
    type: 'object',
    properties: {
      key: { type: 'string', writeOnly: true },
      certificateKey: { type: 'string', writeOnly: true },
      url: { type: 'string' },
    },
  };
  const bundle = {
    symbolicName: 'talker',
    main: TALKER,
    files: { 'settings.json': JSON.stringify(settingsSchema) },
    headers: { 'Penstock-Settings': 'settings.json' },
  };
  await uploadPackage(client, buildPackage({ symbolicName: 'talkers', bundles: [bundle] }));
  const url = `https://127.0.0.1:9/a.dp?sig=${secretOf('signature in the URL of a package')}`;
  const asked = await client.send('POST', '/services/deploy/v2/_install', { body: { url } });
  await awaitOperation(client, String(asked.headers['location']));
  const userinfo = `https://u:${secretOf('password in the URL of a package')}@127.0.0.1:9/a.dp`;
  await client.send('POST', '/services/deploy/v2/_install', { body: { url: userinfo } });
  for (;;) {
    const [listed] = answerOf(listBundles, await client.send('GET', '/services/deploy/v2/_bundles'));
    if (listed?.status?.state === 'ERROR') break;
  }

  const answer = await client.send('GET', `${ROOT}/support`);
  const file = path.join(gateway.directory, 'support.json');
  const socket = path.join(gateway.dataDirectory, 'penstock.sock');
  const parameters = ['support', file, '--config', gateway.configFile, '--socket', socket];
  const command = await runCommand(t, parameters);
  assert.equal(command.status, 0, command.errors);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const { text: log } = await client.send('GET', `${ROOT}/log?limit=1000`);
  const places = { console: answer.text, file: readFileSync(file, 'utf8'), log };
  for (const [place, text] of Object.entries(places)) {
    for (const [name, secret] of secrets) {
      assert.ok(!text.includes(secret), `${name} in ${place}`);
      assert.ok(!text.includes(JSON.stringify(secret).slice(1, -1)), `${name} in ${place}`);
    }
  }
  const report = answerOf(collectSupport, answer);
  const written = JSON.parse(places.file) as SupportReport & { readonly findings: readonly object[] };
  // The file contains what the console offers, and the findings of the machine.
  assert.deepEqual(Object.keys(written).toSorted(), [...Object.keys(report), 'findings'].toSorted());
  assert.deepEqual(Object.keys(written.responses), Object.keys(report.responses));
  assert.ok(written.findings.length > 5);
  assert.match(report.gateway.version, /^\d+\.\d+\.\d+/);
  for (const [where, response] of Object.entries(report.responses)) {
    assert.ok(!JSON.stringify(response).includes('"failure"'), where);
  }
  const all = JSON.stringify(report.responses);
  for (const expected of [
    'opc.tcp://127.0.0.1:9',
    'boiler',
    '"checks"',
    '"event":"ready"',
    'talker',
    '"isSet":true',
  ])
    assert.ok(all.includes(expected), expected);
});

test('the log is read from an id on, and shows its level and fields', async (t) => {
  const provision = { identities: [{ name: 'chief', permissions: ['rest.admin'], password: PASSWORD }] };
  const gateway = await startGateway(t, { config: { provision } });
  const client = new SessionClient({ port: gateway.httpsPorts[0] ?? 0 });
  await client.login('chief', PASSWORD);
  const read = async (query: string) =>
    answerOf(readGatewayLog, await client.send('GET', `${ROOT}/log${query}`));
  const all = await read('');
  const ready = all.lines.find(({ event }) => event === 'ready') ?? assert.fail();
  assert.equal(ready.level, 'info');
  assert.match(String(ready.fields['version']), /^\d/);
  assert.equal(all.isIncomplete, false);
  const later = await read(`?after=${ready.id}&limit=1`);
  assert.ok(later.lines.every(({ id }) => id === ready.id + 1));
  const nothing = await read(`?after=${later.newest}`);
  assert.deepEqual(nothing.lines, []);
  assert.equal((await client.send('GET', `${ROOT}/log?after=x`)).status, 400);
});

test('a gateway that does not respond leaves the findings of the machine', async (t) => {
  const gateway = await startGateway(t, { config: {} });
  await gateway.stop();
  const file = path.join(gateway.directory, 'support.json');
  const socket = path.join(gateway.dataDirectory, 'penstock.sock');
  const command = await runCommand(t, ['support', file, '--config', gateway.configFile, '--socket', socket]);
  assert.equal(command.status, 0, command.errors);
  assert.match(command.output, /does not respond/);
  const { findings, failure } = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly findings: readonly object[];
    readonly failure: string;
  };
  assert.ok(failure.length > 0);
  assert.ok(findings.length > 3);
});

test('a report that cannot be written names its file', async (t) => {
  const gateway = await startGateway(t, { config: {} });
  const file = path.join(gateway.directory, 'missing', 'support.json');
  const socket = path.join(gateway.dataDirectory, 'penstock.sock');
  const command = await runCommand(t, ['support', file, '--config', gateway.configFile, '--socket', socket]);
  assert.equal(command.status, 1);
  assert.ok(command.errors.includes(`${file} cannot be written: no such file`), command.errors);
});
