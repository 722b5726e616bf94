import assert from 'node:assert/strict';
import { test } from 'node:test';

import { checkPlant } from '../../../../daemon/plant/asset/plant-config.ts';
import { finish } from '../../../../daemon/base/slices.ts';
import { formatPath } from '../../../../daemon/base/schema.ts';
import { createScriptedFactory } from '../../../support/scripted-driver.ts';

const factory = createScriptedFactory();
const goodDriver = { pid: 'line', type: 'scripted', line: '1' };
const goodChannel = { name: 'a', type: 'READ', valueType: 'DOUBLE', address: {} };
const goodAsset = { pid: 'pump', driver: 'line', channels: [goodChannel] };

function faultsOf(drivers: unknown, assets: unknown): readonly string[] {
  const { faults = [] } = finish(checkPlant([factory], { drivers, assets }));
  return faults.map(({ path }) => formatPath(path));
}

test('a plant has defaults', () => {
  assert.deepEqual(finish(checkPlant([factory], { drivers: [goodDriver], assets: [goodAsset] })).value, {
    drivers: [{ pid: 'line', type: 'scripted', callDeadlineMs: 10_000, settings: { line: '1' } }],
    assets: [
      {
        pid: 'pump',
        driver: 'line',
        scaleOnWrite: true,
        channels: [
          {
            ...goodChannel,
            scaleOffsetType: 'DEFINED_BY_VALUE_TYPE',
            valueScale: 1,
            valueOffset: 0,
            isEnabled: true,
          },
        ],
      },
    ],
  });
});

test('a plant without drivers and assets is empty', () => {
  assert.deepEqual(finish(checkPlant([factory], {})).value, { drivers: [], assets: [] });
});

test('a pid has no characters that are not seen', () => {
  for (const hidden of ['\u200b', '\u202e', '\u{e0041}', '\ue000', '\u0378', '\u2028', '\ud800', '\0']) {
    const pid = `a${hidden}b`;
    assert.deepEqual(faultsOf([{ ...goodDriver, pid }], []), ['drivers[0].pid'], JSON.stringify(hidden));
    assert.deepEqual(faultsOf([goodDriver], [{ ...goodAsset, pid }]), ['assets[0].pid']);
  }
});

test('every error is named at once, with its path', () => {
  const drivers = [
    { ...goodDriver, line: '' },
    { pid: '_x', type: 'scripted', line: '1' },
    { pid: 'z', type: 'scripted', line: '1', callDeadlineMs: 99, extra: true },
  ];
  const channels = [
    { ...goodChannel, valueScale: 0 },
    { ...goodChannel, name: 'b', address: { register: -1 } },
    { ...goodChannel, name: 'c', valueType: 'INTEGER', valueScale: 0.5 },
    { ...goodChannel, name: 'd', colour: 'red' },
    { ...goodChannel, name: 'e', valueType: 'STRING' },
    'nothing',
    goodChannel,
    goodChannel,
  ];
  assert.deepEqual(
    faultsOf(drivers, [
      { ...goodAsset, channels },
      { ...goodAsset, pid: 'p/q' },
    ]).toSorted(),
    [
      'assets[0].channels[0].valueScale',
      'assets[0].channels[1].address.register',
      'assets[0].channels[2].valueScale',
      'assets[0].channels[3].colour',
      'assets[0].channels[4].valueType',
      'assets[0].channels[5]',
      'assets[0].channels[7].name',
      'assets[1].pid',
      'drivers[0].line',
      'drivers[1].pid',
      'drivers[2].callDeadlineMs',
    ],
  );
});

test('an unknown kind of driver is named together with the known kinds', () => {
  const { faults } = finish(checkPlant([factory], { drivers: [{ pid: 'x', type: 'telepathy' }] }));
  assert.deepEqual(
    faults?.map(({ path }) => formatPath(path)),
    ['drivers[0].type'],
  );
  assert.match(faults?.[0]?.message ?? '', /scripted/);
});

test('assets do not report a driver as missing when it has an error itself', () => {
  assert.deepEqual(faultsOf([{ ...goodDriver, type: 'telepathy' }], [goodAsset]), ['drivers[0].type']);
  assert.deepEqual(faultsOf([{ ...goodDriver, callDeadlineMs: 1 }], [goodAsset]), [
    'drivers[0].callDeadlineMs',
  ]);
});

test('an asset whose driver is not configured is an error', () => {
  assert.deepEqual(faultsOf([goodDriver], [{ ...goodAsset, driver: 'lime' }]), ['assets[0].driver']);
});

test('a pid that is used twice is an error at its second position', () => {
  assert.deepEqual(faultsOf([goodDriver, goodDriver], [goodAsset, { ...goodAsset, pid: 'x' }, goodAsset]), [
    'drivers[1].pid',
    'assets[2].pid',
  ]);
});

test('a driver and an asset may share a pid', () => {
  assert.deepEqual(faultsOf([goodDriver], [{ ...goodAsset, pid: 'line' }]), []);
});

test('a pid has no white space, no separator and no leading underscore', () => {
  for (const pid of ['', ' ', 'a b', 'a/b', 'a#', 'a+', 'a,b', '_status', 'x'.repeat(256), 7, null]) {
    assert.deepEqual(faultsOf([{ ...goodDriver, pid }], []), ['drivers[0].pid'], String(pid));
  }
});

