import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

import type { Owner } from '../support/temporary-directory.ts';

/** A program of this folder in its own process, whose operations are called by name. */
export interface Remote {
  readonly pid: number;
  call<Result>(operation: string, parameters?: unknown): Promise<Result>;
}

interface Call {
  readonly id: number;
  readonly operation: string;
  readonly parameters: unknown;
}

interface Reply {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: string;
}

interface RemoteOptions {
  /** True if it gets the processor only when no other process needs it (nice(1)): it makes the load, and is not measured. */
  readonly isInBackground?: boolean;
}

/** Starts a program that calls `serveRemote`; it ends with its owner. */
export async function startRemote(
  t: Owner,
  file: string,
  { isInBackground = false }: RemoteOptions = {},
): Promise<Remote> {
  const launcher = isInBackground
    ? { execPath: 'nice', execArgv: ['-n', '19', process.execPath, ...process.execArgv] }
    : {};
  const child = fork(path.join(import.meta.dirname, file), { serialization: 'advanced', ...launcher });
  const pending = new Map<number, { resolve: (result: unknown) => void; reject: (error: Error) => void }>();
  const exited = once(child, 'exit');
  let calls = 0;
  child.on('message', (message) => {
    const { id, result, error } = message as Reply;
    const call = pending.get(id);
    pending.delete(id);
    if (error === undefined) call?.resolve(result);
    else call?.reject(new Error(`${file}: ${error}`));
  });
  child.once('exit', () => {
    for (const { reject } of pending.values()) reject(new Error(`${file} ended`));
  });
  t.after(async () => {
    if (child.connected) child.disconnect();
    await exited;
  });
  await once(child, 'spawn');
  return {
    pid: child.pid ?? 0,
    call<Result>(operation: string, parameters?: unknown) {
      calls += 1;
      const id = calls;
      return new Promise<Result>((resolve, reject) => {
        pending.set(id, { resolve: (result) => resolve(result as Result), reject });
        child.send({ id, operation, parameters } satisfies Call, (error) => {
          if (error !== null) reject(error);
        });
      });
    },
  };
}

/** Answers the calls of the process that started this one, and ends with it. */
export function serveRemote(operations: Readonly<Record<string, (parameters: never) => unknown>>): void {
  process.on('message', (message) => void answer(message as Call));
  process.once('disconnect', () => process.exit());

  async function answer({ id, operation, parameters }: Call): Promise<void> {
    try {
      const work = operations[operation];
      if (work === undefined) throw new RangeError(`no operation ${operation}`);
      reply({ id, result: await work(parameters as never) });
    } catch (error) {
      reply({ id, error: error instanceof Error ? error.message : String(error) });
    }
  }

  function reply(message: Reply): void {
    process.send?.(message);
  }
}
