import type { JSX, RefObject } from 'preact';
import { useMemo, useRef } from 'preact/hooks';

import { useWindow } from '../../parts/grid/use-window.ts';
import { translateDescription } from '../../parts/setting-words.ts';
import { CHANNELS } from '../../text/channels.ts';
import { fill } from '../../text/fill.ts';
import { nameOfChoice } from '../../text/settings/setting-names.ts';
import type { ChannelColumn } from './channel-column.ts';
import { ChannelRow } from './channel-row.tsx';
import type { TriedValue } from './channel-row.tsx';
import type { CellFault, CellPlace, ChannelEntry } from './channel-rows.ts';
import { nameOfField } from './field-name.ts';
import { splitSheet } from './sheet-text.ts';
import { groupBy } from './group-by.ts';

interface ChannelGridProps {
  readonly label: string;
  readonly entries: readonly ChannelEntry[];
  readonly columns: readonly ChannelColumn[];
  readonly chosen: ReadonlySet<number>;
  readonly faults: readonly CellFault[];
  /** Values by channel name; undefined: there is no column for them. */
  readonly values: ReadonlyMap<string, TriedValue> | undefined;
  readonly place: RefObject<HTMLDivElement>;
  readonly onChange: (id: number, key: string, value: unknown) => void;
  readonly onChoose: (ids: readonly number[], isChosen: boolean) => void;
  readonly onOpen: (id: number) => void;
  readonly onPaste: (place: CellPlace, cells: readonly (readonly string[])[]) => void;
  readonly onUndo: () => void;
  readonly onRedo: () => void;
}

/** Height of a row in pixels. */
const CHANNEL_ROW_HEIGHT = 34;

const WIDTHS = { TEXT: 148, NUMBER: 96, BOOLEAN: 96, CHOICE: 112, JSON: 164 } as const;
const NAME_WIDTH = 200;
// An OPC UA node has a path.
const NODE_WIDTH = 264;
/** Width of a capital in a cell and in a heading, and of padding, arrow and parentheses around the text. */
const [LETTER_WIDTH, BESIDE_CHOICE, LETTER_WIDTH_OF_HEADING, BESIDE_HEADING] = [8.2, 56, 7.6, 20] as const;

/** Virtualized table of channels in which every cell can be edited. */
export function ChannelGrid(props: ChannelGridProps): JSX.Element {
  const { label, entries, columns, chosen, faults, values, place, onChoose } = props;
  const { first, end } = useWindow(place, entries.length, CHANNEL_ROW_HEIGHT);
  const faultsOf = useMemo(() => groupBy(faults, ({ id }) => id), [faults]);
  const latest = useRef(props);
  latest.current = props;
  const widths = columns.map((column) => `${widthOf(column)}px`);
  const template = ['36px', ...widths, ...(values === undefined ? [] : ['180px']), '40px'].join(' ');
  const areAllChosen = entries.length > 0 && entries.every(({ id }) => chosen.has(id));
  // Stable, so that rows are not rendered for them.
  const handlers = useMemo(
    () => ({
      onChange: (id: number, key: string, value: unknown) => latest.current.onChange(id, key, value),
      onChoose: (id: number, isChosen: boolean) => latest.current.onChoose([id], isChosen),
      onOpen: (id: number) => latest.current.onOpen(id),
    }),
    [],
  );
  return (
    <div
      class="channel-grid"
      role="table"
      aria-label={label}
      aria-rowcount={entries.length + 1}
      style={{ '--columns': template }}
      ref={place}
      onKeyDown={(event) => handleKey(event, props)}
      onPaste={(event) => handlePaste(event, props)}
    >
      <div class="channel-row head" role="row" aria-rowindex={1}>
        <span role="columnheader" class="tick">
          <input
            type="checkbox"
            aria-label={fill(CHANNELS.chooseAll)}
            checked={areAllChosen}
            onChange={({ currentTarget }) =>
              onChoose(
                entries.map(({ id }) => id),
                currentTarget.checked,
              )
            }
          />
        </span>
        {columns.map(({ key, schema }) => (
          <span key={key} role="columnheader" title={translateDescription(schema)}>
            {nameOfField(key)}
          </span>
        ))}
        {values === undefined ? undefined : <span role="columnheader">{fill(CHANNELS.value)}</span>}
        <span role="columnheader">
          <span class="hidden">{fill(CHANNELS.details, { name: '' })}</span>
        </span>
      </div>
      <div
        role="rowgroup"
        class="channel-rows"
        style={{
          height: `${entries.length * CHANNEL_ROW_HEIGHT}px`,
          paddingTop: `${first * CHANNEL_ROW_HEIGHT}px`,
        }}
      >
        {entries.slice(first, end).map((entry, offset) => (
          <ChannelRow
            key={entry.id}
            entry={entry}
            index={first + offset}
            columns={columns}
            height={CHANNEL_ROW_HEIGHT}
            isChosen={chosen.has(entry.id)}
            faults={faultsOf.get(entry.id)}
            tried={values?.get(String(entry.channel['name']))}
            hasValues={values !== undefined}
            {...handlers}
          />
        ))}
      </div>
    </div>
  );
}

