import type { JSX } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';

import { useConsole } from '../../api/console-context.ts';
import { RestFailure } from '../../api/rest-failure.ts';
import type { ShownScan } from '../../../interface/scans.ts';
import { findKind, readFields, writeFields } from '../../forms/schema.ts';
import type { DriverKind, Field } from '../../forms/schema.ts';
import { SchemaFields } from '../../forms/schema-fields.tsx';
import { startScan } from '../../live/own-scans.ts';
import { FailureNotice, Notice } from '../../parts/notice.tsx';
import { setQuery } from '../../parts/route.ts';
import { COMMISSION } from '../../text/commission.ts';
import { fill } from '../../text/fill.ts';
import { OtherScans } from './other-scans.tsx';
import { ScanOutcome } from './scan-outcome.tsx';
import { useShownScan } from './use-shown-scan.ts';

type Texts = Readonly<Record<string, string>>;

/** Asks where a device is, has it scanned, and shows the scan that was begun last, or the one of the address. */
export function ConnectForm({ kinds }: { readonly kinds: readonly DriverKind[] }): JSX.Element {
  const { rest } = useConsole();
  const [kindName, setKindName] = useState('');
  const [texts, setTexts] = useState<Texts>({});
  const [error, setError] = useState<unknown>(undefined);
  const [isStarting, setStarting] = useState(false);
  const { scan, isGone, reload, setAside } = useShownScan();
  const kind = kinds.find(({ name }) => name === kindName) ?? kinds[0];
  const [filledFor, setFilledFor] = useState('');
  const fillFrom = ({ id, type, settings }: ShownScan): void => {
    const used = findKind(kinds, type, settings);
    setFilledFor(id);
    setKindName(used?.name ?? '');
    setTexts(writeFields(used?.fields ?? [], settings));
  };
  // The form shows where the scan looks: after a reload, and behind the link to another one; at no moment it is empty beside it.
  useLayoutEffect(() => {
    if (scan !== undefined && scan.id !== filledFor) fillFrom(scan);
  }, [scan?.id]);
  if (kind === undefined) return <></>;
  const settings = { ...kind.fixed, ...readFields(kind.fields, texts) };
  const isRunning = scan?.state === 'RUNNING';
  const isBusy = isStarting || isRunning;
  const change = (field: Field | undefined, name: string, text: string): void => {
    setTexts((before) => ({ ...before, [name]: text }));
    // Secrets have to be typed again for what was found with them.
    if (field?.schema.writeOnly !== true) setAside();
  };
  const start = async (): Promise<void> => {
    setError(undefined);
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

  return (
    <>
      <form
        class="connect"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isBusy) void start();
        }}
      >
        <label class="field">
          <span>{fill(COMMISSION.protocol)}</span>
          <select
            name="kind"
            value={kind.name}
            onChange={({ currentTarget }) => {
              setKindName(currentTarget.value);
              setAside();
            }}
          >
            {kinds.map(({ name }) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <Settings kind={kind} texts={texts} error={error} onChange={change} />
        <p class="soft">{fill(COMMISSION.scanHint)}</p>
        <div class="tools">
          <button class="main" type="submit" disabled={isBusy}>
            {fill(COMMISSION.scan)}
          </button>
        </div>
      </form>
      {error === undefined ? undefined : <FailureNotice error={error} />}
      {isGone ? <Notice level="info">{fill(COMMISSION.scanGone)}</Notice> : undefined}
      {scan === undefined ? undefined : (
        <ScanOutcome key={scan.id} scan={scan} settings={settings} onChange={reload} />
      )}
      <OtherScans shown={scan?.id} />
    </>
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
        <summary>{fill(COMMISSION.others)}</summary>
        <SchemaFields fields={others} {...shared} />
      </details>
    </>
  );
}
