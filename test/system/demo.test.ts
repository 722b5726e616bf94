import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';

import { startCommand } from '../daemon/cli/command.ts';
import type { RunningCommand } from '../daemon/cli/command.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import { needs } from '../support/tests-that-need.ts';
import { isAlive, listChildren } from '../support/child-processes.ts';
import type { ResultRecord } from '../../daemon/interface/plant/assets.ts';
import { sourceOf } from '../support/programs.ts';

// Only a checkout has the simulated plant.
const CHECKOUT = sourceOf('daemon/cli/main');

/** A demonstration that has printed its introduction. */
interface RunningDemo {
  readonly command: RunningCommand;
  readonly directory: string;
  /** The commands to paste, in order. */
  readonly commands: readonly string[];
}

test(
  'the demonstration prints three commands that work as they are, and leaves nothing behind',
  needs('curl'),
  async (t) => {
    const { command, directory, commands } = await startDemo(t);
    const children = listChildren(command.process.pid);
    assert.equal(commands.length, 3);
    assert.equal(children.length, 2);

    const [reading] = await paste(commands[0]);
    const values = toValues(reading);
    assert.equal(values['setpoint'], 60);
    assert.equal(values['pump'], true);
    assert.equal(values['deviceName'], 'Boiler house 1');
    assert.equal(Object.keys(values).length, 12);

    const [login, meter] = await paste(commands[1]);
    assert.deepEqual(login, { passwordChangeNeeded: false });
    assert.equal(typeof toValues(meter)['heatPower'], 'number');

    const [written, readBack] = await paste(commands[2]);
    assert.deepEqual([toValues(written), toValues(readBack)], [{ setpoint: 62.5 }, { setpoint: 62.5 }]);

    // It is one plant: every protocol shows a value set over Modbus TCP.
    for (const pid of ['boilerRtu', 'boilerOpcua', 'panel']) {
      const text = commands[0]?.replace('/boiler/', `/${pid}/`);
      let [answer] = await paste(text);
      // A first read connects; on a busy machine it may end before that.
      while (JSON.stringify(answer).includes('FAILURE')) [answer] = await paste(text);
      assert.equal(toValues(answer)['setpoint'], 62.5, pid);
    }

    command.process.kill('SIGINT');
    assert.equal(await command.ended, 0);
    assert.equal(command.errors(), '');
    assert.equal(existsSync(directory), false);
    assert.deepEqual(children.filter(isAlive), []);
  },
);

test('everything that the demonstration writes is for its owner alone, and no command names the password', async (t) => {
  const { directory, commands, command } = await startDemo(t);
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  assert.ok(files.includes('login.json') && files.includes('scada.key') && files.includes('daemon.log'));
  for (const file of ['.', ...files]) {
    // Every user who may enter its directory may use a socket, and the directory is closed.
    if (statSync(path.join(directory, file)).isSocket()) continue;
    assert.equal(statSync(path.join(directory, file)).mode & 0o077, 0, file);
  }
  const { password } = JSON.parse(readFileSync(path.join(directory, 'login.json'), 'utf8')) as {
    password: string;
  };
  assert.ok(password.length >= 20);
  assert.equal(commands.join('').includes(password), false);
  // For the console, once.
  assert.equal(command.output().split(password).length, 2);
});

for (const { name, part } of [
  { name: 'the daemon', part: 'penstock.yaml' },
  { name: 'the simulated plant', part: 'simulate' },
]) {
  test(`when ${name} dies, the demonstration reports it, stops the rest and ends with 1`, async (t) => {
    const { command, directory } = await startDemo(t);
    const children = listChildren(command.process.pid);
    const victim = children.find(({ commandLine }) => commandLine.includes(part));
    assert.ok(victim);
    process.kill(victim.pid, 'SIGKILL');
    assert.equal(await command.ended, 1);
    assert.match(command.errors(), new RegExp(`^penstock demo: ${name} was ended by SIGKILL`));
    assert.equal(existsSync(directory), false);
    assert.deepEqual(children.filter(isAlive), []);
  });
}

for (const signal of ['SIGTERM', 'SIGHUP'] as const) {
  test(`${signal} while the demonstration still starts ends it with 0 and leaves nothing behind`, async (t) => {
    const temporary = createTemporaryDirectory(t);
    const command = startCommand(t, ['demo'], { TMPDIR: temporary }, CHECKOUT);
    await command.find(/Starting/);
    const children = listChildren(command.process.pid);
    command.process.kill(signal);
    assert.equal(await command.ended, 0);
    assert.deepEqual(children.filter(isAlive), []);
    assert.deepEqual(readdirSync(temporary), []);
  });
}

test('--verbose writes the log of the daemon to standard error', async (t) => {
  const { command, directory } = await startDemo(t, ['--verbose']);
  assert.equal(existsSync(path.join(directory, 'daemon.log')), false);
  command.process.kill('SIGINT');
  assert.equal(await command.ended, 0);
  const [first = ''] = command.errors().split('\n');
  assert.equal((JSON.parse(first) as { level: string }).level, 'info');
  assert.match(command.errors(), /"event":"ready"/);
});

async function startDemo(t: TestContext, options: readonly string[] = []): Promise<RunningDemo> {
  const command = startCommand(t, ['demo', ...options], {}, CHECKOUT);
  const [, directory = ''] = await command.find(
    /^Ctrl-C stops everything and removes the directory (.+)\.$/m,
  );
  const commands = command.output().match(/^\(cd [^]*?\)$/gm) ?? [];
  return { command, directory, commands };
}

/** Runs a command as a terminal would, and returns the bodies that it printed; each came with status 200. */
async function paste(text = ''): Promise<readonly unknown[]> {
  const { stdout, stderr } = await promisify(execFile)('sh', ['-c', text]);
  assert.equal(stderr, '');
  const answers = [...stdout.matchAll(/^(.*)\nstatus (\d+)\n/gm)];
  assert.ok(answers.length > 0, stdout);
  return answers.map(([, body = '', status]) => {
    assert.equal(status, '200', body);
    return JSON.parse(body) as unknown;
  });
}

function toValues(answer: unknown): { readonly [name: string]: unknown } {
  const records = answer as readonly ResultRecord[];
  for (const { channelStatus } of records) assert.equal(channelStatus.channelFlag, 'SUCCESS');
  return Object.fromEntries(records.map(({ name, value }) => [name, value]));
}
