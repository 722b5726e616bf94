import assert from 'node:assert/strict';
import { test } from 'node:test';

import { checkDocument } from '../../../daemon/configuration/managed-document.ts';
import { finish } from '../../../daemon/base/slices.ts';
import { FACTORIES, PLANT } from './plant-fixture.ts';

const ASSET = PLANT.assets[0]?.pid ?? '';

function faultsOf(recorders: unknown): readonly string[] {
  const { faults = [] } = finish(checkDocument(FACTORIES, { ...PLANT, recorders }));
  return faults.map(({ path, message }) => `${path.join('.')}: ${message}`);
}

test('of very many names that do not exist, the first hundred are reported', () => {
  const channels = Array.from({ length: 10_000 }, (_, index) => `nothing${index}`);
  const faults = faultsOf([{ pid: 'minute', intervalMs: 60_000, assets: [{ asset: ASSET, channels }] }]);
  assert.equal(faults.length, 100);
  assert.match(faults[99] ?? '', /channels\.99: .*"nothing99"/);
});

test('recorders are checked against the plant and against themselves', () => {
  const minute = { pid: 'minute', intervalMs: 60_000, assets: [{ asset: ASSET }] };
  const rows: readonly (readonly [recorder: object, fault: RegExp])[] = [
    [
      { assets: [{ asset: ASSET }], pid: 'x' },
      /^recorders\.0\.intervalMs: either intervalMs or onChange: true is required$/,
    ],
    [{ ...minute, onChange: true }, /^recorders\.0\.onChange: not allowed together with intervalMs$/],
    [{ ...minute, deadband: 1 }, /^recorders\.0\.deadband: needs onChange: true$/],
    [{ ...minute, minimumIntervalMs: 500 }, /^recorders\.0\.minimumIntervalMs: needs onChange: true$/],
    [{ ...minute, intervalMs: 50 }, /^recorders\.0\.intervalMs: .*100/],
    [{ ...minute, assets: [] }, /^recorders\.0\.assets: /],
    [
      { ...minute, assets: [{ asset: `${ASSET}x` }] },
      /^recorders\.0\.assets\.0\.asset: unknown asset ".*"; did you mean ".*"\?$/,
    ],
    [
      { ...minute, assets: [{ asset: ASSET, channels: ['nothing'] }] },
      /^recorders\.0\.assets\.0\.channels\.0: asset ".*": unknown channel "nothing"/,
    ],
    [
      { ...minute, assets: [{ asset: ASSET }, { asset: ASSET }] },
      /^recorders\.0\.assets\.1\.asset: ".*" is used twice$/,
    ],
    [{ ...minute, pid: 'two words' }, /^recorders\.0\.pid: /],
    [{ ...minute, interval: 5 }, /interval/],
  ];
  for (const [recorder, fault] of rows) {
    const faults = faultsOf([recorder]);
    assert.equal(faults.length, 1, faults.join('\n'));
    assert.match(faults[0] ?? '', fault);
  }
  assert.match(faultsOf([minute, minute])[0] ?? '', /^recorders\.1\.pid: "minute" is used twice$/);
  assert.deepEqual(faultsOf([minute]), []);
});
