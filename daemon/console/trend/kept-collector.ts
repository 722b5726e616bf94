import type { Rest } from '../api/rest.ts';
import { TrendCollector } from './trend-collector.ts';
import type { GapCauses } from './trend-collector.ts';

const kept = new WeakMap<Rest, { readonly identity: string; readonly collector: TrendCollector }>();

/** Returns what an identity collected on this page so far; another identity begins anew. */
export function keptCollector(rest: Rest, identity: string, causes: () => GapCauses): TrendCollector {
  const known = kept.get(rest);
  if (known?.identity === identity) return known.collector;
  known?.collector.leave();
  const collector = new TrendCollector(rest, causes);
  kept.set(rest, { identity, collector });
  return collector;
}
