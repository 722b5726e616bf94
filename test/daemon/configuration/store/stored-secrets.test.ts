import assert from 'node:assert/strict';
import { test } from 'node:test';

import { finish } from '../../../../daemon/base/slices.ts';
import { z } from '../../../../daemon/base/schema.ts';
import { SecretKey, UnreadableSecret } from '../../../../daemon/base/key/secret-key.ts';
import { describeDocument } from '../../../../daemon/configuration/document-schema.ts';
import { hideSecrets, keepSecrets, SECRET_MARKER } from '../../../../daemon/configuration/store/secrets.ts';
import { StoredSecrets } from '../../../../daemon/configuration/store/stored-secrets.ts';
import { FACTORIES } from '../plant-fixture.ts';

const TELLING = {
  type: 'telling',
  addressSchema: z.strictObject({ token: z.string().meta({ writeOnly: true }) }),
};
const KINDS = [...FACTORIES, ...FACTORIES.map((bench) => Object.assign({}, bench, TELLING))];
const SECRETS = new StoredSecrets(new SecretKey(Buffer.alloc(32, 1)), () => KINDS);
const OTHER = new StoredSecrets(new SecretKey(Buffer.alloc(32, 2)), () => KINDS);
const DOCUMENT = {
  rest: { allowedPorts: [1] },
  drivers: [
    { pid: 'line1', type: 'bench', host: 'a', password: 'canary' },
    { pid: 'line2', type: 'bench', host: 'b' },
  ],
  assets: [
    { pid: 'a', driver: 'line1', channels: [{ name: 'c', address: { offset: 1 } }] },
    { pid: 'b', driver: 'line2', channels: [{ name: 'c', address: { token: 'canary-2' } }] },
  ],
};

const pack = (document: object): string => JSON.stringify(SECRETS.seal({ ...document }));

test('a stored document has a record for each secret, and everything else in clear text', () => {
  const text = pack(DOCUMENT);
  assert.ok(!text.includes('canary'));
  assert.equal(text.split('$sealed').length - 1, 2);
  assert.ok(text.includes('"host":"a"'));
  assert.deepEqual(SECRETS.parse(text), DOCUMENT);
  assert.deepEqual(Object.keys(SECRETS.parse(text) as object), Object.keys(DOCUMENT));
});

test('a document that an earlier release stored in clear text is read as it is', () => {
  assert.deepEqual(SECRETS.parse(JSON.stringify(DOCUMENT)), DOCUMENT);
});

test('without the key a secret is unreadable, hidden and kept, and comes back with the key', () => {
  const schema = describeDocument(KINDS);
  const read = OTHER.parse(pack(DOCUMENT)) as typeof DOCUMENT;
  const [line1] = read.drivers;
  assert.ok((line1?.password as unknown) instanceof UnreadableSecret);
  const shown = hideSecrets(schema, read);
  assert.deepEqual(shown.drivers[0]?.password, SECRET_MARKER);
  const { document, faults } = finish(keepSecrets(schema, structuredClone(shown), read));
  assert.deepEqual([document, faults], [read, []]);
  assert.deepEqual(SECRETS.parse(JSON.stringify(OTHER.seal(read))), DOCUMENT);
});

test('what a client sends is never taken for a record', () => {
  const [record] = /"1\.[^"]*"/.exec(pack(DOCUMENT)) ?? assert.fail();
  const sent = {
    drivers: [{ pid: 'x', type: 'bench', password: { $sealed: JSON.parse(record) as string } }],
  };
  assert.deepEqual(SECRETS.parse(pack(sent)), sent);
});

test('a mask shows that a secret has changed, and not the secret', () => {
  const masked = (password: string): string =>
    JSON.stringify(SECRETS.mask({ drivers: [{ pid: 'line1', type: 'bench', password }] }));
  assert.equal(masked('canary'), masked('canary'));
  assert.notEqual(masked('canary'), masked('other'));
  assert.ok(!masked('canary').includes('canary'));
  const plain = { drivers: [{ pid: 'line1', type: 'bench', host: 'a' }] };
  assert.deepEqual(SECRETS.mask(plain), plain);
});
