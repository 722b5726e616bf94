import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

import { createOpcuaDriver } from '../../support/opcua-driver-under-test.ts';
import { startOpcuaServer } from '../../support/opcua-server.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';

const run = promisify(execFile);
const ROOT = path.resolve(import.meta.dirname, '../../..');

/** Runs a program in its own process; returns its standard output and standard error. */
async function runProgram(program: string, home: string): Promise<{ stdout: string; stderr: string }> {
  return run(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: ROOT,
    env: { ...process.env, HOME: home, XDG_CONFIG_HOME: path.join(home, 'config') },
  });
}

test('the library is not loaded before a server is connected', async (t) => {
  const program = `
    import { registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context); } });
    const { createDriverFactories } = await import('./drivers/index.ts');
    const { createDriverContext } = await import('./test/support/driver-context.ts');
    const factory = createDriverFactories().find(({ type }) => type === 'opcua');
    const config = factory.configSchema.parse({ endpointUrl: 'opc.tcp://127.0.0.1' });
    const driver = factory.create(config, createDriverContext());
    driver.prepareRead([]);
    await driver.disconnect();
    process.stdout.write(String(loaded.filter((url) => url.includes('node-opcua')).length));
  `;
  const { stdout } = await runProgram(program, createTemporaryDirectory(t));
  assert.equal(stdout, '0');
});

test('the library writes nothing to the console, and nothing below the home directory', async (t) => {
  const directory = createTemporaryDirectory(t);
  const home = path.join(directory, 'home');
  const server = await startOpcuaServer({ directory: path.join(directory, 'server') });
  t.after(() => server[Symbol.asyncDispose]());
  const program = `
    import { readdirSync, mkdirSync } from 'node:fs';
    import { createOpcuaChannel, createOpcuaDriver } from './test/support/opcua-driver-under-test.ts';
    mkdirSync(process.env.HOME);
    const signal = new AbortController().signal;
    const connect = async (endpointUrl) => {
      const driver = createOpcuaDriver({ endpointUrl }, { dataDirectory: ${JSON.stringify(path.join(directory, 'gateway'))} });
      await driver.connect(signal, () => {});
      return driver;
    };
    const driver = await connect(${JSON.stringify(server.endpointUrl)});
    await driver.prepareRead([createOpcuaChannel('nothing', 'DOUBLE')]).read(signal);
    await driver.disconnect();
    await connect('opc.tcp://127.0.0.1:9').catch(() => {});
    process.exitCode = readdirSync(process.env.HOME).length;
  `;
  assert.deepEqual(await runProgram(program, home), { stdout: '', stderr: '' });
});

test('an attempt that is given up leaves nothing behind', async (t) => {
  const directory = createTemporaryDirectory(t);
  const driver = createOpcuaDriver({ endpointUrl: 'opc.tcp://192.0.2.1:4840' }, { dataDirectory: directory });
  const giveUp = new AbortController();
  const attempt = driver.connect(giveUp.signal, () => undefined);
  giveUp.abort(new Error('given up'));
  await assert.rejects(attempt);
  await driver.disconnect();
  assert.ok(!process.getActiveResourcesInfo().some((kind) => /TCP/.test(kind)));
});
