import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { runCommand } from '../daemon/cli/command.ts';
import { startGateway } from '../support/gateway.ts';
import { SessionClient } from '../support/https-client.ts';
import type { ClientAnswer, ClientRequest } from '../support/https-client.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import { answerOf } from '../support/answer-of.ts';
import { readConfiguration } from '../../daemon/interface/configuration/configuration.ts';

const PASSWORD = 'token-trust-test-password';
const ROOT = '/services/configuration/v1';
const OWN = {
  pid: 'local',
  trustedCertificates: [{ issuingService: 'local' }],
  trustedIssuers: ['penstock'],
};
const OTHER = { ...OWN, trustedIssuers: [] };
const SECTIONS = {
  tokenIssuingServices: { item: { pid: 'local', issuer: 'other' } },
  tokenVerificationServices: { item: OTHER },
};

const IDENTITIES = [
  { name: 'engineer', permissions: ['rest.configuration'], password: PASSWORD },
  { name: 'chief', permissions: ['rest.admin'], password: PASSWORD },
];

async function setUp(t: TestContext) {
  const rest = { basicAuthenticationEnabled: true };
  const gateway = await startGateway(t, { config: { provision: { identities: IDENTITIES, rest } } });
  const logIn = async (name: string) => {
    const client = new SessionClient({ port: gateway.httpsPorts[0] ?? 0 });
    assert.equal((await client.login(name, PASSWORD)).status, 200);
    return (method: string, place: string, body?: unknown, more: ClientRequest = {}): Promise<ClientAnswer> =>
      client.send(method, `${ROOT}${place}`, { headers: { 'If-Match': '*' }, body, ...more });
  };
  return { gateway, engineer: await logIn('engineer'), chief: await logIn('chief') };
}

function assertRefused(answer: ClientAnswer, section: string, what: string): void {
  assert.equal(answer.status, 403, `${what}: ${answer.text}`);
  assert.match(answer.text, new RegExp(`${section}.* rest\\.admin`), what);
}

test('no route changes how tokens are trusted for an identity without rest.admin', async (t) => {
  const { engineer, chief } = await setUp(t);
  for (const [section, { item }] of Object.entries(SECTIONS)) {
    const attempts: readonly (readonly [string, string, unknown?])[] = [
      ['PUT', '', { rest: { basicAuthenticationEnabled: true }, [section]: [item] }],
      ['PUT', '?dryRun=true', { [section]: [item] }],
      ['PUT', `/${section}`, [item]],
      ['PUT', `/${section}?dryRun=true`, [item]],
      ['PUT', `/${section}?confirmWithin=60`, [item]],
      ['PUT', `/${section}`, { nothing: 'that is valid' }],
      ['PUT', `/${section}/local`, item],
      ['PUT', `/${section}/more`, { ...item, pid: 'more' }],
      ['DELETE', `/${section}/local`],
    ];
    for (const [method, place, body] of attempts) {
      assertRefused(await engineer(method, place, body), section, `${method} ${place}`);
    }
    assert.equal((await chief('PUT', `/${section}`, [item])).status, 200);
    assertRefused(await engineer('DELETE', `/${section}`), section, 'DELETE of the section');
    assertRefused(await engineer('PUT', '', {}), section, 'a whole document without the section');
    assertRefused(await engineer('POST', '/snapshots/1/_rollback'), section, 'a rollback');
    assertRefused(await engineer('POST', '/snapshots/1/_rollback?dryRun=true'), section, 'its dry run');
    assert.equal((await chief('DELETE', `/${section}`)).status, 200);
  }
});

test('a document that leaves the trust in tokens alone passes, however it says it', async (t) => {
  const { engineer, chief } = await setUp(t);
  const banners = { preLogin: { enabled: true, message: 'hello' } };
  assert.equal((await engineer('PUT', '', { banners, tokenVerificationServices: [OWN] })).status, 200);
  assert.equal((await engineer('DELETE', '/tokenVerificationServices')).status, 200);
  assert.equal((await chief('PUT', '/tokenVerificationServices', [OTHER])).status, 200);
  const whole = answerOf(readConfiguration, await engineer('GET', ''));
  assert.ok(typeof whole === 'object');
  assert.equal((await engineer('PUT', '', { ...whole, banners: {} })).status, 200);
  assert.equal((await engineer('PUT', '/banners', banners)).status, 200);
});

test('a change of the trust in tokens that waits is kept and taken back by an administrator alone', async (t) => {
  const { engineer, chief } = await setUp(t);
  const place = '/tokenVerificationServices?confirmWithin=600';
  assert.equal((await chief('PUT', place, [OTHER])).status, 200);
  for (const operation of ['_confirm', '_takeBack']) {
    assertRefused(await engineer('POST', `/${operation}`), 'tokenVerificationServices', operation);
  }
  assert.equal((await chief('POST', '/_takeBack')).status, 200);
  const banners = { preLogin: { enabled: true, message: 'hello' } };
  assert.equal((await engineer('PUT', '/banners?confirmWithin=600', banners)).status, 200);
  assert.equal((await engineer('POST', '/_confirm')).status, 204);
});

test('prune takes no service away from the trust in tokens for an identity without rest.admin', async (t) => {
  const { gateway, engineer, chief } = await setUp(t);
  const identities = IDENTITIES;
  const tokenIssuingServices = [{ pid: 'local' }, { pid: 'spare' }];
  const provided = await gateway.reload({ provision: { identities, tokenIssuingServices } });
  assert.equal(provided.event, 'reloaded');
  assert.equal((await gateway.reload({ provision: { identities } })).event, 'reloaded');
  assertRefused(await engineer('POST', '/_prune'), 'tokenIssuingServices', '_prune');
  assert.equal((await chief('POST', '/_prune')).status, 200);
});

test('the command line shows the refusal', async (t) => {
  const { gateway } = await setUp(t);
  const file = path.join(createTemporaryDirectory(t), 'password');
  writeFileSync(file, PASSWORD, { mode: 0o600 });
  const url = `https://127.0.0.1:${gateway.httpsPorts[0]}`;
  const ca = path.join(gateway.dataDirectory, 'tls/server.crt');
  const reach = ['--url', url, '--ca', ca, '--user', 'engineer', '--password-file', file];
  const refused = await runCommand(t, [
    'config',
    'set',
    'tokenVerificationServices.local.trustedIssuers',
    '[]',
    '--yes',
    ...reach,
  ]);
  assert.equal(refused.status, 4, refused.errors);
  assert.match(refused.errors, /tokenVerificationServices.* rest\.admin/);
});
