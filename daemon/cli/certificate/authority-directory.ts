import { mkdir } from 'node:fs/promises';

import type { Terminal } from '../command-group.ts';
import { AuthorityFiles } from './authority-files.ts';
import type { CertificateRecord } from './authority-ledger.ts';
import { holdAuthorityLock } from './authority-lock.ts';
import { LockedAuthority } from './locked-authority.ts';

/** Private certificate authority in a directory: its key, and its issued and revoked certificates. */
export class AuthorityDirectory {
  readonly #files: AuthorityFiles;

  constructor(directory: string) {
    this.#files = new AuthorityFiles(directory);
  }

  /** Path of the directory. */
  get directory(): string {
    return this.#files.directory;
  }

  /** File of the certificate of the authority. */
  get certificateFile(): string {
    return this.#files.at('certificate');
  }

  /** File of the revocation list. */
  get revocationListFile(): string {
    return this.#files.at('revocationList');
  }

  /** Reads the certificate of the authority, PEM. */
  async readCertificate(): Promise<string> {
    return this.#files.get('certificate');
  }

  /** Lists the certificates in the order of issue. */
  async list(): Promise<readonly CertificateRecord[]> {
    return (await this.#files.readLedger()).certificates;
  }

  /**
   * Runs `work` with the authority locked. First completes the changes of a killed command; the revocation list matches the
   * ledger before and after.
   *
   * @param isNew the authority need not exist yet
   * @throws {CommandError} `AUTHORITY_MISSING`, and as {@link holdAuthorityLock} does
   */
  async change<T>(
    terminal: Pick<Terminal, 'note' | 'stopSignal'>,
    work: (authority: LockedAuthority) => Promise<T>,
    { isNew = false }: { readonly isNew?: boolean } = {},
  ): Promise<T> {
    // The daemon reads certificate and list.
    if (isNew) await mkdir(this.directory, { recursive: true, mode: 0o755 });
    else await this.#files.get('certificate');
    return holdAuthorityLock(this.directory, terminal, async () => {
      const authority = new LockedAuthority(this.#files);
      await authority.recover();
      try {
        return await work(authority);
      } finally {
        for (const name of authority.recovered) {
          terminal.note(
            `revoked an unfinished certificate of ${name}: the command that issued it was stopped\n`,
          );
        }
      }
    });
  }
}
