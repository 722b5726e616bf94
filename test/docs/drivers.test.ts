import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';

import { createChannelSchema } from '../../daemon/channel/channel.ts';
import type { Channel } from '../../daemon/channel/channel.ts';
import type { DriverFactory } from '../../daemon/channel/driver.ts';
import type { DriverBench } from '../contract/driver-bench.ts';
import { testDriver } from '../contract/driver-contract.ts';
import { createDriverContext } from '../support/driver-context.ts';
import { startModbusProcess } from '../support/modbus-process.ts';
import { layTcpCable } from '../support/tcp-cable.ts';
import { needs, testsThatNeed } from '../support/tests-that-need.ts';
import { programOf } from '../support/tools.ts';
import { writeValues } from '../support/write-values.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

const directory = writeExample();
after(() => rmSync(directory, { recursive: true, force: true }));
const { linesDriverFactory } = (await import(path.join(directory, 'drivers/lines/lines-driver.ts'))) as {
  readonly linesDriverFactory: DriverFactory<unknown, object>;
};

test('the example driver of the documentation compiles without errors', async () => {
  const configuration = path.join(directory, 'tsconfig.json');
  // The codes that a driver does not declare itself.
  const tables = ['daemon/channel/error-codes.ts', 'drivers/link/error-codes.ts'];
  const settings = { extends: path.join(ROOT, 'tsconfig.json'), include: ['drivers/lines', ...tables] };
  writeFileSync(configuration, JSON.stringify(settings));
  const tsc = path.join(ROOT, 'node_modules/.bin/tsc');
  const { stdout } = await promisify(execFile)(tsc, ['--noEmit', '-p', configuration]);
  assert.equal(stdout, '');
});

test('the example driver refuses a channel that it cannot serve', () => {
  const paths = (channel: Partial<Channel<object>>): readonly string[] =>
    linesDriverFactory
      .checkChannel({ ...createChannel('VOLT?', 'VOLT'), ...channel })
      .map((fault) => fault.path.join('.'));
  assert.deepEqual(paths({}), []);
  assert.deepEqual(paths({ address: {} }), ['address.query', 'address.set']);
  assert.deepEqual(paths({ valueType: 'STRING' }), ['valueType']);
  assert.equal(linesDriverFactory.addressSchema.safeParse({ query: 'two\nlines' }).success, false);
});

test(
  'the example driver sends nothing after a write whose outcome is unknown',
  needs('python3'),
  async () => {
    await using bench = await createBench({ responseTimeoutMs: 50 });
    const driver = bench.createDriver();
    const signal = new AbortController().signal;
    await driver.connect(signal, () => undefined);
    bench.silence();
    const requests = bench.values.map((value) => ({ channel: bench.writable, value }));
    const [first, second] = await writeValues(driver, requests, signal);
    await driver.disconnect();
    assert.equal(first?.failure?.code, 'LINES_NO_RESPONSE');
    assert.match(first.failure.message, /; outcome unknown$/);
    assert.equal(second?.failure?.code, 'WRITE_HELD_BACK');
  },
);

testDriver('the example driver of the documentation', createBench, testsThatNeed('python3'));

async function createBench(settings: object = {}): Promise<DriverBench<object>> {
  const device = await startModbusProcess(programOf('python3'), [
    path.join(ROOT, 'test/support/power-supply.py'),
  ]);
  const cable = await layTcpCable(device.port);
  const config = linesDriverFactory.configSchema.parse({ host: '127.0.0.1', port: cable.port, ...settings });
  return {
    createDriver: () => linesDriverFactory.create(config, createDriverContext()),
    channels: [
      { channel: createChannel('MEAS:VOLT?'), value: 12.01 },
      { channel: createChannel('MEAS:CURR?'), value: 0.5 },
    ],
    refused: createChannel('MEAS:POW?', 'POW'),
    writable: createChannel('VOLT?', 'VOLT'),
    values: [5, 6.5],
    unplug: () => cable.pull(),
    plug: () => cable.mend(),
    silence: () => cable.hold(),
    wake: () => cable.release(),
    async [Symbol.asyncDispose]() {
      await cable[Symbol.asyncDispose]();
      await device.close();
    },
  };
}

function createChannel(query: string, set?: string): Channel<object> {
  return createChannelSchema(linesDriverFactory.addressSchema).parse({
    name: query,
    type: set === undefined ? 'READ' : 'READ_WRITE',
    valueType: 'DOUBLE',
    address: set === undefined ? { query } : { query, set },
  });
}

/** Writes the blocks of the page that begin with the path of a source file into a copy of the tree; returns its folder. */
function writeExample(): string {
  const folder = path.join(ROOT, 'build/test');
  mkdirSync(folder, { recursive: true });
  const tree = mkdtempSync(path.join(folder, 'drivers-page-'));
  mkdirSync(path.join(tree, 'drivers/lines'), { recursive: true });
  symlinkSync(path.join(ROOT, 'daemon'), path.join(tree, 'daemon'));
  symlinkSync(path.join(ROOT, 'drivers/link'), path.join(tree, 'drivers/link'));
  const page = readFileSync(path.join(ROOT, 'docs/dev/drivers.md'), 'utf8');
  const blocks = [...page.matchAll(/^```ts\n\/\/ (drivers\/[\w./-]+)\n([^]*?)^```/gm)];
  assert.equal(blocks.length, 3);
  for (const [, file = '', text = ''] of blocks) writeFileSync(path.join(tree, file), text);
  return tree;
}
