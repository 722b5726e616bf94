import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { createTemporaryDirectory } from './temporary-directory.ts';
import type { Owner } from './temporary-directory.ts';
import { programOf } from './tools.ts';

/** Makes an OpenPGP key that may sign, and returns the file of its secret half. */
export function makeRepositoryKey(t: Owner, { passphrase = '', keys = 1 } = {}): string {
  // Short: the socket of the agent lies in it.
  const home = mkdtempSync(path.join(tmpdir(), 'gpg-'));
  const gpg = (...parameters: readonly string[]): string =>
    execFileSync(programOf('gpg'), ['--homedir', home, '--batch', '--quiet', ...parameters], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  try {
    const secret = ['--pinentry-mode', 'loopback', '--passphrase', passphrase];
    for (let number = 1; number <= keys; number += 1) {
      gpg(
        ...secret,
        '--quick-generate-key',
        `Archive ${number} <archive@example.org>`,
        'ed25519',
        'sign',
        'never',
      );
    }
    const file = path.join(createTemporaryDirectory(t), 'archive-key.asc');
    writeFileSync(file, gpg(...secret, '--armor', '--export-secret-keys'), { mode: 0o600 });
    return file;
  } finally {
    execFileSync(programOf('gpgconf'), ['--homedir', home, '--kill', 'all']);
    rmSync(home, { recursive: true, force: true });
  }
}
