import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';

import { useConsole } from '../../../api/console-context.ts';
import { RestFailure } from '../../../api/rest-failure.ts';
import type { ScanFinding, ScanResult } from '../../../../interface/plant/scans.ts';
import type { TemplateHead, listTemplates } from '../../../../interface/plant/templates.ts';
import { ChangeEnd, useDocumentChange } from '../../../forms/change/document-change.tsx';
import { CONFIGURATION_ROOT, listItems, listNames } from '../../../forms/change/edit-target.ts';
import type { Document } from '../../../forms/change/edit-target.ts';
import { basisOf } from '../../../forms/change/use-configuration.ts';
import { columnsOf } from '../../../forms/channels/channel-schema.ts';
import { listDifferences } from '../../../forms/difference.ts';
import type { KeptForm } from '../../../forms/use-kept.ts';
import { readFields } from '../../../forms/schema.ts';
import type { Schema } from '../../../forms/schema.ts';
import { FailureNotice, Notice } from '../../../parts/notice.tsx';
import { StateWord } from '../../../parts/state-word.tsx';
import { useResource } from '../../../parts/use-resource.ts';
import { CHANNELS } from '../../../text/channels.ts';
import { CONFIGURATION } from '../../../text/configuration.ts';
import { DEVICES } from '../../../text/devices.ts';
import { fill } from '../../../text/fill.ts';
import { DEFAULTS } from '../channels-view.tsx';
import { sortSettings } from './connection-settings.ts';
import { addOffers, isEmptyPart, toAsset } from './device-part.ts';
import type { DevicePart } from './device-part.ts';
import { listParameterFields, PartView } from './part-view.tsx';
import type { RegisterRange } from './register-offers.ts';
import type { Step } from './steps.tsx';

type Connection = NonNullable<ScanResult['connection']>;

/** Names and channels of a device, as entered. */
export interface TypedDevice {
  /** Name of the connection. */
  readonly pid: string;
  readonly parts: readonly DevicePart[];
}

interface DeviceStepProps {
  readonly connection: Connection;
  /** Settings of the form, including those stored nowhere else. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly findings: readonly ScanFinding[];
  readonly schema: Schema;
  readonly form: KeptForm<TypedDevice>;
  readonly rangesOf: readonly (readonly RegisterRange[])[];
  readonly onStep: (step: Step) => void;
  /** Called with the assets of an applied change. */
  readonly onApplied: (assets: readonly string[]) => void;
}

const NO_TEMPLATES: readonly TemplateHead[] = [];