/** Returns the width of a column, for its heading and its choices. */
function widthOf({ key, kind, choices }: ChannelColumn): number {
  if (key === 'name') return NAME_WIDTH;
  if (key === 'address.nodeId') return NODE_WIDTH;
  const longest = Math.max(0, ...choices.map((choice) => nameOfChoice(key, choice).length));
  return Math.ceil(
    Math.max(
      WIDTHS[kind],
      longest === 0 ? 0 : longest * LETTER_WIDTH + BESIDE_CHOICE,
      nameOfField(key).length * LETTER_WIDTH_OF_HEADING + BESIDE_HEADING,
    ),
  );
}

/** Shows a row, and focuses a cell of it as soon as it is rendered. */
export function focusCell(grid: HTMLElement, row: number, key: string): void {
  const top = row * CHANNEL_ROW_HEIGHT;
  if (top < grid.scrollTop) grid.scrollTop = top;
  const bottom = top + 3 * CHANNEL_ROW_HEIGHT - grid.clientHeight;
  if (bottom > grid.scrollTop) grid.scrollTop = bottom;
  const find = (): HTMLElement | null =>
    grid.querySelector(`[data-row="${row}"] [data-key="${CSS.escape(key)}"]`);
  const focus = (attempts: number): void => {
    const cell = find();
    if (cell !== null) cell.focus();
    else if (attempts > 0) requestAnimationFrame(() => focus(attempts - 1));
  };
  // Some rows are added per frame.
  focus(30);
}

function handleKey(event: KeyboardEvent, { entries, place, onUndo, onRedo }: ChannelGridProps): void {
  const { target, key, ctrlKey, metaKey, altKey } = event;
  if (!(target instanceof HTMLElement) || altKey) return;
  if (ctrlKey || metaKey) {
    // Unfinished typing is undone by the field itself.
    const isTyping = target instanceof HTMLInputElement && target.value !== target.dataset['text'];
    const word = key.toLowerCase();
    if (isTyping || (word !== 'z' && word !== 'y')) return;
    event.preventDefault();
    if (word === 'y' || event.shiftKey) onRedo();
    else onUndo();
    return;
  }
  const here = findPlace(target);
  const step = key === 'ArrowDown' || key === 'Enter' ? 1 : key === 'ArrowUp' ? -1 : 0;
  if (here === undefined || step === 0 || (target instanceof HTMLSelectElement && key !== 'Enter')) return;
  const next = here.row + step;
  if (next < 0 || next >= entries.length || place.current === null) return;
  event.preventDefault();
  focusCell(place.current, next, here.key);
}

function handlePaste(event: ClipboardEvent, { columns, onPaste }: ChannelGridProps): void {
  const text = event.clipboardData?.getData('text/plain') ?? '';
  const here = event.target instanceof HTMLElement ? findPlace(event.target) : undefined;
  // One cell is pasted by the field itself.
  if (here === undefined || !/[\t\n;]/.test(text.trim())) return;
  event.preventDefault();
  const column = columns.findIndex(({ key }) => key === here.key);
  onPaste({ row: here.row, column }, splitSheet(text));
}

function findPlace(target: HTMLElement): { readonly row: number; readonly key: string } | undefined {
  const key = target.dataset['key'];
  const row = target.closest<HTMLElement>('[data-row]')?.dataset['row'];
  return key === undefined || row === undefined ? undefined : { key, row: Number(row) };
}
