import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';

import { KEYSTORES_V1, KEYSTORES_V2 } from '../../daemon/interface/kura/keystores.ts';
import { listAuditEvents } from '../../daemon/interface/security/audit.ts';
import { answerOf, failureOf } from '../support/answer-of.ts';
import { getCertificateAuthority } from '../support/certificate-authority.ts';
import { startGateway } from '../support/gateway.ts';
import { SessionClient } from '../support/https-client.ts';
import type { ClientAnswer } from '../support/https-client.ts';
import { programOf } from '../support/tools.ts';
import { needs } from '../support/tests-that-need.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';

const PASSWORD = 'a-word-of-the-boss-1';
const STORE = 'HttpsKeystore';
const run = promisify(execFile);

interface Bench {
  readonly chief: SessionClient;
  readonly clerk: SessionClient;
  readonly boss: SessionClient;
  readonly folder: string;
  readonly authority: string;
}

/** Starts a gateway with an authority of clients; a clerk has no right on key stores. */
async function openBench(t: TestContext): Promise<Bench> {
  const folder = createTemporaryDirectory(t);
  const { certificate } = await getCertificateAuthority();
  const file = path.join(folder, 'client-ca.pem');
  await writeFile(file, certificate);
  const gateway = await startGateway(t, {
    config: {
      tls: { clientCertificateAuthoritiesFile: file },
      provision: {
        identities: [
          { name: 'chief', permissions: ['rest.keystores'], password: PASSWORD },
          { name: 'clerk', permissions: ['rest.assets'], password: PASSWORD },
          { name: 'auditor', permissions: ['rest.admin'], password: PASSWORD },
        ],
      },
    },
  });
  const clientOf = async (name: string): Promise<SessionClient> => {
    const client = new SessionClient({ port: gateway.httpsPorts[0] ?? 0 });
    await client.login(name, PASSWORD);
    return client;
  };
  return {
    chief: await clientOf('chief'),
    clerk: await clientOf('clerk'),
    boss: await clientOf('auditor'),
    folder,
    authority: certificate,
  };
}

test('keys and certificates are listed as in keystores of Kura, and no answer has a private key', async (t) => {
  const { chief, clerk, authority } = await openBench(t);
  const answers: ClientAnswer[] = [];
  for (const version of ['v1', 'v2'] as const) {
    const endpoints = version === 'v1' ? KEYSTORES_V1 : KEYSTORES_V2;
    const ask = async (place: string): Promise<ClientAnswer> => {
      const answer = await chief.send('GET', `/services/keystores/${version}${place}`);
      answers.push(answer);
      return answer;
    };
    assert.deepEqual(answerOf(endpoints.listStores, await ask('')), [
      { keystoreServicePid: STORE, type: 'pem', size: 2 },
    ]);
    const [key, trusted, ...others] = answerOf(endpoints.listEntries, await ask('/entries'));
    assert.deepEqual(key, {
      keystoreServicePid: STORE,
      alias: 'server',
      type: 'PRIVATE_KEY',
      size: 256,
      algorithm: 'EC',
    });
    assert.ok(trusted?.type === 'TRUSTED_CERTIFICATE' && others.length === 0);
    assert.equal(trusted.algorithm, 'SHA256withECDSA');
    assert.equal(trusted.subjectDN, 'CN=Penstock test authority');
    assert.equal(trusted.certificate, undefined);
    const inStore = answerOf(
      endpoints.listEntries,
      await ask(`/entries?keystoreServicePid=${STORE}&alias=x`),
    );
    assert.deepEqual(
      inStore.map(({ alias }) => alias),
      ['server', 'client-ca-1'],
    );
    const shown = answerOf(
      endpoints.readEntry,
      await ask(`/entries/entry?keystoreServicePid=${STORE}&alias=client-ca-1`),
    );
    assert.deepEqual(shown, { ...trusted, certificate: authority.trimEnd() });
    assert.deepEqual(answerOf(endpoints.listEntries, await ask('/entries?alias=client-ca-1')), [shown]);
    assert.deepEqual(answerOf(endpoints.listEntries, await ask('/entries?alias=nothing')), []);
    for (const [place, status] of [
      ['/entries?keystoreServicePid=DMKeystore', 404],
      [`/entries/entry?keystoreServicePid=${STORE}&alias=nothing`, 404],
      ['/entries/entry?keystoreServicePid=nothing&alias=server', 404],
      [`/entries/entry?keystoreServicePid=${STORE}`, 400],
      ['/entries/keypair', 404],
    ] as const) {
      assert.equal((await ask(place)).status, status, place);
    }
  }
  for (const { text } of answers) assert.doesNotMatch(text, /PRIVATE KEY-----/);
  assert.equal((await clerk.send('GET', '/services/keystores/v1')).status, 403);
  assert.equal((await clerk.send('POST', '/services/keystores/v2/entries/csr', { body: {} })).status, 403);
});

