import assert from 'node:assert/strict';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { BoundedReads } from '../../../../daemon/base/file/bounded-reads.ts';
import type { TokenIssuingService } from '../../../../daemon/settings/token-settings.ts';
import { KeyStore } from '../../../../daemon/security/token/key-store.ts';
import { toKeyError } from '../../../../daemon/security/token/signing-key.ts';
import { CertificateError } from '../../../../daemon/security/certificate/certificate-error.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { createMemoryLogger } from '../../../support/memory-logger.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';
import { getTokenSigner, NOW_MS, NOW_SECONDS, parseSettings, writePair } from './token-fixture.ts';

const DAY_MS = 86_400_000;
const KEPT = { isPreviousTrusted: true };

function serviceOf(changes: object = {}): TokenIssuingService {
  const [service] = parseSettings({
    tokenIssuingServices: [{ pid: 'local', ...changes }],
  }).tokenIssuingServices;
  if (service === undefined) throw new Error('no service');
  return service;
}

function setUp(t: TestContext) {
  const dataDirectory = createTemporaryDirectory(t);
  const clock = new ManualClock(NOW_MS);
  const reads = new BoundedReads(clock);
  const open = () => new KeyStore({ dataDirectory, clock, logger: createMemoryLogger(), reads });
  return { dataDirectory, directory: path.join(dataDirectory, 'keys', 'local'), clock, keys: open(), open };
}

const kidsOf = (keys: readonly { readonly kid: string }[]) => keys.map(({ kid }) => kid).toSorted();

test('the key is created at first use, once for all callers, and found again after a restart', async (t) => {
  const { keys, open, directory } = setUp(t);
  assert.deepEqual(await keys.listTrustedKeys(serviceOf()), []);
  assert.equal(existsSync(directory), false);
  const made = await Promise.all([1, 2, 3].map(() => keys.getSigningKey(serviceOf())));
  assert.equal(new Set(made.map(({ kid }) => kid)).size, 1);
  assert.equal((await open().getSigningKey(serviceOf())).kid, made[0]?.kid);
  assert.deepEqual(kidsOf(await open().listTrustedKeys(serviceOf())), kidsOf(made.slice(0, 1)));
});

test('directory and files are accessible to the owner only, whatever the umask is', async (t) => {
  const { keys, directory, dataDirectory } = setUp(t);
  const before = process.umask(0);
  t.after(() => process.umask(before));
  await keys.getSigningKey(serviceOf());
  for (const made of [path.join(dataDirectory, 'keys'), directory])
    assert.equal(statSync(made).mode & 0o777, 0o700);
  for (const name of readdirSync(directory))
    assert.equal(statSync(path.join(directory, name)).mode & 0o777, 0o600);
});

for (const algorithm of ['ES384', 'PS256', 'EdDSA']) {
  test(`a key that suits ${algorithm} is created`, async (t) => {
    const { keys } = setUp(t);
    await keys.getSigningKey(serviceOf({ algorithm }));
    const [trusted] = await keys.listTrustedKeys(serviceOf({ algorithm }));
    assert.ok(trusted?.algorithms.some((suitable) => suitable === algorithm));
  });
}

test('rotate creates a new signing key and trusts the previous one until the last of its tokens has expired', async (t) => {
  const { keys, clock } = setUp(t);
  const service = serviceOf({ maximumTokenLifetimeSeconds: 600 });
  const previous = await keys.getSigningKey(service);
  const revision = keys.revision();
  const present = await keys.rotate(service, KEPT);
  assert.ok(keys.revision() > revision);
  assert.notEqual(present.kid, previous.kid);
  assert.equal((await keys.getSigningKey(service)).kid, present.kid);
  const trusted = await keys.listTrustedKeys(service);
  assert.deepEqual(kidsOf(trusted), kidsOf([previous, present]));
  const untilMs = trusted.find(({ kid }) => kid === previous.kid)?.trustedUntilMs ?? 0;
  assert.equal(untilMs, (NOW_SECONDS + 600 + 3600) * 1000);
  clock.advance(untilMs - NOW_MS);
  assert.deepEqual(kidsOf(await keys.listTrustedKeys(service)), [present.kid]);
});

test('several rotations in a row keep every key that may have signed a valid token', async (t) => {
  const { keys, open } = setUp(t);
  const first = await keys.getSigningKey(serviceOf());
  const [second, third] = [await keys.rotate(serviceOf(), KEPT), await keys.rotate(serviceOf(), KEPT)];
  assert.deepEqual(kidsOf(await open().listTrustedKeys(serviceOf())), kidsOf([first, second, third]));
});

test('rotate without trust in the previous key leaves only the new one', async (t) => {
  const { keys, directory } = setUp(t);
  await keys.getSigningKey(serviceOf());
  await keys.rotate(serviceOf(), KEPT);
  const present = await keys.rotate(serviceOf(), { isPreviousTrusted: false });
  assert.deepEqual(kidsOf(await keys.listTrustedKeys(serviceOf())), [present.kid]);
  assert.deepEqual(readdirSync(directory).toSorted(), [`${present.kid}.crt`, 'signing.pem'].toSorted());
});

