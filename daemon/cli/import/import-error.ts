import { CommandError } from '../command-error.ts';

/** Returns the error of a file that cannot be read as what it should be. */
export function unreadable(detail: string, cause?: unknown): CommandError {
  return new CommandError({ code: 'IMPORT_UNREADABLE', detail, cause });
}