test('a signing request of the server key is one that openssl verifies', needs('openssl'), async (t) => {
  const { chief, boss, folder } = await openBench(t);
  const request = {
    keystoreServicePid: STORE,
    alias: 'server',
    signatureAlgorithm: 'SHA256WithECDSA',
    attributes: String.raw`CN=Gäteway\, west, OU="Line, 1", O=Eclipse, C=US`,
  };
  const ask = (body: unknown): Promise<ClientAnswer> =>
    chief.send('POST', '/services/keystores/v2/entries/csr', { body });
  const { signingRequest } = answerOf(KEYSTORES_V2.sign, await ask(request));
  assert.ok(signingRequest.endsWith('-----END CERTIFICATE REQUEST-----'));
  assert.ok(signingRequest.split('\n').every((line) => line.length <= 64));
  const file = path.join(folder, 'request.pem');
  await writeFile(file, signingRequest);
  const { stdout, stderr } = await run(programOf('openssl'), [
    'req',
    '-in',
    file,
    '-verify',
    '-noout',
    '-text',
    '-nameopt',
    'utf8',
  ]);
  assert.match(stderr + stdout, /verify OK/);
  assert.match(stdout, /Subject: ?C=US, ?O=Eclipse, ?OU=Line, 1, ?CN=Gäteway, west/);
  assert.match(stdout, /Signature Algorithm: ecdsa-with-SHA256/);
  assert.match(stdout, /DNS:localhost/);
  const [served] = answerOf(
    KEYSTORES_V1.listEntries,
    await chief.send('GET', '/services/keystores/v1/entries?alias=server'),
  );
  assert.ok(served?.type === 'PRIVATE_KEY');
  const certificate = path.join(folder, 'server.pem');
  await writeFile(certificate, served.certificateChain?.[0] ?? '');
  const keyOf = async (kind: string, input: string): Promise<string> =>
    (await run(programOf('openssl'), [kind, '-in', input, '-noout', '-pubkey'])).stdout;
  assert.equal(await keyOf('req', file), await keyOf('x509', certificate));

  for (const [change, message] of [
    [{ alias: undefined }, /alias/],
    [{ keystoreServicePid: 'SSLKeystore' }, /no key store "SSLKeystore"/],
    [{ alias: 'client-ca-1' }, /no key "client-ca-1"/],
    [{ signatureAlgorithm: 'SHA256withRSA' }, /expected one for this key: SHA256withECDSA/],
    [{ signatureAlgorithm: 'SHA1withECDSA' }, /signatureAlgorithm/],
    [{ attributes: 'kura' }, /expected TYPE=value at "kura"/],
    [{ attributes: 'CN=a,' }, /last separator/],
    [{ attributes: 'XX=a' }, /unknown type "XX"/],
    [{ attributes: 'CN=a, C=USA' }, /C must have 1 to 2/],
  ] as const) {
    const answer = await ask({ ...request, ...change });
    assert.equal(answer.status, 400, answer.text);
    assert.match(failureOf(answer).message, message);
  }

  const recorded = await boss.send('GET', '/services/audit/v1/events?limit=50');
  const events = answerOf(listAuditEvents, recorded).events.filter(
    ({ event }) => event === 'CERTIFICATE_REQUESTED',
  );
  const made = events.find(({ outcome }) => outcome === 'SUCCESS');
  assert.deepEqual(made?.detail, { alias: 'server', subject: request.attributes });
  assert.ok(events.length > 1 && !JSON.stringify(events).includes('PRIVATE KEY'));
});
