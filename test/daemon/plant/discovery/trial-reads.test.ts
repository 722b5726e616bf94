import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { AssetRegistry } from '../../../../daemon/plant/asset/asset-registry.ts';
import { checkPlant } from '../../../../daemon/plant/asset/plant-config.ts';
import { finish } from '../../../../daemon/base/slices.ts';
import { systemClock } from '../../../../daemon/base/clock.ts';
import { DocumentError } from '../../../../daemon/base/document-error.ts';
import { systemRandom } from '../../../../daemon/base/random.ts';
import { TrialReads } from '../../../../daemon/plant/discovery/trial-reads.ts';
import { createModbusDriverFactory } from '../../../../drivers/modbus/modbus-driver.ts';
import { createLastWrites } from '../../../support/last-writes.ts';
import { createMemoryLogger } from '../../../support/memory-logger.ts';
import { createFrame, startFaultServer } from '../../../support/modbus-fault-server.ts';

const FLOAT_21_5 = [0x41ac, 0x0000];

/** A device whose registers 0 and 1 hold 21.5, and all others their address; counts its requests. */
async function openTrials(t: TestContext) {
  let requests = 0;
  const device = await startFaultServer((request, connection) => {
    requests += 1;
    const [first, quantity] = [request.pdu.readUInt16BE(1), request.pdu.readUInt16BE(3)];
    const words = Array.from({ length: quantity }, (_, index) => FLOAT_21_5[first + index] ?? first + index);
    const bytes = Buffer.alloc(2 * quantity);
    for (const [index, word] of words.entries()) bytes.writeUInt16BE(word, 2 * index);
    connection.send(createFrame({ ...request, pdu: Buffer.from([3, bytes.length, ...bytes]) }));
  });
  t.after(() => device.close());
  const factories = [createModbusDriverFactory()];
  const registry = new AssetRegistry({
    factories: () => factories,
    driverDirectory: '/nonexistent',
    onChange: () => undefined,
    lastWrites: createLastWrites(systemClock),
    random: systemRandom,
    clock: systemClock,
    logger: createMemoryLogger(),
  });
  t.after(() => registry.stop());
  const settings = { host: '127.0.0.1', port: device.port };
  const configure = async (): Promise<void> => {
    const { value } = finish(
      checkPlant(factories, { drivers: [{ pid: 'line', type: 'modbus', ...settings }] }),
    );
    assert.ok(value !== undefined);
    await registry.apply(value);
  };
  const trials = new TrialReads({ registry, factories: () => factories });
  return { trials, settings, configure, registry, countRequests: () => requests };
}

function register(name: string, offset: number, dataType = 'UINT16', valueType = 'INTEGER') {
  return { name, type: 'READ', valueType, address: { table: 'HOLDING_REGISTERS', offset, dataType } };
}

test('unconfigured channels are read, and nothing of them stays', async (t) => {
  const { trials, settings, registry } = await openTrials(t);
  const channels = [register('seven', 7), register('flow', 0, 'FLOAT32', 'FLOAT')];
  const { records, decodings } = await trials.read('modbus', settings, { channels, interpret: false });
  assert.deepEqual(
    records.map(({ channel, value }) => [channel?.name, value]),
    [
      ['seven', 7],
      ['flow', 21.5],
    ],
  );
  assert.equal(decodings, undefined);
  assert.deepEqual([registry.list(), registry.listConnections()], [[], []]);
});

test('with interpret the bytes of each channel are interpreted, the requested interpretation first', async (t) => {
  const { trials, settings } = await openTrials(t);
  const { decodings = [] } = await trials.read('modbus', settings, {
    channels: [register('flow', 0)],
    interpret: true,
  });
  const [decoding] = decodings;
  assert.ok(decoding !== undefined && !('failure' in decoding.outcome));
  const { candidates } = decoding.outcome;
  assert.equal(candidates[0]?.isConfigured, true);
  assert.equal(candidates[1]?.value, 21.5);
  assert.ok(candidates.length <= 16);
});

test('a device that is configured is read over its connection', async (t) => {
  const { trials, settings, configure, registry } = await openTrials(t);
  await configure();
  const request = { channels: [register('seven', 7)], interpret: false };
  await trials.readConfigured('line', request);
  await trials.read('modbus', settings, request);
  const { counters } = registry.getConfigured('line').connection.status();
  assert.equal(counters['requests'], 2);
});

test('invalid settings and channels are errors with their paths, and nothing is sent', async (t) => {
  const { trials, settings, countRequests } = await openTrials(t);
  const channels = [register('seven', 7), register('wide', 70_000)];
  const pathsOf = async (type: string, given: Record<string, unknown>): Promise<readonly string[]> => {
    const error: unknown = await trials
      .read(type, given, { channels, interpret: false })
      .catch((thrown: unknown) => thrown);
    assert.ok(error instanceof DocumentError);
    return error.faults.map(({ path }) => path.join('.'));
  };
  assert.deepEqual(await pathsOf('modbus', settings), ['channels.1.address.offset']);
  assert.deepEqual(await pathsOf('modbus', { ...settings, port: 70_000 }), ['settings.port']);
  assert.equal(countRequests(), 0);
});
