import assert from 'node:assert/strict';

import { parseCsv } from '../../daemon/base/text/csv.ts';
import type { Imported } from '../../daemon/cli/import/imported.ts';

/** Holds what every import promises: plain data, no pid and no name twice, each driver there, a place and a reason for the rest. */
export function checkImported({ drivers, assets, untaken, remarks }: Imported, known?: string): void {
  const pids = drivers.map(({ driver }) => driver['pid']);
  assertUnique(pids);
  assertUnique(assets.map(({ asset }) => asset['pid']));
  for (const { asset, channels } of assets) {
    const { driver } = asset;
    assert.ok(driver === known || pids.includes(driver), `${String(driver)} is no driver`);
    assertUnique(channels.map(({ channel }) => channel['name']));
    for (const { channel, place } of channels) {
      assertPlain(channel);
      assert.ok(typeof channel['address'] === 'object', `${place} has no address`);
    }
  }
  for (const item of [...drivers.map(({ driver }) => driver), ...assets.map(({ asset }) => asset)])
    assertPlain(item);
  for (const { place, reason } of [...untaken, ...remarks]) assert.ok(place !== '' && reason !== '');
}

/** Holds that each row of a table below its header is a channel or is named as not taken over, and no row both. */
export function checkRows(text: string, { assets, untaken }: Imported): void {
  const found = [
    ...assets.flatMap(({ channels }) => channels.map(({ place }) => place)),
    ...untaken.map(({ place }) => place),
  ];
  const expected = parseCsv(text)
    .slice(1)
    .map(({ number }) => `row ${number}`);
  assert.deepEqual(found.toSorted(), expected.toSorted());
}

/** What is sent must be what was converted: JSON drops functions, and turns numbers that are none into null. */
function assertPlain(value: unknown): void {
  assert.deepEqual(JSON.parse(JSON.stringify(value)), value);
}

function assertUnique(names: readonly unknown[]): void {
  assert.equal(new Set(names).size, names.length, `twice: ${JSON.stringify(names)}`);
}
