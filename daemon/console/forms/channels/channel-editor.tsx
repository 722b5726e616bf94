import type { ComponentChildren, JSX } from 'preact';
import { useId, useMemo, useRef, useState } from 'preact/hooks';

import { useConsole } from '../../api/console-context.ts';
import { Icon } from '../../parts/icon.tsx';
import { FailureNotice } from '../../parts/notice.tsx';
import { CHANNELS } from '../../text/channels.ts';
import { fill } from '../../text/fill.ts';
import { formatCount } from '../../text/format.ts';
import type { Document } from '../change/edit-target.ts';
import { setCell } from './channel-cell.ts';
import { listShownColumns } from './channel-column.ts';
import type { ChannelColumn } from './channel-column.ts';
import { ChannelForm } from './channel-form.tsx';
import { ChannelGrid, focusCell } from './channel-grid.tsx';
import type { TriedValue } from './channel-row.tsx';
import { edit, insertChannels, listCellFaults, pasteCells, redo, undo } from './channel-rows.ts';
import type { CellFault, ChannelEdits, ChannelEntry } from './channel-rows.ts';
import { ColumnChoice } from './column-choice.tsx';
import { PastePanel } from './paste-panel.tsx';
import { toTriedValues, tryChannels } from './trial.ts';
import type { TrialPlace } from './trial.ts';
import { describeRange } from '../number-range.ts';

interface ChannelEditorProps {
  readonly label: string;
  readonly edits: ChannelEdits;
  readonly onEdits: (edits: ChannelEdits) => void;
  readonly columns: readonly ChannelColumn[];
  /** Errors found by the gateway. */
  readonly gatewayFaults: readonly CellFault[];
  /** Where the channels can be read; undefined: nowhere yet. */
  readonly place: TrialPlace | undefined;
  /** Fields of a new channel. */
  readonly defaults: Document;
  /** Further controls, always in view. */
  readonly children?: ComponentChildren;
  /** Further controls that are folded on a phone. */
  readonly more?: ComponentChildren;
}

/** Adds, edits, copies and deletes channels, one by one or many at once; changes nothing in the gateway. */
export function ChannelEditor(props: ChannelEditorProps): JSX.Element {
  const { label, edits, onEdits, columns, gatewayFaults, place, defaults, children, more } = props;
  const { rest } = useConsole();
  const grid = useRef<HTMLDivElement>(null);
  const tools = useId();
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set());
  const [opened, setOpened] = useState<number | undefined>(undefined);
  const [isPasting, setPasting] = useState(false);
  const [isUnfolded, setUnfolded] = useState(false);
  const [extra, setExtra] = useState<ReadonlySet<string>>(new Set());
  const [values, setValues] = useState<ReadonlyMap<string, TriedValue> | undefined>(undefined);
  const [error, setError] = useState<unknown>(undefined);
  const [isReading, setReading] = useState(false);
  const lastFault = useRef(-1);
  const { present: entries } = edits;
  const own = useMemo(() => listCellFaults(entries, columns, FAULT_WORDS()), [entries, columns]);
  const faults = useMemo(() => [...own, ...gatewayFaults], [own, gatewayFaults]);
  const shown = useShownColumns(columns, entries, { extra, faults });
  const change = (next: readonly ChannelEntry[]): void => onEdits(edit(edits, next));
  const setField = (id: number, key: string, value: unknown): void =>
    change(
      entries.map((entry) => (entry.id === id ? { id, channel: setCell(entry.channel, key, value) } : entry)),
    );
  const open = entries.find(({ id }) => id === opened);

  const insert = (channels: readonly Document[], after?: ReadonlySet<number>): void => {
    const next = insertChannels(entries, channels, after);
    change(next);
    const row = next.findIndex((entry) => !entries.includes(entry));
    if (grid.current !== null && row >= 0) focusCell(grid.current, row, 'name');
  };
  const read = async (): Promise<void> => {
    if (place === undefined) return;
    setReading(true);
    setError(undefined);
    try {
      const readable = entries.map(({ channel }) => channel).filter(({ type }) => type !== 'WRITE');
      setValues(toTriedValues(await tryChannels(rest, place, { channels: readable })));
    } catch (thrown) {
      setError(thrown);
    } finally {
      setReading(false);
    }
  };
  const goToNextFault = (): void => {
    lastFault.current = (lastFault.current + 1) % Math.max(1, faults.length);
    const fault = faults[lastFault.current];
    const row = entries.findIndex(({ id }) => id === fault?.id);
    if (grid.current !== null && fault !== undefined && row >= 0) focusCell(grid.current, row, fault.key);
  };
  const taken = entries.filter(({ id }) => chosen.has(id));

  return (
    <div class="channel-editor">
      <div class="tools">
        <button
          type="button"
          onClick={() =>
            insert([{ ...(entries.at(-1) === undefined ? defaults : newChannel(entries, defaults)) }])
          }
        >
          {fill(CHANNELS.add)}
        </button>
        <div id={tools} class={isUnfolded ? 'more-tools unfolded' : 'more-tools'}>
          <button type="button" aria-expanded={isPasting} onClick={() => setPasting(!isPasting)}>
            {fill(CHANNELS.paste)}
          </button>
          <button
            type="button"
            disabled={taken.length === 0}
            onClick={() =>
              insert(
                taken.map(({ channel }) => channel),
                chosen,
              )
            }
          >
            {fill(CHANNELS.copy)}
          </button>
          <button
            type="button"
            disabled={taken.length === 0}
            onClick={() => {
              change(entries.filter(({ id }) => !chosen.has(id)));
              setChosen(new Set());
            }}
          >
            {fill(CHANNELS.remove)}
          </button>
          <button type="button" disabled={edits.past.length === 0} onClick={() => onEdits(undo(edits))}>
            {fill(CHANNELS.undo)}
          </button>
          <button type="button" disabled={edits.future.length === 0} onClick={() => onEdits(redo(edits))}>
            {fill(CHANNELS.redo)}
          </button>
          {place === undefined ? undefined : (
            <button
              type="button"
              disabled={isReading || entries.length === 0 || own.length > 0}
              onClick={() => void read()}
            >
              {fill(CHANNELS.read)}
            </button>
          )}
          {more}
        </div>
        {children}
        <button
          type="button"
          class="unfold"
          aria-label={fill(CHANNELS.moreTools)}
          title={fill(CHANNELS.moreTools)}
          aria-expanded={isUnfolded}
          aria-controls={tools}
          onClick={() => setUnfolded(!isUnfolded)}
        >
          <Icon name="menu" />
        </button>
      </div>
      {error === undefined ? undefined : <FailureNotice error={error} />}
      {isPasting ? (
        <PastePanel
          columns={columns}
          defaults={defaults}
          onTake={(channels) => {
            setPasting(false);
            insert(channels);
          }}
          onCancel={() => setPasting(false)}
        />
      ) : undefined}
      {faults.length === 0 ? undefined : (
        <div class="tools" role="status">
          <span class="state fault">{fill(CHANNELS.faultCount, { count: formatCount(faults.length) })}</span>
          <button type="button" onClick={goToNextFault}>
            {fill(CHANNELS.nextFault)}
          </button>
        </div>
      )}
      {entries.length === 0 ? (
        <p class="soft">{fill(CHANNELS.none)}</p>
      ) : (
        <ChannelGrid
          label={label}
          entries={entries}
          columns={shown}
          chosen={chosen}
          faults={faults}
          values={values}
          place={grid}
          onChange={setField}
          onChoose={(ids, isChosen) => setChosen(withIds(chosen, ids, isChosen))}
          onOpen={setOpened}
          onPaste={(at, cells) => change(pasteCells(entries, at, cells, shown))}
          onUndo={() => onEdits(undo(edits))}
          onRedo={() => onEdits(redo(edits))}
        />
      )}
      {entries.length === 0 ? undefined : (
        <div class="tools">
          <p class="soft">{fill(CHANNELS.editHint)}</p>
          <ColumnChoice columns={columns} shown={shown} extra={extra} onExtra={setExtra} />
        </div>
      )}
      {open === undefined ? undefined : (
        <ChannelForm
          entry={open}
          columns={columns}
          faults={faults}
          onChange={setField}
          onClose={() => setOpened(undefined)}
        />
      )}
    </div>
  );
}

