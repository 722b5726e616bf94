import type { ComponentChildren, JSX } from 'preact';

import type { ChannelRecord } from '../../../interface/plant/assets.ts';
import { AlignedNumber } from '../../parts/aligned-number.tsx';
import { Icon } from '../../parts/icon.tsx';
import { LongName } from '../../parts/long-name.tsx';
import { StateWord } from '../../parts/state-word.tsx';
import { fill } from '../../text/fill.ts';
import { formatTime, formatUnit } from '../../text/format.ts';
import { TRENDS } from '../../text/trends.ts';
import { DASHES } from '../../trend/trend-look.ts';
import type { TrendCollector } from '../../trend/trend-collector.ts';
import type { CurveName } from '../../trend/trend-curve.ts';
import { decimalsOf } from '../assets/channel-row.ts';
import type { Curve } from './use-curves.ts';
import { causeAt, labelAt, NONE, valueAt } from './value-at.ts';

const ABSENCES = {
  noAsset: TRENDS.noAsset,
  noChannel: TRENDS.noChannel,
  disabled: TRENDS.disabled,
  noNumber: TRENDS.noNumber,
} as const;

interface CurveListProps {
  readonly curves: readonly Curve[];
  readonly collector: TrendCollector;
  /** Time of the displayed values. */
  readonly atMs: number;
  readonly isNow: boolean;
  readonly onRemove: (name: CurveName) => void;
}

/** Curves with their values at one time. */
export function CurveList({ curves, collector, atMs, isNow, onRemove }: CurveListProps): JSX.Element {
  const widest = Math.max(
    0,
    ...curves.map(({ channel }) => (channel === undefined ? 0 : (decimalsOf(channel) ?? 0))),
  );
  const aligned = (text: string, channel: ChannelRecord): JSX.Element => (
    <AlignedNumber text={text} decimals={decimalsOf(channel)} widest={widest} />
  );
  return (
    <table class="curve-list">
      <caption class="soft">
        {isNow ? fill(TRENDS.now) : fill(TRENDS.atTime, { time: formatTime(atMs) })}
      </caption>
      <thead class="hidden">
        <tr>
          <th scope="col">{fill(TRENDS.curve)}</th>
          <th scope="col">{fill(TRENDS.value)}</th>
          <th scope="col">{fill(TRENDS.unit)}</th>
          <td />
        </tr>
      </thead>
      <tbody>
        {curves.map(({ key, name, channel, absence }, index) => (
          <tr key={key}>
            <th scope="row">
              <Swatch index={index} />{' '}
              <span class="curve-name">
                <LongName text={key} />
              </span>
            </th>
            {channel === undefined ? (
              <td class="reason" colSpan={2}>
                {absence === undefined ? undefined : (
                  <StateWord tone="attention" words={fill(ABSENCES[absence])} />
                )}
              </td>
            ) : (
              <ValueCells cause={causeAt(collector, name, atMs)}>
                <td class="number">{aligned(valueAt(collector, name, channel, atMs), channel)}</td>
                <td class="soft">
                  {formatUnit(channel.unit)} {labelAt(collector, name, channel, atMs)}
                </td>
              </ValueCells>
            )}
            <td>
              <button
                class="plain"
                type="button"
                aria-label={fill(TRENDS.remove, { curve: key })}
                onClick={() => onRemove(name)}
              >
                <Icon name="fault" />
              </button>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Value and unit of a curve, or the cause for which it has no value. */
function ValueCells({
  cause,
  children,
}: Readonly<{ cause: string | undefined; children: ComponentChildren }>): JSX.Element {
  if (cause === undefined) return <>{children}</>;
  return (
    <td class="number reason" colSpan={2}>
      {NONE} <span class="soft">{cause}</span>
    </td>
  );
}

function Swatch({ index }: { readonly index: number }): JSX.Element {
  return (
    <svg class={`swatch curve-${index + 1}`} width="32" height="8" aria-hidden="true">
      <path
        d="M0 4H32"
        fill="none"
        stroke="currentColor"
        stroke-width="2"
        stroke-dasharray={DASHES[index]?.join(' ')}
      />
    </svg>
  );
}
