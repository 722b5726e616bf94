import { createHash } from 'node:crypto';
import { open, rm } from 'node:fs/promises';

import { TooLarge } from '../../../base/errors.ts';

/** A package exceeds the maximum size. */
export class PackageTooLarge extends TooLarge {
  constructor(maximumBytes: number) {
    super({ code: 'PACKAGE_TOO_LARGE', detail: `the package has more than ${maximumBytes} bytes` });
  }
}

/** A package that has been received. */
interface SpooledPackage {
  readonly sizeBytes: number;
  /** Lower-case hexadecimal. */
  readonly sha256: string;
}

/**
 * Writes content to a new file that only its owner may read, chunk by chunk. The file is synced when this resolves and absent
 * when this rejects.
 *
 * @param chunks the content; each is used before the next one is requested
 * @param file path of a file that does not exist
 * @throws {PackageTooLarge} as soon as more than `maximumBytes` arrive
 */
export async function writeSpoolFile(
  chunks: AsyncIterable<Uint8Array>,
  file: string,
  maximumBytes: number,
  onProgress: (receivedBytes: number) => void = () => undefined,
): Promise<SpooledPackage> {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  async function* measure(): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      sizeBytes += chunk.length;
      if (sizeBytes > maximumBytes) throw new PackageTooLarge(maximumBytes);
      hash.update(chunk);
      yield chunk;
      onProgress(sizeBytes);
    }
  }
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.writeFile(measure());
    await handle.sync();
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
  return { sizeBytes, sha256: hash.digest('hex') };
}
