import type { Gap } from './samples.ts';

/** Curve of a panel, ready to draw. */
export interface PanelCurve {
  readonly key: string;
  /** Label at its end. */
  readonly label: string;
  /** Index in the list of curves; determines colour and dashes. */
  readonly index: number;
  readonly unit: string;
  readonly isStepped: boolean;
  readonly isBoolean: boolean;
}

/** Curves in one plot: of one unit, or of two units with an axis on each side if it is wide. */
export interface Panel {
  readonly units: readonly string[];
  readonly curves: readonly PanelCurve[];
}

const UNITS_A_PANEL = 2;

/** Groups curves into panels: one axis per unit, two units per panel. On a phone, a second axis would take the room of the curves. */
export function toPanels(
  curves: readonly PanelCurve[],
  { isNarrow }: { readonly isNarrow: boolean },
): readonly Panel[] {
  const units = [...new Set(curves.map(({ unit }) => unit))];
  const count = isNarrow ? 1 : UNITS_A_PANEL;
  const panels: Panel[] = [];
  for (let first = 0; first < units.length; first += count) {
    const own = units.slice(first, first + count);
    panels.push({ units: own, curves: curves.filter(({ unit }) => own.includes(unit)) });
  }
  return panels;
}

/** Hatched gap of some curves, with its cause. */
export interface ShownGap extends Gap {
  /** Labels of the curves; empty for all. */
  readonly labels: readonly string[];
}

/** Merges simultaneous gaps of several curves with the same cause. */
export function joinGaps(gapsOf: ReadonlyMap<string, readonly Gap[]>): readonly ShownGap[] {
  const joined = new Map<string, { readonly gap: Gap; readonly labels: string[] }>();
  for (const [label, gaps] of gapsOf) {
    for (const gap of gaps) {
      const key = `${Math.round(gap.fromMs / 1000)} ${Math.round((gap.untilMs ?? 0) / 1000)} ${gap.cause}`;
      const known = joined.get(key) ?? { gap, labels: [] };
      known.labels.push(label);
      joined.set(key, known);
    }
  }
  return [...joined.values()].map(({ gap: { fromMs, untilMs, cause }, labels }) => ({
    fromMs,
    untilMs,
    cause,
    labels: labels.length === gapsOf.size ? [] : labels,
  }));
}
