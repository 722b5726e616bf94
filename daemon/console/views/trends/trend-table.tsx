import type { JSX } from 'preact';

import { fill } from '../../text/fill.ts';
import { formatTime, formatUnit } from '../../text/format.ts';
import { TRENDS } from '../../text/trends.ts';
import type { TrendCollector } from '../../trend/trend-collector.ts';
import type { Span } from '../../trend/trend-points.ts';
import type { Curve } from './use-curves.ts';
import { valueAt } from './value-at.ts';

const ROWS = 30;

/** Table view for screen readers: values at regular times, newest first, or the causes of gaps. */
export function TrendTable({
  curves,
  collector,
  span,
}: Readonly<{ curves: readonly Curve[]; collector: TrendCollector; span: Span }>): JSX.Element {
  const known = curves.filter(({ channel }) => channel !== undefined);
  const stepMs = (span.untilMs - span.fromMs) / ROWS;
  const last = Math.min(span.untilMs, span.knownUntilMs);
  const times = Array.from({ length: ROWS }, (_row, index) => last - index * stepMs);
  const start = Math.min(...known.map(({ name }) => collector.samplesOf(name)?.startMs ?? Infinity));
  return (
    <div class="wide-table" tabIndex={0} role="region" aria-label={fill(TRENDS.table)}>
      <table>
        <thead>
          <tr>
            <th scope="col">{fill(TRENDS.time)}</th>
            {known.map(({ key, channel }) => (
              <th key={key} scope="col" class="number">
                {key} {formatUnit(channel?.unit)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {times
            .filter((ms, index) => ms >= start || index === 0)
            .map((ms) => (
              <tr key={ms}>
                <th scope="row" class="values">
                  {formatTime(ms)}
                </th>
                {known.map(({ key, name, channel }) => (
                  <td key={key} class="number values">
                    {collector.samplesOf(name)?.gapAt(ms)?.cause ??
                      (channel === undefined ? '' : valueAt(collector, name, channel, ms))}
                  </td>
                ))}
              </tr>
            ))}
        </tbody>
      </table>
    </div>
  );
}
