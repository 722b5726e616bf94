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

/** Asset with its device state. */
export interface AssetHead {
  readonly pid: string;
  readonly status: ListedAssetStatus;
}

const EVERY_MS = 5000;

/** Loads the visible assets with their states, if wanted. Sends no requests to devices. */
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

/** Loads the connection state of an asset: periodically, and at once when its values indicate a change. */
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

/** Infers from its values if a device responds: at least one value is good. */
function classifyValues(values: ReadonlyMap<string, LiveValue>): 'NOTHING' | 'ANSWERS' | 'FAILURES' {
  if (values.size === 0) return 'NOTHING';
  const isAnswered = [...values.values()].some(
    ({ record }) => record.channelStatus.channelFlag === 'SUCCESS',
  );
  return isAnswered ? 'ANSWERS' : 'FAILURES';
}
