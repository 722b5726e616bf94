import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import { useConsole } from '../../api/console-context.ts';
import type { ProposedAsset, ScanResult } from '../../../interface/plant/scans.ts';
import { ChangeEnd, useDocumentChange } from '../../forms/change/document-change.tsx';
import { CONFIGURATION_ROOT, listItems } from '../../forms/change/edit-target.ts';
import type { Document } from '../../forms/change/edit-target.ts';
import { listDifferences } from '../../forms/difference.ts';
import { isSecretMarker } from '../../forms/secret.ts';
import { FailureNotice, Notice } from '../../parts/notice.tsx';
import { linkTo } from '../../parts/route.ts';
import { COMMISSION } from '../../text/commission.ts';
import { fill } from '../../text/fill.ts';

type Connection = NonNullable<ScanResult['connection']>;

interface PlanStepProps {
  readonly result: ScanResult;
  readonly settings: Readonly<Record<string, unknown>>;
}

/** Adds the scan results: plan first, then a change that reverts unless confirmed. */
export function PlanStep({ result, settings }: PlanStepProps): JSX.Element {
  const { connection, notes, isComplete } = result;
  return (
    <section class="plan-step">
      {isComplete ? undefined : <Notice level="info">{fill(COMMISSION.incomplete)}</Notice>}
      {notes.map((note) => (
        <p key={note} class="soft">
          {note}
        </p>
      ))}
      {connection === undefined ? undefined : (
        <AddStep connection={connection} assets={result.assets} settings={settings} />
      )}
    </section>
  );
}

interface AddStepProps {
  readonly connection: Connection;
  readonly assets: ScanResult['assets'];
  readonly settings: PlanStepProps['settings'];
}

function AddStep({ connection, assets, settings }: AddStepProps): JSX.Element {
  const { rest } = useConsole();
  const [pid, setPid] = useState('');
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(assets.map((asset) => asset.pid)));
  const [error, setError] = useState<unknown>(undefined);
  const change = useDocumentChange();
  const { steps } = change;
  const { known, missing } = sortSettings(connection, settings);
  const isUnnamed = connection.pid === undefined && pid.trim() === '';
  const plan = async (): Promise<void> => {
    setError(undefined);
    try {
      const { value: before, headers } = await rest.ask<Document>('GET', CONFIGURATION_ROOT);
      const driver = connection.pid ?? pid.trim();
      const added = { ...known, pid: driver, type: connection.type };
      const taken = assets.filter((asset) => chosen.has(asset.pid));
      const body = {
        ...before,
        drivers: [...listItems(before, 'drivers'), ...(connection.pid === undefined ? [added] : [])],
        assets: [...listItems(before, 'assets'), ...taken.map((asset) => ofDriver(asset, driver))],
      };
      const basis = headers.get('etag') ?? '';
      await steps.plan({ method: 'PUT', path: '', body, basis, differences: listDifferences(before, body) });
    } catch (thrown) {
      setError(thrown);
    }
  };

  return (
    <>
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
              <span class="values">{asset.pid}</span>{' '}
              {isEmpty(asset) ? <span class="soft">{fill(COMMISSION.withoutChannels)}</span> : undefined}
            </label>
          ))}
        </fieldset>
      )}
      <EmptyAssets assets={assets.filter((asset) => chosen.has(asset.pid) && isEmpty(asset))} />
      {missing.length === 0 ? undefined : (
        <Notice level="info">{fill(COMMISSION.secretsNeeded, { names: missing.join(', ') })}</Notice>
      )}
      {error === undefined ? undefined : <FailureNotice error={error} />}
      <button
        type="button"
        disabled={steps.isBusy || isUnnamed || missing.length > 0}
        onClick={() => void plan()}
      >
        {fill(COMMISSION.plan)}
      </button>
      <ChangeEnd {...change} />
    </>
  );
}

/** Warns of assets without channels, and explains how to add channels after confirmation. */
function EmptyAssets({ assets }: { readonly assets: readonly ProposedAsset[] }): JSX.Element {
  const [first] = assets;
  if (first === undefined) return <></>;
  const links = (
    <>
      <a href={linkTo(['commission', 'template'])}>{fill(COMMISSION.template)}</a>{' '}
      <a href={linkTo(['commission', 'sheet', first.pid])}>{fill(COMMISSION.sheet)}</a>{' '}
      <a href={linkTo(['configuration', 'assets', first.pid])}>{fill(COMMISSION.registers)}</a>
    </>
  );
  const names = assets.map(({ pid }) => pid).join(', ');
  return (
    <Notice level="attention" actions={links}>
      {fill(COMMISSION.emptyAssets, { names })}
    </Notice>
  );
}

function isEmpty({ template, channels = [] }: ProposedAsset): boolean {
  return template === undefined && channels.length === 0;
}

/** Merges scan results over the input; secrets come from the input only. */
function sortSettings(
  { pid, settings: found = {} }: Connection,
  typed: PlanStepProps['settings'],
): { readonly known: PlanStepProps['settings']; readonly missing: readonly string[] } {
  const entries = Object.entries(found);
  const shown = entries.filter(([, value]) => !isSecretMarker(value));
  const secrets = entries.filter(([, value]) => isSecretMarker(value)).map(([name]) => name);
  return {
    known: { ...typed, ...Object.fromEntries(shown) },
    missing: pid === undefined ? secrets.filter((name) => typed[name] === undefined) : [],
  };
}

function ofDriver(asset: ProposedAsset, driver: string): Document {
  return { ...asset, driver };
}
