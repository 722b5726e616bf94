import type { JSX } from 'preact';
import { useLayoutEffect, useState, useEffect } from 'preact/hooks';

import { useConsole } from '../../../api/console-context.ts';
import { listDriverKinds, findKind, readFields, writeFields } from '../../../forms/schema.ts';
import type { Schema, DriverKind, Field } from '../../../forms/schema.ts';
import { Outline } from '../../../parts/outline.tsx';
import { FailureNotice, Notice } from '../../../parts/notice.tsx';
import { useResource } from '../../../parts/use-resource.ts';
import { RestFailure } from '../../../api/rest-failure.ts';
import type { ShownScan } from '../../../../interface/plant/scans.ts';
import { useKept } from '../../../forms/use-kept.ts';
import { SchemaFields } from '../../../forms/schema-fields.tsx';
import { forgetScan, startScan, ownScans, findScan, recordSeenScan } from '../../../live/own-scans.ts';
import { setQuery, linkTo, route } from '../../../parts/route.ts';
import { DEVICES } from '../../../text/devices.ts';
import { fill } from '../../../text/fill.ts';
import { nameOfProtocol } from '../../../text/settings/protocols.ts';
import { describeChoice, nameOfSetting } from '../../../text/settings/setting-names.ts';
import { ScanOutcome } from './scan-outcome.tsx';
import { SerialListening } from './serial-listening.tsx';
import type { Capture } from './serial-listening.tsx';
import { FoundDevice } from './found-device.tsx';
import { Steps } from './steps.tsx';
import type { Step } from './steps.tsx';
import { formatTime } from '../../../text/format.ts';
import { describeScan } from '../scan-words.ts';

/** Adds a device: from its address to live values, in five steps. */
export function AddView(): JSX.Element {
  const { rest } = useConsole();
  const schema = useResource('schema', (abort) =>
    rest.get<Schema>('/services/configuration/v1/schema', abort),
  );
  const kinds = schema.value === undefined ? [] : listDriverKinds(schema.value);
  if (schema.value !== undefined && kinds.length > 0) return <AddForm kinds={kinds} schema={schema.value} />;
  if (schema.error === undefined) return <Outline />;
  return <FailureNotice error={schema.error} onRetry={schema.reload} />;
}

type Texts = Readonly<Record<string, string>>;

/** Address of a device, as entered. */
interface TypedAddress {
  readonly kindName: string;
  readonly texts: Texts;
  /** Scan whose target it is; empty: none. */
  readonly scanned: string;
  /** True if it is that of another device than the latest scan. */
  readonly isAside: boolean;
  readonly capture: Capture | undefined;
}

const ANOTHER = { isAside: true, capture: undefined } as const;
const NO_ADDRESS: TypedAddress = {
  kindName: '',
  texts: {},
  scanned: '',
  isAside: false,
  capture: undefined,
};

interface AddFormProps {
  readonly kinds: readonly DriverKind[];
  readonly schema: Schema;
}

