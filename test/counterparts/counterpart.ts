import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';

import { CACHE } from '../support/python-environment.ts';

/** A command with its parameters. */
export type Command = readonly [program: string, ...parameters: readonly string[]];

/** A program of another make that the driver talks to. */
export interface Make {
  readonly name: string;
  /** Folder of its sources, next to this file. */
  readonly folder: string;
  /** Returns the commands that fetch and build it; they run in its folder of the cache, which has its sources. */
  readonly build: (directory: string) => readonly Command[];
  /** Returns the command that starts it. */
  readonly start: (directory: string) => Command;
}

/** A running counterpart. */
export interface Running extends AsyncDisposable {
  /** Ends the process without a goodbye; resolves when it is gone. */
  kill(): Promise<void>;
  /** Writes a line to its input. */
  send(line: string): void;
  /** Resolves with its first line since it was ready that matches. */
  find(matches: (line: string) => boolean): Promise<string>;
}

/**
 * Fetches and builds a counterpart once for its sources.
 *
 * @returns its folder, or the reason why it cannot be built here
 */
export async function prepare({
  name,
  folder,
  build,
}: Make): Promise<{ readonly directory: string } | { readonly skip: string }> {
  const sources = path.join(import.meta.dirname, folder);
  const hash = createHash('sha256');
  const files = globSync('**/*.*', { cwd: sources }).toSorted();
  for (const file of files) hash.update(file).update(readFileSync(path.join(sources, file)));
  const directory = path.join(CACHE, `counterpart-${folder}-${hash.digest('hex').slice(0, 12)}`);
  const complete = path.join(directory, 'complete');
  if (existsSync(complete)) return { directory };
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  cpSync(sources, directory, { recursive: true });
  for (const command of build(directory)) {
    const fault = await run(command, directory);
    if (fault !== undefined) return { skip: `${name} cannot be built here: ${command[0]}: ${fault}` };
  }
  writeFileSync(complete, '');
  return { directory };
}

/** Starts a counterpart with settings as key=value; resolves when it is ready. */
export async function start(
  make: Make,
  directory: string,
  settings: Readonly<Record<string, string | number | undefined>>,
): Promise<Running> {
  const [program, ...parameters] = make.start(directory);
  const given = Object.entries(settings).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}=${value}`],
  );
  const child = spawn(program, [...parameters, ...given], {
    cwd: directory,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const exited = once(child, 'exit');
  const ended = new AbortController();
  child.once('exit', () => ended.abort(new Error(`${make.name} ended`)));
  const input = createInterface({ input: child.stdout });
  for (;;) {
    const [line] = (await once(input, 'line', { signal: ended.signal })) as [string];
    if (line === 'ready') break;
  }
  const lines: string[] = [];
  input.on('line', (line) => lines.push(line));
  const find = async (matches: (line: string) => boolean): Promise<string> => {
    for (;;) {
      const found = lines.find(matches);
      if (found !== undefined) return found;
      await once(input, 'line', { signal: ended.signal });
    }
  };
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await exited;
  };
  return { kill, send: (line) => child.stdin.write(`${line}\n`), find, [Symbol.asyncDispose]: kill };
}

/** @returns the last line that a failed command wrote; undefined if it succeeded */
async function run([program, ...parameters]: Command, directory: string): Promise<string | undefined> {
  const child = spawn(program, parameters, { cwd: directory, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  }
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  child.once('error', ({ message }) => resolve(message));
  child.once('close', (status) =>
    resolve(status === 0 ? undefined : (output.trim().split('\n').at(-1) ?? `status ${status}`)),
  );
  return promise;
}