test('rotate without trust in the previous key holds as a whole, wherever it was cut off', async (t) => {
  const { keys, open, directory } = setUp(t);
  await keys.getSigningKey(serviceOf());
  await keys.rotate(serviceOf(), KEPT);
  const files = readdirSync(directory).filter((name) => name !== 'signing.pem');
  const contents = files.map((name) => readFileSync(path.join(directory, name)));
  const present = await keys.rotate(serviceOf(), { isPreviousTrusted: false });

  // The new key was written, nothing was deleted.
  for (const [index, name] of files.entries())
    writeFileSync(path.join(directory, name), contents[index] ?? '', { mode: 0o600 });
  assert.deepEqual(kidsOf(await open().listTrustedKeys(serviceOf())), [present.kid]);
  const next = await open().rotate(serviceOf(), KEPT);
  assert.deepEqual(kidsOf(await open().listTrustedKeys(serviceOf())), kidsOf([present, next]));
});

test('rotate is refused while the previous key cannot be read for a moment: its tokens stay valid', async (t) => {
  const { keys, directory } = setUp(t);
  const { kid } = await keys.getSigningKey(serviceOf());
  const file = path.join(directory, 'signing.pem');
  const content = readFileSync(file);
  rmSync(file);
  // Opening it fails with ENXIO.
  const socket = createServer();
  socket.listen(file);
  await once(socket, 'listening');
  await assert.rejects(keys.rotate(serviceOf(), KEPT), {
    name: 'Unavailable',
    code: 'TOKEN_SERVICE_UNAVAILABLE',
  });
  socket.close();
  await once(socket, 'close');
  writeFileSync(file, content, { mode: 0o600 });
  assert.equal((await keys.getSigningKey(serviceOf())).kid, kid);
});

test('another algorithm creates another key; tokens of the previous one stay valid', async (t) => {
  const { keys } = setUp(t);
  const previous = await keys.getSigningKey(serviceOf());
  const present = await keys.getSigningKey(serviceOf({ algorithm: 'EdDSA' }));
  assert.equal(present.privateKey.asymmetricKeyType, 'ed25519');
  assert.deepEqual(kidsOf(await keys.listTrustedKeys(serviceOf())), kidsOf([previous, present]));
});

test('a key whose certificate is about to expire is replaced', async (t) => {
  const { keys, clock } = setUp(t);
  const previous = await keys.getSigningKey(serviceOf());
  clock.advance(3600 * DAY_MS);
  assert.equal((await keys.getSigningKey(serviceOf())).kid, previous.kid);
  clock.advance(30 * DAY_MS);
  assert.notEqual((await keys.getSigningKey(serviceOf())).kid, previous.kid);
});

test('after a crash at any step of a rotation one key signs and its certificate is trusted', async (t) => {
  const { keys, open, directory } = setUp(t);
  const previous = await keys.getSigningKey(serviceOf());
  const at = (name: string) => path.join(directory, name);
  const formerPair = readFileSync(at('signing.pem'), 'utf8');
  const previousCertificate = readFileSync(at(`${previous.kid}.crt`), 'utf8');
  const present = await keys.rotate(serviceOf(), KEPT);

  // Both certificates were written, the key was not: the previous one signs, the new one is not trusted.
  const presentPair = readFileSync(at('signing.pem'), 'utf8');
  writeFileSync(at('signing.pem'), formerPair, { mode: 0o600 });
  writeFileSync(at(`${previous.kid}.crt`), previousCertificate, { mode: 0o600 });
  writeFileSync(at('signing.pem.0123.tmp'), presentPair.slice(0, 40), { mode: 0o600 });
  assert.equal((await open().getSigningKey(serviceOf())).kid, previous.kid);
  assert.deepEqual([...new Set(kidsOf(await open().listTrustedKeys(serviceOf())))], [previous.kid]);

  // The key was written, nothing was deleted: the previous one is trusted for a limited time only.
  writeFileSync(at('signing.pem'), presentPair, { mode: 0o600 });
  assert.equal((await open().getSigningKey(serviceOf())).kid, present.kid);
  const trusted = await open().listTrustedKeys(serviceOf());
  assert.deepEqual(kidsOf(trusted), kidsOf([previous, present]));
  assert.notEqual(trusted.find(({ kid }) => kid === previous.kid)?.trustedUntilMs, Infinity);

  const last = await open().rotate(serviceOf(), KEPT);
  assert.equal(readdirSync(directory).filter((name) => name.endsWith('.tmp')).length, 0);
  assert.ok(existsSync(at(`${last.kid}.crt`)));
});

test('while the key cannot be read its tokens are still verified', async (t) => {
  const { keys, open, directory } = setUp(t);
  const { kid } = await keys.getSigningKey(serviceOf());
  const file = path.join(directory, 'signing.pem');
  const content = readFileSync(file);
  writeFileSync(file, 'damaged');
  for (const store of [keys, open()]) {
    await assert.rejects(store.getSigningKey(serviceOf()), {
      name: 'TokenError',
      code: 'PRIVATE_KEY_INVALID',
    });
    assert.deepEqual(kidsOf(await store.listTrustedKeys(serviceOf())), [kid]);
  }
  writeFileSync(file, content);
  assert.equal((await keys.getSigningKey(serviceOf())).kid, kid);
});

