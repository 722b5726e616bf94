// What the tests of Kura's own REST services ask, on the interfaces that the gateway has of them.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { KEYSTORES_V1 } from '../../daemon/interface/kura/keystores.ts';
import { answerOf, failureOf } from '../support/answer-of.ts';
import { startGateway } from '../support/gateway.ts';
import { SessionClient } from '../support/https-client.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import { needs } from '../support/tests-that-need.ts';
import { programOf } from '../support/tools.ts';

const PASSWORD = 'a-word-of-the-boss-1';

interface Scenario {
  readonly request: readonly [method: 'GET' | 'POST' | 'PUT' | 'DELETE', place: string, body?: unknown];
  readonly status: number;
  /** Absent: a body that is not empty; empty: no body. */
  readonly text?: RegExp | '';
}

const NAMED = { name: 'panel' };
const IDENTITY = { identity: NAMED };
// Parts in the order of Kura, each with what a new identity has.
const SCENARIOS: readonly Scenario[] = [
  { request: ['POST', 'identity/v2/identities', NAMED], status: 200, text: '' },
  { request: ['POST', 'identity/v2/identities', NAMED], status: 409 },
  { request: ['PUT', 'identity/v2/identities', IDENTITY], status: 200, text: '' },
  {
    request: ['POST', 'identity/v2/identities/byName', IDENTITY],
    status: 200,
    text: /^\{"identity":\{"name":"panel"\}\}$/,
  },
  {
    request: ['POST', 'identity/v2/identities/default/byName', { identity: { name: 'other' } }],
    status: 200,
    text: /^\{"identity":\{"name":"other"\}\}$/,
  },
  { request: ['POST', 'identity/v2/identities/validate', IDENTITY], status: 200, text: '' },
  { request: ['GET', 'identity/v2/identities'], status: 200 },
  { request: ['GET', 'identity/v2/definedPermissions'], status: 200 },
  { request: ['GET', 'identity/v2/passwordStrenghtRequirements'], status: 200 },
  { request: ['DELETE', 'identity/v2/identities', { nm: 'panel' }], status: 400, text: /name/ },
  { request: ['DELETE', 'identity/v2/identities', NAMED], status: 200, text: '' },
  { request: ['DELETE', 'identity/v2/identities', NAMED], status: 404 },
  { request: ['POST', 'identity/v2/permissions', { name: 'shift.leader' }], status: 200, text: '' },
  { request: ['DELETE', 'identity/v2/permissions', { nm: 'shift.leader' }], status: 400, text: /name/ },
  { request: ['DELETE', 'identity/v2/permissions', { name: 'shift.leader' }], status: 200, text: '' },
  { request: ['DELETE', 'identity/v2/permissions', { name: 'shift.leader' }], status: 404 },
  { request: ['GET', 'inventory/v1/inventory'], status: 200, text: /^\{"inventory":\[/ },
  { request: ['GET', 'inventory/v1/bundles'], status: 200, text: /^\{"bundles":\[\]\}$/ },
  {
    request: ['GET', 'inventory/v1/deploymentPackages'],
    status: 200,
    text: /^\{"deploymentPackages":\[\]\}$/,
  },
  { request: ['GET', 'inventory/v1/systemPackages'], status: 200, text: /^\{"systemPackages":\[/ },
  { request: ['POST', 'inventory/v1/bundles/_start', { name: 'org.example.publisher' }], status: 404 },
  { request: ['POST', 'inventory/v1/bundles/_stop', { name: 'org.example.publisher' }], status: 404 },
  // What Kura answers without a service for containers.
  { request: ['GET', 'inventory/v1/containers'], status: 404, text: /containers/ },
  { request: ['POST', 'inventory/v1/containers/_start', { name: 'pump' }], status: 404, text: /containers/ },
  { request: ['GET', 'inventory/v1/images'], status: 404, text: /containers/ },
  { request: ['POST', 'inventory/v1/images/_delete', { name: 'nginx' }], status: 404, text: /containers/ },
  { request: ['GET', 'system/v1/properties/framework'], status: 200, text: /"kuraVersion":/ },
  { request: ['GET', 'system/v1/properties/extended'], status: 200, text: /^\{\}$/ },
  { request: ['GET', 'system/v1/properties/kura'], status: 200, text: /^\{"kuraProperties":\{/ },
  {
    request: ['POST', 'system/v1/properties/framework/filter', { names: ['osName', 'none'] }],
    status: 200,
    text: /^\{"osName":"Linux"\}$/,
  },
  {
    request: ['POST', 'system/v1/properties/extended/filter', { groupNames: ['group'] }],
    status: 200,
    text: /^\{\}$/,
  },
  {
    request: ['POST', 'system/v1/properties/kura/filter', { names: ['os.name'] }],
    status: 200,
    text: /^\{"kuraProperties":\{"os.name":"Linux"\}\}$/,
  },
  // Keys are files here: a wrong request and a right one have the same answer.
  { request: ['POST', 'keystores/v2/entries/privatekey', {}], status: 404, text: /files/ },
];

test('requests of the tests of Kura have the answers that Kura gives', needs('openssl'), async (t) => {
  const folder = createTemporaryDirectory(t);
  const [key, certificate] = [path.join(folder, 'rsa.key'), path.join(folder, 'rsa.pem')];
  execFileSync(
    programOf('openssl'),
    [
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-keyout',
      key,
      '-out',
      certificate,
      '-subj',
      '/CN=rsa',
    ],
    { stdio: 'pipe' },
  );
  const gateway = await startGateway(t, {
    config: {
      tls: { certificateFile: certificate, privateKeyFile: key },
      provision: { identities: [{ name: 'chief', permissions: ['rest.admin'], password: PASSWORD }] },
    },
  });
  const chief = new SessionClient({ port: gateway.httpsPorts[0] ?? 0 });
  await chief.login('chief', PASSWORD);
  for (const { request, status, text } of SCENARIOS) {
    const [method, place, body] = request;
    const what = `${method} ${place} ${JSON.stringify(body)}`;
    const answer = await chief.send(method, `/services/${place}`, body === undefined ? {} : { body });
    assert.equal(answer.status, status, `${what}: ${answer.text}`);
    if (text === '') assert.equal(answer.text, '', what);
    else assert.match(status < 400 ? answer.text : failureOf(answer).message, text ?? /./, what);
  }

  const [entry] = answerOf(
    KEYSTORES_V1.listEntries,
    await chief.send('GET', '/services/keystores/v1/entries'),
  );
  assert.deepEqual([entry?.algorithm, entry?.size], ['RSA', 2048]);
  const request = {
    keystoreServicePid: 'HttpsKeystore',
    alias: 'server',
    signatureAlgorithm: 'SHA256WithRSA',
    attributes: 'CN=Kura, OU=IoT, O=Eclipse, C=US',
  };
  const { signingRequest } = answerOf(
    KEYSTORES_V1.sign,
    await chief.send('POST', '/services/keystores/v1/entries/csr', { body: request }),
  );
  const options = { input: signingRequest, encoding: 'utf8', stdio: 'pipe' } as const;
  const subject = execFileSync(programOf('openssl'), ['req', '-verify', '-noout', '-subject'], options);
  assert.match(subject, /C ?= ?US, ?O ?= ?Eclipse, ?OU ?= ?IoT, ?CN ?= ?Kura/);
  writeFileSync(path.join(folder, 'request.pem'), signingRequest);
  const keyOf = (parameters: readonly string[]): string =>
    execFileSync(programOf('openssl'), [...parameters], { encoding: 'utf8' });
  assert.equal(
    keyOf(['req', '-in', path.join(folder, 'request.pem'), '-noout', '-pubkey']),
    keyOf(['pkey', '-in', key, '-pubout']),
  );
});