test('a section that is not a list is one error at that section', () => {
  for (const wrong of ['line', { pid: 'line' }, 7, null]) {
    assert.deepEqual(faultsOf(wrong, wrong), ['drivers', 'assets']);
  }
  assert.deepEqual(faultsOf(['x', null], [[]]), ['drivers[0]', 'drivers[1]', 'assets[0]']);
});

test('whether writes are scaled is a boolean', () => {
  const asset = { ...goodAsset, scaleOnWrite: false };
  const { value } = finish(checkPlant([factory], { drivers: [goodDriver], assets: [asset] }));
  assert.equal(value?.assets[0]?.scaleOnWrite, false);
  const faults = faultsOf([goodDriver], [{ ...goodAsset, scaleOnWrite: 'no' }]);
  assert.deepEqual(faults, ['assets[0].scaleOnWrite']);
});

test('an asset without channels is empty', () => {
  assert.deepEqual(
    finish(checkPlant([factory], { drivers: [goodDriver], assets: [{ pid: 'p', driver: 'line' }] })).value
      ?.assets,
    [{ pid: 'p', driver: 'line', scaleOnWrite: true, channels: [] }],
  );
});

test('an asset and its channels keep the texts for people, within their bounds and without hidden characters', () => {
  const label = { displayName: 'Kessel 1', description: 'Heats the east wing' };
  const [channel] = goodAsset.channels;
  const asset = { ...goodAsset, ...label, channels: [{ ...channel, ...label }] };
  const { value } = finish(checkPlant([factory], { drivers: [goodDriver], assets: [asset] }));
  const [kept] = value?.assets ?? [];
  assert.deepEqual([kept?.displayName, kept?.description], Object.values(label));
  assert.deepEqual([kept?.channels[0]?.displayName, kept?.channels[0]?.description], Object.values(label));
  const wrong = [
    { displayName: '' },
    { displayName: 'x'.repeat(129) },
    { displayName: 'left\u202Eright' },
    { description: '' },
    { description: 'x'.repeat(1001) },
    { description: 'two\nlines' },
    { description: 7 },
  ];
  for (const fields of wrong) {
    const [key] = Object.keys(fields);
    const faults = faultsOf([goodDriver], [{ ...goodAsset, ...fields }]);
    assert.deepEqual(faults, [`assets[0].${key}`], JSON.stringify(fields));
  }
  const inside = faultsOf([goodDriver], [{ ...goodAsset, channels: [{ ...channel, description: '' }] }]);
  assert.deepEqual(inside, ['assets[0].channels[0].description']);
});

test('what is wrong with the terms of a write is named with its place', () => {
  const door = {
    pid: 'door',
    driver: 'line',
    channels: [
      { ...goodChannel, name: 'closed', valueType: 'BOOLEAN' },
      { ...goodChannel, name: 'command', type: 'WRITE' },
    ],
  };
  const faultOf = (write: object, changes: object = {}): readonly string[] => {
    const channel = { ...goodChannel, type: 'READ_WRITE', write, ...changes };
    const assets = [{ ...goodAsset, channels: [channel, { ...goodChannel, name: 'b' }] }, door];
    const { faults = [] } = finish(checkPlant([factory], { drivers: [goodDriver], assets }));
    return faults.map(({ path }) => formatPath(path).replace('assets[0].channels[0].', ''));
  };
  const onlyIf = (condition: object): object => ({ onlyIf: [{ channel: 'b', value: 1 }, condition] });
  const closed = { asset: 'door', channel: 'closed', value: true };
  const cases: readonly (readonly [write: object, place: string, changes?: object])[] = [
    [onlyIf({ ...closed, asset: 'gate' }), 'write.onlyIf[1].asset'],
    [onlyIf({ ...closed, channel: 'open' }), 'write.onlyIf[1].channel'],
    [onlyIf({ channel: 'missing', value: 1 }), 'write.onlyIf[1].channel'],
    [onlyIf({ ...closed, channel: 'command', value: 1 }), 'write.onlyIf[1].channel'],
    [onlyIf({ ...closed, value: 'maybe' }), 'write.onlyIf[1].value'],
    [onlyIf({ ...closed, operator: 'LESS_THAN' }), 'write.onlyIf[1].operator'],
    [onlyIf({ ...closed, operator: 'ALMOST' }), 'write.onlyIf[1].operator'],
    [onlyIf({ ...closed, maximumAgeMs: 0 }), 'write.onlyIf[1].maximumAgeMs'],
    [{ minimum: 5, maximum: 4 }, 'write.minimum'],
    [{ maximumStep: -1 }, 'write.maximumStep'],
    [{ maximumChangePerSecond: 0 }, 'write.maximumChangePerSecond'],
    [{ maximum: 1 }, 'write.maximum', { valueType: 'BOOLEAN' }],
    [{ verify: { tolerance: -1 } }, 'write.verify.tolerance'],
    [{ verify: { withinMs: 10_001 } }, 'write.verify.withinMs'],
    [{ verify: {} }, 'write.verify', { type: 'WRITE' }],
    [{ maximumStep: 1 }, 'write.maximumStep', { type: 'WRITE' }],
    [{ minimum: 1 }, 'write', { type: 'READ' }],
  ];
  for (const [write, place, changes] of cases) {
    assert.deepEqual(faultOf(write, changes), [place], JSON.stringify(write));
  }
  // A condition only reads: it may name its own channel, and two channels each other.
  assert.deepEqual(faultOf({ onlyIf: [{ channel: 'a', operator: 'LESS_THAN', value: 5 }, closed] }), []);
});
