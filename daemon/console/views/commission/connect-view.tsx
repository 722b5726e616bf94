import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';

import { useConsole } from '../../api/console-context.ts';
import { RestFailure } from '../../api/rest-failure.ts';
import { listDriverKinds, readFields } from '../../forms/schema.ts';
import type { Schema } from '../../forms/schema.ts';
import { SchemaFields } from '../../forms/schema-fields.tsx';
import { FailureNotice } from '../../parts/notice.tsx';
import { useResource } from '../../parts/use-resource.ts';
import { COMMISSION } from '../../text/commission.ts';
import { fill } from '../../text/fill.ts';
import { readScan } from './read-scan.ts';
import type { ScanFind, ScanProgress, ScanResult } from './read-scan.ts';
import { PlanStep } from './plan-step.tsx';

/** Connects a device: protocol, address, what is found, plan, and apply with a way back. */
export function ConnectView(): JSX.Element {
  const { rest } = useConsole();
  const schema = useResource('schema', (abort) =>
    rest.get<Schema>('/services/configuration/v1/schema', abort),
  );
  const kinds = schema.value === undefined ? [] : listDriverKinds(schema.value);
  const [kindName, setKindName] = useState('');
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({});
  const [progress, setProgress] = useState<ScanProgress | undefined>(undefined);
  const [finds, setFinds] = useState<readonly ScanFind[]>([]);
  const [result, setResult] = useState<ScanResult | undefined>(undefined);
  const [error, setError] = useState<unknown>(undefined);
  const abort = useRef<AbortController | undefined>(undefined);
  const kind = kinds.find(({ name }) => name === kindName) ?? kinds[0];
  if (kind === undefined) {
    return schema.error === undefined ? (
      <></>
    ) : (
      <FailureNotice error={schema.error} onRetry={schema.reload} />
    );
  }
  const settings = { ...kind.fixed, ...readFields(kind.fields, texts) };
  const main = kind.fields.filter(({ name, isRequired }) => isRequired || name === 'port');
  const others = kind.fields.filter((field) => !main.includes(field));
  const faults = error instanceof RestFailure ? error.faults : [];
  const change = (name: string, text: string): void => {
    setTexts((before) => ({ ...before, [name]: text }));
    setResult(undefined);
  };
  const scan = async (): Promise<void> => {
    const stop = new AbortController();
    abort.current = stop;
    setError(undefined);
    setResult(undefined);
    setFinds([]);
    setProgress({ done: 0, text: '' });
    try {
      setResult(
        await readScan(
          rest,
          { type: kind.type, settings },
          {
            signal: stop.signal,
            onProgress: setProgress,
            onFind: (find) => setFinds((before) => [...before, find]),
          },
        ),
      );
    } catch (thrown) {
      if (!stop.signal.aborted) setError(thrown);
    } finally {
      setProgress(undefined);
    }
  };

  return (
    <>
      <form
        class="connect"
        onSubmit={(event) => {
          event.preventDefault();
          if (progress === undefined) void scan();
        }}
      >
        <label class="field">
          <span>{fill(COMMISSION.protocol)}</span>
          <select
            name="kind"
            value={kind.name}
            onChange={({ currentTarget }) => {
              setKindName(currentTarget.value);
              setResult(undefined);
            }}
          >
            {kinds.map(({ name }) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <SchemaFields fields={main} texts={texts} onChange={change} faults={faults} />
        <details>
          <summary>{fill(COMMISSION.others)}</summary>
          <SchemaFields fields={others} texts={texts} onChange={change} faults={faults} />
        </details>
        <p class="soft">{fill(COMMISSION.scanHint)}</p>
        <div class="tools">
          <button class="main" type="submit" disabled={progress !== undefined}>
            {fill(COMMISSION.scan)}
          </button>
          {progress === undefined ? undefined : (
            <>
              <button type="button" onClick={() => abort.current?.abort()}>
                {fill(COMMISSION.stop)}
              </button>
              <span class="values">
                {fill(COMMISSION.progress, { ...progress, total: progress.total ?? '?' })}
              </span>
            </>
          )}
        </div>
      </form>
      {error === undefined ? undefined : <FailureNotice error={error} />}
      {finds.length === 0 ? undefined : (
        <section>
          <h2>{fill(COMMISSION.found)}</h2>
          <ul class="finds">
            {finds.map(({ subject, kind: what, text }) => (
              <li key={`${subject} ${what} ${text}`}>
                <span class="values">{subject}</span> {text}
              </li>
            ))}
          </ul>
        </section>
      )}
      {result === undefined ? undefined : (
        <PlanStep
          key={JSON.stringify(result)}
          result={result}
          settings={settings}
          isEmpty={finds.length === 0}
        />
      )}
    </>
  );
}
