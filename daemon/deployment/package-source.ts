import type { Clock } from '../base/clock.ts';
import { DeploymentError } from '../package/deployment-error.ts';
import type { DeploymentSettings } from './deployment-settings.ts';
import { openDownload } from './download.ts';
import { openPackageFile } from './file-source.ts';
import { PackageTooLarge, writeSpoolFile } from './spool-file.ts';

interface PackageFetch {
  /** A URL that `parsePackageUrl` accepts. */
  readonly url: string;
  /** Path of a file that does not exist. */
  readonly file: string;
  readonly settings: DeploymentSettings;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Called with the part received so far, 0 to 1, where the size is known. */
  readonly onProgress: (done: number) => void;
}

/**
 * Copies a package from its source to a new file, which is synced when this resolves and absent when this rejects.
 *
 * @returns SHA-256 of the package, lower-case hexadecimal
 * @throws {DeploymentError} `OTHER_ERROR` when it is missing, too large, or its source not allowed; `TIMEOUT`
 */
export async function fetchPackage({ url, file, settings, ...parts }: PackageFetch): Promise<string> {
  const { clock, signal, onProgress } = parts;
  const parsed = new URL(url);
  const { chunks, sizeBytes } =
    parsed.protocol === 'file:'
      ? await openPackageFile(parsed, settings.fileSourceDirectories, signal)
      : await openDownload(parsed, clock, signal);
  try {
    const spooled = await writeSpoolFile(chunks, file, settings.maximumPackageBytes, (received) => {
      if (sizeBytes !== undefined) onProgress(received / sizeBytes);
    });
    return spooled.sha256;
  } catch (error) {
    if (error instanceof PackageTooLarge) throw new DeploymentError('OTHER_ERROR', error.detail, error);
    throw error;
  }
}
