import { useEffect } from 'preact/hooks';

import { useConsole } from '../../api/console-context.ts';
import type { TrendCollector } from '../../trend/trend-collector.ts';
import { parseCurves, writeCurves } from '../../trend/trend-curve.ts';
import type { Curve } from './use-curves.ts';
import type { TrendWindow } from './use-window.ts';

// While the user zooms, only the last range is loaded.
const REST_MS = 200;
// Values that the page drops after hours are loaded again as recorded ones.
const AGAIN_MS = 3_600_000;

/** Loads the recorded values of the displayed range. */
export function useRecordedRange(
  collector: TrendCollector,
  curves: readonly Curve[],
  { name, span, isPaused }: TrendWindow,
): void {
  const { rest, session } = useConsole();
  const isReachable = session.state.value.kind === 'SIGNED_IN' && rest.link.state.value.isUp;
  const known = writeCurves(
    curves.flatMap(({ name: curve, channel }) => (channel === undefined ? [] : [curve])),
  );
  const { fromMs, untilMs } = span;
  const round = Math.floor(rest.gatewayNowMs() / AGAIN_MS);
  useEffect(() => {
    if (!isReachable || known === '') return undefined;
    const load = setTimeout(
      () => collector.showRange(parseCurves(known), { fromMs, untilMs, isLive: !isPaused }),
      REST_MS,
    );
    return () => {
      clearTimeout(load);
      collector.leaveRange();
    };
  }, [collector, known, name, isReachable, round]);
}
