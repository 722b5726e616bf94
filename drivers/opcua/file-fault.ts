import { DirectoryError } from '../../daemon/base/directory.ts';
import { describeFileFault } from '../../daemon/base/file-fault.ts';
import { ConnectionError } from '../../daemon/channel/driver-errors.ts';

/**
 * Returns an error for clients, without the path, when a file or directory of the own certificates or of the trust lists
 * cannot be used; any other error as it is.
 */
export function withoutPath(error: unknown, endpointUrl: string): unknown {
  const fault = error instanceof DirectoryError ? error.cause : error;
  if (!(fault instanceof Error) || !('code' in fault) || !('path' in fault)) return error;
  const detail = `the driver of ${endpointUrl} cannot use a file of the gateway: ${describeFileFault(fault)}; the log names it`;
  return new ConnectionError({ code: 'OPCUA_FILE_UNUSABLE', detail, cause: error });
}
