import assert from 'node:assert/strict';
import { test } from 'node:test';

import { finish } from '../../../../daemon/base/slices.ts';
import { hideCredentials } from '../../../../daemon/base/text/hide-credentials.ts';
import { describeDocument } from '../../../../daemon/configuration/document-schema.ts';
import type { JsonSchema } from '../../../../daemon/configuration/document-schema.ts';
import type { ManagedDocument } from '../../../../daemon/configuration/managed-document.ts';
import {
  CHANGES_PER_ITEM,
  CHANGES_RECORDED,
  recordChanges,
} from '../../../../daemon/configuration/store/recorded-changes.ts';
import { createDriverFactories } from '../../../../drivers/index.ts';

const schema = describeDocument(createDriverFactories());
const record = (before: ManagedDocument, after: ManagedDocument) =>
  finish(recordChanges(schema, before, after));

const line = (settings: object): ManagedDocument => ({
  drivers: [{ pid: 'line', type: 'modbus-tcp', host: '192.0.2.7', ...settings }],
});
const channels = (pid: string, count: number, offset: number) => ({
  pid,
  driver: 'line',
  channels: Array.from({ length: count }, (_, index) => ({ name: `c${index}`, address: { offset } })),
});

test('a changed key has its path, the value before and the value after', () => {
  const before = { ...line({ port: 502 }), rest: { allowedPorts: [443], sessionInactivityInterval: 900 } };
  const after = { ...line({ port: 5020 }), rest: { allowedPorts: [443, 8443] } };
  assert.deepEqual(record(before, after), {
    changes: [
      { path: 'rest/allowedPorts', old: '[443]', new: '[443,8443]' },
      { path: 'rest/sessionInactivityInterval', old: '900' },
      { path: 'drivers/line/port', old: '502', new: '5020' },
    ],
    omitted: 0,
  });
});

test('what was added or removed is told key by key', () => {
  const boiler = {
    assets: [{ pid: 'boiler', driver: 'line', channels: [{ name: 'a', address: { offset: 7 } }] }],
  };
  const { changes } = record({}, boiler);
  assert.deepEqual(changes, [
    { path: 'assets/boiler/pid', new: 'boiler' },
    { path: 'assets/boiler/driver', new: 'line' },
    { path: 'assets/boiler/channels/a/name', new: 'a' },
    { path: 'assets/boiler/channels/a/address/offset', new: '7' },
  ]);
  const removed = changes.map(({ path, new: old }) => ({ path, old }));
  assert.deepEqual(record(boiler, {}).changes, removed);
});

test('items that change their places do not change', () => {
  const [a, b] = [channels('a', 1, 1), channels('b', 1, 2)];
  assert.deepEqual(record({ assets: [a, b] }, { assets: [b, a] }).changes, []);
});

test('a change of ten thousand channels is bounded, says how much it leaves out, and hides nothing else', () => {
  const others = Array.from({ length: 10 }, (_, index) => channels(`other-${index}`, 100, 1));
  const before = { ...line({ port: 502 }), assets: [channels('boiler', 10_000, 1), ...others] };
  const changed = others.map(({ pid }) => channels(pid, 100, 2));
  const after = {
    ...line({ port: 503 }),
    assets: [channels('boiler', 10_000, 2), ...changed],
    rest: { basicAuthenticationEnabled: true },
  };
  const { changes, omitted } = record(before, after);
  assert.equal(changes.length, CHANGES_RECORDED);
  assert.equal(changes.length + omitted, 10_000 + 10 * 100 + 2);
  assert.equal(changes[0]?.path, 'rest/basicAuthenticationEnabled');
  assert.equal(changes[1]?.path, 'drivers/line/port');
  assert.equal(changes.filter(({ path }) => path.startsWith('assets/boiler/')).length, CHANGES_PER_ITEM);
  assert.ok(changes.some(({ path }) => path.startsWith('assets/other-0/')));
});

