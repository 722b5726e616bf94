import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import os from 'node:os';

import type { Fact } from './attempt.ts';

// SIGUSR1 is left to Node.js, which opens its debugger; the others have no effect but a line.
const RECORDED = [
  'SIGHUP',
  'SIGINT',
  'SIGTERM',
  'SIGUSR2',
  'SIGCONT',
  'SIGWINCH',
  'SIGALRM',
  'SIGPIPE',
] as const;
const PROGRAM = `for (const name of ${JSON.stringify(RECORDED)}) process.on(name, () => console.log(name));
setInterval(() => undefined, 1000); console.log('up');`;

/** Who the process runs as; this user unless given. */
export interface Account {
  readonly uid?: number;
  readonly gid?: number;
}

/** A process of the same account that bundles may not reach, and this process, their parent. */
export class CanaryProcess {
  readonly #token: string;
  readonly #account: Account;
  readonly #facts: Fact[] = [];
  #child: ChildProcess | undefined;
  #nice = '';

  private constructor(token: string, account: Account) {
    this.#token = token;
    this.#account = account;
    for (const name of [...RECORDED, 'SIGUSR1'] as const)
      process.on(name, () => this.#add(`the parent received ${name}`));
  }

  /** Starts it; its environment holds the token. */
  static async start(token: string, account: Account = {}): Promise<CanaryProcess> {
    const canary = new CanaryProcess(token, account);
    await canary.#start();
    return canary;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** Lists what has happened to it since the last call, and starts it again if something has. */
  async look(): Promise<readonly Fact[]> {
    if (describePriority(this.pid) !== this.#nice) this.#add('its priority was changed');
    if (hasDebugger(this.pid)) this.#add('its debugger listens');
    if (isStopped(this.pid)) this.#add('it was stopped');
    const facts = this.#facts.splice(0);
    if (facts.length > 0) {
      await this.stop();
      await this.#start();
    }
    return facts;
  }

  async stop(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }

  async #start(): Promise<void> {
    const child = spawn(process.execPath, ['-e', PROGRAM], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { CANARY: this.#token },
      ...this.#account,
    });
    this.#child = child;
    await once(child.stdout, 'data');
    this.#nice = describePriority(this.pid);
    child.stdout.on('data', (chunk: Buffer) => this.#add(`it received ${chunk.toString().trim()}`));
    child.stderr.on('data', (chunk: Buffer) => this.#add(chunk.toString().slice(0, 60)));
    child.once('exit', (status, signal) => {
      if (this.#child === child) this.#add(`it ended with ${signal ?? status ?? ''}`);
    });
  }

  #add(detail: string): void {
    this.#facts.push({ kind: 'signalled', detail });
  }
}

function describePriority(pid: number): string {
  try {
    return String(os.getPriority(pid));
  } catch {
    return 'gone';
  }
}

function isStopped(pid: number): boolean {
  return / [Tt] /.test(readOrNothing(`/proc/${pid}/stat`).replace(/.*\)/, ''));
}

// The debugger of Node.js: one listening socket (state 0A) on port 9229, which is 240D.
function hasDebugger(pid: number): boolean {
  return / 0100007F:240D \S+ 0A /.test(readOrNothing(`/proc/${pid}/net/tcp`));
}

// The process may end at any moment.
function readOrNothing(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
