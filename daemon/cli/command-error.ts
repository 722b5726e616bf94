import type { DocumentFault } from '../interface/failure.ts';
import { GatewayError } from '../base/errors.ts';
import type { ErrorOptions } from '../base/errors.ts';
import { describeFault, describeFileFault } from '../base/file/file-fault.ts';

/** Exit statuses of the command, for the shell. */
export const EXIT = { done: 0, failed: 1, usage: 2, notReached: 3, refused: 4, partly: 5 } as const;

/** The command line is wrong: an unknown word or option, or a missing one. */
export class UsageError extends GatewayError {
  constructor(detail: string) {
    super({ code: 'USAGE', detail });
  }
}

/** A command failed. */
export class CommandError extends GatewayError {}

/** Tells whether the gateway has answered that there is nothing at the path of a request. */
export function isNotFound(error: unknown): error is CommandError {
  return error instanceof CommandError && error.code === 'STATUS_404';
}

/** The gateway has refused a document and says where its faults are. */
export class DocumentRefused extends CommandError {
  readonly faults: readonly DocumentFault[];

  constructor(options: ErrorOptions & { readonly faults: readonly DocumentFault[] }) {
    super(options);
    this.faults = options.faults;
  }
}

/** The gateway did not answer. */
export class NotReached extends CommandError {}

/** The gateway does not know the caller, or does not permit the request. */
export class Refused extends CommandError {}

/** A command failed in part; the outcome of each part was printed. */
export class PartlyFailed extends CommandError {}

// Who typed the command, not the daemon.
const USER = 'this user';

/** Says in words why a file could not be used, without its name. */
export function describeFileFailure(error: unknown): string {
  return describeFileFault(error, USER);
}

/** Says in words what went wrong: of a file and of a program its path and the reason, otherwise the message. */
export function describeFailure(thrown: unknown): string {
  return describeFault(thrown, USER);
}
