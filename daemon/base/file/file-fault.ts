import { GatewayError, messageOf } from '../errors.ts';
import { createReason, quoteError } from '../fault-reason.ts';
import type { FaultReason } from '../fault-reason.ts';
import { BASE_FAULTS } from '../fault-sentences.ts';

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  EISDIR: 'expected a file, found a directory',
  ENOTDIR: 'expected a directory, found a file',
  EEXIST: 'expected a directory, found a file',
  EROFS: 'the file system is mounted read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota of the user is exceeded',
  EIO: 'the disk failed; see the kernel log',
  ENXIO: 'expected a file, found a pipe, a socket or a device',
  ETIMEDOUT: 'no response in time',
};

/**
 * Describes the reason that a file or directory could not be used.
 *
 * @param error as the file system reports it
 * @param user user who tried it
 */
export function describeFileFault(error: unknown, user = 'the user of the daemon'): string {
  const { code } = error as { readonly code?: unknown };
  if (code === 'EACCES' || code === 'EPERM') return `${user} has no permission`;
  // Codes of libraries, such as ERR_OSSL_UNSUPPORTED, say less than their messages.
  return typeof code === 'string' && !code.includes('_') ? (REASONS[code] ?? code) : messageOf(error);
}

/** Returns the sentences for a file or directory that cannot be read: the second one is the error of the system. */
export function explainFileFault(error: unknown): readonly FaultReason[] {
  const quoted = quoteError({ code: codeOfFault(error) ?? 'UNKNOWN', message: describeFileFault(error) });
  return [createReason(BASE_FAULTS, 'FILE_UNREADABLE', {}), quoted];
}

// Result codes of SQLite (sqlite.org/rescode.html) for which the system has a code: SQLITE_READONLY, SQLITE_IOERR, SQLITE_FULL.
const CODES_OF_SQLITE: ReadonlyMap<number, string> = new Map([
  [8, 'EROFS'],
  [10, 'EIO'],
  [13, 'ENOSPC'],
]);

/** Returns the code of the reason that something failed: of the gateway, or of the system, such as `ENOSPC`; undefined if it has none. */
export function codeOfFault(thrown: unknown): string | undefined {
  if (thrown instanceof GatewayError) return thrown.code;
  const { code, errcode = 0 } = (thrown ?? {}) as { readonly code?: unknown; readonly errcode?: number };
  if (typeof code === 'string' && !code.startsWith('ERR_')) return code;
  return CODES_OF_SQLITE.get(errcode % 256);
}

/**
 * Describes an error: for files and programs the path and the reason, otherwise the message.
 *
 * @param thrown any value
 * @param user user who tried it
 */
export function describeFault(thrown: unknown, user?: string): string {
  if (!(thrown instanceof Error)) return messageOf(thrown);
  const { code, syscall, path, dest } = thrown as NodeJS.ErrnoException & { readonly dest?: string };
  if (code === undefined || syscall === undefined || path === undefined) return messageOf(thrown);
  // A socket has a path as well, and needs a different text.
  if (syscall === 'connect') return messageOf(thrown);
  const reason = describeFileFault(thrown, user);
  return syscall.startsWith('spawn') ? `cannot start ${path}: ${reason}` : `${dest ?? path}: ${reason}`;
}
