import { createPattern } from '../../base/text/name-pattern.ts';
import { listAssets, listChannels } from '../../interface/plant/assets.ts';
import { CommandError } from '../command-error.ts';
import type { Grant } from '../../interface/plant/grant.ts';
import type { RestClient } from '../client/rest-client.ts';
import { suggest } from '../terminal/suggestion.ts';

/** Matches grants with existing names; fetches each list once. */
export class GrantMatcher {
  readonly #client: RestClient;
  readonly #channels = new Map<string, Promise<readonly string[]>>();
  #assets: Promise<readonly string[]> | undefined;

  constructor(client: RestClient) {
    this.#client = client;
  }

  /**
   * Describes the patterns of a grant that match nothing; they may be intended for future names.
   *
   * @throws {CommandError} if the caller may not see the names
   */
  async findUnmatched({ assets, channels = [] }: Grant): Promise<readonly string[]> {
    const pids = await this.#listAssets();
    // During setup, grants are often created before any assets.
    if (pids.length === 0) return [];
    const matching = pids.filter((pid) => assets.some((pattern) => createPattern(pattern)(pid)));
    const unmatched = listUnmatched(assets, pids);
    const hints = unmatched.map((pattern) => `no asset matches ${pattern}${suggest(pattern, pids)}`);
    if (channels.length === 0 || matching.length === 0) return hints;
    const names = [...new Set((await Promise.all(matching.map((pid) => this.#listChannels(pid)))).flat())];
    const places = matching.length === 1 ? matching.join('') : 'these assets';
    return [
      ...hints,
      ...listUnmatched(channels, names).map(
        (pattern) => `no channel of ${places} matches ${pattern}${suggest(pattern, names)}`,
      ),
    ];
  }

  #listAssets(): Promise<readonly string[]> {
    this.#assets ??= this.#client.call(listAssets);
    return this.#assets;
  }

  #listChannels(pid: string): Promise<readonly string[]> {
    const known = this.#channels.get(pid);
    if (known !== undefined) return known;
    const names = this.#client
      .call(listChannels, { pid })
      .then((channels) => channels.map(({ name }) => name));
    this.#channels.set(pid, names);
    return names;
  }
}

/** Describes the patterns of grants that match nothing; empty if the caller may not see the names. */
export async function hintUnmatched(
  client: RestClient,
  grants: readonly Grant[],
): Promise<readonly string[]> {
  const matcher = new GrantMatcher(client);
  try {
    return (await Promise.all(grants.map((grant) => matcher.findUnmatched(grant)))).flat();
  } catch (error) {
    if (error instanceof CommandError) return [];
    throw error;
  }
}

function listUnmatched(patterns: readonly string[], names: readonly string[]): readonly string[] {
  return patterns.filter((pattern) => !names.some(createPattern(pattern)));
}
