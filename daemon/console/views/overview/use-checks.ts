import { useConsole } from '../../api/console-context.ts';
import type { GatewayCheck, checkStatus } from '../../../interface/status.ts';
import { useResource } from '../../parts/use-resource.ts';
import type { Resource } from '../../parts/use-resource.ts';
import type { AssetHead } from '../assets/use-assets.ts';
import { deriveChecks } from './derived-checks.ts';

/** Checks and their time. */
export interface CheckRound {
  readonly checks: readonly GatewayCheck[];
  /** By the browser's clock. */
  readonly atMs: number;
  /** True if the checks are derived from assets only. */
  readonly isLimited: boolean;
}

const EVERY_MS = 10_000;

/** Loads the gateway's checks; without permission, derives them from the assets. Sends no requests to devices. */
export function useChecks(assets: readonly AssetHead[] | undefined): Resource<CheckRound> {
  const { rest, session } = useConsole();
  const mayAsk = session.may('rest.events');
  const asked = useResource(
    mayAsk ? 'checks' : undefined,
    async (abort): Promise<CheckRound> => {
      const { checks } = await rest.call<typeof checkStatus>('GET', '/services/status/v1', { abort });
      return { checks, atMs: Date.now(), isLimited: false };
    },
    { everyMs: EVERY_MS, isForTab: true },
  );
  if (mayAsk || assets === undefined) return asked;
  const checks = deriveChecks(assets.map(({ status }) => status));
  return { ...asked, value: { checks, atMs: Date.now(), isLimited: true } };
}