/** Returns, for each secret of a schema, what puts a value there and nothing else but names. */
function listSecretPlaces(part: JsonSchema): readonly ((secret: unknown) => unknown)[] {
  if (part['writeOnly'] === true) return [(secret) => secret];
  const branches = ['anyOf', 'oneOf', 'allOf'].flatMap((word) => (part[word] ?? []) as readonly JsonSchema[]);
  const fields = Object.entries((part['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>);
  const inside = fields.flatMap(([key, field]) =>
    listSecretPlaces(field).map((put) => (secret: unknown) => ({ [key]: put(secret) })),
  );
  const items = part['items'] === undefined ? [] : listSecretPlaces(part['items'] as JsonSchema);
  const listed = items.map((put) => (secret: unknown) => [{ pid: 'x', ...(put(secret) as object) }]);
  return [...branches.flatMap(listSecretPlaces), ...inside, ...listed];
}

test('no secret of any driver or token service is recorded, only what became of it', () => {
  const { identities: _identities, ...sections } = schema['properties'] as Readonly<
    Record<string, JsonSchema>
  >;
  const places = listSecretPlaces({ properties: sections });
  assert.ok(places.length > 0);
  for (const put of places) {
    const [one, other] = [put('first-canary'), put('second-canary')] as ManagedDocument[];
    for (const [before = {}, after = {}, became] of [
      [{}, one, 'set'],
      [one, other, 'changed'],
      [other, {}, 'removed'],
    ] as const) {
      const { changes } = record(before, after);
      assert.ok(!JSON.stringify(changes).includes('canary'), JSON.stringify(changes));
      assert.ok(changes.some(({ secret }) => secret === became));
    }
  }
});

test('a secret without a schema is known by its name, and credentials by their form, at any place', () => {
  const pem = '-----BEGIN EC PRIVATE KEY-----\ncanary\n-----END EC PRIVATE KEY-----';
  const token = 'eyJhbGciOiJFUzI1NiJ9.canarycanary.canary-_canary';
  const texts = [
    'opc.tcp://user:canary@192.0.2.7:4840/path',
    'https://user:can/ary@canary@host/',
    'https://host/?access_token=canary&x=1',
    `mqtts://h;sharedAccessKey=canary`,
    `before ${pem} after`,
    '-----BEGIN PRIVATE KEY-----\ncanary',
    `Bearer ${token}`,
  ];
  const unknown = {
    drivers: [{ pid: 'x', type: 'gone', password: 'canary', deep: [{ apiKey: 'canary', texts }] }],
  };
  const gone = record(unknown, {});
  assert.ok(!/canary/.test(JSON.stringify([gone, record({}, unknown)])), JSON.stringify(gone));
  for (const text of texts) {
    const { changes } = record({}, { banners: { [text]: { nested: text } }, ...line({ host: text }) });
    assert.ok(!/canary/.test(JSON.stringify(changes)), JSON.stringify(changes));
  }
});

test('hideCredentials leaves what is no credential', () => {
  for (const text of ['opc.tcp://192.0.2.7:4840', 'mail@example.com', 'https://host/a?line=1', 'key=1']) {
    assert.equal(hideCredentials(text), text);
  }
  assert.equal(hideCredentials('https://u:p@host/a?pass=x&b=1'), 'https://[hidden]@host/a?pass=[hidden]&b=1');
});

test('the changes of many items are found in steps', () => {
  const list = (port: number): ManagedDocument => ({
    drivers: Array.from({ length: 50 }, (_, index) => ({ pid: `line${index}`, type: 'modbus', port })),
  });
  assert.ok([...recordChanges(schema, list(1), list(2))].length >= 50);
});

test('the changes of one item with many channels are found in steps', () => {
  const list = (offset: number): ManagedDocument => ({
    assets: [
      { pid: 'a', channels: Array.from({ length: 50 }, (_, index) => ({ name: `c${index}`, offset })) },
    ],
  });
  assert.ok([...recordChanges(schema, list(1), list(2))].length >= 50);
});
