import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';

import { useConsole } from '../../api/console-context.ts';
import { route, setQuery } from '../../parts/route.ts';
import { saveFile } from '../../parts/save-file.ts';
import { isSwitchedOff } from '../../parts/single-keys.ts';
import { fill } from '../../text/fill.ts';
import { formatTime, isUtc, zoneName } from '../../text/format.ts';
import { TRENDS } from '../../text/trends.ts';
import { MAXIMUM_SPAN_MS } from '../../trend/trend-collector.ts';
import type { TrendCollector } from '../../trend/trend-collector.ts';
import { writeCsv } from '../../trend/trend-csv.ts';
import { writeInstant } from '../../text/csv.ts';
import type { CurveName } from '../../trend/trend-curve.ts';
import { readLook } from '../../trend/trend-look.ts';
import { drawPicture } from '../../trend/trend-picture.ts';
import { CurveList } from './curve-list.tsx';
import { FreeRange } from './free-range.tsx';
import { RecordedState } from './recorded-state.tsx';
import { TrendPanels } from './trend-panels.tsx';
import { TrendTable } from './trend-table.tsx';
import type { Curve } from './use-curves.ts';
import { useRecordedRange } from './use-recorded-range.ts';
import { useTrendWindow } from './use-window.ts';
import type { TrendWindow } from './use-window.ts';

interface TrendViewProps {
  readonly curves: readonly Curve[];
  readonly collector: TrendCollector;
  readonly onRemove: (name: CurveName) => void;
}

const MINUTE_MS = 60_000;
const LENGTHS = [
  { name: '5min', ms: 5 * MINUTE_MS, words: TRENDS.minutes5 },
  { name: '1h', ms: 60 * MINUTE_MS, words: TRENDS.hour },
  { name: '8h', ms: MAXIMUM_SPAN_MS, words: TRENDS.hours8 },
  { name: '24h', ms: 1440 * MINUTE_MS, words: TRENDS.hours24 },
  { name: '7d', ms: 7 * 1440 * MINUTE_MS, words: TRENDS.days7 },
] as const;