const FAULT_WORDS = () => ({
  missing: fill(CHANNELS.missing),
  number: fill(CHANNELS.number),
  integer: fill(CHANNELS.integer),
  bounds: (minimum: number, maximum: number) =>
    fill(CHANNELS.bounds, { range: describeRange(minimum, maximum) }),
  choice: (choices: string) => fill(CHANNELS.choice, { choices }),
  twice: fill(CHANNELS.twice),
});

/** Returns the columns that are shown; the same list while they stay the same, so that rows are not rendered. */
function useShownColumns(
  columns: readonly ChannelColumn[],
  entries: readonly ChannelEntry[],
  { extra, faults }: { readonly extra: ReadonlySet<string>; readonly faults: readonly CellFault[] },
): readonly ChannelColumn[] {
  const usual = useMemo(
    () =>
      listShownColumns(
        columns,
        entries.map(({ channel }) => channel),
      ),
    [columns, entries],
  );
  const faulty = new Set(faults.map(({ key }) => key));
  const shown = columns.filter(
    (column) => usual.includes(column) || extra.has(column.key) || faulty.has(column.key),
  );
  const keys = shown.map(({ key }) => key).join(' ');
  return useMemo(() => shown, [columns, keys]);
}

/** A new channel has the address fields that are the same for the device. */
function newChannel(entries: readonly ChannelEntry[], defaults: Document): Document {
  const last = entries.at(-1)?.channel ?? {};
  const { unitId, table } = (last['address'] ?? {}) as Document;
  const address = { ...(defaults['address'] as Document | undefined) };
  return {
    ...defaults,
    address: {
      ...address,
      ...(unitId === undefined ? {} : { unitId }),
      ...(table === undefined ? {} : { table }),
    },
  };
}

function withIds(
  before: ReadonlySet<number>,
  ids: readonly number[],
  isChosen: boolean,
): ReadonlySet<number> {
  const next = new Set(before);
  for (const id of ids) {
    if (isChosen) next.add(id);
    else next.delete(id);
  }
  return next;
}
