import type { DocumentFault } from '../interface/failure.ts';
import { GatewayError } from '../base/errors.ts';
import type { ErrorOptions } from '../base/errors.ts';
import { describeFault, describeFileFault } from '../base/file/file-fault.ts';

/** Exit statuses of the command, for the shell. */
export const EXIT = { done: 0, failed: 1, usage: 2, notReached: 3, refused: 4, partly: 5 } as const;

/** The command line is wrong: an unknown or missing argument or option. */
export class UsageError extends GatewayError {
  constructor(detail: string) {
    super({ code: 'USAGE', detail });
  }
}

/** A command failed. */
export class CommandError extends GatewayError {}

/** Returns true for a response 404 of the gateway. */
export function isNotFound(error: unknown): error is CommandError {
  return error instanceof CommandError && error.code === 'STATUS_404';
}

/** The gateway rejected a document; `faults` lists the errors. */
export class DocumentRefused extends CommandError {
  readonly faults: readonly DocumentFault[];

  constructor(options: ErrorOptions & { readonly faults: readonly DocumentFault[] }) {
    super(options);
    this.faults = options.faults;
  }
}

/** The gateway did not respond. */
export class NotReached extends CommandError {}

/** The caller is not authenticated or not permitted (401, 403). */
export class Refused extends CommandError {}

/** Partial failure; the outcome of each part was printed. */
export class PartlyFailed extends CommandError {}

// The user of the command, not the daemon.
const USER = 'this user';

/** Describes a file error without the file name. */
export function describeFileFailure(error: unknown): string {
  return describeFileFault(error, USER);
}

/** Describes an error: path and reason for files and programs, otherwise the message. */
export function describeFailure(thrown: unknown): string {
  return describeFault(thrown, USER);
}
