import { createContext } from 'preact';
import { useContext } from 'preact/hooks';

import { useConsole } from '../../api/console-context.ts';
import { pendingChange } from '../../live/pending-change.ts';
import type { Resource } from '../../parts/use-resource.ts';
import { useAssets } from '../assets/use-assets.ts';
import type { AssetHead } from '../assets/use-assets.ts';
import { listAttention } from './attention.ts';
import type { Attention } from './attention.ts';
import { useChecks } from './use-checks.ts';
import type { CheckRound } from './use-checks.ts';

/** What needs somebody, on whatever page they are. */
export interface AttentionState {
  readonly checks: Resource<CheckRound>;
  readonly items: readonly Attention[];
  /** How many things need somebody, also those that are no checks. */
  readonly count: number;
  /** How much the worst of them does; unknown: the gateway could not be asked; loading: it was not heard yet. */
  readonly tone: 'none' | 'attention' | 'fault' | 'unknown' | 'loading';
  /** Asked for where the assets alone tell what needs somebody. */
  readonly assets: Resource<readonly AssetHead[]>;
}

const AttentionContext = createContext<AttentionState | undefined>(undefined);

/** Hands out what needs somebody to all that is below. */
export const AttentionProvider = AttentionContext.Provider;

/** Asks for what needs somebody, also while another tab is seen. */
export function useGatewayAttention(): AttentionState {
  const { rest, session } = useConsole();
  const assets = useAssets({ isWanted: !session.may('rest.events') });
  const checks = useChecks(assets.value);
  const items = listAttention(checks.value?.checks ?? [], rest.gatewayNowMs());
  const count = items.length + (pendingChange.value === undefined ? 0 : 1);
  const isUnknown = checks.error !== undefined || !rest.link.state.value.isUp;
  const worst = items.some(({ tone }) => tone === 'fault') ? 'fault' : count > 0 ? 'attention' : 'none';
  const known = checks.value === undefined && worst === 'none' ? 'loading' : worst;
  return { checks, items, count, tone: isUnknown ? 'unknown' : known, assets };
}

/** Returns what needs somebody. */
export function useAttention(): AttentionState {
  const attention = useContext(AttentionContext);
  if (attention === undefined) throw new Error('nothing is known outside the frame of the pages');
  return attention;
}
