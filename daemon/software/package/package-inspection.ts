import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';

import type { Clock } from '../../base/clock.ts';
import { describeFileFault } from '../../base/file/file-fault.ts';
import { openRegularFile } from '../../base/file/regular-file.ts';
import { unpackInChild } from './unpack-in-child.ts';
import type { UnpackedPackage } from './unpack-package.ts';
import { PackagingError } from './deployment-error.ts';

interface InspectionRequest {
  /** The package. */
  readonly file: string;
  /** Certificates of trusted signers and of trusted authorities; PEM. */
  readonly trustedCertificates: readonly string[];
  readonly clock: Clock;
  /** Ends the inspection. */
  readonly signal: AbortSignal;
}

/**
 * Checks a package as a gateway does before installing it, in a separate process, and keeps nothing of it. Rules that depend
 * on the installed packages are not checked.
 *
 * @throws {PackagingError} `FILE_UNREADABLE`
 * @throws {PackageRefused} with every error for which a gateway would refuse it
 * @throws {DeploymentError} when it cannot be inspected
 */
export async function inspectPackage(request: InspectionRequest): Promise<UnpackedPackage> {
  const { file, trustedCertificates, clock, signal } = request;
  const sha256 = await hashFile(file);
  const directory = await mkdtemp(path.join(tmpdir(), 'penstock-package-'));
  try {
    return await unpackInChild(
      {
        file: path.resolve(file),
        sha256,
        target: path.join(directory, 'content'),
        signaturePolicy: 'warn',
        trustedCertificates,
        nowMs: clock.epochMs(),
        isThorough: true,
      },
      clock,
      signal,
    );
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function hashFile(file: string): Promise<string> {
  const hash = createHash('sha256');
  try {
    const handle = await openRegularFile(file);
    await pipeline(handle.createReadStream(), hash);
  } catch (cause) {
    const detail = `${file} cannot be read: ${describeFileFault(cause, 'this user')}`;
    throw new PackagingError({ code: 'FILE_UNREADABLE', detail, cause });
  }
  return hash.digest('hex');
}
