import type { Metric } from './exposition.ts';

/** State of a bundle that should run. */
export interface MeasuredBundle {
  /** Symbolic name. */
  readonly name: string;
  readonly isActive: boolean;
  /** Size of its data; undefined while it does not run. */
  readonly storedBytes?: number | undefined;
  /** What it reports of itself; undefined while it does not run. */
  readonly report?: MeasuredReport | undefined;
}

/** What a bundle reports of itself. */
interface MeasuredReport {
  readonly isOk: boolean;
  readonly counters?: Readonly<Record<string, number>> | undefined;
}

/** Describes the metrics of the bundles that should run. */
export function describeBundles(bundles: () => readonly MeasuredBundle[]): readonly Metric[] {
  return [
    {
      name: 'penstock_bundle_up',
      type: 'gauge',
      help: '1 while a bundle that should run is active',
      read: () =>
        bundles().map(({ name: bundle, isActive }) => ({ labels: { bundle }, value: isActive ? 1 : 0 })),
    },
    {
      name: 'penstock_bundle_ok',
      type: 'gauge',
      help: '1 while a running bundle reports the status OK, 0 for WARNING and ERROR; absent without a report',
      read: () =>
        bundles().flatMap(({ name: bundle, report }) =>
          report === undefined ? [] : [{ labels: { bundle }, value: report.isOk ? 1 : 0 }],
        ),
    },
    {
      name: 'penstock_bundle_counter',
      type: 'gauge',
      help: 'Counters that a running bundle reports; they begin at zero when it starts',
      read: () =>
        bundles().flatMap(({ name: bundle, report }) =>
          Object.entries(report?.counters ?? {}).map(([counter, value]) => ({
            labels: { bundle, counter },
            value,
          })),
        ),
    },
    {
      name: 'penstock_bundle_data_bytes',
      type: 'gauge',
      help: 'Size of the data directory of a running bundle, in bytes',
      read: () =>
        bundles().flatMap(({ name: bundle, storedBytes: value }) =>
          value === undefined ? [] : [{ labels: { bundle }, value }],
        ),
    },
  ];
}
