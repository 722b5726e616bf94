import { messageOf } from './errors.ts';

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'the user of the daemon has no permission',
  EPERM: 'the user of the daemon has no permission',
  EISDIR: 'expected a file, found a directory',
  ENOTDIR: 'expected a directory, found a file',
  EEXIST: 'expected a directory, found a file',
  EROFS: 'the file system is mounted read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota of the user is used up',
  EIO: 'the disk fails; see the kernel log',
  ENXIO: 'expected a file, found a pipe, a socket or a device',
  ETIMEDOUT: 'it does not answer in time',
};

/**
 * Describes in plain words why a file or directory could not be used.
 *
 * @param error as the file system reports it
 */
export function describeFileFault(error: unknown): string {
  const { code } = error as { readonly code?: unknown };
  return typeof code === 'string' ? (REASONS[code] ?? code) : messageOf(error);
}
