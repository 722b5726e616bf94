import UPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

import { formatAxisNumbers } from './axis-numbers.ts';
import { AxisWidths } from './labels.ts';
import { drawGaps } from './hatch.ts';
import { drawLabels, LABEL_FONT, measureGutter, measureLabel } from './draw-labels.ts';
import type { EndLabel } from './labels.ts';
import { DASHES, readLook } from './trend-look.ts';
import type { TrendLook } from './trend-look.ts';
import type { Panel, PanelCurve, ShownGap } from './trend-panel.ts';
import type { ValueRange } from './value-range.ts';
import { watchPinch } from './watch-pinch.ts';

/** State displayed by a plot. */
export interface PlotFrame {
  readonly fromMs: number;
  readonly untilMs: number;
  readonly times: readonly number[];
  /** Slot values, in the order of the panel's curves. */
  readonly slots: readonly (readonly (number | null | undefined)[])[];
  /** Bounds of each unit of the panel; undefined: no values, so no axis. */
  readonly ranges: readonly (ValueRange | undefined)[];
  readonly gaps: readonly ShownGap[];
}

interface PlotOptions {
  readonly place: HTMLElement;
  readonly panel: Panel;
  /** Reserves room for an axis on the right, used or not. */
  readonly hasRoomRight: boolean;
  /** Shared by all panels. */
  readonly axisWidths: AxisWidths;
  /** Labels at the curve ends of all panels, which reserve the same width for them. */
  readonly labels: readonly string[];
  readonly height: number;
  readonly formatNumber: (value: number, decimals: number) => string;
  /** @param stepMs time from one tick to the next */
  readonly formatTick: (ms: number, stepMs: number) => string;
  readonly isUtc: boolean;
  /** Undefined if the pointer has left. */
  readonly onPoint: (ms: number | undefined) => void;
  readonly onZoom: (fromMs: number, untilMs: number) => void;
}

const AXIS_GAP = 5;
/** Pixels between two ticks of the time axis, at least. */
const TICK_SPACE = 64;
const [SECOND_MS, MINUTE_MS, HOUR_MS, DAY_MS] = [1000, 60_000, 3_600_000, 86_400_000];
// Those of the library have none of two minutes, so that five minutes would have one tick.
const TIME_STEPS_MS = [
  ...[1, 2, 5, 10, 15, 30].map((count) => count * SECOND_MS),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE_MS),
  ...[1, 2, 3, 4, 6, 8, 12].map((count) => count * HOUR_MS),
  ...[1, 2, 3, 4, 7].map((count) => count * DAY_MS),
];

/** Creates the axis widths shared by stacked panels of a width. */
export function createAxisWidths(width: number): AxisWidths {
  return new AxisWidths(measureLabel, width);
}

/** Panel of curves; the only file that uses the chart library. */
export class TrendPlot {
  readonly #options: PlotOptions;
  readonly #look: TrendLook;
  readonly #plot: UPlot;
  #frame: PlotFrame | undefined;
  /** Width reserved for labels on the right of the curves, in CSS pixels. */
  #gutter = 0;
  /** Axis width of the last drawing. */
  #drawnWidth = 0;

