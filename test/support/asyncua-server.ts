import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';

import { findFreePort } from './free-ports.ts';
import { programOf } from './tools.ts';

/** On which terms clients may come; by default a hundred sessions, and nothing is protected. */
export interface AsyncuaTerms {
  readonly sessions?: number;
  /** Has `server.crt` and `server.key` in PEM. */
  readonly directory?: string;
  /** Policies with their modes, as `Basic256Sha256_SignAndEncrypt`. */
  readonly policies?: readonly string[];
  /** The time-out of every session, whatever a client asks for. */
  readonly sessionTimeoutMs?: number;
  /** False: the service TranslateBrowsePathsToNodeIds is not supported. */
  readonly translates?: boolean;
  /** Most publishing intervals between two keep-alive messages of a subscription. */
  readonly keepAliveCount?: number;
  /**
   * What the server answers to Republish for a message that it does not have: by default an empty message, else as in the
   * standard; `UNSUPPORTED` for every message.
   */
  readonly republish?: 'STANDARD' | 'UNSUPPORTED';
}

/** Settings of the server. */
export interface AsyncuaOptions extends AsyncuaTerms {
  readonly port?: number;
  /** Has it show the tank and a folder with so many values, see `asyncua_tank.py`. */
  readonly many?: number;
}

/** A server on asyncua in its own process; its nodes are in `asyncua_nodes.py`. */
export interface AsyncuaServer extends AsyncDisposable {
  readonly port: number;
  /**
   * Makes it as new for another test: it ends every session, its nodes hold what they held at the start, it has counted
   * nothing, and these terms hold in place of those before. Connections stay.
   */
  reset(terms?: AsyncuaTerms): Promise<void>;
  /** Returns the current state of the server, and the number of sessions ever created. */
  count(): Promise<AsyncuaCounts>;
  /** Returns how many Read requests came so far. */
  countReads(): Promise<number>;
  /** Returns what a node holds. */
  show(name: string): Promise<AsyncuaValue>;
  /** Sets a node to each value in turn, faster than the server reports. */
  burst(name: string, values: readonly (readonly [number, number, number])[]): Promise<void>;
  /** Has the next messages of subscriptions not arrive; the server believes that it has sent them. */
  swallow(count: number, kind?: 'CHANGES' | 'ALL'): Promise<void>;
  /** Returns how many messages were swallowed since the last reset. */
  countSwallowed(): Promise<number>;
  /** Drops the messages that the server has stored. */
  forget(): Promise<void>;
  /** Deletes every subscription, as after its lifetime. */
  expire(): Promise<void>;
  /** Returns the calls of methods since the call before, each with its arguments. */
  takeCalls(): Promise<readonly (readonly unknown[])[]>;
  /** Ends the process without a goodbye. */
  kill(): Promise<void>;
}

export interface AsyncuaCounts {
  readonly sessions: number;
  readonly subscriptions: number;
  readonly sessionsMade: number;
}

/** A Variant as asyncua shows it. */
export interface AsyncuaValue {
  readonly type: string;
  readonly value: unknown;
  readonly dimensions: readonly number[] | null;
}

const USUAL_TERMS: AsyncuaTerms = { sessions: 100, policies: ['Basic256Sha256_SignAndEncrypt'] };

/** Starts a server; it keeps a session whose connection was lost until its time-out. */
export async function startAsyncuaServer(options: AsyncuaOptions = {}): Promise<AsyncuaServer> {
  const port = options.port ?? (await findFreePort());
  const program = path.join(import.meta.dirname, 'asyncua-server.py');
  const settings = { ...USUAL_TERMS, ...options, port };
  const child = spawn(programOf('asyncua'), ['-B', program, JSON.stringify(settings)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout });
  const ended = new AbortController();
  const exited = once(child, 'exit');
  child.once('exit', () => ended.abort(new Error('the server on asyncua ended')));
  const readLine = async (): Promise<string> => {
    const [line] = (await once(lines, 'line', { signal: ended.signal })) as [string];
    return line;
  };
  const ask = async <T>(...command: readonly unknown[]): Promise<T> => {
    child.stdin.write(`${JSON.stringify(command)}\n`);
    return JSON.parse(await readLine()) as T;
  };
  await readLine();
  return {
    port,
    reset: (terms = {}) => ask('reset', { ...USUAL_TERMS, ...terms }),
    count: () => ask('count'),
    countReads: () => ask('reads'),
    show: (name) => ask('show', name),
    burst: (name, values) => ask('burst', name, values),
    swallow: (count, kind = 'CHANGES') => ask('swallow', count, kind === 'ALL'),
    countSwallowed: () => ask('swallowed'),
    forget: () => ask('forget'),
    expire: () => ask('expire'),
    takeCalls: () => ask('calls'),
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      await exited;
    },
  };
}