/** Names and channels of a device, and the plan that adds them. */
export function DeviceStep(props: DeviceStepProps): JSX.Element {
  const { connection, settings, findings, schema, form, rangesOf, onStep, onApplied } = props;
  const { pid, parts } = form.value;
  const { rest } = useConsole();
  const [error, setError] = useState<unknown>(undefined);
  const [firstAsset, setFirstAsset] = useState(0);
  const [isApplied, setApplied] = useState(false);
  const change = useDocumentChange(() => {
    setApplied(true);
    form.restart(form.value);
  });
  const { steps } = change;
  const { known, missing } = sortSettings(connection, settings);
  const columns = useMemo(() => columnsOf(schema, connection.type), [schema, connection.type]);
  const listed = useResource('templates', (abort) =>
    rest.call<typeof listTemplates>('GET', `${CONFIGURATION_ROOT}/templates`, { abort }),
  );
  const templates = (listed.value?.templates ?? NO_TEMPLATES).filter(
    ({ driver }) => driver === connection.type,
  );
  const typed = JSON.stringify(known);
  const place = useMemo(
    () =>
      connection.pid === undefined ? { type: connection.type, settings: known } : { driver: connection.pid },
    [connection, typed],
  );
  const taken = parts.filter(({ isTaken }) => isTaken);
  const document = change.configuration.value?.document ?? {};
  // After the change, the names are those of the device itself.
  const isTaken = (section: string, name: string): boolean =>
    !isApplied && listNames(document, section).includes(name.trim());
  const nameFault = connection.pid === undefined && isTaken('drivers', pid) ? wordsOfTaken(pid) : undefined;
  const partFaults = parts.map((part) => {
    if (!part.isTaken) return undefined;
    if (isTaken('assets', part.name)) return wordsOfTaken(part.name);
    const first = taken.find(({ name }) => name.trim() === part.name.trim());
    return first === part || part.name.trim() === '' ? undefined : fill(CHANNELS.twice);
  });
  const isNameTaken = [nameFault, ...partFaults].some((fault) => fault !== undefined);
  const isUnnamed = (connection.pid ?? pid.trim()) === '' || taken.some(({ name }) => name.trim() === '');
  const faults = steps.error instanceof RestFailure ? steps.error.faults : [];

  const plan = async (): Promise<void> => {
    setError(undefined);
    try {
      const { value: before, headers } = await rest.ask<Document>('GET', CONFIGURATION_ROOT);
      const driver = connection.pid ?? pid.trim();
      const used = templates.filter(({ name }) => taken.some(({ template }) => template === name));
      const needed = used.reduce<Document>(
        (all, { driverSettings }) => Object.assign(all, driverSettings),
        {},
      );
      const added = { ...needed, ...known, pid: driver, type: connection.type };
      const assets = listItems(before, 'assets');
      setFirstAsset(assets.length);
      const body = {
        ...before,
        drivers: [...listItems(before, 'drivers'), ...(connection.pid === undefined ? [added] : [])],
        assets: [
          ...assets,
          ...taken.map((part) => {
            const head = templates.find(({ name }) => name === part.template);
            const fields = head === undefined ? [] : listParameterFields(head);
            return toAsset(part, driver, readFields(fields, part.parameters));
          }),
        ],
      };
      const basis = basisOf(headers);
      await steps.plan({ method: 'PUT', path: '', body, basis, differences: listDifferences(before, body) });
      onStep('PLAN');
    } catch (thrown) {
      setError(thrown);
    }
  };
  const update = (index: number, next: (part: DevicePart) => DevicePart): void => {
    steps.clear();
    onStep('CHANNELS');
    form.type((before) => changePart(before, index, next));
  };
  const empty = taken.filter(isEmptyPart);
  const own = {
    ...change,
    steps: {
      ...steps,
      async apply(minutes: number) {
        await steps.apply(minutes);
        onApplied(taken.map(({ name }) => name.trim()));
      },
    },
  };

  return (
    <section class="plan-step">
      {connection.pid === undefined ? (
        <label class="field">
          <span>{fill(DEVICES.name)}</span>
          <input
            name="pid"
            class="values"
            autocomplete="off"
            aria-invalid={nameFault !== undefined}
            aria-describedby="pid-words"
            value={pid}
            onInput={({ currentTarget: { value } }) => {
              form.type((before) => ({ ...before, pid: value }));
              steps.clear();
            }}
          />
          <span id="pid-words" role="status">
            {nameFault === undefined ? undefined : <StateWord tone="fault" words={nameFault} />}
          </span>
        </label>
      ) : (
        <p>{fill(DEVICES.configured, { pid: connection.pid })}</p>
      )}
      {parts.map((part, index) => (
        <PartView
          key={part.proposed.pid}
          part={part}
          nameFault={partFaults[index]}
          onChange={(next) => update(index, next)}
          onOffers={(offers) =>
            form.put((before) => changePart(before, index, (now) => addOffers(now, offers)))
          }
          place={missing.length === 0 ? place : undefined}
          ranges={rangesOf[index] ?? []}
          columns={columns}
          defaults={withUnit(DEFAULTS[connection.type] ?? {}, rangesOf[index])}
          identification={findings.map(({ text }) => text).join(' ')}
          templates={templates}
          faults={faultsOf(faults, firstAsset + taken.indexOf(part))}
        />
      ))}
      {empty.length === 0 ? undefined : (
        <Notice level="attention">
          {fill(DEVICES.noChannelsYet, { names: empty.map(({ name }) => name).join(', ') })}
        </Notice>
      )}
      {taken.length === 0 ? <Notice level="info">{fill(DEVICES.noAssetTaken)}</Notice> : undefined}
      {missing.length === 0 ? undefined : (
        <Notice level="info">{fill(DEVICES.secretsNeeded, { names: missing.join(', ') })}</Notice>
      )}
      {error === undefined ? undefined : <FailureNotice error={error} />}
      <div class="tools">
        <button
          class={steps.planned === undefined ? 'main' : ''}
          type="button"
          disabled={steps.isBusy || isUnnamed || isNameTaken || missing.length > 0}
          onClick={() => void plan()}
        >
          {fill(DEVICES.plan)}
        </button>
      </div>
      <ChangeEnd {...own} />
    </section>
  );
}

/** Returns the errors of one asset. */
function faultsOf(faults: RestFailure['faults'], index: number): RestFailure['faults'] {
  return faults.filter(({ path }) => path.startsWith(`assets[${index}]`));
}

/** A new channel belongs to the unit of the asset, and to its only table of registers. */
function withUnit(defaults: Document, ranges: readonly RegisterRange[] | undefined): Document {
  const [range] = ranges ?? [];
  if (ranges === undefined || range === undefined) return defaults;
  const tables = new Set(ranges.map(({ table }) => table).filter((table) => table.endsWith('REGISTERS')));
  const [table] = tables.size === 1 ? tables : [];
  const address = defaults['address'] as Document;
  return {
    ...defaults,
    address: { ...address, unitId: range.unitId, ...(table === undefined ? {} : { table }) },
  };
}

function wordsOfTaken(name: string): string {
  return fill(CONFIGURATION.isThere, { pid: name.trim() });
}

function changePart(
  device: TypedDevice,
  index: number,
  change: (part: DevicePart) => DevicePart,
): TypedDevice {
  return { ...device, parts: device.parts.map((part, at) => (at === index ? change(part) : part)) };
}

/** Suggests a name for a connection: that of its device or address. */
export function suggestPid(settings: Readonly<Record<string, unknown>>, { type }: Connection): string {
  const { host, device, endpointUrl } = settings;
  const place = [host, device, endpointUrl].find((part) => typeof part === 'string' && part !== '');
  if (typeof place !== 'string') return type;
  const last = place
    .replace(/^[a-z.]+:\/\//, '')
    .replace(/[:/]+$/, '')
    .split('/');
  const name = (device === undefined ? last[0] : last.at(-1)) ?? '';
  return `${type}-${name.replaceAll(/[^\p{L}\p{N}.-]+/gu, '-')}`;
}