  constructor(options: PlotOptions) {
    this.#options = options;
    this.#look = readLook(options.place);
    const width = Math.max(200, options.place.clientWidth);
    this.#gutter = measureGutter(this.#options.labels, width);
    this.#plot = new UPlot(this.#describe(width), [[]], options.place);
    watchPinch(this.#plot.over, {
      toMs: (x) => this.#plot.posToVal(x, 'x'),
      onZoom: (fromMs, untilMs) => options.onZoom(fromMs, untilMs),
    });
  }

  get canvas(): HTMLCanvasElement {
    return this.#plot.ctx.canvas;
  }

  /** Pixel columns of the plotting area. */
  get columns(): number {
    return Math.max(50, Math.round(this.#plot.bbox.width / devicePixelRatio));
  }

  draw(frame: PlotFrame): void {
    this.#frame = frame;
    const rows = frame.slots.map((row) => [...row]);
    this.#showAxes(frame);
    this.#plot.batch(() => {
      this.#plot.setData([[...frame.times], ...rows], false);
      this.#plot.setScale('x', { min: frame.fromMs, max: frame.untilMs });
    });
    this.#drawnWidth = this.#axesWidth;
  }

  /** Moves the cursor to a time; undefined hides it. */
  point(ms: number | undefined): void {
    const left = ms === undefined ? Number.NaN : this.#plot.valToPos(ms, 'x');
    const isInside = Number.isFinite(left) && left >= 0;
    this.#plot.setCursor(isInside ? { left, top: 0 } : { left: -10, top: -10 }, false);
  }

  /** Redraws if another panel has widened the axes. */
  followAxisWidths(): void {
    if (this.#drawnWidth !== this.#axesWidth) this.#plot.redraw(false, true);
    this.#drawnWidth = this.#axesWidth;
  }

  resize(width: number): void {
    if (width === 0 || width === this.#plot.width) return;
    this.#gutter = measureGutter(this.#options.labels, width);
    for (const axis of this.#plot.axes.slice(2)) axis.gap = AXIS_GAP + this.#gutter;
    this.#plot.setSize({ width, height: this.#options.height });
  }

  close(): void {
    this.#plot.destroy();
  }

  get #axesWidth(): number {
    const { axisWidths } = this.#options;
    return axisWidths.widthOf('LEFT') + axisWidths.widthOf('RIGHT');
  }

  #describe(width: number): UPlot.Options {
    const { panel, height, hasRoomRight, axisWidths, formatTick, isUtc, onPoint, onZoom } = this.#options;
    const hasAxisRight = panel.units.length > 1;
    const common = {
      stroke: this.#look.soft,
      font: LABEL_FONT,
      ticks: { stroke: this.#look.hairline, width: 1 },
    };
    const grid = { stroke: this.#look.hairline, width: 1 };
    return {
      width,
      height,
      ms: 1,
      tzDate: (ms) => (isUtc ? UPlot.tzDate(new Date(ms), 'Etc/UTC') : new Date(ms)),
      legend: { show: false },
      padding: [
        8,
        () => (hasAxisRight ? 0 : this.#gutter + (hasRoomRight ? axisWidths.widthOf('RIGHT') : 0)),
        0,
        0,
      ],
      cursor: { y: false, points: { show: false }, drag: { x: true, y: false, setScale: false, dist: 4 } },
      scales: { x: { time: true, auto: false }, ...this.#describeScales() },
      axes: [
        {
          ...common,
          grid,
          space: TICK_SPACE,
          incrs: [...TIME_STEPS_MS],
          values: (_plot, splits, _axis, _space, stepMs) => splits.map((ms) => formatTick(ms, stepMs)),
        },
        ...panel.units.map((_unit, index) => ({
          ...common,
          grid: { ...grid, show: index === 0 },
          ...this.#describeAxis(index),
        })),
      ],
      series: [{}, ...panel.curves.map((curve) => this.#describeCurve(curve))],
      hooks: {
        drawAxes: [() => this.#drawGaps()],
        draw: [() => this.#drawLabels()],
        setCursor: [
          ({ cursor }) => {
            const { left = -1 } = cursor;
            // Before the first frame, positions have no time.
            const ms = left < 0 ? Number.NaN : this.#plot.posToVal(left, 'x');
            onPoint(Number.isFinite(ms) ? ms : undefined);
          },
        ],
        setSelect: [
          ({ select }) => {
            if (select.width < 4) return;
            const { left } = select;
            onZoom(this.#plot.posToVal(left, 'x'), this.#plot.posToVal(left + select.width, 'x'));
            this.#plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          },
        ],
      },
    };
  }

  /** Hides what an axis without values would draw; its room stays. The grid belongs to the first axis with values. */
  #showAxes({ ranges }: PlotFrame): void {
    const first = ranges.findIndex((range) => range !== undefined);
    for (const [index, axis] of this.#plot.axes.slice(1).entries()) {
      if (axis.ticks !== undefined) axis.ticks.show = ranges[index] !== undefined;
      if (axis.grid !== undefined) axis.grid.show = index === first;
    }
  }

  #describeAxis(index: number): UPlot.Axis {
    return {
      scale: `y${index}`,
      // The library declares the sides as a const enum without runtime values: 3 is left, 1 is right.
      // oxlint-disable-next-line typescript/no-unsafe-enum-assignment
      side: index === 0 ? 3 : 1,
      // No numbers before the first frame.
      size: (_plot, numbers: readonly string[] | null) =>
        this.#options.axisWidths.fit(index === 0 ? 'LEFT' : 'RIGHT', numbers ?? []) +
        (index === 0 ? 0 : this.#gutter),
      gap: index === 0 ? AXIS_GAP : AXIS_GAP + this.#gutter,
      values: (_plot, splits) =>
        this.#frame?.ranges[index] === undefined
          ? splits.map(() => '')
          : [...formatAxisNumbers(splits, this.#options.formatNumber)],
    };
  }

  #describeScales(): UPlot.Scales {
    const scales: UPlot.Scales = {};
    for (const index of this.#options.panel.units.keys()) {
      scales[`y${index}`] = {
        range: () => {
          const { low = 0, high = 1 } = this.#frame?.ranges[index] ?? {};
          return [low, high];
        },
      };
    }
    return scales;
  }

  #describeCurve({ index, unit, isStepped }: PanelCurve): UPlot.Series {
    const path = isStepped ? UPlot.paths.stepped?.({ align: 1 }) : UPlot.paths.linear?.();
    return {
      scale: `y${this.#options.panel.units.indexOf(unit)}`,
      stroke: this.#look.curves[index] ?? this.#look.text,
      width: 1.5,
      dash: [...(DASHES[index] ?? [])],
      points: { show: false },
      ...(path === undefined ? {} : { paths: path }),
    };
  }

  #toX(ms: number): number {
    return this.#plot.valToPos(ms, 'x', true);
  }

  #drawGaps(): void {
    const { ctx, bbox } = this.#plot;
    const options = { box: bbox, look: this.#look, ratio: devicePixelRatio };
    drawGaps(ctx, this.#frame?.gaps ?? [], { ...options, toX: (ms) => this.#toX(ms) });
  }

  #drawLabels(): void {
    const { ctx, bbox } = this.#plot;
    const options = { box: bbox, look: this.#look, ratio: devicePixelRatio };
    drawLabels(ctx, this.#listLabels(), { ...options, gutter: this.#gutter });
  }

  #listLabels(): readonly EndLabel[] {
    const { panel } = this.#options;
    return panel.curves.flatMap(({ label, index, unit }, row) => {
      const last = this.#frame?.slots[row]?.findLast((value) => typeof value === 'number');
      if (last === undefined || last === null) return [];
      const endY = this.#plot.valToPos(last, `y${panel.units.indexOf(unit)}`, true);
      return [{ text: label, endY, index }];
    });
  }
}
