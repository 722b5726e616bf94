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
      ANSIBLE_SSH_CONTROL_PATH_DIR: path.join(this.#folder, 'home/cp'),
      ANSIBLE_LOCALHOST_WARNING: 'False',
      ANSIBLE_NOCOLOR: '1',
      ANSIBLE_HOST_KEY_CHECKING: 'False',
      ANSIBLE_PIPELINING: 'True',
      // A connection that is kept ends soon after the last task.
      ANSIBLE_SSH_ARGS: '-F none -o UserKnownHostsFile=/dev/null -o ControlMaster=auto -o ControlPersist=5s',
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

  /**
   * Runs plays on the hosts of an inventory, which it reaches by ssh.
   *
   * @param entrance words before those of the program, which it is started with
   */
  playOn(
    inventory: object,
    plays: readonly object[],
    options: readonly string[] = [],
    entrance: readonly string[] = [],
  ): Promise<PlaybookRun> {
    const [hosts, file] = [path.join(this.#folder, 'hosts.json'), path.join(this.#folder, 'plays.yml')];
    writeFileSync(hosts, JSON.stringify(inventory));
    writeFileSync(file, JSON.stringify(plays));
    const words = [...entrance, programOf('ansible-playbook'), '--inventory', hosts, ...options, file];
    const [program = '', ...parameters] = words;
    return this.#run(program, parameters);
  }

  /** Encrypts variables with a password, and returns the options with which a playbook has them. */
  async encrypt(variables: object, password: string): Promise<readonly string[]> {
    const [file, key] = [path.join(this.#folder, 'vault.yml'), path.join(this.#folder, 'vault-password')];
    writeFileSync(file, JSON.stringify(variables), { mode: 0o600 });
    writeFileSync(key, password, { mode: 0o600 });
    const { status, output } = await this.#run(programOf('ansible-vault'), [
      'encrypt',
      '--vault-password-file',
      key,
      file,
    ]);
    if (status !== 0) throw new Error(output);
    return ['--vault-password-file', key, '--extra-vars', `@${file}`];
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
