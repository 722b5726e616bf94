import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

import { Notice } from '../../parts/notice.tsx';
import { fill } from '../../text/fill.ts';
import { formatNumber, formatTick, formatUnit, isUtc } from '../../text/format.ts';
import { language } from '../../text/language.ts';
import { TRENDS } from '../../text/trends.ts';
import { slotTimes, toSlots } from '../../trend/columns.ts';
import type { TrendCollector } from '../../trend/trend-collector.ts';
import { joinGaps, toPanels } from '../../trend/trend-panel.ts';
import type { Panel } from '../../trend/trend-panel.ts';
import type * as PlotFile from '../../trend/trend-plot.ts';
import { listPoints } from '../../trend/trend-points.ts';
import type { Span } from '../../trend/trend-points.ts';
import { boundsOf, fitRange } from '../../trend/value-range.ts';
import type { ValueRange } from '../../trend/value-range.ts';
import { hasSteps } from '../assets/sparkline-path.ts';
import type { Curve } from './use-curves.ts';

interface TrendPanelsProps {
  readonly curves: readonly Curve[];
  readonly collector: TrendCollector;
  readonly span: Span;
  /** A new key refits the value axes at once. */
  readonly spanName: string;
  readonly cursorMs: number | undefined;
  readonly onPoint: (ms: number | undefined) => void;
  readonly onZoom: (fromMs: number, untilMs: number) => void;
  /** Receives the plots, for export as an image. */
  readonly onDrawn: (canvases: readonly HTMLCanvasElement[]) => void;
}

type PlotModule = typeof PlotFile;

const HEIGHTS = [420, 260, 200];
const BOOLEAN_BOUNDS = [0, 1] as const;

/** Draws curves in stacked panels; the chart library is loaded on demand. */
export function TrendPanels(props: TrendPanelsProps): JSX.Element {
  const { curves, collector, span, spanName, cursorMs } = props;
  const [module, setModule] = useState<PlotModule | undefined>(undefined);
  const [isFailed, setFailed] = useState(false);
  // Units with an axis, as JSON.
  const [drawnUnits, setDrawnUnits] = useState('[]');
  const places = useRef<HTMLDivElement>(null);
  const drawn = useRef<{ readonly panel: Panel; readonly plot: PlotFile.TrendPlot }[]>([]);
  const ranges = useRef(new Map<string, ValueRange>());
  const isDark = useMedia('(prefers-color-scheme: dark)');
  const isNarrow = useMedia('(max-width: 640px)');
  const latest = useRef(props);
  latest.current = props;
  const shown = curves.flatMap(({ key, name, channel }, index) =>
    channel === undefined
      ? []
      : [
          {
            key,
            label: curves.some((other) => other.key !== key && other.name.channel === name.channel)
              ? key
              : name.channel,
            index,
            unit: formatUnit(channel.unit),
            isStepped: hasSteps(channel),
            isBoolean: channel.valueType === 'BOOLEAN',
            name,
          },
        ],
  );
  const panels = toPanels(shown, { isNarrow });
  const look = `${isDark} ${language.value} ${isUtc.value}`;
  const shape = JSON.stringify(panels);

  useEffect(() => {
    import('../../trend/trend-plot.ts').then(setModule, () => setFailed(true));
  }, []);
  useEffect(() => {
    const root = places.current;
    if (module === undefined || root === null) return undefined;
    const axisWidths = module.createAxisWidths(root.clientWidth);
    const plots = panels.map((panel, index) => {
      const place = root.children[index] as HTMLElement;
      const plot = new module.TrendPlot({
        place,
        panel,
        // Stacked panels share one time axis.
        hasRoomRight: panels.some(({ units }) => units.length > 1),
        axisWidths,
        labels: shown.map(({ label }) => label),
        height: HEIGHTS[panels.length - 1] ?? 200,
        formatNumber,
        formatTick,
        isUtc: isUtc.value,
        onPoint: (ms) => latest.current.onPoint(ms),
        onZoom: (fromMs, untilMs) => latest.current.onZoom(fromMs, untilMs),
      });
      return { panel, plot };
    });
    drawn.current = plots;
    latest.current.onDrawn(plots.map(({ plot }) => plot.canvas));
    const watch = new ResizeObserver(() => {
      for (const { plot } of plots) plot.resize(root.clientWidth);
    });
    watch.observe(root);
    return () => {
      watch.disconnect();
      drawn.current = [];
      for (const { plot } of plots) plot.close();
    };
  }, [module, shape, look]);
  useEffect(() => ranges.current.clear(), [spanName]);
  useEffect(() => {
    const gaps = joinGaps(
      new Map(shown.map(({ label, name }) => [label, collector.samplesOf(name)?.gaps ?? []])),
    );
    for (const { panel, plot } of drawn.current) {
      const { columns } = plot;
      const slots = panel.curves.map(({ key }) => {
        const samples = collector.samplesOf(
          shown.find((curve) => curve.key === key)?.name ?? { asset: '', channel: '' },
        );
        return samples === undefined ? [] : toSlots(listPoints(samples, span), span, columns);
      });
      const fitted = panel.units.map((unit) => {
        const own = panel.curves.filter((curve) => curve.unit === unit);
        const bounds = boundsOf(slots.filter((_row, index) => panel.curves[index]?.unit === unit));
        const seen =
          bounds !== undefined && own.every(({ isBoolean }) => isBoolean) ? BOOLEAN_BOUNDS : bounds;
        const range = fitRange(ranges.current.get(unit), seen, Date.now());
        if (range !== undefined) ranges.current.set(unit, range);
        return range;
      });
      const { fromMs, untilMs } = span;
      plot.draw({ fromMs, untilMs, times: slotTimes(span, columns), slots, ranges: fitted, gaps });
      plot.point(cursorMs);
    }
    setDrawnUnits(JSON.stringify([...ranges.current.keys()]));
    // The numbers of one panel can widen the axes of previous ones.
    for (const { plot } of drawn.current) plot.followAxisWidths();
  });

  if (isFailed) return <Notice level="fault">{fill(TRENDS.noCurveFile)}</Notice>;
  return (
    <div ref={places} class="panels">
      {panels.map(({ units }) => (
        <div key={units.join(' ')} class="panel">
          <div class="units soft" aria-hidden="true">
            {units.map((unit) => (
              <span key={unit}>{drawnUnits.includes(JSON.stringify(unit)) ? unit : ''}</span>
            ))}
          </div>
        </div>
      ))}
    </div>
  );
}

/** True while a media query, which never changes, matches. */
function useMedia(media: string): boolean {
  const [query] = useState(() => matchMedia(media));
  const [isMatching, setMatching] = useState(query.matches);
  useEffect(() => {
    const onChange = (): void => setMatching(query.matches);
    query.addEventListener('change', onChange);
    return () => query.removeEventListener('change', onChange);
  }, [query]);
  return isMatching;
}