/** Form of a device address; starts a scan, and shows the latest scan or the one in the link. */
function AddForm({ kinds, schema }: AddFormProps): JSX.Element {
  const { rest } = useConsole();
  const form = useKept<TypedAddress>('device', () => NO_ADDRESS);
  const { kindName, texts, scanned, capture } = form.value;
  const [error, setError] = useState<unknown>(undefined);
  const [isStarting, setStarting] = useState(false);
  const { scan, isGone, reload } = useShownScan(form.value);
  const [isAddressOpen, setAddressOpen] = useState(true);
  const [later, setLater] = useState<Step | undefined>(undefined);
  const kind = kinds.find(({ name }) => name === kindName) ?? kinds[0];
  // The gateway stores what was scanned.
  const fillFrom = ({ id, type, settings }: ShownScan): void => {
    const used = findKind(kinds, type, settings);
    const own = { kindName: used?.name ?? '', texts: writeFields(used?.fields ?? [], settings) };
    form.restart({ ...NO_ADDRESS, ...own, scanned: id });
  };
  // The form shows the target of the scan, also after a reload and when another scan is opened; it is never empty next to it.
  useLayoutEffect(() => {
    if (scan !== undefined && scan.id !== scanned) fillFrom(scan);
  }, [scan?.id]);
  const result = capture?.result ?? scan?.result;
  const hasDevice = result?.connection !== undefined;
  useLayoutEffect(() => {
    setAddressOpen(!hasDevice);
    setLater(undefined);
  }, [hasDevice, scan?.id, capture]);
  if (kind === undefined) return <></>;
  const settings = { ...kind.fixed, ...readFields(kind.fields, texts) };
  const isRunning = scan?.state === 'RUNNING';
  const isBusy = isStarting || isRunning;
  const change = (field: Field | undefined, name: string, text: string): void => {
    // A secret can be entered again to use the results.
    const isOther = field?.schema.writeOnly !== true;
    form.type((before) => ({
      ...before,
      texts: { ...before.texts, [name]: text },
      ...(isOther ? ANOTHER : {}),
    }));
    if (isOther) setQuery('scan', '');
  };
  const start = async (): Promise<void> => {
    setError(undefined);
    form.put((before) => ({ ...before, capture: undefined }));
    setStarting(true);
    try {
      const begun = await startScan(rest, { type: kind.type, settings });
      const next = { ...form.value, capture: undefined, isAside: false, scanned: begun.id };
      // The gateway returns everything but secrets.
      if (hasSecret(kind, texts)) form.type(() => next);
      else form.restart(next);
      setQuery('scan', begun.id);
    } catch (thrown) {
      setError(thrown);
    } finally {
      setStarting(false);
    }
  };

  const step = later ?? (hasDevice ? 'CHANNELS' : isRunning ? 'FOUND' : 'ADDRESS');
  return (
    <div class="add-device">
      <Steps step={step} />
      <details
        class="address"
        open={isAddressOpen}
        onToggle={({ currentTarget }) => setAddressOpen(currentTarget.open)}
      >
        <summary>
          {fill(DEVICES.stepAddress)} <span class="values soft">{hasDevice ? scan?.target : ''}</span>
        </summary>
        <form
          class="connect"
          onSubmit={(event) => {
            event.preventDefault();
            if (!isBusy) void start();
          }}
        >
          <label class="field">
            <span>{fill(DEVICES.protocol)}</span>
            <select
              name="kind"
              value={kind.name}
              onChange={({ currentTarget: { value } }) => {
                form.type((before) => ({ ...before, kindName: value, ...ANOTHER }));
                setQuery('scan', '');
              }}
            >
              {kinds.map(({ name }) => (
                <option key={name} value={name}>
                  {nameOfProtocol(name)}
                </option>
              ))}
            </select>
          </label>
          <Settings kind={kind} texts={texts} error={error} onChange={change} />
          {kind.type === 'serial' ? (
            <SerialListening
              settings={settings}
              isBusy={isBusy}
              onCapture={(captured) => {
                form.type((before) => ({ ...before, isAside: true, capture: captured }));
                setQuery('scan', '');
              }}
            />
          ) : (
            <p class="soft">{fill(DEVICES.scanHint)}</p>
          )}
          <div class="tools">
            <button class={kind.type === 'serial' ? '' : 'main'} type="submit" disabled={isBusy}>
              {fill(kind.type === 'serial' ? DEVICES.scanMeter : DEVICES.scan)}
            </button>
          </div>
        </form>
      </details>
      {error === undefined ? undefined : <FailureNotice error={error} />}
      {isGone ? <Notice level="info">{fill(DEVICES.scanGone)}</Notice> : undefined}
      {scan === undefined || capture !== undefined ? undefined : (
        <ScanOutcome key={scan.id} scan={scan} onChange={reload} />
      )}
      {result?.connection === undefined ? undefined : (
        <FoundDevice
          key={capture?.id ?? scan?.id}
          id={capture?.id ?? scan?.id ?? ''}
          result={result}
          connection={result.connection}
          findings={capture === undefined ? (scan?.findings ?? []) : []}
          offers={capture?.offers}
          settings={settings}
          schema={schema}
          onStep={setLater}
          onAnother={() => {
            form.restart({ ...form.value, ...ANOTHER });
            setQuery('scan', '');
          }}
        />
      )}
      <OtherScans shown={scan?.id} />
    </div>
  );
}

