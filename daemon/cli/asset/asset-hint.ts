import { listAssets } from '../../interface/plant/assets.ts';
import type { RestClient } from '../client/rest-client.ts';
import { CommandError, isNotFound } from '../command-error.ts';
import { suggest } from '../terminal/suggestion.ts';

/** Runs `work`; if the asset is unknown, the error suggests a similar pid. */
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
