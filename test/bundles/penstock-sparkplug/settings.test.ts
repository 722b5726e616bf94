import assert from 'node:assert/strict';
import { test } from 'node:test';

import { readSettings } from '../../../bundles/penstock-sparkplug/settings.ts';
import { declareSettings } from './declared-settings.ts';

const read = (settings: Readonly<Record<string, unknown>> = {}) =>
  readSettings(declareSettings(settings), 'north');

test('readSettings fills in the defaults and the name of the gateway', () => {
  const settings = read();
  assert.deepEqual(settings.name, { groupId: 'Penstock', edgeNodeId: 'north' });
  assert.equal(settings.broker.clientId, 'penstock-sparkplug-north');
  assert.equal(settings.broker.protocolVersion, '3.1.1');
  assert.equal(settings.primaryHost, undefined);
});

test('samples are sent again only after a loss of a primary host', () => {
  assert.equal(read().replayMs, 0);
  assert.equal(read({ primaryHost: 'scada' }).replayMs, 90_000);
  assert.equal(read({ primaryHost: 'scada', replaySeconds: 0 }).replayMs, 0);
});

test('arrays are read by asset and channel', () => {
  assert.deepEqual([...read({ arrays: ['boiler/curve=FloatArray'] }).forms.arrays], [['boiler/curve', 30]]);
});

test('data sets are read by asset', () => {
  assert.deepEqual(
    [...read({ dataSets: ['boiler', 'pump=only', '*'] }).forms.dataSets],
    [
      ['boiler', 'ADDED'],
      ['pump', 'ONLY'],
      ['*', 'ADDED'],
    ],
  );
});

for (const [settings, expected] of [
  [{ groupId: 'a/b' }, /^groupId: it contains "\/"$/],
  [{ edgeNodeId: 'a+' }, /^edgeNodeId: it contains "\+"$/],
  [{ primaryHost: '#' }, /^primaryHost: it contains "#"$/],
  [{ brokers: [] }, /^brokers: at least one is required$/],
  [{ recorders: ['a', 'a'] }, /^recorders: "a" is named twice$/],
  [
    { arrays: ['boiler=FloatArray'] },
    /^arrays: expected ASSET\/CHANNEL=TYPE such as .*, not "boiler=FloatArray"$/,
  ],
  [{ arrays: ['boiler/curve=Float'] }, /^arrays: expected/],
  [
    { dataSets: ['boiler=instead'] },
    /^dataSets: expected ASSET, ASSET=only, \* or \*=only, not "boiler=instead"$/,
  ],
  [{ dataSets: ['boiler', 'boiler=only'] }, /^dataSets: "boiler" is named twice$/],
  [{ key: 'hello' }, /^key: not a PEM key without passphrase$/],
] as const) {
  test(`readSettings refuses ${JSON.stringify(settings)} and names the setting`, () => {
    assert.throws(() => read(settings), { message: expected });
  });
}
