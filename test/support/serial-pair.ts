import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, watch } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { programOf } from './tools.ts';

/** Two serial lines without wires: bytes written to one arrive at the other. */
export interface SerialPair extends AsyncDisposable {
  /** The line that is given to the gateway. */
  readonly gateway: string;
  /** The line that is given to the instrument. */
  readonly instrument: string;
  /** Takes both lines away, as when an adapter is pulled. */
  unplug(): Promise<void>;
  /** Puts both lines back under the same names. */
  replug(): Promise<void>;
}

/**
 * Creates a pair of pseudo terminals with socat.
 *
 * @throws when socat is missing
 */
export async function openSerialPair(): Promise<SerialPair> {
  const directory = mkdtempSync(path.join(tmpdir(), 'penstock-serial-'));
  const gateway = path.join(directory, 'gateway');
  const instrument = path.join(directory, 'instrument');
  let cable: ChildProcess | undefined;
  const pair: SerialPair = {
    gateway,
    instrument,
    async unplug() {
      const pulled = cable;
      cable = undefined;
      if (pulled !== undefined && pulled.exitCode === null && pulled.signalCode === null) {
        const exited = once(pulled, 'exit');
        pulled.kill('SIGKILL');
        await exited;
      }
      for (const name of [gateway, instrument]) rmSync(name, { force: true });
    },
    async replug() {
      cable = await connect(directory, [gateway, instrument]);
    },
    async [Symbol.asyncDispose]() {
      await pair.unplug();
      rmSync(directory, { recursive: true, force: true });
    },
  };
  await pair.replug();
  return pair;
}

async function connect(directory: string, names: readonly string[]): Promise<ChildProcess> {
  const child = spawn(
    programOf('socat'),
    names.map((name) => `pty,raw,echo=0,link=${name}`),
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const ended = new AbortController();
  const end = (): void => ended.abort(new Error('socat did not start'));
  child.once('error', end);
  child.once('exit', end);
  const watcher = watch(directory);
  try {
    while (!names.every((name) => existsSync(name))) await once(watcher, 'change', { signal: ended.signal });
  } finally {
    watcher.close();
    child.off('exit', end);
  }
  return child;
}
