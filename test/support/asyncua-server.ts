import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';

import { findFreePort } from './free-ports.ts';

/** A server on asyncua in its own process; it has a writable Int32 `level`. */
export interface AsyncuaServer extends AsyncDisposable {
  readonly port: number;
  /** Returns the current state of the server, and the number of sessions ever created. */
  count(): Promise<AsyncuaCounts>;
}

export interface AsyncuaCounts {
  readonly sessions: number;
  readonly subscriptions: number;
  readonly sessionsMade: number;
}

// Debian's Python refuses packages beside its own, so this may be the interpreter of a virtual environment.
const PYTHON = process.env['ASYNCUA_PYTHON'] ?? 'python3';

/** Returns why tests with the server are skipped; false when they can run. */
export function findAsyncuaObstacle(): string | false {
  try {
    execFileSync(PYTHON, ['-c', 'import asyncua'], { stdio: 'pipe' });
    return false;
  } catch {
    return 'the Python package asyncua 2.1.0 is missing: ASYNCUA_PYTHON names an interpreter that has it';
  }
}

/**
 * Starts a server with a limit of sessions; it keeps a session whose connection was lost until its time-out.
 *
 * @param directory has `server.crt` and `server.key` in PEM; without it nothing is protected
 */
export async function startAsyncuaServer(
  allowedSessions: number,
  directory?: string,
): Promise<AsyncuaServer> {
  const port = await findFreePort();
  const program = path.join(import.meta.dirname, 'asyncua-server.py');
  const child = spawn(
    PYTHON,
    [program, String(port), String(allowedSessions), ...(directory === undefined ? [] : [directory])],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  const lines = createInterface({ input: child.stdout });
  const ended = new AbortController();
  const exited = once(child, 'exit');
  child.once('exit', () => ended.abort(new Error('the server on asyncua ended')));
  const readLine = async (): Promise<string> => {
    const [line] = (await once(lines, 'line', { signal: ended.signal })) as [string];
    return line;
  };
  await readLine();
  return {
    port,
    async count() {
      child.stdin.write('\n');
      const [sessions = 0, subscriptions = 0, sessionsMade = 0] = (await readLine()).split(' ').map(Number);
      return { sessions, subscriptions, sessionsMade };
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      await exited;
    },
  };
}
