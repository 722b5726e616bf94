import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { runInChild } from '../../../../daemon/base/process/run-in-child.ts';
import type { ChildRun } from '../../../../daemon/base/process/run-in-child.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';

const ECHO = 'process.stdin.pipe(process.stdout);';
const ENDLESS = 'setInterval(() => undefined, 1000);';

/** Writes a program and describes a run of it. */
function prepareRun(t: TestContext, text: string): ChildRun {
  const program = path.join(createTemporaryDirectory(t), 'program');
  writeFileSync(`${program}.ts`, text);
  return {
    program,
    input: '',
    heapMib: 32,
    timeLimitMs: 1000,
    maximumAnswerBytes: 65_536,
    clock: new ManualClock(),
  };
}

test('runInChild returns the output of the child, byte for byte', async (t) => {
  const input = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  const answer = await runInChild({ ...prepareRun(t, ECHO), input });
  assert.deepEqual([...answer], [...input]);
});

test('runInChild starts the child with an empty environment', async (t) => {
  const run = prepareRun(t, 'process.stdout.write(JSON.stringify(Object.keys(process.env)));');
  assert.equal((await runInChild(run)).toString(), '[]');
});

test('runInChild starts a child that opens no debugger at SIGUSR1', async (t) => {
  const run = prepareRun(t, 'process.stdout.write(JSON.stringify(process.execArgv));');
  assert.ok((await runInChild(run)).toString().includes('"--disable-sigusr1"'));
});

test(
  'runInChild starts a child that takes less of a busy core than others, with all its threads',
  { skip: process.platform !== 'linux' && 'priorities of threads are those of Linux' },
  async (t) => {
    const run = prepareRun(
      t,
      `import { readdirSync, readFileSync } from 'node:fs';
      import { stat } from 'node:fs/promises';
      process.stdin.on('data', async () => {
        // The threads that wait for files start with the first of them.
        await stat('/');
        const priorities = readdirSync('/proc/self/task').map((thread) => {
          const fields = readFileSync('/proc/self/task/' + thread + '/stat', 'utf8').replace(/^.*[)] /s, '').split(' ');
          return Number(fields[16]);
        });
        process.stdout.write(JSON.stringify(priorities));
      });`,
    );
    const priorities = JSON.parse((await runInChild({ ...run, input: 'go' })).toString()) as number[];
    const own = getPriority();
    assert.ok(priorities.length > 1, `threads: ${priorities.length}`);
    assert.deepEqual(new Set(priorities), new Set([Math.max(own, 10)]));
  },
);

test('a child reads a request and writes an answer that no pipe holds at once', async (t) => {
  const streams = path.resolve(
    import.meta.dirname,
    '../../../../daemon/base/process/child-standard-streams.ts',
  );
  const run = prepareRun(
    t,
    `import { readRequest, writeAnswer } from ${JSON.stringify(streams)};
    const request = readRequest();
    writeAnswer(Buffer.concat([request, request]));`,
  );
  const input = Buffer.from(Array.from({ length: 3_000_000 }, (_, index) => index % 253));
  const answer = await runInChild({ ...run, input, maximumAnswerBytes: 10_000_000 });
  assert.ok(answer.equals(Buffer.concat([input, input])));
});

test('runInChild lets the child write below its writable directory and nowhere else', async (t) => {
  const directory = createTemporaryDirectory(t);
  const [inside, outside] = [path.join(directory, 'inside'), path.join(directory, 'outside')];
  mkdirSync(inside);
  const run = prepareRun(
    t,
    `import { writeFileSync } from 'node:fs';
    for (const directory of ${JSON.stringify([inside, outside])}) {
      try { writeFileSync(directory + '/file', ''); } catch (error) { process.stdout.write(error.code); }
    }`,
  );
  mkdirSync(outside);
  assert.equal((await runInChild({ ...run, writableDirectory: inside })).toString(), 'ERR_ACCESS_DENIED');
  assert.deepEqual([existsSync(`${inside}/file`), existsSync(`${outside}/file`)], [true, false]);
});

test('runInChild ends a child that takes longer than its time limit', async (t) => {
  const clock = new ManualClock();
  const running = runInChild({ ...prepareRun(t, ENDLESS), clock });
  clock.advance(1000);
  await assert.rejects(running, { name: 'ChildFailure', reason: 'TIMEOUT' });
});

test('runInChild ends the child when its signal aborts, and starts none when it has aborted', async (t) => {
  const aborting = new AbortController();
  const run = { ...prepareRun(t, ENDLESS), signal: aborting.signal };
  const running = runInChild(run);
  aborting.abort();
  await assert.rejects(running, { name: 'ChildFailure', reason: 'ABORTED' });
  await assert.rejects(runInChild(run), { name: 'ChildFailure', reason: 'ABORTED' });
});

for (const [why, text] of [
  ['fails', 'process.exitCode = 1;'],
  ['exceeds its memory limit', 'const kept = []; for (;;) kept.push({ kept: [kept.length] });'],
  ['exceeds its output limit', 'process.stdout.write("x".repeat(70_000));'],
] as const) {
  test(`runInChild reports DIED for a child that ${why}`, async (t) => {
    await assert.rejects(runInChild(prepareRun(t, text)), (error: unknown) => {
      const { reason, cause } = error as { readonly reason?: unknown; readonly cause?: unknown };
      return reason === 'DIED' && cause instanceof Error;
    });
  });
}
