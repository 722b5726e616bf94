import net from 'node:net';

import { BundleError } from '../bundle-error.ts';
import type { StorageUsage } from '../storage/storage-usage.ts';

const STARTED = /^started (\d+)$/;
const ENDED = /^ended ([a-z-]+) (\d+)$/;
const MEMORY = /^memory (\d+)$/;
const STORAGE = /^storage (\d+) (\d+)(?: ([A-Z]+))?$/;
const REFUSED = 'refused ';
const MAXIMUM_LINE_LENGTH = 4096;

/** One request to `penstock-launcher`, and its reports on the bundle afterwards; both sides write lines of text. */
export class LauncherConnection {
  /** Resolves when the unit runs; rejects with `BUNDLE_NOT_LAUNCHED` and the reason. */
  readonly started: Promise<{ readonly pid: number }>;
  /** Resolves when the files of a bundle have been removed; rejects as `started` does. */
  readonly removed: Promise<void>;
  /** Resolves with the reason when the unit has ended, or the launcher has. */
  readonly ended: Promise<BundleError>;
  readonly #socket: net.Socket;
  readonly #start = Promise.withResolvers<{ readonly pid: number }>();
  readonly #removal = Promise.withResolvers<void>();
  readonly #end = Promise.withResolvers<BundleError>();
  #memoryBytes: number | undefined;
  #storage: StorageUsage | undefined;
  #waiting = '';

  constructor(launcherSocket: string) {
    this.started = this.#start.promise;
    this.removed = this.#removal.promise;
    this.ended = this.#end.promise;
    // A caller awaits only one of the two.
    this.started.catch(() => undefined);
    this.removed.catch(() => undefined);
    this.#socket = net.connect(launcherSocket);
    this.#socket.setEncoding('utf8');
    this.#socket.on('data', (text: string) => this.#receive(text));
    this.#socket.on('error', (error) =>
      this.#fail(`penstock-launcher.socket: ${error.message}; is it active?`),
    );
    this.#socket.on('close', () =>
      this.#fail('the launcher has ended; see the journal of penstock-launcher@*'),
    );
  }

  /** Last measured resident memory of the bundle; undefined before the first measurement. */
  get memoryBytes(): number | undefined {
    return this.#memoryBytes;
  }

  /** Last measured storage of the bundle; undefined before the first measurement. */
  get storage(): StorageUsage | undefined {
    return this.#storage;
  }

  /** Sends lines; they are dropped if the launcher has exited. */
  send(lines: readonly string[]): void {
    if (this.#socket.writable) this.#socket.write(lines.map((line) => `${line}\n`).join(''));
  }

  /** Closes the connection; the launcher then kills a bundle that still runs. */
  close(): void {
    this.#socket.destroy();
  }

  #receive(text: string): void {
    const lines = (this.#waiting + text).split('\n');
    this.#waiting = lines.pop() ?? '';
    for (const line of lines) this.#accept(line);
    if (this.#waiting.length > MAXIMUM_LINE_LENGTH) this.#fail('the launcher sent a line that is too long');
  }

  #accept(line: string): void {
    if (line === 'removed') this.#removal.resolve();
    if (line.startsWith(REFUSED)) this.#fail(line.slice(REFUSED.length));
    const [, pid] = STARTED.exec(line) ?? [];
    if (pid !== undefined) this.#start.resolve({ pid: Number(pid) });
    const [, resident] = MEMORY.exec(line) ?? [];
    if (resident !== undefined) this.#memoryBytes = Number(resident);
    const [, bytes, entries, unreadable] = STORAGE.exec(line) ?? [];
    if (bytes !== undefined) this.#storage = { bytes: Number(bytes), entries: Number(entries), unreadable };
    const [, result, status = ''] = ENDED.exec(line) ?? [];
    if (result !== undefined) this.#end.resolve(describeEnd(result, status));
  }

  #fail(detail: string): void {
    const error = new BundleError('BUNDLE_NOT_LAUNCHED', detail);
    this.#start.reject(error);
    this.#removal.reject(error);
    this.#end.resolve(error);
  }
}

/** Returns the reason for `Result=` and `ExecMainStatus=` of a unit (org.freedesktop.systemd1(5)). */
function describeEnd(result: string, status: string): BundleError {
  switch (result) {
    case 'oom-kill':
      return new BundleError('BUNDLE_MEMORY_EXCEEDED', 'the bundle uses more memory than its unit allows');
    case 'signal':
    case 'core-dump':
      return new BundleError('BUNDLE_ENDED', `the bundle ended by signal ${status}`);
    default:
      return new BundleError('BUNDLE_ENDED', `the bundle ended with status ${status}`);
  }
}
