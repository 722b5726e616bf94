import assert from 'node:assert/strict';
import { test } from 'node:test';

import { findRanges } from '../../../../drivers/modbus/scan/register-ranges.ts';
import type { EntryResponse, TableRanges } from '../../../../drivers/modbus/scan/register-ranges.ts';

interface Device {
  readonly ranges: readonly (readonly [first: number, last: number])[];
  readonly longest?: number;
  readonly absent?: EntryResponse;
  readonly isZero?: boolean;
}

interface Searched extends TableRanges {
  readonly reads: number;
}

async function search(
  { ranges, longest = 125, absent = { kind: 'REFUSED' }, isZero = false }: Device,
  maximumReads = 1000,
): Promise<Searched> {
  let reads = 0;
  const found = await findRanges({
    maximumQuantity: 125,
    maximumReads,
    read: (first, quantity) => {
      reads += 1;
      assert.ok(quantity >= 1 && quantity <= 125 && first >= 0 && first + quantity <= 65_536);
      const last = first + quantity - 1;
      const isThere = ranges.some(([from, to]) => from <= first && last <= to);
      if (!isThere) return Promise.resolve(absent);
      return Promise.resolve(quantity > longest ? { kind: 'REFUSED' } : { kind: 'READ', isZero });
    },
  });
  return { ...found, reads };
}

function bounds({ ranges }: TableRanges): readonly (readonly [number, number])[] {
  return ranges.map(({ first, last }) => [first, last]);
}

test('ranges around usual addresses are found to the entry', async () => {
  const ranges = [
    [0, 0],
    [97, 311],
    [999, 1000],
    [4090, 4097],
    [39_997, 40_200],
    [65_400, 65_535],
  ] as const;
  const found = await search({ ranges });
  assert.deepEqual(bounds(found), ranges);
  assert.deepEqual([found.isEverywhere, found.isCutShort, found.isSilent], [false, false, false]);
});

test('a device that refuses long reads is read in short ones, in both directions', async () => {
  for (const longest of [1, 2, 7, 40]) {
    const found = await search({ ranges: [[60, 230]], longest });
    assert.deepEqual(bounds(found), [[60, 230]]);
    assert.equal(found.longestRead, longest);
  }
  const above = await search({ ranges: [[901, 1000]], longest: 10 });
  assert.deepEqual(bounds(above), [[901, 1000]]);
});

test('every address that is answered is said to be so, with the values that are all zero', async () => {
  for (const isZero of [true, false]) {
    const found = await search({ ranges: [[0, 65_535]], isZero });
    assert.deepEqual([found.isEverywhere, found.isAllZero, found.reads < 10], [true, isZero, true]);
  }
});

test('silence for absent addresses ends the search of a table soon', async () => {
  const found = await search({ ranges: [[0, 9]], absent: { kind: 'SILENT' } });
  assert.equal(found.isSilent, true);
  assert.ok(found.reads < 30, `${found.reads} reads`);
});

test('a table that a device does not have costs one read', async () => {
  const found = await search({ ranges: [], absent: { kind: 'NO_TABLE' } });
  assert.deepEqual([found.ranges, found.reads], [[], 1]);
});

test('no more reads are sent than allowed, and what was found until then stays', async () => {
  const found = await search({ ranges: [[0, 50_000]] }, 20);
  assert.deepEqual([found.reads, found.isCutShort], [20, true]);
  assert.equal(found.ranges[0]?.first, 0);
  assert.ok((found.ranges[0]?.last ?? 0) >= 1000);
});

test('a device whose answers follow no rule costs a bounded number of reads', async () => {
  let state = 1;
  const next = (): number => (state = (state * 48_271) % 2_147_483_647);
  let reads = 0;
  const found = await findRanges({
    maximumQuantity: 2000,
    maximumReads: 200,
    read: () => {
      reads += 1;
      const kinds = ['READ', 'REFUSED', 'REFUSED', 'SILENT'] as const;
      const kind = kinds[next() % kinds.length] ?? 'SILENT';
      return Promise.resolve(kind === 'READ' ? { kind, isZero: false } : { kind });
    },
  });
  assert.ok(reads <= 200);
  for (const { first, last } of found.ranges) assert.ok(first >= 0 && first <= last && last < 65_536);
});
