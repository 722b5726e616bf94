import { execFile } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { createTemporaryDirectory } from './temporary-directory.ts';
import type { Owner } from './temporary-directory.ts';
import { programOf } from './tools.ts';

/** Folder of the collection. */
export const COLLECTION = path.resolve(import.meta.dirname, '../../packaging/ansible');

/** What a run of ansible-playbook printed, and its exit status. */
export interface PlaybookRun {
  readonly status: number;
  readonly output: string;
}

/** Runs playbooks with the collection of the checkout. */
export class Ansible {
  readonly #folder: string;
  readonly #environment: NodeJS.ProcessEnv;

  /** Lays out a place for playbooks, which is gone when the test ends. */
  constructor(t: Owner) {
    this.#folder = createTemporaryDirectory(t);
    const collections = path.join(this.#folder, 'ansible_collections/penstock');
    mkdirSync(collections, { recursive: true });
    symlinkSync(COLLECTION, path.join(collections, 'gateway'));
    this.#environment = {
      ...process.env,
      ANSIBLE_COLLECTIONS_PATH: this.#folder,
      ANSIBLE_HOME: path.join(this.#folder, 'home'),
      ANSIBLE_LOCAL_TEMP: path.join(this.#folder, 'home/tmp'),
      ANSIBLE_REMOTE_TEMP: path.join(this.#folder, 'home/remote'),
      ANSIBLE_LOCALHOST_WARNING: 'False',
      ANSIBLE_NOCOLOR: '1',
      PYTHONDONTWRITEBYTECODE: '1',
    };
  }

  /** Runs tasks on this machine; the playbook is JSON, which is YAML. */
  play(
    tasks: readonly object[],
    variables: object = {},
    options: readonly string[] = [],
  ): Promise<PlaybookRun> {
    const file = path.join(this.#folder, 'playbook.yml');
    const play = { hosts: 'localhost', connection: 'local', gather_facts: false, vars: variables, tasks };
    writeFileSync(file, JSON.stringify([play]));
    return this.#run(programOf('ansible-playbook'), [...options, file]);
  }

  /** Checks the collection with ansible-lint. */
  lint(): Promise<PlaybookRun> {
    return this.#run(programOf('ansible-lint'), ['--offline', '--nocolor', '-q'], COLLECTION);
  }

  #run(program: string, parameters: readonly string[], cwd = this.#folder): Promise<PlaybookRun> {
    return new Promise((resolve) => {
      const options = { cwd, env: this.#environment, maxBuffer: 16 * 1024 * 1024 };
      const child = execFile(program, parameters, options, (_error, stdout, stderr) =>
        resolve({ status: child.exitCode ?? 1, output: stdout + stderr }),
      );
    });
  }
}
