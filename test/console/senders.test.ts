import assert from 'node:assert/strict';
import { test } from 'node:test';

import { findSenders } from '../../daemon/console/views/north/senders.ts';
import type { Bundle } from '../../daemon/interface/software/bundles.ts';

const reader = (consumer: string) => ({ consumer, lagSamples: 3, lagBytes: 60, lagSeconds: 2 });
const bundle = (name: string, status?: NonNullable<Bundle['status']>): Bundle => ({
  package: name,
  name,
  version: '1.0.0',
  state: 'ACTIVE',
  permissions: [],
  ...(status === undefined ? {} : { status }),
});

test('a bundle that reads the journal is a sender, with its recorders', () => {
  const { senders, others } = findSenders(
    [bundle('a'), bundle('a.b')],
    [reader('history'), reader('bundle:a.b/minute'), reader('bundle:gone/minute')],
  );
  assert.deepEqual(
    senders.map(({ bundle: { name }, readers }) => [name, readers.map(({ name: recorder }) => recorder)]),
    [['a.b', ['minute']]],
  );
  assert.deepEqual(
    others.map(({ consumer }) => consumer),
    ['history', 'bundle:gone/minute'],
  );
});

test('a sender that has read and reported nothing yet is listed, other bundles are not', () => {
  const { senders } = findSenders([bundle('penstock-mqtt'), bundle('driver')], []);
  assert.deepEqual(
    senders.map(({ bundle: { name } }) => name),
    ['penstock-mqtt'],
  );
});

test('the sender with the most severe state comes first', () => {
  const checks = [{ name: 'server', state: 'OK', detail: 'connected' }] as const;
  const { senders } = findSenders(
    [
      bundle('well', { state: 'OK', checks }),
      bundle('penstock-mqtt'),
      bundle('wrong', { state: 'ERROR', checks }),
      { ...bundle('failed', { state: 'OK', checks }), state: 'FAILED' },
    ],
    [],
  );
  assert.deepEqual(
    senders.map(({ bundle: { name } }) => name),
    ['failed', 'wrong', 'penstock-mqtt', 'well'],
  );
});
