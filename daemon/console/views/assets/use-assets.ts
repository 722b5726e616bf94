import { useEffect } from 'preact/hooks';

import { useConsole } from '../../api/console-context.ts';
import type {
  ListedAssetStatus,
  listAssetStatus,
  AssetStatus,
  readAssetStatus,
} from '../../../interface/plant/asset-status.ts';
import { useResource } from '../../parts/use-resource.ts';
import type { Resource } from '../../parts/use-resource.ts';
import type { LiveValue } from '../../live/live-values.ts';

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

/** Asks for the state of the connection of an asset: now and then, and at once when its values tell that it is another one. */
export function useAssetStatus(pid: string, values: ReadonlyMap<string, LiveValue>): AssetStatus | undefined {
  const { rest } = useConsole();
  const status = useResource(
    pid,
    (abort) =>
      rest.call<typeof readAssetStatus>('GET', `/services/assets/${encodeURIComponent(pid)}/_status`, {
        abort,
      }),
    { everyMs: EVERY_MS },
  );
  const heard = classifyValues(values);
  useEffect(() => {
    if (heard !== 'NOTHING') status.reload();
  }, [heard]);
  return status.value;
}

/** Tells whether a device answers, as far as its values say: one that does has one value at least. */
function classifyValues(values: ReadonlyMap<string, LiveValue>): 'NOTHING' | 'ANSWERS' | 'FAILURES' {
  if (values.size === 0) return 'NOTHING';
  const isAnswered = [...values.values()].some(
    ({ record }) => record.channelStatus.channelFlag === 'SUCCESS',
  );
  return isAnswered ? 'ANSWERS' : 'FAILURES';
}
