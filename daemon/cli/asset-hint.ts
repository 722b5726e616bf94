import { listAssets } from '../interface/assets.ts';
import { CommandError, isNotFound } from './command-error.ts';
import type { RestClient } from './rest-client.ts';
import { suggest } from './suggestion.ts';

/**
 * Does something with an asset; when there is none of this pid, the error names the one that was probably meant.
 *
 * @throws whatever `work` throws
 */
export async function withAssetHint<T>(client: RestClient, pid: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isNotFound(error)) throw error;
    const pids = await client.call(listAssets);
    if (pids.includes(pid)) throw error;
    throw new CommandError({
      code: error.code,
      detail: `${error.detail}${suggest(pid, pids)}`,
      cause: error,
    });
  }
}
