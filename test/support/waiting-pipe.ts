import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import type { TestContext } from 'node:test';

/** A pipe whose writer waits until somebody opens it for reading. */
export interface WaitingPipe {
  readonly file: string;
  /** Opens the pipe and returns what the writer writes; nothing when somebody else has opened it before. */
  takeText(): Promise<string>;
}

/** Makes a pipe with a program that waits to write into it. */
export async function makeWaitingPipe(
  t: Pick<TestContext, 'after'>,
  directory: string,
  name = 'pipe',
): Promise<WaitingPipe> {
  const file = path.join(directory, name);
  execFileSync('mkfifo', [file]);
  const writer = spawn('sh', ['-c', 'exec printf text > "$1"', 'sh', file], { stdio: 'ignore' });
  const ended = once(writer, 'close');
  t.after(async () => {
    writer.kill('SIGKILL');
    await ended;
  });
  // fifo_open waits in the kernel; the shell has become no other program by then.
  while (!isWaitingToOpen(writer.pid ?? 0)) await new Promise((resolve) => setImmediate(resolve));
  return {
    file,
    async takeText() {
      await using handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
      await ended;
      return (await handle.readFile()).toString();
    },
  };
}

// openat(2) is 257 on x64 and 56 on arm64; open(2) is 2 on x64.
function isWaitingToOpen(pid: number): boolean {
  return /^(?:257|56|2) /.test(readFileSync(`/proc/${pid}/syscall`, 'utf8'));
}
