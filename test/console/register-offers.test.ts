import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { DecodingCandidate, TrialReading } from '../../daemon/interface/plant/commissioning.ts';
import {
  listRanges,
  toEntryChannels,
  toOffers,
} from '../../daemon/console/views/devices/add/register-offers.ts';

const RANGE = { unitId: 7, table: 'HOLDING_REGISTERS', first: 10, last: 13 };

function candidate(dataType: string, value: number | string, fields: object = {}): DecodingCandidate {
  const address = { dataType, byteOrder: 'BIG_ENDIAN' };
  return {
    address: { ...address, ...fields },
    value,
    valueScale: 1,
    valueOffset: 0,
    isConfigured: dataType === 'UINT16',
    alternatives: [],
  };
}

/** Returns the reading of the range in which the candidates of some registers are given. */
function read(candidates: Readonly<Record<string, readonly DecodingCandidate[]>>): TrialReading {
  const channelStatus = { channelFlag: 'SUCCESS' } as const;
  const names = toEntryChannels(RANGE).map(({ name }) => String(name));
  return {
    records: names.map((name) => ({
      name,
      type: 'INTEGER',
      value: 1,
      timestamp: 0,
      channelStatus,
    })) as TrialReading['records'],
    decodings: names.map((name) => ({
      name,
      timestamp: 0,
      channelStatus,
      candidates: [...(candidates[name] ?? [candidate('UINT16', 1)])],
    })),
  };
}

const offersOf = (candidates: Parameters<typeof read>[0]) =>
  toOffers({ range: RANGE, channels: toEntryChannels(RANGE), say: ({ en }) => en }, read(candidates));

test('each register is a channel of its own, as an unsigned number', () => {
  const offers = offersOf({});
  assert.deepEqual(
    offers.map(({ key }) => key),
    ['holding-10', 'holding-11', 'holding-12', 'holding-13'],
  );
  assert.deepEqual(offers[0]?.channel, {
    name: 'holding-10',
    type: 'READ',
    valueType: 'INTEGER',
    address: { unitId: 7, table: 'HOLDING_REGISTERS', offset: 10, dataType: 'UINT16' },
  });
});

test('a fraction over two registers takes both, and stays one of several meanings', () => {
  const offers = offersOf({
    'holding-10': [candidate('UINT16', 16_812), candidate('FLOAT32', 21.5), candidate('INT16', 16_812)],
  });
  assert.deepEqual(
    offers.map(({ label }) => label),
    ['10', '12', '13'],
  );
  const [first] = offers;
  assert.equal(first?.channel['valueType'], 'FLOAT');
  assert.deepEqual(
    first?.meanings?.map(({ label }) => label),
    ['21.5 (FLOAT32)', '16812 (UINT16)', '16812 (INT16)'],
  );
});

test('a fraction that needs swapped bytes is a coincidence', () => {
  const offers = offersOf({
    'holding-10': [
      candidate('UINT16', 61),
      candidate('FLOAT32', 0.125, { byteOrder: 'LITTLE_ENDIAN', wordOrder: 'LITTLE_ENDIAN' }),
    ],
  });
  assert.equal(offers[0]?.detail, '61 (UINT16)');
  assert.equal(offers[0]?.meanings?.[1]?.label, '0.125 (FLOAT32, bytes swapped, low word first)');
});

test('a text takes its registers', () => {
  const offers = offersOf({
    'holding-10': [candidate('UINT16', 20_558), candidate('STRING', 'PN-100', { length: 6 })],
  });
  assert.deepEqual(
    offers.map(({ detail }) => detail),
    ['PN-100 (STRING, 6)', '1 (UINT16)'],
  );
});

test('the ranges of a scan belong to their units', () => {
  const ranges = listRanges([
    { subject: 'unit 3', kind: 'RANGE', text: '', fields: { table: 'COILS', first: 0, last: 9 } },
    { subject: 'unit 3', kind: 'UNIT', text: 'responds', fields: { unitId: 3 } },
    { subject: 'unit 4', kind: 'RANGE', text: '', fields: { table: 'COILS', first: 5, last: 5 } },
  ]);
  assert.deepEqual([...ranges.keys()], [3, 4]);
  assert.deepEqual(ranges.get(4), [{ unitId: 4, table: 'COILS', first: 5, last: 5 }]);
});
