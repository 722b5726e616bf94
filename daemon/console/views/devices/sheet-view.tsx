import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';

import { useConsole } from '../../api/console-context.ts';
import { RestFailure } from '../../api/rest-failure.ts';
import type { readTagSheet } from '../../../interface/plant/tag-sheets.ts';
import { translateFault } from '../../parts/gateway-words.ts';
import type { DocumentFault } from '../../../interface/failure.ts';
import { ChangeEnd, useDocumentChange } from '../../forms/change/document-change.tsx';
import { listNames } from '../../forms/change/edit-target.ts';
import { useKept } from '../../forms/use-kept.ts';
import { FileInput } from '../../parts/file-input.tsx';
import { FailureNotice } from '../../parts/notice.tsx';
import { saveFile } from '../../parts/save-file.ts';
import { DEVICES } from '../../text/devices.ts';
import { fill } from '../../text/fill.ts';
import { decodeSheetFile } from './sheet-file.ts';

const TYPE = 'text/csv';

/** Export and import of the channels of an asset as a table. */
export function SheetView({ pid }: { readonly pid: string | undefined }): JSX.Element {
  const { rest } = useConsole();
  const begun = { typed: pid ?? '', driver: '', text: '' };
  const form = useKept(`sheet ${pid ?? ''}`, () => begun);
  const { typed, driver, text } = form.value;
  const [error, setError] = useState<unknown>(undefined);
  const area = useRef<HTMLTextAreaElement>(null);
  const change = useDocumentChange(() => form.restart(form.value));
  const { configuration, steps } = change;
  const document = configuration.value?.document ?? {};
  const assets = listNames(document, 'assets');
  const drivers = listNames(document, 'drivers');
  const name = typed.trim();
  const isNew = name !== '' && configuration.value !== undefined && !assets.includes(name);
  const path = `assets/${encodeURIComponent(name)}/_tags`;
  const faults = steps.error instanceof RestFailure ? steps.error.faults : [];

  const put = (next: string): void => {
    form.type((before) => ({ ...before, text: next }));
    setError(undefined);
    steps.clear();
  };
  const choose = async (file: File): Promise<void> => {
    const decoded = decodeSheetFile(new Uint8Array(await file.arrayBuffer()));
    if (decoded === undefined) setError(new Error(fill(DEVICES.noTable, { name: file.name })));
    else put(decoded);
  };
  const load = async (use: (sheet: string) => void): Promise<void> => {
    setError(undefined);
    try {
      const target = `/services/configuration/v1/assets/${encodeURIComponent(name)}/_tags` as const;
      use(await rest.call<typeof readTagSheet>('GET', target));
    } catch (thrown) {
      setError(thrown);
    }
  };
  const plan = (): void => {
    const { value } = configuration;
    if (value === undefined) return;
    void steps.plan({
      method: 'PUT',
      path,
      query: isNew ? { driver: driver === '' ? (drivers[0] ?? '') : driver } : {},
      content: { type: TYPE, body: text },
      basis: value.basis,
      differences: [],
    });
  };
  const goTo = (row: number): void => {
    const { begin, end } = findRow(text, row);
    area.current?.focus();
    area.current?.setSelectionRange(begin, end);
  };

  return (
    <section class="sheet">
      <p class="soft">{fill(DEVICES.sheetHint)}</p>
      <div class="tools">
        <label class="field">
          <span>{fill(DEVICES.newAsset)}</span>
          <input
            name="asset"
            class="code"
            list="known-assets"
            autocomplete="off"
            value={typed}
            onInput={({ currentTarget: { value } }) => {
              form.type((before) => ({ ...before, typed: value }));
              steps.clear();
            }}
          />
          <datalist id="known-assets">
            {assets.map((each) => (
              <option key={each} value={each} />
            ))}
          </datalist>
        </label>
        {isNew ? (
          <label class="field">
            <span>{fill(DEVICES.connection)}</span>
            <select
              name="driver"
              value={driver === '' ? drivers[0] : driver}
              onChange={({ currentTarget: { value } }) =>
                form.type((before) => ({ ...before, driver: value }))
              }
            >
              {drivers.map((each) => (
                <option key={each}>{each}</option>
              ))}
            </select>
          </label>
        ) : (
          <>
            <button type="button" disabled={name === ''} onClick={() => void load(put)}>
              {fill(DEVICES.fill)}
            </button>
            <button
              type="button"
              disabled={name === ''}
              onClick={() => void load((sheet) => saveFile(`${name}.csv`, new Blob([sheet], { type: TYPE })))}
            >
              {fill(DEVICES.download)}
            </button>
          </>
        )}
        <label class="field">
          <span>{fill(DEVICES.file)}</span>
          <FileInput
            accept=".csv,.tsv,.txt,text/csv"
            onChange={({ currentTarget }) => {
              const [file] = currentTarget.files ?? [];
              if (file !== undefined) void choose(file);
            }}
          />
        </label>
      </div>
      <textarea
        class="code"
        aria-label={fill(DEVICES.table)}
        aria-invalid={faults.length > 0}
        spellcheck={false}
        autocomplete="off"
        wrap="off"
        rows={Math.min(24, Math.max(8, text.split('\n').length + 1))}
        ref={area}
        value={text}
        onInput={({ currentTarget }) => put(currentTarget.value)}
      />
      {error === undefined ? undefined : <FailureNotice error={error} />}
      {faults.length === 0 ? undefined : <SheetFaults faults={faults} onGo={goTo} />}
      <div class="tools">
        <button
          class={steps.planned === undefined ? 'main' : ''}
          type="button"
          disabled={name === '' || text.trim() === '' || steps.isBusy || (isNew && drivers.length === 0)}
          onClick={plan}
        >
          {fill(DEVICES.plan)}
        </button>
      </div>
      <ChangeEnd {...change} areFaultsShown={faults.length > 0} />
    </section>
  );
}

/** Lists the errors in a table, each with a link to its cell. */
function SheetFaults({
  faults,
  onGo,
}: Readonly<{ faults: readonly DocumentFault[]; onGo: (row: number) => void }>): JSX.Element {
  return (
    <table class="sheet-faults">
      <thead>
        <tr>
          <th scope="col" class="number">
            {fill(DEVICES.row)}
          </th>
          <th scope="col">{fill(DEVICES.column)}</th>
          <th scope="col">{fill(DEVICES.fault)}</th>
        </tr>
      </thead>
      <tbody>
        {faults.map((fault) => {
          const { row, column = '', path, message } = fault;
          return (
            <tr key={`${path} ${message}`}>
              <td class="number">
                {row === undefined ? (
                  '–'
                ) : (
                  <button
                    type="button"
                    aria-label={fill(DEVICES.goToCell, { row, column })}
                    onClick={() => onGo(row)}
                  >
                    {row}
                  </button>
                )}
              </td>
              <td class="code">{column === '' ? path : column}</td>
              <td>{translateFault(fault)}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** Range of a text. */
interface TextPart {
  readonly begin: number;
  /** Exclusive end. */
  readonly end: number;
}

/**
 * Returns the range of a row; a quoted cell can span several lines (RFC 4180, 2.6).
 *
 * @param row row number as in spreadsheets: the header is row 1
 */
function findRow(text: string, row: number): TextPart {
  let begin = 0;
  let count = 1;
  let isQuoted = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (character === '"') isQuoted = !isQuoted;
    if (character !== '\n' || isQuoted) continue;
    if (count === row) return { begin, end: index };
    count += 1;
    begin = index + 1;
  }
  return { begin: count === row ? begin : text.length, end: text.length };
}