test('a damaged key is replaced by rotate', async (t) => {
  const { keys, directory } = setUp(t);
  await keys.getSigningKey(serviceOf());
  writeFileSync(path.join(directory, 'signing.pem'), 'damaged');
  const { kid } = await keys.rotate(serviceOf(), KEPT);
  assert.equal((await keys.getSigningKey(serviceOf())).kid, kid);
});

test('a key that others may read is not used', async (t) => {
  const { keys, directory } = setUp(t);
  await keys.getSigningKey(serviceOf());
  chmodSync(path.join(directory, 'signing.pem'), 0o640);
  await assert.rejects(keys.getSigningKey(serviceOf()), { name: 'TokenError', code: 'PRIVATE_KEY_TOO_OPEN' });
});

test('keys of different services are stored separately', async (t) => {
  const { keys, dataDirectory } = setUp(t);
  const [one, other] = await Promise.all([
    keys.getSigningKey(serviceOf()),
    keys.getSigningKey(serviceOf({ pid: 'other' })),
  ]);
  assert.notEqual(one.kid, other.kid);
  assert.deepEqual(readdirSync(path.join(dataDirectory, 'keys')).toSorted(), ['local', 'other']);
});

test('the key of a configured file signs; a changed file is read again, and only then', async (t) => {
  const { keys, dataDirectory } = setUp(t);
  const [first, second] = [await getTokenSigner('own'), await getTokenSigner('foreign')];
  const files = writePair(dataDirectory, 'configured', first);
  const service = serviceOf(files);
  const { kid } = await keys.getSigningKey(service);
  const revision = keys.revision();
  await keys.getSigningKey(service);
  assert.equal(keys.revision(), revision);
  writePair(dataDirectory, 'configured', second);
  assert.notEqual((await keys.getSigningKey(service)).kid, kid);
  assert.ok(keys.revision() > revision);
  assert.notDeepEqual(kidsOf(await keys.listTrustedKeys(service)), [kid]);
});

test('a configured key that is missing, damaged, of another certificate or unsuitable is an error until it is fixed', async (t) => {
  const { keys, dataDirectory } = setUp(t);
  const pair = await getTokenSigner('own');
  const files = writePair(dataDirectory, 'configured', pair);
  const service = serviceOf(files);
  const { kid } = await keys.getSigningKey(service);
  const fails = (code: string, of = service) =>
    assert.rejects(keys.getSigningKey(of), { name: 'TokenError', code });

  renameSync(files.privateKeyFile, `${files.privateKeyFile}.away`);
  await fails('CERTIFICATE_FILE_UNREADABLE');
  writeFileSync(files.privateKeyFile, 'damaged', { mode: 0o600 });
  await fails('PRIVATE_KEY_INVALID');
  writeFileSync(files.privateKeyFile, (await getTokenSigner('foreign')).privateKey);
  await fails('CERTIFICATE_KEY_MISMATCH');
  await fails(
    'SIGNING_KEY_UNSUITABLE',
    serviceOf({ ...writePair(dataDirectory, 'x', pair), algorithm: 'RS256' }),
  );
  rmSync(files.privateKeyFile);
  renameSync(`${files.privateKeyFile}.away`, files.privateKeyFile);
  assert.equal((await keys.getSigningKey(service)).kid, kid);
});

test('a configured key is not rotated', async (t) => {
  const { keys, dataDirectory } = setUp(t);
  const service = serviceOf(writePair(dataDirectory, 'configured', await getTokenSigner('own')));
  await assert.rejects(keys.rotate(service, KEPT), { name: 'Conflict', code: 'SIGNING_KEY_CONFIGURED' });
});

test('a lack of system resources is a temporary error, every other cause is permanent', () => {
  const failure = (code: string) =>
    new CertificateError({
      code: 'CERTIFICATE_FILE_UNREADABLE',
      detail: 'the file cannot be read',
      cause: Object.assign(new Error(code), { code }),
    });
  for (const code of ['EMFILE', 'ENFILE', 'EAGAIN', 'EIO', 'ENOMEM', 'ETIMEDOUT', 'ENXIO']) {
    const error = toKeyError('local', failure(code));
    assert.equal(error.name, 'Unavailable');
    assert.equal(error.code, 'TOKEN_SERVICE_UNAVAILABLE');
  }
  for (const code of ['ENOENT', 'EACCES', 'EISDIR'])
    assert.equal(toKeyError('local', failure(code)).name, 'TokenError');
  assert.equal(toKeyError('local', new Error('x')).code, 'SIGNING_KEY_UNUSABLE');
});

test('no error about a key shows its file to the client', async (t) => {
  const { keys, dataDirectory } = setUp(t);
  const files = { privateKeyFile: '/nonexistent/secret.key', certificateFile: `${dataDirectory}/x.crt` };
  await assert.rejects(keys.getSigningKey(serviceOf(files)), (error: { detail: string }) => {
    assert.doesNotMatch(error.detail, /nonexistent|secret|\//);
    return true;
  });
});