function hasSecret({ fields }: DriverKind, texts: Texts): boolean {
  return fields.some(({ name, schema }) => schema.writeOnly === true && (texts[name] ?? '') !== '');
}

interface SettingsProps {
  readonly kind: DriverKind;
  readonly texts: Texts;
  readonly error: unknown;
  readonly onChange: (field: Field | undefined, name: string, text: string) => void;
}

function Settings({ kind: { fields }, texts, error, onChange }: SettingsProps): JSX.Element {
  const main = fields.filter(({ name, isRequired }) => isRequired || name === 'port');
  const others = fields.filter((field) => !main.includes(field));
  const shared = {
    texts,
    names: { title: nameOfSetting, choice: describeChoice },
    faults: error instanceof RestFailure ? error.faults : [],
    onChange: (name: string, text: string): void =>
      onChange(
        fields.find((field) => field.name === name),
        name,
        text,
      ),
  };
  return (
    <>
      <SchemaFields fields={main} {...shared} />
      <details>
        <summary>{fill(DEVICES.otherSettings)}</summary>
        <SchemaFields fields={others} {...shared} />
      </details>
    </>
  );
}

/** Lists the other scans. */
function OtherScans({ shown }: { readonly shown: string | undefined }): JSX.Element | undefined {
  const { rest } = useConsole();
  const others = ownScans.value.filter(({ id }) => id !== shown);
  if (others.length === 0) return undefined;
  return (
    <section class="other-scans">
      <h2>{fill(DEVICES.otherScans)}</h2>
      <ul>
        {others.map((scan) => (
          <li key={scan.id}>
            <span class="values">{formatTime(scan.startedAt)}</span>{' '}
            <a href={linkTo(['devices', 'add'], { scan: scan.id })}>{scan.target}</a> {describeScan(scan)}{' '}
            <button
              class="plain"
              type="button"
              aria-label={fill(DEVICES.forgetNamed, { target: scan.target })}
              // If it fails, the scan stays listed.
              onClick={() => void forgetScan(rest, scan.id).catch(() => undefined)}
            >
              {fill(DEVICES.forgetScan)}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

interface ShownScanState {
  readonly scan: ShownScan | undefined;
  /** The scan of the link no longer exists. */
  readonly isGone: boolean;
  readonly reload: () => void;
}

// Progress comes with the list; this retries a failed request.
const AGAIN_MS = 10_000;

/** Returns the scan of the link, or else the latest one unless the form describes another device, with its progress. */
function useShownScan({ isAside }: TypedAddress): ShownScanState {
  const { rest } = useConsole();
  const named = route.value.query.get('scan');
  const id = named ?? (isAside ? undefined : ownScans.value[0]?.id);
  const head = ownScans.value.find((candidate) => candidate.id === id);
  const [isSettled, setSettled] = useState(false);
  const version = `${head?.state ?? ''} ${head?.found ?? 0}`;
  const { value, error, reload } = useResource(id, (abort) => findScan(rest, id ?? '', abort), {
    ...(isSettled ? {} : { everyMs: AGAIN_MS }),
    version,
  });
  useEffect(() => {
    const hasEnded = value !== undefined && value.state !== 'RUNNING';
    setSettled(hasEnded);
    if (hasEnded) recordSeenScan(value.id);
  }, [value]);
  return {
    // The list has its progress, every second.
    scan: value === undefined ? undefined : { ...value, ...(value.state === 'RUNNING' ? head : undefined) },
    isGone: value === undefined && error instanceof RestFailure && error.status === 404,
    reload,
  };
}
