import type { Slices } from '../../base/slices.ts';

/** One value of a metric. */
export interface Sample {
  /** Labels that distinguish it from the other values of the metric. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Suffix of the name, for the parts of a histogram. */
  readonly suffix?: '_bucket' | '_sum' | '_count';
  readonly value: number;
}

/** A metric or family of metrics, read when it is collected. */
export interface Metric {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  /** Values are taken one after the other, in slices. */
  readonly read: () => Iterable<Sample>;
}

/** Media type of the text that `renderMetrics` returns. */
export const EXPOSITION_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/**
 * Writes metrics in the text format of Prometheus (exposition format 0.0.4), one after the other.
 *
 * A library would add three packages, and work between collections, for a few dozen lines.
 */
export function* renderMetrics(metrics: readonly Metric[]): Slices<string> {
  const lines: string[] = [];
  for (const { name, type, help, read } of metrics) {
    yield;
    lines.push(`# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`);
    for (const { labels = {}, suffix = '', value } of read()) {
      lines.push(`${name}${suffix}${renderLabels(labels)} ${value}\n`);
      yield;
    }
  }
  return lines.join('');
}

function renderLabels(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escape(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escape(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
