import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import { useConsole } from '../../api/console-context.ts';
import { ChangeEnd } from '../../forms/change/change-end.tsx';
import { CONFIGURATION_ROOT, listItems } from '../../forms/change/place.ts';
import type { Document } from '../../forms/change/place.ts';
import { useDocumentChange } from '../../forms/change/use-document-change.ts';
import { listDifferences } from '../../forms/difference.ts';
import { FailureNotice, Notice } from '../../parts/notice.tsx';
import { COMMISSION } from '../../text/commission.ts';
import { fill } from '../../text/fill.ts';
import type { ScanResult } from './read-scan.ts';

interface PlanStepProps {
  readonly result: ScanResult;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly isEmpty: boolean;
}

/** Adds what was found: the plan first, then the change, which comes back by itself unless a person keeps it. */
export function PlanStep({ result, settings, isEmpty }: PlanStepProps): JSX.Element {
  const { rest } = useConsole();
  const { connection, assets, notes, isComplete } = result;
  const [pid, setPid] = useState('');
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(assets.map((asset) => asset.pid)));
  const [error, setError] = useState<unknown>(undefined);
  const change = useDocumentChange();
  const { steps } = change;
  const plan = async (): Promise<void> => {
    setError(undefined);
    try {
      const { value: before, headers } = await rest.ask<Document>('GET', CONFIGURATION_ROOT);
      const driver = connection.pid ?? pid.trim();
      const added = { ...settings, ...connection.settings, pid: driver, type: connection.type };
      const taken = assets.filter((asset) => chosen.has(asset.pid));
      const body = {
        ...before,
        drivers: [...listItems(before, 'drivers'), ...(connection.pid === undefined ? [added] : [])],
        assets: [
          ...listItems(before, 'assets'),
          ...taken.map((asset): Document => Object.assign({}, asset, { driver })),
        ],
      };
      const basis = headers.get('etag') ?? '';
      await steps.plan({ method: 'PUT', path: '', body, basis, differences: listDifferences(before, body) });
    } catch (thrown) {
      setError(thrown);
    }
  };

  return (
    <section class="plan-step">
      {isEmpty ? <Notice level="info">{fill(COMMISSION.foundNothing)}</Notice> : undefined}
      {isComplete ? undefined : <Notice level="info">{fill(COMMISSION.incomplete)}</Notice>}
      {notes.map((note) => (
        <p key={note} class="soft">
          {note}
        </p>
      ))}
      {connection.pid === undefined ? (
        <label class="field">
          <span>{fill(COMMISSION.name)}</span>
          <input
            name="pid"
            autocomplete="off"
            value={pid}
            onInput={({ currentTarget }) => {
              setPid(currentTarget.value);
              steps.clear();
            }}
          />
        </label>
      ) : (
        <p>{fill(COMMISSION.configured, { pid: connection.pid })}</p>
      )}
      {assets.length === 0 ? undefined : (
        <fieldset>
          <legend class="soft">{fill(COMMISSION.assetsToAdd)}</legend>
          {assets.map((asset) => (
            <label key={asset.pid} class="choice">
              <input
                type="checkbox"
                checked={chosen.has(asset.pid)}
                onChange={({ currentTarget }) => {
                  const next = new Set(chosen);
                  if (currentTarget.checked) next.add(asset.pid);
                  else next.delete(asset.pid);
                  setChosen(next);
                  steps.clear();
                }}
              />{' '}
              <span class="values">{asset.pid}</span>
            </label>
          ))}
        </fieldset>
      )}
      {error === undefined ? undefined : <FailureNotice error={error} />}
      <button
        type="button"
        disabled={steps.isBusy || (connection.pid === undefined && pid.trim() === '')}
        onClick={() => void plan()}
      >
        {fill(COMMISSION.plan)}
      </button>
      <ChangeEnd {...change} />
    </section>
  );
}
