import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import type { AttemptProcess } from './attempt-run.ts';

const STORE = '/var/lib/penstock/packages/store';
const DATA = '/var/lib/private/penstock-bundles';
const START_TRIES = 1200;
const PAUSE_MS = 50;

/** The bundle of an installed package, which the gateway runs as a unit; seen by root. */
export class UnitProcess implements AttemptProcess {
  readonly isFenced: boolean;
  readonly directory: string;
  readonly dataDirectory: string;
  readonly #name: string;
  readonly #unit: string;
  readonly #cursorFile: string;
  #pid: number | undefined;
  #output = '';

  /**
   * @param name symbolic name of the package and of its bundle
   * @param cursorFile file that keeps the place in the journal
   * @param isFenced whether the inner sandbox is there
   */
  constructor(name: string, cursorFile: string, isFenced: boolean) {
    this.#name = name;
    this.isFenced = isFenced;
    this.#unit = `penstock-bundle@${name}.service`;
    this.#cursorFile = cursorFile;
    const [version = ''] = readdirSync(path.join(STORE, name));
    this.directory = path.join(STORE, name, version, 'bundles', name);
    this.dataDirectory = path.join(DATA, name);
  }

  get pid(): number | undefined {
    if (this.#pid !== undefined && !existsSync(`/proc/${this.#pid}`)) this.#pid = undefined;
    return this.#pid;
  }

  async start(): Promise<void> {
    if (this.pid !== undefined) return;
    // A bundle that ended often is given up; this starts it all the same.
    execFileSync('penstock', ['bundle', 'restart', this.#name], { stdio: 'ignore' });
    for (let tries = 0; tries < START_TRIES; tries += 1) {
      const pid = Number(this.#show('MainPID'));
      if (pid !== 0) {
        this.#pid = pid;
        return;
      }
      await pause(PAUSE_MS);
    }
    throw new Error(`${this.#unit} does not start`);
  }

  async end(): Promise<void> {
    if (this.pid === undefined) return;
    execFileSync('systemctl', ['kill', '--signal=KILL', this.#unit]);
    while (this.pid !== undefined) await pause(PAUSE_MS);
  }

  output(): string {
    const units = ['-u', this.#unit, '-u', 'penstock.service'];
    const given = [...units, '-o', 'cat', '-q', '--no-pager', `--cursor-file=${this.#cursorFile}`];
    this.#output += execFileSync('journalctl', given, { encoding: 'utf8', maxBuffer: 100_000_000 });
    return this.#output;
  }

  listProcesses(): readonly number[] {
    const file = path.join('/sys/fs/cgroup', this.#show('ControlGroup'), 'cgroup.procs');
    if (!existsSync(file)) return [];
    return readFileSync(file, 'utf8').split('\n').filter(Boolean).map(Number);
  }

  #show(property: string): string {
    return execFileSync('systemctl', ['show', '-P', property, this.#unit], { encoding: 'utf8' }).trim();
  }
}
