import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createChannelSchema } from '../../../../daemon/channel/channel.ts';
import { FoundChannels } from '../../../../drivers/opcua/browse/found-channels.ts';
import { getNodeId, resolveNodeId, formatNodeId } from '../../../../drivers/opcua/value/node-id.ts';
import { addressSchema } from '../../../../drivers/opcua/opcua-address.ts';
import { chooseChannel, explainRefusal } from '../../../../drivers/opcua/browse/offered-channel.ts';
import { chooseProtection, readOffer } from '../../../../drivers/opcua/trust/security.ts';

const schema = createChannelSchema(addressSchema);

function add(
  found: FoundChannels,
  path: readonly string[],
  texts: Readonly<Record<string, string>> = {},
): string {
  const name = found.add(path, {
    node: 'i=1',
    browseName: path.at(-1) ?? '',
    displayName: path.at(-1) ?? '',
    nodeClass: 'Variable',
    reference: 'HasComponent',
    isParent: false,
    variable: {
      dataType: 'Double',
      isReadable: true,
      isWritable: false,
      channel: { type: 'READ', valueType: 'DOUBLE', address: { nodeId: 'i=1' } },
    },
    ...texts,
  });
  return name ?? assert.fail();
}

test('every text of a server becomes a valid, unique name of a channel', () => {
  const found = new FoundChannels();
  const long = 'x'.repeat(300);
  const names = [
    ['a b'],
    ['a#b'],
    ['a/b,c+d'],
    [''],
    ['', ''],
    ['\u0000\u202E\uD800'],
    ['\u{1F600}'.repeat(200)],
    [long],
    [long],
    ['Kessel', 'Vorlauf °C'],
  ].map((path) => add(found, path));
  assert.equal(new Set(names).size, names.length);
  assert.deepEqual(names.slice(0, 5), ['a_b', 'a_b_2', 'a_b_c_d', '_', '.']);
  assert.equal(names.at(-1), 'Kessel.Vorlauf_°C');
  for (const channel of found.list)
    assert.equal(schema.safeParse(channel).success, true, String(channel['name']));
});

test('names and descriptions for people are kept as far as the configuration takes them', () => {
  const found = new FoundChannels();
  add(found, ['a'], {
    displayName: 'Vorlauf\u0007temperatur',
    description: ` of\nthe\u202E flow ${'y'.repeat(2000)}`,
  });
  add(found, ['b'], { displayName: 'b', description: '\u0000' });
  const [first, second] = found.list.map((channel) => schema.parse(channel));
  assert.equal(first?.displayName, 'Vorlauf temperatur');
  assert.match(first.description ?? '', /^of the  ?flow y+$/);
  assert.deepEqual([second?.displayName, second?.description], [undefined, undefined]);
});

test('a NodeId is written so that it leads back to the node, whatever is in its namespace and identifier', () => {
  const uris = ['http://opcfoundation.org/UA/', 'urn:a;b%3Bc%25', 'urn:plc'];
  const cases = [
    [{ identifierType: 1, value: 4_294_967_295, namespace: 0 }, 'i=4294967295', 'ns=0;i=4294967295'],
    [{ identifierType: 1, value: 7, namespace: 1 }, 'nsu=urn:a%3Bb%253Bc%2525;i=7', 'ns=1;i=7'],
    [{ identifierType: 2, value: 'nsu=x;i=4', namespace: 2 }, 'nsu=urn:plc;s=nsu=x;i=4', 'ns=2;s=nsu=x;i=4'],
    [{ identifierType: 4, value: Buffer.of(1, 2), namespace: 2 }, 'nsu=urn:plc;b=AQI=', 'ns=2;b=AQI='],
  ] as const;
  for (const [nodeId, text, resolved] of cases) {
    assert.equal(formatNodeId(nodeId, uris), text);
    assert.equal(resolveNodeId(getNodeId(text), uris), resolved);
  }
});

test('a node that no address can name has none', () => {
  const nodeId = { identifierType: 2, value: 'a', namespace: 1 };
  assert.equal(formatNodeId({ ...nodeId, namespace: 5 }, ['', 'urn:a']), undefined);
  assert.equal(formatNodeId({ ...nodeId, serverIndex: 1 }, ['', 'urn:a']), undefined);
  assert.equal(formatNodeId({ ...nodeId, value: '' }, ['', 'urn:a']), undefined);
  assert.equal(formatNodeId({ ...nodeId, value: 'x'.repeat(5000) }, ['', 'urn:a']), undefined);
  assert.equal(formatNodeId({ ...nodeId, value: '\uD800' }, ['', 'urn:a']), undefined);
});

test('the channel of a value has the narrowest type, and JSON text where it is more than one', () => {
  const both = { isReadable: true, isWritable: true };
  assert.deepEqual(chooseChannel({ kind: 'UInt32', valueRank: -1, ...both }), {
    type: 'READ_WRITE',
    valueType: 'LONG',
  });
  assert.deepEqual(chooseChannel({ kind: 'UInt32', valueRank: 0, ...both }), {
    type: 'READ_WRITE',
    valueType: 'STRING',
  });
  assert.deepEqual(chooseChannel({ kind: 'STRUCTURE', valueRank: -1, ...both }), {
    type: 'READ',
    valueType: 'STRING',
  });
  assert.deepEqual(chooseChannel({ kind: 'VARIANTS', valueRank: 1, ...both }), {
    type: 'READ_WRITE',
    valueType: 'STRING',
  });
  assert.deepEqual(chooseChannel({ kind: 'Float', valueRank: -1, isReadable: false, isWritable: true }), {
    type: 'WRITE',
    valueType: 'FLOAT',
  });
});

test('what no channel can carry has none, and the reason says why', () => {
  const offered = { kind: 'NodeId', valueRank: -1, isReadable: true, isWritable: false } as const;
  assert.equal(explainRefusal(offered), undefined);
  const refused = [
    { ...offered, kind: undefined },
    { ...offered, kind: 'OPEN' },
    { ...offered, isReadable: false },
    { ...offered, isReadable: false, isWritable: true },
  ] as const;
  for (const each of refused) {
    assert.equal(chooseChannel(each), undefined);
    assert.notEqual(explainRefusal(each), undefined);
  }
});

test('the strongest protection is chosen, never one that can be broken', () => {
  const offer = (securityMode: number, policy: string) =>
    readOffer({
      securityMode,
      securityPolicyUri: `http://opcfoundation.org/UA/SecurityPolicy#${policy}`,
      transportProfileUri: null,
    });
  const none = offer(1, 'None');
  const broken = offer(3, 'Basic256');
  assert.deepEqual(
    [none.isUsable, broken.isUsable, offer(7, 'Basic256Sha256').isUsable],
    [true, false, false],
  );
  assert.deepEqual(chooseProtection([none, broken]), { securityMode: 'NONE' });
  assert.equal(chooseProtection([broken]), undefined);
  assert.deepEqual(chooseProtection([none, broken, offer(2, 'Aes128_Sha256_RsaOaep')]), {
    securityMode: 'SIGN',
    securityPolicy: 'Aes128_Sha256_RsaOaep',
  });
  assert.deepEqual(chooseProtection([none, offer(2, 'Basic256Sha256'), offer(3, 'Aes256_Sha256_RsaPss')]), {
    securityMode: 'SIGN_AND_ENCRYPT',
    securityPolicy: 'Aes256_Sha256_RsaPss',
  });
});
