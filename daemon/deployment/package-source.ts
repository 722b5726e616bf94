import type { Clock } from '../base/clock.ts';
import { DeploymentError } from '../package/deployment-error.ts';
import type { DeploymentSettings } from './deployment-settings.ts';
import { openDownload } from './download.ts';
import { openPackageFile } from './file-source.ts';
import { PackageTooLarge, writeSpoolFile } from './spool-file.ts';

interface PackageFetch {
  /** A URL that `parsePackageUrl` takes. */
  readonly url: string;
  /** Path of a file that does not exist. */
  readonly file: string;
  readonly settings: DeploymentSettings;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Hears which part has come in, 0 to 1, where the source says how much there is. */
  readonly onProgress: (done: number) => void;
}

/**
 * Copies a package from where it is to a new file; it is on the medium when this resolves. When it rejects there is no file.
 *
 * @returns SHA-256 of the package, lower-case hexadecimal
 * @throws {DeploymentError} `OTHER_ERROR` when it is not there, too large, or may not be taken from there; `TIMEOUT`
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
