import { createContext } from 'preact';
import { useContext } from 'preact/hooks';

import { useConsole } from '../../api/console-context.ts';
import { pendingChange } from '../../live/pending-change.ts';
import type { Resource } from '../../parts/use-resource.ts';
import { readsAssets } from '../pages.ts';
import { useAssets } from '../assets/use-assets.ts';
import type { AssetHead } from '../assets/use-assets.ts';
import { listAttention } from './attention.ts';
import type { Attention } from './attention.ts';
import { useChecks } from './use-checks.ts';
import type { CheckRound } from './use-checks.ts';

/** Attention state, shared by all pages. */
export interface AttentionState {
  readonly checks: Resource<CheckRound>;
  readonly items: readonly Attention[];
  /** Number of items that need attention, including those that are not checks. */
  readonly count: number;
  /** Severity of the worst item; unknown: the gateway is unreachable; loading: no response yet; hidden: not permitted. */
  readonly tone: 'none' | 'attention' | 'fault' | 'unknown' | 'loading' | 'hidden';
  /** Loaded if attention is derived from the assets alone. */
  readonly assets: Resource<readonly AssetHead[]>;
}

const AttentionContext = createContext<AttentionState | undefined>(undefined);

/** Provides the attention state to its descendants. */
export const AttentionProvider = AttentionContext.Provider;

/** Polls the attention state, also while another tab is visible. */
export function useGatewayAttention(): AttentionState {
  const { rest, session } = useConsole();
  const isLimited = !session.may('rest.events');
  const isHidden = isLimited && !readsAssets(session);
  const assets = useAssets({ isWanted: isLimited && !isHidden });
  const checks = useChecks(assets.value);
  const items = listAttention(checks.value?.checks ?? [], rest.gatewayNowMs());
  const count = items.length + (pendingChange.value === undefined ? 0 : 1);
  const isUnknown = checks.error !== undefined || !rest.link.state.value.isUp;
  const worst = items.some(({ tone }) => tone === 'fault') ? 'fault' : count > 0 ? 'attention' : 'none';
  const unread = isHidden ? 'hidden' : 'loading';
  const known = checks.value === undefined && worst === 'none' ? unread : worst;
  return { checks, items, count, tone: isUnknown ? 'unknown' : known, assets };
}

/** Returns the attention state. */
export function useAttention(): AttentionState {
  const attention = useContext(AttentionContext);
  if (attention === undefined) throw new Error('nothing is known outside the frame of the pages');
  return attention;
}
