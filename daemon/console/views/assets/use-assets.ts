import { useConsole } from '../../api/console-context.ts';
import type { ListedAssetStatus, listAssetStatus } from '../../../interface/asset-status.ts';
import { useResource } from '../../parts/use-resource.ts';
import type { Resource } from '../../parts/use-resource.ts';

/** An asset with the state of what lies behind it. */
export interface AssetHead {
  readonly pid: string;
  readonly status: ListedAssetStatus;
}

const EVERY_MS = 5000;

/** Asks for the assets that whoever is signed in may see, with their states, unless nobody wants them; no device is asked. */
export function useAssets({ isWanted = true }: { readonly isWanted?: boolean } = {}): Resource<
  readonly AssetHead[]
> {
  const { rest } = useConsole();
  return useResource(
    isWanted ? 'assets' : undefined,
    async (abort) => {
      const states = await rest.call<typeof listAssetStatus>('GET', '/services/assets/_status', { abort });
      return states.map((status) => ({ pid: status.asset, status }));
    },
    { everyMs: EVERY_MS },
  );
}
