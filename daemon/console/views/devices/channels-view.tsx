import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';

import { useConsole } from '../../api/console-context.ts';
import { RestFailure } from '../../api/rest-failure.ts';
import type { listDrivers } from '../../../interface/plant/drivers.ts';
import { ChannelEditor } from '../../forms/channels/channel-editor.tsx';
import { startEdits } from '../../forms/channels/channel-rows.ts';
import type { CellFault, ChannelEdits } from '../../forms/channels/channel-rows.ts';
import { columnsOf } from '../../forms/channels/channel-schema.ts';
import { readChannelDraft, useChannelDraft } from '../../forms/channels/use-channel-draft.ts';
import type { DraftedAsset } from '../../forms/channels/use-channel-draft.ts';
import { findDraft } from '../../forms/drafts.ts';
import { listSecretNames } from '../../forms/secret.ts';
import { StateWord } from '../../parts/state-word.tsx';
import { toCellFaults } from '../../forms/channels/gateway-faults.ts';
import { ChangeOutcomeNotice } from '../../forms/change/document-change.tsx';
import { CONFIGURATION_ROOT, pathOf } from '../../forms/change/edit-target.ts';
import type { Document } from '../../forms/change/edit-target.ts';
import { PendingPanel } from '../../forms/change/pending-panel.tsx';
import { PlanPanel } from '../../forms/change/plan-panel.tsx';
import { useChange } from '../../forms/change/use-change.ts';
import { basisOf } from '../../forms/change/use-configuration.ts';
import { listDifferences, listThreeWay, mergeThreeWay } from '../../forms/difference.ts';
import type { Schema } from '../../forms/schema.ts';
import { pendingChange } from '../../live/pending-change.ts';
import { FailureNotice, Notice } from '../../parts/notice.tsx';
import { Outline } from '../../parts/outline.tsx';
import { linkTo } from '../../parts/route.ts';
import { useResource } from '../../parts/use-resource.ts';
import { CHANNELS } from '../../text/channels.ts';
import { CONFIGURATION } from '../../text/configuration.ts';
import { DEVICES } from '../../text/devices.ts';
import { fill } from '../../text/fill.ts';
import { ConflictPanel } from '../configuration/conflict-panel.tsx';

/** An asset as configured, with the type of its driver. */
interface LoadedAsset {
  readonly asset: Document;
  readonly driverType: string;
  /** Entity tag of the configuration. */
  readonly basis: string;
}

/** Channels of an asset, as a table and as forms. */
export function ChannelsView({ pid }: { readonly pid: string }): JSX.Element {
  const { rest, session } = useConsole();
  const path = `assets/${encodeURIComponent(pid)}`;
  const loadAsset = async (abort?: AbortSignal): Promise<LoadedAsset> => {
    const options = abort === undefined ? {} : { signal: abort };
    const [{ value: asset, headers }, drivers] = await Promise.all([
      rest.ask<Document>('GET', `${CONFIGURATION_ROOT}/${path}`, options),
      rest.call<typeof listDrivers>('GET', '/services/drivers/v1', { abort }),
    ]);
    const driverType = drivers.find((driver) => driver.pid === asset['driver'])?.type ?? '';
    return { asset, driverType, basis: basisOf(headers) };
  };
  const loaded = useResource(pid, loadAsset);
  const schema = useResource('schema', (abort) => rest.get<Schema>(`${CONFIGURATION_ROOT}/schema`, abort));
  const drafted = useResource(`draft ${pid}`, async () => ({
    begun: await readChannelDraft(session.name ?? '', pid),
  }));
  const failure = loaded.error ?? schema.error;
  if (failure instanceof RestFailure && failure.status === 404) {
    return <Notice level="info">{fill(CHANNELS.unknownAsset, { asset: pid })}</Notice>;
  }
  return (
    <section class="channels">
      <header class="tools">
        <h2>{fill(CHANNELS.channelsOf, { asset: pid })}</h2>
        {findDraft(session.name ?? '', pathOf(['assets', pid])) === undefined ? undefined : (
          <StateWord tone="info" words={fill(CONFIGURATION.draft)} />
        )}
        <a href={linkTo(['assets', pid])}>{fill(CHANNELS.openAsset, { asset: pid })}</a>
        <a href={linkTo(['configuration', 'assets', pid])}>{fill(CHANNELS.asText)}</a>
      </header>
      {failure === undefined ? undefined : (
        <FailureNotice
          error={failure}
          onRetry={() => {
            loaded.reload();
            schema.reload();
          }}
        />
      )}
      {failure === undefined &&
      (loaded.value === undefined || schema.value === undefined || drafted.value === undefined) ? (
        <Outline />
      ) : undefined}
      {drafted.value?.begun === 'WRONG' ? (
        <Notice level="attention">{fill(CHANNELS.wrongDraft)}</Notice>
      ) : undefined}
      {loaded.value === undefined ||
      schema.value === undefined ||
      drafted.value === undefined ||
      drafted.value.begun === 'WRONG' ? undefined : (
        <AssetChannels
          key={pid}
          pid={pid}
          loaded={loaded.value}
          drafted={drafted.value.begun}
          schema={schema.value}
          load={loadAsset}
          onChanged={loaded.reload}
        />
      )}
    </section>
  );
}

