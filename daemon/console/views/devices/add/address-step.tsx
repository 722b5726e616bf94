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

interface AddFormProps {
  readonly kinds: readonly DriverKind[];
  readonly schema: Schema;
}

/** Form of a device address; starts a scan, and shows the latest scan or the one in the link. */
function AddForm({ kinds, schema }: AddFormProps): JSX.Element {
  const { rest } = useConsole();
  const [kindName, setKindName] = useState('');
  const [texts, setTexts] = useState<Texts>({});
  const [error, setError] = useState<unknown>(undefined);
  const [isStarting, setStarting] = useState(false);
  const { scan, isGone, reload, setAside } = useShownScan();
  const [capture, setCapture] = useState<Capture | undefined>(undefined);
  const [isAddressOpen, setAddressOpen] = useState(true);
  const [later, setLater] = useState<Step | undefined>(undefined);
  const kind = kinds.find(({ name }) => name === kindName) ?? kinds[0];
  const [filledFor, setFilledFor] = useState('');
  const fillFrom = ({ id, type, settings }: ShownScan): void => {
    const used = findKind(kinds, type, settings);
    setFilledFor(id);
    setKindName(used?.name ?? '');
    setTexts(writeFields(used?.fields ?? [], settings));
  };
  // The form shows the target of the scan, also after a reload and when another scan is opened; it is never empty next to it.
  useLayoutEffect(() => {
    if (scan !== undefined && scan.id !== filledFor) fillFrom(scan);
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
    setTexts((before) => ({ ...before, [name]: text }));
    // Secrets must be entered again to use the results.
    if (field?.schema.writeOnly === true) return;
    setCapture(undefined);
    setAside();
  };
  const start = async (): Promise<void> => {
    setError(undefined);
    setCapture(undefined);
    setStarting(true);
    try {
      const begun = await startScan(rest, { type: kind.type, settings });
      setFilledFor(begun.id);
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
              onChange={({ currentTarget }) => {
                setKindName(currentTarget.value);
                setCapture(undefined);
                setAside();
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
                setAside();
                setCapture(captured);
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
          result={result}
          connection={result.connection}
          findings={capture === undefined ? (scan?.findings ?? []) : []}
          offers={capture?.offers}
          settings={settings}
          schema={schema}
          onStep={setLater}
          onAnother={() => {
            setCapture(undefined);
            setAside();
          }}
        />
      )}
      <OtherScans shown={scan?.id} />
    </div>
  );
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
  /** Hides the scan: the form describes another device now. */
  readonly setAside: () => void;
}

// Progress comes with the list; this retries a failed request.
const AGAIN_MS = 10_000;

/** Returns the scan of the link, or else the latest one, with its progress. */
function useShownScan(): ShownScanState {
  const { rest } = useConsole();
  const [isAside, setIsAside] = useState(false);
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
    setAside: () => {
      setIsAside(true);
      setQuery('scan', '');
    },
  };
}
