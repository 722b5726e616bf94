import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

import type { Owner } from './temporary-directory.ts';

/** Makes a file or directory one that not even root can remove, change or move; only root can. */
export function setImmutable(file: string): void {
  execFileSync('chattr', ['+i', file]);
}

/** Takes the attribute away from everything in a directory. */
export function releaseImmutable(directory: string): void {
  execFileSync('chattr', ['-R', '-i', directory]);
}

/** Takes the attribute away when the test ends, if the directory is still there: it could not be removed otherwise. */
export function releaseAfter(owner: Owner, directory: string): void {
  owner.after(() => {
    if (existsSync(directory)) releaseImmutable(directory);
  });
}
