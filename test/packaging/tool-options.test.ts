import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { test } from 'node:test';

const ROOT = path.resolve(import.meta.dirname, '../..');
const TOOLS = [
  'packaging/build-deb.ts',
  'packaging/apt-repository.ts',
  'packaging/make-release.ts',
  'test/bench/main.ts',
  'test/crash/main.ts',
  'test/fleet/main.ts',
  'test/fuzz/main.ts',
  'test/soak/main.ts',
];

async function runTool(words: readonly string[]) {
  const child = spawn(process.execPath, words, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
  let [output, errors] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const [status] = (await once(child, 'close')) as [number];
  return { status, output, errors };
}

for (const tool of TOOLS) {
  test(`${tool} prints its usage for --help, and ends with 2 for what it does not know`, async () => {
    const help = await runTool([tool, '--help']);
    assert.equal(help.status, 0);
    assert.match(help.output, /^Usage: npm run /);
    for (const words of [['--nonsense'], ['word']]) {
      const { status, output, errors } = await runTool([tool, ...words]);
      assert.deepEqual([status, output], [2, '']);
      assert.match(errors, /nonsense|word/);
      assert.match(errors, /^Usage: npm run /m);
    }
  });
}

test('a name that a tool does not know ends with 2 and lists the known ones', async () => {
  for (const words of [
    ['packaging/build-deb.ts', '--arch', 'mips'],
    ['test/bench/main.ts', '--only', 'nothing'],
    ['test/crash/main.ts', '--subject', 'nothing'],
    ['test/fleet/main.ts', '--broker', 'nothing'],
  ]) {
    const { status, errors } = await runTool(words);
    assert.equal(status, 2);
    assert.match(errors, /(?:mips|nothing): expected one of \w+/);
  }
});

test('a number out of its range ends with 2 and names the range', async () => {
  for (const [words, range] of [
    [['packaging/apt-repository.ts', '--key', 'key', '--out', 'out', '--valid-days', '0'], 'from 1 to 99999'],
    [['test/crash/main.ts', '--points', '0'], 'from 1 to 999999999'],
    [['test/crash/main.ts', '--offset', 'x'], 'from 0 to 999999999'],
    [['test/fleet/main.ts', '--gateways', '0'], 'from 1 to 9999999'],
    [['test/fuzz/main.ts', '--seconds', '0'], 'from 1 to 999999'],
    [['test/fuzz/main.ts', '--seed', 'x'], 'from 0 to 999999999999'],
    [['test/soak/main.ts', '--minutes', '0'], 'from 1 to 99999'],
    [['test/soak/main.ts', '--minutes', '100000'], 'from 1 to 99999'],
    [['test/bench/main.ts', '--watch', '0'], 'above 0'],
  ] as const) {
    const { status, errors } = await runTool(words);
    assert.equal(status, 2, words.join(' '));
    assert.ok(errors.includes(`${range}\n`), errors);
  }
});

test('a comparison of versions refuses what is no commit, and names the scenarios that can compare', async () => {
  const unknown = await runTool(['test/bench/main.ts', '--against', 'nothing']);
  assert.deepEqual([unknown.status, unknown.output], [2, '']);
  assert.match(unknown.errors, /^--against nothing: no such commit/);
  const alone = await runTool(['test/bench/main.ts', '--against', 'HEAD', '--only', 'link-loss']);
  assert.deepEqual([alone.status, alone.output], [2, '']);
  assert.match(
    alone.errors,
    /^--only link-loss: cannot compare two versions; those that can: shared-reads, /,
  );
});