interface AssetChannelsProps {
  readonly pid: string;
  readonly loaded: LoadedAsset;
  readonly drafted: DraftedAsset | undefined;
  readonly schema: Schema;
  readonly load: () => Promise<LoadedAsset>;
  readonly onChanged: () => void;
}

const NO_FAULTS: readonly CellFault[] = [];

function AssetChannels(props: AssetChannelsProps): JSX.Element {
  const { pid, loaded, drafted, schema, load, onChanged } = props;
  // What was loaded when the editing began; edits are lost only by "Discard".
  const [base, setBase] = useState<LoadedAsset>(() =>
    drafted === undefined ? loaded : { ...loaded, asset: drafted.base, basis: drafted.draft.basis },
  );
  const [edits, setEdits] = useState<ChannelEdits>(() => {
    const start = startEdits(channelsOf(base.asset));
    return drafted === undefined
      ? start
      : { ...startEdits(channelsOf(drafted.asset)), past: [start.present] };
  });
  const secretNames = useMemo(() => listSecretNames(schema), [schema]);
  const draft = useChannelDraft(pid, secretNames);
  const [theirs, setTheirs] = useState<LoadedAsset | undefined>(undefined);
  const [error, setError] = useState<unknown>(undefined);
  const columns = useMemo(() => columnsOf(schema, base.driverType), [schema, base.driverType]);
  const begin = (next: LoadedAsset): void => {
    draft.drop();
    setBase(next);
    setOthers(next.asset);
    setEdits(startEdits(channelsOf(next.asset)));
    setTheirs(undefined);
  };
  const reload = async (use: (next: LoadedAsset) => void): Promise<void> => {
    setError(undefined);
    try {
      use(await load());
    } catch (thrown) {
      setError(thrown);
    }
  };
  const steps = useChange({
    onApplied() {
      draft.drop();
      void reload(begin);
      onChanged();
    },
    onStale() {
      void reload(setTheirs);
    },
  });
  // A draft of the text editor can have other changes as well.
  const [others, setOthers] = useState<Document>(drafted?.asset ?? base.asset);
  const toAsset = ({ present }: ChannelEdits): Document => ({
    ...others,
    channels: present.map(({ channel }) => channel),
  });
  const yours = toAsset(edits);
  const place = useMemo(() => ({ driver: String(base.asset['driver']) }), [base]);
  const failure = steps.error;
  const faults = failure instanceof RestFailure ? failure.faults : [];
  const gatewayFaults = useMemo(
    () => (faults.length === 0 ? NO_FAULTS : toCellFaults(faults, edits.present)),
    [failure],
  );
  const pending = pendingChange.value;
  const plan = (): void => {
    void steps.plan({
      method: 'PUT',
      path: `assets/${encodeURIComponent(pid)}`,
      body: yours,
      basis: base.basis,
      differences: listDifferences(base.asset, yours, ['assets', pid]),
    });
  };
  const takeMerged = (merged: Document): void => {
    if (theirs === undefined) return;
    setBase(theirs);
    setOthers(merged);
    draft.keep(merged, { base: theirs.asset, basis: theirs.basis });
    setEdits({ ...startEdits(channelsOf(merged)), past: [edits.present] });
    setTheirs(undefined);
  };
  const template = base.asset['template'];
  const conflicts = theirs === undefined ? [] : listThreeWay(base.asset, theirs.asset, yours);
  return (
    <>
      {typeof template === 'string' ? (
        <Notice level="info">{fill(CHANNELS.templateChannels, { template })}</Notice>
      ) : undefined}
      <ChannelEditor
        label={fill(CHANNELS.channelsOf, { asset: pid })}
        edits={edits}
        onEdits={(next) => {
          steps.clear();
          setEdits(next);
          const isChanged = next.past.length > 0 || listDifferences(base.asset, toAsset(next)).length > 0;
          if (!isChanged) draft.drop();
          else draft.keep(toAsset(next), { base: base.asset, basis: base.basis });
        }}
        columns={columns}
        gatewayFaults={gatewayFaults}
        place={place}
        defaults={DEFAULTS[base.driverType] ?? {}}
        more={
          edits.past.length === 0 ? undefined : (
            <button
              type="button"
              onClick={() => {
                steps.clear();
                begin(base);
              }}
            >
              {fill(CONFIGURATION.discard)}
            </button>
          )
        }
      >
        <button
          class={steps.planned === undefined ? 'main' : ''}
          type="button"
          disabled={edits.past.length === 0 || steps.isBusy || theirs !== undefined}
          onClick={plan}
        >
          {fill(DEVICES.plan)}
        </button>
      </ChannelEditor>
      {failure === undefined || faults.length > 0 ? undefined : <FailureNotice error={failure} />}
      {error === undefined ? undefined : <FailureNotice error={error} />}
      {theirs === undefined || conflicts.length === 0 ? undefined : (
        <ConflictPanel
          base={base.asset}
          theirs={theirs.asset}
          yours={yours}
          onMerged={takeMerged}
          onDiscard={() => begin(theirs)}
        />
      )}
      {theirs !== undefined && conflicts.length === 0 ? (
        <Notice
          level="attention"
          actions={
            <button
              type="button"
              onClick={() =>
                takeMerged(mergeThreeWay(base.asset, theirs.asset, yours, () => false) as Document)
              }
            >
              {fill(CONFIGURATION.merge)}
            </button>
          }
        >
          {fill(CONFIGURATION.planAgain)}
        </Notice>
      ) : undefined}
      {steps.planned === undefined ? undefined : (
        <PlanPanel steps={steps} planned={steps.planned} document={{ assets: [base.asset] }} />
      )}
      {pending === undefined ? undefined : <PendingPanel key={pending.snapshot} pending={pending} />}
      <ChangeOutcomeNotice />
    </>
  );
}

/** Fields of a new channel, by driver type. */
export const DEFAULTS: Readonly<Record<string, Document>> = {
  modbus: {
    name: '',
    type: 'READ',
    valueType: 'INTEGER',
    address: { unitId: 1, table: 'HOLDING_REGISTERS', dataType: 'UINT16' },
  },
  opcua: { name: '', type: 'READ', valueType: 'DOUBLE', address: {} },
  serial: { name: '', type: 'READ', valueType: 'DOUBLE', address: {} },
};

function channelsOf(asset: Document): readonly Document[] {
  return Array.isArray(asset['channels']) ? (asset['channels'] as readonly Document[]) : [];
}
