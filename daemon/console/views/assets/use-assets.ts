import { useConsole } from '../../api/console-context.ts';
import type { AssetStatus } from '../../api/types.ts';
import { useResource } from '../../parts/use-resource.ts';
import type { Resource } from '../../parts/use-resource.ts';

/** An asset with the state of what lies behind it. */
export interface AssetHead {
  readonly pid: string;
  /** Undefined: it could not be asked for. */
  readonly status: AssetStatus | undefined;
}

const EVERY_MS = 5000;
// Each costs a request, and a page shows no more at once.
const MOST_STATES = 100;

/** Asks for the assets that whoever is signed in may see, with their states, unless nobody wants them; no device is asked. */
export function useAssets({ isWanted = true }: { readonly isWanted?: boolean } = {}): Resource<
  readonly AssetHead[]
> {
  const { rest } = useConsole();
  return useResource(
    isWanted ? 'assets' : undefined,
    async (abort) => {
      const pids = await rest.get<readonly string[]>('/services/assets', abort);
      const states = await Promise.all(
        pids
          .slice(0, MOST_STATES)
          .map((pid) =>
            rest
              .get<AssetStatus>(`/services/assets/${encodeURIComponent(pid)}/_status`, abort)
              .catch(() => undefined),
          ),
      );
      return pids.map((pid, index) => ({ pid, status: states[index] }));
    },
    { everyMs: EVERY_MS },
  );
}
