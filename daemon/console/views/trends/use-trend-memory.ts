import { useEffect } from 'preact/hooks';

import { useConsole } from '../../api/console-context.ts';
import { replaceQuery, route } from '../../parts/route.ts';
import type { TrendCollector } from '../../trend/trend-collector.ts';
import { recallLink, rememberCurves, rememberLink } from '../../trend/trend-memory.ts';

/**
 * Keeps the last trend of an identity in the tab, over a reload and visits of other pages: its link, with selection, time range and
 * pause, and the values that are not recorded. A link without curves shows the last trend.
 */
export function useTrendMemory(collector: TrendCollector, identity: string): void {
  const { session } = useConsole();
  const { query } = route.value;
  const link = query.toString();
  useEffect(() => {
    if (query.has('c')) {
      rememberLink(identity, link);
      return;
    }
    const last = recallLink(identity);
    if (last !== undefined) replaceQuery(new URLSearchParams(last));
  }, [identity, link]);
  useEffect(() => {
    const keep = (): void => {
      // After a sign-out or for another identity, nothing is left in the tab.
      if (session.name === identity) rememberCurves(identity, collector.listUnrecorded());
    };
    // A hidden page can end without a further event.
    const onVisibility = (): void => {
      if (document.hidden) keep();
    };
    addEventListener('pagehide', keep);
    document.addEventListener('visibilitychange', onVisibility);
    return () => {
      removeEventListener('pagehide', keep);
      document.removeEventListener('visibilitychange', onVisibility);
      collector.leave();
      keep();
    };
  }, [collector, identity]);
}
