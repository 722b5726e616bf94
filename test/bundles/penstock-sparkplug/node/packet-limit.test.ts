import assert from 'node:assert/strict';
import { test } from 'node:test';

import { AliasBook, defineNode } from '../../../../bundles/penstock-sparkplug/node/node-definition.ts';
import { NodeSession } from '../../../../bundles/penstock-sparkplug/node/node-session.ts';
import type { CurrentValue, NodeMessage } from '../../../../bundles/penstock-sparkplug/node/node-session.ts';
import { QUALITY } from '../../../../bundles/penstock-sparkplug/payload/data-type.ts';
import type { MetricValue } from '../../../../bundles/penstock-sparkplug/payload/data-type.ts';
import { decodePayload } from '../conformance/payload-decoder.ts';

const NOW_MS = 1_764_000_000_000;
const LIMIT_BYTES = 1000;

const definition = defineNode(
  [
    { asset: 'boiler', channel: 'level', valueType: 'DOUBLE', isWritable: false },
    { asset: 'boiler', channel: 'mode', valueType: 'STRING', isWritable: false },
    { asset: 'pump', channel: 'speed', valueType: 'DOUBLE', isWritable: false },
  ],
  new AliasBook(),
);

function openSession() {
  const refused: string[] = [];
  const session = new NodeSession({
    name: { groupId: 'Plant', edgeNodeId: 'north' },
    bdSeq: 0,
    properties: {},
    aliasOf: () => 100,
    fits: (_topic, payload) => payload.byteLength <= LIMIT_BYTES,
    onTooLarge: (verb, topic) => refused.push(`${verb} ${topic}`),
  });
  const data = (channel: string, value: MetricValue): readonly NodeMessage[] => {
    const metric = definition.get('boiler')?.metrics.get(channel);
    assert.ok(metric !== undefined);
    return session.data('boiler', [{ metric, ...currentOf(value) }], false, NOW_MS);
  };
  return { session, refused, data };
}

function currentOf(value: MetricValue | undefined): CurrentValue {
  return { value, quality: QUALITY.GOOD, timestampMs: NOW_MS };
}

function seqOf([message]: readonly NodeMessage[]): string | undefined {
  return message && decodePayload(message.payload)?.seq;
}

test('data that is larger than a packet is named, and takes no sequence number', () => {
  const { session, refused, data } = openSession();
  session.birth(definition, () => undefined, NOW_MS);
  assert.equal(seqOf(data('level', 1)), '3');
  assert.deepEqual(data('mode', 'x'.repeat(LIMIT_BYTES)), []);
  assert.deepEqual(refused, ['DDATA spBv1.0/Plant/DDATA/north/boiler']);
  assert.equal(seqOf(data('level', 2)), '4');
});

test('the birth of a device leaves out texts that make it larger than a packet', () => {
  const { session, refused } = openSession();
  const values = new Map([
    ['level', currentOf(7.5)],
    ['mode', currentOf('x'.repeat(LIMIT_BYTES))],
  ]);
  const messages = session.birth(definition, ({ channel }) => values.get(channel), NOW_MS);
  const boiler = messages.find(({ topic }) => topic.endsWith('/boiler'));
  assert.ok(boiler !== undefined);
  const metrics = decodePayload(boiler.payload)?.metrics ?? [];
  assert.equal(metrics.find(({ name }) => name === 'level')?.doubleValue, 7.5);
  assert.equal(metrics.find(({ name }) => name === 'mode')?.isNull, true);
  assert.deepEqual(refused, []);
});

test('a device whose birth does not fit is not born, and has no data', () => {
  const { session, refused, data } = openSession();
  const large = defineNode(
    Array.from({ length: 100 }, (_, index) => ({
      asset: 'boiler',
      channel: `channel${index}`,
      valueType: 'DOUBLE',
      isWritable: false,
    })),
    new AliasBook(),
  );
  const messages = session.birth(large, () => undefined, NOW_MS);
  assert.deepEqual(
    messages.map(({ verb }) => verb),
    ['NBIRTH'],
  );
  assert.deepEqual(refused, ['DBIRTH spBv1.0/Plant/DBIRTH/north/boiler']);
  assert.equal(session.isAlive('boiler'), false);
  assert.deepEqual(data('level', 1), []);
});
