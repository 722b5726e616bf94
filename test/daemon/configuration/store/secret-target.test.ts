import assert from 'node:assert/strict';
import { test } from 'node:test';

import { finish } from '../../../../daemon/base/slices.ts';
import { TARGET, z } from '../../../../daemon/base/schema.ts';
import type { DriverFactory } from '../../../../daemon/channel/driver.ts';
import { describeDocument } from '../../../../daemon/configuration/document-schema.ts';
import { restoreSecrets } from '../../../../daemon/configuration/store/secret-target.ts';
import { SECRET_MARKER } from '../../../../daemon/configuration/store/secrets.ts';
import { createDriverFactories } from '../../../../drivers/index.ts';

const secret = z.string().meta({ writeOnly: true }).optional();

function createKind(type: string, config: z.ZodType, address: z.ZodType = z.strictObject({})): DriverFactory {
  return {
    type,
    configSchema: config,
    addressSchema: address,
    describe: () => type,
    checkChannel: () => [],
    create: () => {
      throw new Error('a configuration creates no driver');
    },
  };
}

const MARKED = createKind(
  'marked',
  z.strictObject({
    station: z.int().default(1).meta(TARGET),
    host: z.string().default('unused'),
    timeoutMs: z.int().default(1000),
    login: z.strictObject({ realm: z.string().default('').meta(TARGET), password: secret }).optional(),
    password: secret,
  }),
);
const UNMARKED = createKind(
  'unmarked',
  z.strictObject({
    host: z.string().default('a'),
    listenPort: z.int().default(502),
    brokerUrls: z.array(z.string()).default([]),
    server_name: z.string().default(''),
    support: z.string().default(''),
    deviceTimeoutMs: z.int().default(1),
    apiKey: secret,
  }),
  z.strictObject({ url: z.string().default('u'), rate: z.int().default(1), token: secret }),
);
const FACTORIES = [MARKED, UNMARKED, ...createDriverFactories()];

/** Returns the faults of a change that keeps every secret of `before` by its marker. */
function listFaults(before: unknown, after: unknown): readonly string[] {
  const { document, faults } = finish(
    restoreSecrets({ factories: FACTORIES, document: after, former: before }),
  );
  assert.ok(!JSON.stringify(document).includes('isSet'));
  return faults.map(({ path, message }) => `${path.join('.')}: ${message}`);
}

const ofDriver = (before: object, after: object): readonly string[] =>
  listFaults({ drivers: [{ pid: 'd', ...before }] }, { drivers: [{ pid: 'd', ...after }] });

test('a secret is asked for again when a setting that its kind marks as its target changes', () => {
  const before = { type: 'marked', password: 'p' };
  const after = { type: 'marked', password: SECRET_MARKER };
  assert.deepEqual(ofDriver(before, { ...after, station: 2 }), [
    'drivers.0.password: the address or protection of this driver changed (station): enter the password again',
  ]);
  assert.deepEqual(ofDriver(before, { ...after, host: 'other', timeoutMs: 5, callDeadlineMs: 500 }), []);
});

test('to state a default explicitly, or to leave it out again, changes no target', () => {
  const before = { type: 'marked', password: 'p' };
  assert.deepEqual(ofDriver(before, { type: 'marked', station: 1, password: SECRET_MARKER }), []);
  assert.deepEqual(ofDriver({ ...before, station: 1 }, { type: 'marked', password: SECRET_MARKER }), []);
});

test('settings and secrets inside others count as well', () => {
  const before = { type: 'marked', login: { realm: 'a', password: 'p' } };
  const [fault = ''] = ofDriver(before, { type: 'marked', login: { realm: 'b', password: SECRET_MARKER } });
  assert.match(fault, /^drivers\.0\.login\.password: .*\(login\.realm\)/);
});

test('without marks the names of settings tell which are the target', () => {
  const before = { type: 'unmarked', apiKey: 'p' };
  const after = { type: 'unmarked', apiKey: SECRET_MARKER };
  const moved = { host: 'b', listenPort: 1, brokerUrls: ['x'], server_name: 'y' };
  for (const [name, value] of Object.entries(moved)) {
    const [fault = ''] = ofDriver(before, { ...after, [name]: value });
    assert.match(fault, new RegExp(`\\(${name}(\\.0)?\\): enter the apiKey again`), name);
  }
  assert.deepEqual(ofDriver(before, { ...after, support: 'x', deviceTimeoutMs: 2 }), []);
});

test('another kind of driver under the same pid gets no secret', () => {
  const [fault = ''] = ofDriver(
    { type: 'unmarked', apiKey: 'p', password: 'q' },
    { type: 'marked', password: SECRET_MARKER },
  );
  assert.match(fault, /\(type\)/);
});

test('the secret of an address belongs to the address, its driver, and the target of that', () => {
  const channel = (address: object) => ({ name: 'c', type: 'READ', valueType: 'LONG', address });
  const document = (host: string, driver: string, address: object) => ({
    drivers: ['d', 'e'].map((pid) => ({ pid, type: 'unmarked', host })),
    assets: [{ pid: 'a', driver, channels: [channel(address)] }],
  });
  const before = document('h', 'd', { token: 't' });
  const kept = { token: SECRET_MARKER };
  assert.deepEqual(listFaults(before, document('h', 'd', { ...kept, rate: 2 })), []);
  assert.match(listFaults(before, document('other', 'd', kept))[0] ?? '', /\(host\): enter the token again/);
  assert.match(listFaults(before, document('h', 'e', kept))[0] ?? '', /\(driver\)/);
  assert.match(listFaults(before, document('h', 'd', { ...kept, url: 'v' }))[0] ?? '', /\(url\)/);
});

test('OPC UA: URL, protection and name of the server are the target; time-outs and user are not', () => {
  const before = { type: 'opcua', endpointUrl: 'opc.tcp://192.0.2.7', userName: 'u', password: 'p' };
  const after = { ...before, password: SECRET_MARKER };
  const moved = { endpointUrl: 'opc.tcp://192.0.2.8', securityMode: 'SIGN', serverName: 'x' };
  for (const [name, value] of Object.entries({ ...moved, securityPolicy: 'Aes256_Sha256_RsaPss' })) {
    assert.match(ofDriver(before, { ...after, [name]: value })[0] ?? '', new RegExp(`\\(${name}\\)`));
  }
  assert.deepEqual(ofDriver(before, { ...after, requestTimeoutMs: 5, securityMode: 'SIGN_AND_ENCRYPT' }), []);
});

test('every kind of driver marks its target', () => {
  for (const factory of createDriverFactories()) {
    const description = JSON.stringify(describeDocument([factory]));
    assert.ok(description.includes('"x-target":true'), factory.type);
  }
});
