import assert from 'node:assert/strict';
import { test } from 'node:test';

import { toItems } from '../../../../daemon/cli/discover/add-found.ts';
import { findServerName } from '../../../../daemon/cli/discover/scan-target.ts';
import type { ScanResult } from '../../../../daemon/interface/plant/scans.ts';

const NEW = { type: 'modbus', settings: { host: '192.0.2.1', port: 1502 } };

function found(connection: ScanResult['connection'], ...pids: readonly string[]): ScanResult {
  const assets = pids.map((pid) => ({ pid, displayName: `The ${pid}` }));
  return { isComplete: true, assets, notes: [], ...(connection === undefined ? {} : { connection }) };
}

test('a result becomes a driver and its assets', () => {
  assert.deepEqual(toItems(found(NEW, 'unit-1'), 'plc', { drivers: ['other'], assets: [] }), {
    driver: { pid: 'plc', type: 'modbus', host: '192.0.2.1', port: 1502 },
    assets: [{ pid: 'unit-1', displayName: 'The unit-1', driver: 'plc' }],
  });
});

test('a connection that is configured gets the assets that it does not have yet', () => {
  const present = { drivers: ['line'], assets: [{ pid: 'unit-1', driver: 'line' }] };
  const { driver, assets } = toItems(
    found({ pid: 'line', type: 'modbus' }, 'unit-1', 'unit-2'),
    'x',
    present,
  );
  assert.equal(driver, undefined);
  assert.deepEqual(
    assets.map((asset) => [asset['pid'], asset['driver']]),
    [['unit-2', 'line']],
  );
});

test('an asset whose name another driver uses is named after its driver', () => {
  const taken = ['unit-1', 'plc-unit-1', 'unit-2'].map((pid) => ({ pid, driver: 'line' }));
  const { assets } = toItems(found(NEW, 'unit-1', 'unit-2'), 'plc', { drivers: ['line'], assets: taken });
  assert.deepEqual(
    assets.map(({ pid }) => pid),
    ['plc-unit-1-2', 'plc-unit-2'],
  );
});

test('a name of another driver and a result without a connection are refused', () => {
  const present = { drivers: ['plc'], assets: [] };
  assert.throws(() => toItems(found(NEW, 'unit-1'), 'plc', present), { code: 'ITEM_EXISTS' });
  assert.throws(() => toItems(found(undefined, 'unit-1'), 'x', present), { code: 'NOTHING_FOUND' });
  assert.throws(() => toItems(found(NEW), 'x', present), { code: 'NOTHING_FOUND' });
});

test('an asset that was made of the same find under another name is there already', () => {
  const connection = { pid: 'line', type: 'modbus' };
  const templated = { pid: 'sun', template: 'inverter', parameters: { unitId: 3 } };
  const result = { ...found(connection, 'meter'), assets: [templated, { pid: 'meter', displayName: 'M' }] };
  const present = (unitId: number, displayName: string) => ({
    drivers: ['line'],
    assets: [
      { ...templated, pid: 'sun-unit-3', driver: 'line', parameters: { unitId } },
      { pid: 'meter-unit-4', driver: 'line', displayName },
    ],
  });
  assert.deepEqual(toItems(result, 'x', present(3, 'M')).assets, []);
  assert.equal(toItems(result, 'x', present(4, 'N')).assets.length, 2);
});

test('a device that lets nobody in yet becomes a driver without assets', () => {
  const refusing = { ...NEW, isRefusing: true };
  assert.deepEqual(toItems(found(refusing), 'plc', { drivers: [], assets: [] }), {
    driver: { pid: 'plc', type: 'modbus', host: '192.0.2.1', port: 1502 },
    assets: [],
  });
});

test('findServerName takes the name of the only server, made valid', () => {
  const server = (name: unknown) => ({ subject: 'urn:x', kind: 'SERVER', text: '', fields: { name } });
  assert.equal(findServerName([server('PLC 7 (hall #1)')]), 'PLC_7_(hall__1)');
  assert.equal(findServerName([server('_'), server('_')]), undefined);
  assert.equal(findServerName([server('a'), server('b')]), undefined);
  assert.equal(findServerName([server('')]), undefined);
  assert.equal(findServerName([]), undefined);
});

test('an asset that has only an address gets the name of its driver', () => {
  const none = { drivers: [], assets: [] };
  assert.deepEqual(
    ['127.0.0.1', '::1', 'plant'].map((pid) => toItems(found(NEW, pid), 'plc', none).assets[0]?.['pid']),
    ['plc', 'plc', 'plant'],
  );
});
