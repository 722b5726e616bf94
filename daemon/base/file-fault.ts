import { messageOf } from './errors.ts';

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'the user that the daemon runs as has no right to it',
  EPERM: 'the user that the daemon runs as has no right to it',
  EISDIR: 'expected a file, found a directory',
  ENOTDIR: 'expected a directory, found a file',
  EEXIST: 'expected a directory, found a file',
  EROFS: 'the file system is mounted read-only',
  ENOSPC: 'the medium is full',
  EDQUOT: 'the quota of the user is used up',
  EIO: 'the medium fails; look at the log of the kernel',
};

/**
 * Says in plain words why a file or directory could not be used.
 *
 * @param error what the file system answered
 */
export function describeFileFault(error: unknown): string {
  const { code } = error as { readonly code?: unknown };
  return typeof code === 'string' ? (REASONS[code] ?? code) : messageOf(error);
}