/** Curves with time controls and values. */
export function TrendView({ curves, collector, onRemove }: TrendViewProps): JSX.Element {
  const { rest } = useConsole();
  const asked = route.value.query.get('t') ?? '';
  const length = LENGTHS.find(({ name }) => name === asked) ?? LENGTHS[0];
  const isTable = route.value.query.get('view') === 'table';
  // A link can ask for more before it is known what is recorded.
  const hasLongRanges = collector.hasHistory || length.ms > MAXIMUM_SPAN_MS;
  const maximumMs = hasLongRanges ? LENGTHS[4].ms : MAXIMUM_SPAN_MS;
  const shown = useTrendWindow(collector, {
    lengthMs: length.ms,
    maximumMs,
  });
  useRecordedRange(collector, curves, shown);
  const [cursorMs, setCursor] = useState<number | undefined>(undefined);
  const canvases = useRef<readonly HTMLCanvasElement[]>([]);
  const place = useRef<HTMLDivElement>(null);
  // Rerender when values arrive, except while paused.
  void collector.arrivals.value;
  const { span } = shown;
  const startMs = Math.min(...curves.map(({ name }) => collector.samplesOf(name)?.startMs ?? Infinity));
  const words = fill(TRENDS.fromTo, { from: formatTime(span.fromMs), until: formatTime(span.untilMs) });
  const keys = curves.map(({ key }) => key).join(', ');

  const saveCsv = (): void => {
    const rows = curves.flatMap(({ name, channel }) => {
      const samples = collector.samplesOf(name);
      return samples === undefined ? [] : [{ ...name, unit: channel?.unit ?? '', samples }];
    });
    const csv = writeCsv(rows, span, (ms) => writeInstant(ms, isUtc.value));
    saveFile(nameFile('csv'), new Blob([csv], { type: 'text/csv;charset=utf-8' }));
  };
  const savePng = async (): Promise<void> => {
    if (place.current === null || canvases.current.length === 0) return;
    const lines = [keys, `${location.hostname}, ${words} ${zoneName()}`];
    saveFile(nameFile('png'), await drawPicture(canvases.current, { look: readLook(place.current), lines }));
  };
  const nameFile = (ending: string): string =>
    `${location.hostname}-${writeInstant(rest.gatewayNowMs(), isUtc.value).slice(0, 19).replaceAll(':', '')}.${ending}`;
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || isSwitchedOff(event)) return;
    const steps: Readonly<Record<string, () => void>> = {
      ArrowLeft: () => setCursor(moveCursor(shown, cursorMs, event.shiftKey ? -0.05 : -0.005)),
      ArrowRight: () => setCursor(moveCursor(shown, cursorMs, event.shiftKey ? 0.05 : 0.005)),
      Escape: () => setCursor(undefined),
      Backspace: () => shown.back?.(),
      p: () => (shown.isPaused ? shown.goLive() : shown.pause()),
      '+': () => shown.zoom(0.5, cursorMs),
      '-': () => shown.zoom(2, cursorMs),
    };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    step();
  };

  return (
    <>
      <div class="tools trend-tools">
        <div class="tools" role="group" aria-label={fill(TRENDS.span)}>
          {LENGTHS.filter(({ ms }) => ms <= MAXIMUM_SPAN_MS || hasLongRanges).map(({ name, words: text }) => (
            <button
              key={name}
              type="button"
              aria-pressed={name === length.name && !shown.isPaused}
              onClick={() => {
                setQuery('t', name === '5min' ? '' : name);
                shown.goLive();
              }}
            >
              {fill(text)}
            </button>
          ))}
          <FreeRange
            span={span}
            maximumMs={maximumMs}
            nowMs={rest.gatewayNowMs()}
            onShow={(fromMs, untilMs) => shown.show(fromMs, untilMs)}
          />
        </div>
        {shown.isPaused ? (
          <button class="main" type="button" onClick={shown.goLive}>
            {fill(TRENDS.live)}
          </button>
        ) : (
          <button type="button" onClick={shown.pause}>
            {fill(TRENDS.pause)}
          </button>
        )}
        <button type="button" aria-label={fill(TRENDS.closer)} onClick={() => shown.zoom(0.5, cursorMs)}>
          +
        </button>
        <button type="button" aria-label={fill(TRENDS.wider)} onClick={() => shown.zoom(2, cursorMs)}>
          −
        </button>
        {shown.back === undefined ? undefined : (
          <button type="button" onClick={shown.back}>
            {fill(TRENDS.zoomBack)}
          </button>
        )}
        <button type="button" onClick={saveCsv}>
          {fill(TRENDS.csv)}
        </button>
        {isTable ? undefined : (
          <button type="button" onClick={() => void savePng()}>
            {fill(TRENDS.png)}
          </button>
        )}
        <button type="button" aria-pressed={isTable} onClick={() => setQuery('view', isTable ? '' : 'table')}>
          {fill(TRENDS.table)}
        </button>
        <span class="soft values">
          {words} {zoneName()}
        </span>
      </div>
      <RecordedState
        curves={curves}
        collector={collector}
        words={shown.isPaused ? fill(TRENDS.paused) : ''}
        startMs={startMs}
        fromMs={span.fromMs}
      />
      <div class="trend">
        {isTable ? (
          <TrendTable curves={curves} collector={collector} span={span} />
        ) : (
          <div
            class="plots"
            ref={place}
            role="img"
            tabIndex={0}
            aria-label={fill(TRENDS.plotLabel, { curves: keys })}
            onKeyDown={onKeyDown}
          >
            <TrendPanels
              curves={curves}
              collector={collector}
              span={span}
              spanName={shown.name}
              cursorMs={cursorMs}
              onPoint={setCursor}
              onZoom={shown.drag}
              onDrawn={(drawn) => {
                canvases.current = drawn;
              }}
            />
          </div>
        )}
        <CurveList
          curves={curves}
          collector={collector}
          atMs={cursorMs ?? (shown.isPaused ? Math.min(span.untilMs, span.knownUntilMs) : span.knownUntilMs)}
          isNow={cursorMs === undefined && !shown.isPaused}
          onRemove={onRemove}
        />
      </div>
    </>
  );
}

function moveCursor({ span }: TrendWindow, cursorMs: number | undefined, part: number): number {
  const { fromMs, untilMs } = span;
  const ms = (cursorMs ?? untilMs) + part * (untilMs - fromMs);
  return Math.min(untilMs, Math.max(fromMs, ms));
}
