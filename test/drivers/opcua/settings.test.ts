import assert from 'node:assert/strict';
import { test } from 'node:test';

import { check } from '../../../daemon/base/schema.ts';
import { parseNodeId, resolveNodeId } from '../../../drivers/opcua/value/node-id.ts';
import { addressSchema } from '../../../drivers/opcua/opcua-address.ts';
import { configSchema } from '../../../drivers/opcua/opcua-config.ts';

const endpointUrl = 'opc.tcp://192.0.2.7:4840';
const faultsOf = (config: object): readonly string[] =>
  (check(configSchema, { endpointUrl, ...config }).faults ?? []).map(({ path }) => path.join('.'));

test('security is on unless the configuration switches it off', () => {
  const { securityMode, securityPolicy } = configSchema.parse({ endpointUrl });
  assert.deepEqual(
    { securityMode, securityPolicy },
    { securityMode: 'SIGN_AND_ENCRYPT', securityPolicy: 'Basic256Sha256' },
  );
});

test('a deprecated security policy is refused, and the message names the reason', () => {
  for (const securityPolicy of ['Basic128Rsa15', 'Basic256']) {
    const [fault] = check(configSchema, { endpointUrl, securityPolicy }).faults ?? [];
    assert.deepEqual(fault?.path, ['securityPolicy']);
    assert.match(fault.message, /deprecated/);
  }
});

test('credentials never travel without protection', () => {
  const user = { userName: 'operator', password: 'secret' };
  assert.deepEqual(faultsOf({ ...user, securityMode: 'NONE' }), ['securityMode']);
  assert.deepEqual(faultsOf({ ...user, securityMode: 'SIGN' }), []);
});

test('a user is shown by name and password or by certificate and key', () => {
  assert.deepEqual(faultsOf({ userName: 'operator' }), ['password']);
  assert.deepEqual(faultsOf({ password: 'secret' }), ['userName']);
  assert.deepEqual(faultsOf({ userCertificateFile: '/a.pem' }), ['userPrivateKeyFile']);
  const files = { userCertificateFile: '/a.pem', userPrivateKeyFile: '/b.pem' };
  assert.deepEqual(faultsOf(files), []);
  assert.deepEqual(faultsOf({ ...files, userName: 'operator', password: 'secret' }), ['userName']);
});

test('an endpoint is the URL of a server, without credentials', () => {
  for (const url of ['opc.tcp://plc', 'opc.tcp://[2001:db8::1]:4840/path', 'opc.tcp://192.0.2.7:4840/a/b']) {
    assert.deepEqual(faultsOf({ endpointUrl: url }), [], url);
  }
  for (const url of ['http://plc', 'opc.tcp://user:secret@plc', 'opc.tcp://', 'opc.tcp://plc:99999', 'plc']) {
    assert.deepEqual(faultsOf({ endpointUrl: url }), ['endpointUrl'], url);
  }
});

test('parseNodeId reads every type of identifier, by index and by URI', () => {
  const expected: Readonly<Record<string, ReturnType<typeof parseNodeId>>> = {
    'i=2258': { namespace: 0, identifier: 'i=2258' },
    'ns=2;s=a;b=c': { namespace: 2, identifier: 's=a;b=c' },
    'ns=65535;g=72962B91-FA75-4AE6-8D28-B404DC7DAF63': {
      namespace: 65_535,
      identifier: 'g=72962B91-FA75-4AE6-8D28-B404DC7DAF63',
    },
    'nsu=urn:plant;b=AQI=': { namespace: 'urn:plant', identifier: 'b=AQI=' },
    'nsu=urn:a%3Bb%25;i=1': { namespace: 'urn:a;b%', identifier: 'i=1' },
  };
  for (const [text, reference] of Object.entries(expected))
    assert.deepEqual(parseNodeId(text), reference, text);
});

test('parseNodeId refuses a text that is no NodeId', () => {
  const wrong = [
    '',
    'boiler',
    'ns=2',
    'ns=65536;i=1',
    'i=4294967296',
    'i=-1',
    'i=',
    's=',
    'g=1',
    'b=*',
    'ns=x;i=1',
  ];
  for (const text of wrong) {
    assert.equal(parseNodeId(text), undefined, text);
    assert.equal(addressSchema.safeParse({ nodeId: text }).success, false, text);
  }
});

test('resolveNodeId finds a namespace where the server has it now', () => {
  const reference = { namespace: 'urn:plant', identifier: 's=x' };
  assert.equal(resolveNodeId(reference, ['http://opcfoundation.org/UA/', 'urn:plant']), 'ns=1;s=x');
  assert.equal(
    resolveNodeId(reference, ['http://opcfoundation.org/UA/', 'urn:other', 'urn:plant']),
    'ns=2;s=x',
  );
  assert.equal(resolveNodeId(reference, []), undefined);
  assert.equal(resolveNodeId({ namespace: 3, identifier: 'i=1' }, []), 'ns=3;i=1');
});
