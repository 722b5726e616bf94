import type { Gap } from './samples.ts';

/** A curve of a panel, ready to be drawn. */
export interface PanelCurve {
  readonly key: string;
  /** Written at its end. */
  readonly label: string;
  /** Index in the list of curves; determines colour and dashes. */
  readonly index: number;
  readonly unit: string;
  readonly isStepped: boolean;
  readonly isBoolean: boolean;
}

/** Curves that are drawn over each other: of one unit, or of two with an axis on each side. */
export interface Panel {
  readonly units: readonly string[];
  readonly curves: readonly PanelCurve[];
}

const UNITS_A_PANEL = 2;

/** Puts curves into panels: one axis a unit, and a further panel for each third unit. */
export function toPanels(curves: readonly PanelCurve[]): readonly Panel[] {
  const units = [...new Set(curves.map(({ unit }) => unit))];
  const panels: Panel[] = [];
  for (let first = 0; first < units.length; first += UNITS_A_PANEL) {
    const own = units.slice(first, first + UNITS_A_PANEL);
    panels.push({ units: own, curves: curves.filter(({ unit }) => own.includes(unit)) });
  }
  return panels;
}

/** A gap of some curves with its cause, as it is hatched. */
export interface ShownGap extends Gap {
  /** Labels of the curves; empty: of all. */
  readonly labels: readonly string[];
}

/** Joins the gaps that several curves have at the same time for the same cause. */
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
