import { describeFault, describeFileFault } from '../base/file-fault.ts';

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
