import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, watch } from 'node:fs';
import path from 'node:path';

import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import type { Owner } from '../support/temporary-directory.ts';
import { programOf } from '../support/tools.ts';

/** Creates a serial line on this machine that leads to a Unix socket, until the test ends; returns its path. */
export async function openSerialCable(t: Owner, socket: string): Promise<string> {
  const folder = createTemporaryDirectory(t);
  const line = path.join(folder, 'line');
  const cable = spawn(programOf('socat'), [`pty,raw,echo=0,link=${line}`, `unix-connect:${socket}`], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = new AbortController();
  cable.once('exit', () => ended.abort(new Error('the serial line has ended')));
  t.after(async () => {
    if (ended.signal.aborted) return;
    const exited = once(cable, 'exit');
    cable.kill();
    await exited;
  });
  const watcher = watch(folder);
  while (!existsSync(line)) await once(watcher, 'change', { signal: ended.signal });
  watcher.close();
  return line;
}
