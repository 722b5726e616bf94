import type { JSX } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

import { ChangeEnd, changeTarget, useDocumentChange } from '../../forms/change/document-change.tsx';
import { listNames } from '../../forms/change/edit-target.ts';
import { Notice } from '../../parts/notice.tsx';
import { fill } from '../../text/fill.ts';
import { useReturnFocus } from '../../parts/use-return-focus.ts';
import { SHELL } from '../../text/shell.ts';
import { TRENDS } from '../../text/trends.ts';
import type { Curve } from './use-curves.ts';
import { listRecordersOf } from './use-recorders.ts';
import type { Recorder } from './use-recorders.ts';

interface RecordFormProps {
  readonly curves: readonly Curve[];
  readonly recorders: readonly Recorder[];
  readonly onClose: () => void;
}

const DEFAULT_SECONDS = '10';

/** Adds a recorder for curves: plan first, then a change that reverts unless confirmed. */
export function RecordForm({ curves, recorders, onClose }: RecordFormProps): JSX.Element {
  const head = useRef<HTMLHeadingElement>(null);
  useReturnFocus();
  useLayoutEffect(() => head.current?.focus(), []);
  const change = useDocumentChange();
  const { configuration, steps } = change;
  const open = curves.filter(({ name }) => listRecordersOf(recorders, name).length === 0);
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [isOnChange, setOnChange] = useState(false);
  const [seconds, setSeconds] = useState(DEFAULT_SECONDS);
  const [deadband, setDeadband] = useState('');
  const [typedPid, setPid] = useState<string | undefined>(undefined);
  const isTyped = typedPid !== undefined || seconds !== DEFAULT_SECONDS || deadband !== '';
  const names = listNames(configuration.value?.document ?? {}, 'recorders');
  const pid = typedPid ?? proposePid(open, names);
  const chosen = open.filter(({ key }) => !left.has(key));
  const isNamed = pid.trim() !== '' && !names.includes(pid.trim());
  const plan = (): void => {
    const { value } = configuration;
    if (value === undefined) return;
    const when = isOnChange
      ? { onChange: true, ...(deadband === '' ? {} : { deadband: Number(deadband) }) }
      : { intervalMs: Math.round(Number(seconds) * 1000) };
    void steps.plan(
      changeTarget(value, ['recorders', pid.trim()], { ...when, assets: groupChannels(chosen) }),
    );
  };
  return (
    <section
      class="record-form"
      aria-labelledby="record-title"
      onKeyDown={({ key }) => {
        if (key === 'Escape' && !isTyped) onClose();
      }}
    >
      <h2 id="record-title" tabIndex={-1} ref={head}>
        {fill(TRENDS.recordTitle)}
      </h2>
      {curves.map(({ key, name }) => {
        const own = listRecordersOf(recorders, name);
        return own.length === 0 ? undefined : (
          <p key={key}>{fill(TRENDS.recordedNow, { recorder: own.join(', '), curves: key })}</p>
        );
      })}
      {open.length === 0 ? undefined : (
        <form
          class="connect"
          onSubmit={(event) => {
            event.preventDefault();
            plan();
          }}
          onInput={() => steps.clear()}
        >
          <p class="soft">{fill(TRENDS.recordHint)}</p>
          <fieldset>
            <legend class="soft">{fill(TRENDS.recordCurves)}</legend>
            {open.map(({ key }) => (
              <label key={key} class="choice">
                <input
                  type="checkbox"
                  checked={!left.has(key)}
                  onChange={({ currentTarget }) => {
                    const next = new Set(left);
                    if (currentTarget.checked) next.delete(key);
                    else next.add(key);
                    setLeft(next);
                  }}
                />{' '}
                <span class="values">{key}</span>
              </label>
            ))}
          </fieldset>
          <label class="field">
            <span>{fill(TRENDS.recordWhen)}</span>
            <select
              name="when"
              value={isOnChange ? 'change' : 'interval'}
              onChange={({ currentTarget }) => setOnChange(currentTarget.value === 'change')}
            >
              <option value="interval">{fill(TRENDS.atInterval)}</option>
              <option value="change">{fill(TRENDS.onChange)}</option>
            </select>
          </label>
          {isOnChange ? (
            <label class="field">
              <span>{fill(TRENDS.deadband)}</span>
              <input
                name="deadband"
                type="number"
                min="0"
                step="any"
                value={deadband}
                onInput={({ currentTarget }) => setDeadband(currentTarget.value)}
              />
            </label>
          ) : (
            <label class="field">
              <span>{fill(TRENDS.intervalSeconds)}</span>
              <input
                name="interval"
                type="number"
                min="0.1"
                max="86400"
                step="any"
                required
                value={seconds}
                onInput={({ currentTarget }) => setSeconds(currentTarget.value)}
              />
            </label>
          )}
          <label class="field">
            <span>{fill(TRENDS.recorderPid)}</span>
            <input
              name="pid"
              class="code"
              required
              autocomplete="off"
              value={pid}
              onInput={({ currentTarget }) => setPid(currentTarget.value)}
            />
          </label>
          {names.includes(pid.trim()) ? (
            <Notice level="attention">{fill(TRENDS.pidTaken)}</Notice>
          ) : undefined}
          <div class="tools">
            <button
              type="submit"
              disabled={steps.isBusy || chosen.length === 0 || !isNamed || configuration.value === undefined}
            >
              {fill(TRENDS.recordPlan)}
            </button>
          </div>
        </form>
      )}
      <ChangeEnd {...change} />
      <button type="button" onClick={onClose}>
        {fill(SHELL.close)}
      </button>
    </section>
  );
}

/** Returns the name of the only asset, or `trend`, with a number if it is taken. */
function proposePid(curves: readonly Curve[], taken: readonly string[]): string {
  const assets = new Set(curves.map(({ name }) => name.asset));
  const [first = ''] = assets;
  const base = assets.size === 1 && /^[A-Za-z0-9][A-Za-z0-9._-]{0,59}$/.test(first) ? first : 'trend';
  let pid = base;
  for (let number = 2; taken.includes(pid); number += 1) pid = `${base}-${number}`;
  return pid;
}

function groupChannels(
  curves: readonly Curve[],
): readonly { readonly asset: string; readonly channels: readonly string[] }[] {
  const assets = [...new Set(curves.map(({ name }) => name.asset))];
  return assets.map((asset) => ({
    asset,
    channels: curves.filter(({ name }) => name.asset === asset).map(({ name }) => name.channel),
  }));
}
