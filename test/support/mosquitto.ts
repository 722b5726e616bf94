import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';

import { findFreePort } from './free-ports.ts';
import { createTemporaryDirectory } from './temporary-directory.ts';
import type { Owner } from './temporary-directory.ts';
import { programOf } from './tools.ts';

/** The broker mosquitto on a port of the loopback; it keeps retained messages and sessions when it is started again. */
export interface Mosquitto {
  readonly port: number;
  readonly directory: string;
  /** Ends it with SIGKILL. */
  kill(): Promise<void>;
  /** Starts it again on the same port. */
  start(): Promise<void>;
  /** Replaces one of its files, and lets it read its access list again. */
  replaceFile(name: string, content: string): void;
}

/**
 * Starts mosquitto; it ends with the test.
 *
 * @param lines of its configuration, which follow those of the listener; by default every client is accepted
 * @param files written to its directory, `@DIRECTORY@` in `lines`
 */
export async function startMosquitto(
  owner: Owner,
  lines: readonly string[] = ['allow_anonymous true'],
  files: Readonly<Record<string, string>> = {},
): Promise<Mosquitto> {
  const program = programOf('mosquitto');
  const directory = createTemporaryDirectory(owner);
  const port = await findFreePort();
  mkdirSync(path.join(directory, 'state'));
  for (const [name, content] of Object.entries(files)) writeFileSync(path.join(directory, name), content);
  const file = path.join(directory, 'mosquitto.conf');
  const configuration = [
    // Root would become another user, who may not enter the directory.
    `user ${userInfo().username}`,
    'max_queued_messages 100000',
    'persistence true',
    `persistence_location ${directory}/state/`,
    'autosave_on_changes true',
    'autosave_interval 1',
    `listener ${port} 127.0.0.1`,
    ...lines.map((line) => line.replaceAll('@DIRECTORY@', directory)),
    '',
  ];
  writeFileSync(file, configuration.join('\n'));
  let child: ChildProcess | undefined;
  const end = async (): Promise<void> => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const closed = once(child, 'close');
    child.kill('SIGKILL');
    await closed;
  };
  const start = async (): Promise<void> => {
    const started = spawn(program, ['-c', file, '-v'], { stdio: ['ignore', 'ignore', 'pipe'] });
    child = started;
    const texts: string[] = [];
    await new Promise<void>((resolve, reject) => {
      createInterface({ input: started.stderr }).on('line', (line) => {
        texts.push(line);
        if (/ version .* running$/.test(line)) resolve();
      });
      started.once('error', reject);
      started.once('close', () => reject(new Error(`mosquitto ended:\n${texts.join('\n')}`)));
    });
  };
  owner.after(end);
  await start();
  const replaceFile = (name: string, content: string): void => {
    writeFileSync(path.join(directory, name), content);
    child?.kill('SIGHUP');
  };
  return { port, directory, kill: end, start, replaceFile };
}
