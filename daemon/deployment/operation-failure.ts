import { messageOf } from '../base/errors.ts';
import { describeFileFault } from '../base/file-fault.ts';
import { DeploymentError } from '../package/deployment-error.ts';

/** Converts a thrown value to an error with a reason. Of an unexpected error it shows only the system's description. */
export function toDeploymentError(thrown: unknown): DeploymentError {
  if (thrown instanceof DeploymentError) return thrown;
  const { code } = thrown as { readonly code?: unknown };
  const shown = typeof code === 'string' ? describeFileFault(thrown) : 'unexpected error; see the log';
  return new DeploymentError('OTHER_ERROR', `the operation failed: ${shown}`, thrown ?? messageOf(thrown));
}
