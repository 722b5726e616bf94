import type { JSX } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

import { writeInstant } from '../../text/csv.ts';
import { fill } from '../../text/fill.ts';
import { formatSpan, isUtc } from '../../text/format.ts';
import { TRENDS } from '../../text/trends.ts';
import type { Span } from '../../trend/trend-points.ts';

interface FreeRangeProps {
  readonly span: Pick<Span, 'fromMs' | 'untilMs'>;
  readonly maximumMs: number;
  readonly nowMs: number;
  readonly onShow: (fromMs: number, untilMs: number) => void;
}

/** Time range with a chosen start and end. */
export function FreeRange({ span, maximumMs, nowMs, onShow }: FreeRangeProps): JSX.Element {
  const [typed, setTyped] = useState<readonly [from: string, to: string] | undefined>(undefined);
  const [fault, setFault] = useState('');
  const opener = useRef<HTMLButtonElement>(null);
  const form = useRef<HTMLFormElement>(null);
  const isOpen = typed !== undefined;
  const wasOpen = useRef(false);
  useLayoutEffect(() => {
    if (isOpen) form.current?.querySelector('input')?.focus();
    // The button is there again.
    else if (wasOpen.current) opener.current?.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);
  if (typed === undefined) {
    const now = [toField(span.fromMs), toField(span.untilMs)] as const;
    return (
      <button type="button" ref={opener} aria-expanded={false} onClick={() => setTyped(now)}>
        {fill(TRENDS.free)}
      </button>
    );
  }
  const show = (): void => {
    const [fromMs, untilMs] = [readField(typed[0]), readField(typed[1])];
    const found = findFault(fromMs, untilMs, { maximumMs, nowMs });
    setFault(found);
    if (found !== '') return;
    setTyped(undefined);
    onShow(fromMs, untilMs);
  };
  const field = (name: 'from' | 'to', index: 0 | 1): JSX.Element => (
    <label>
      {fill(name === 'from' ? TRENDS.from : TRENDS.to)}{' '}
      <input
        type="datetime-local"
        name={name}
        step="1"
        required
        aria-invalid={fault !== ''}
        value={typed[index]}
        onInput={({ currentTarget: { value } }) => {
          setFault('');
          setTyped(index === 0 ? [value, typed[1]] : [typed[0], value]);
        }}
      />
    </label>
  );
  return (
    <form
      class="tools free-range"
      ref={form}
      onSubmit={(event) => {
        event.preventDefault();
        show();
      }}
      onKeyDown={({ key }) => {
        if (key === 'Escape') setTyped(undefined);
      }}
    >
      {field('from', 0)}
      {field('to', 1)}
      <button type="submit">{fill(TRENDS.show)}</button>
      {fault === '' ? undefined : (
        <span class="field-fault" role="alert">
          {fault}
        </span>
      )}
    </form>
  );
}

function findFault(
  fromMs: number,
  untilMs: number,
  { maximumMs, nowMs }: Pick<FreeRangeProps, 'maximumMs' | 'nowMs'>,
): string {
  if (!(untilMs > fromMs)) return fill(TRENDS.rangeOrder);
  if (fromMs >= nowMs) return fill(TRENDS.rangeFuture);
  return untilMs - fromMs > maximumMs ? fill(TRENDS.rangeLong, { span: formatSpan(maximumMs) }) : '';
}

/** Formats a time for a field, in the chosen time zone. */
function toField(ms: number): string {
  return writeInstant(ms, isUtc.value).slice(0, 'YYYY-MM-DDThh:mm:ss'.length);
}

function readField(text: string): number {
  return Date.parse(isUtc.value ? `${text}Z` : text);
}
