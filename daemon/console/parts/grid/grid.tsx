import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

import { isSwitchedOff } from '../single-keys.ts';
import type { Column } from './grid-row.tsx';
import { cellClass, GridRow } from './grid-row.tsx';
import { useWindow } from './use-window.ts';

interface GridProps<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** Called with the focused row, on Enter or a double click. */
  readonly onOpen?: (row: Row) => void;
  /** Handles other keys for the focused row; true stops propagation. */
  readonly onKey?: (key: string, row: Row) => boolean;
  /** Full description of the focused row, shown below the grid; empty if its cells suffice. */
  readonly describe?: (row: Row) => string;
  /** Shown if there are no rows. */
  readonly empty: ComponentChildren;
}

/**
 * Virtualized table: only rows near the visible area exist. The focus stays on the grid; arrows, `j` and `k`
 * move the focused row.
 */
export function Grid<Row>(props: GridProps<Row>): JSX.Element {
  const { label, columns, rows, keyOf, onOpen, onKey, describe, empty } = props;
  const place = useRef<HTMLDivElement>(null);
  const rowHeight = useRowHeight();
  const { first, end } = useWindow(place, rows.length, rowHeight);
  const [active, setActive] = useState(0);
  const current = Math.min(active, Math.max(0, rows.length - 1));
  const currentRow = rows[current];
  useEffect(() => {
    // The page was opened by key: the keys of the table work without a further one.
    if (document.activeElement?.matches('main') === true) place.current?.focus({ preventScroll: true });
  }, []);

  const move = (to: number): void => {
    const next = Math.max(0, Math.min(rows.length - 1, to));
    setActive(next);
    const element = place.current;
    if (element === null) return;
    const top = next * rowHeight;
    if (top < element.scrollTop) element.scrollTop = top;
    const bottom = top + 2 * rowHeight - element.clientHeight;
    if (bottom > element.scrollTop) element.scrollTop = bottom;
  };
  const handle = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || isSwitchedOff(event)) return;
    if (isInHead(event.target)) return;
    const row = currentRow;
    const page = Math.floor((place.current?.clientHeight ?? 0) / rowHeight) - 2;
    const target = targetOf(event.key, current, page, rows.length);
    if (target !== undefined) move(target);
    else if (row === undefined) return;
    else if (event.key === 'Enter' && onOpen !== undefined) onOpen(row);
    else if (onKey?.(event.key, row) !== true) return;
    event.preventDefault();
  };

  return (
    <>
      <div
        class="grid"
        role="grid"
        aria-label={label}
        aria-rowcount={rows.length + 1}
        aria-activedescendant={rows.length === 0 ? undefined : `${label}-${current}`}
        tabIndex={0}
        ref={place}
        onKeyDown={handle}
        onCopy={(event) => copyCell(event, { columns, rows, current })}
      >
        <div class="grid-row head" role="row" aria-rowindex={1}>
          {columns.map(({ key, title, isNumber, sorting }) => (
            <span
              key={key}
              role="columnheader"
              aria-sort={sorting?.direction}
              class={cellClass(key, isNumber)}
            >
              {sorting === undefined ? (
                title
              ) : (
                <button class="plain sorting" type="button" onClick={sorting.onSort}>
                  {title}
                  <span aria-hidden="true">{ARROWS[sorting.direction]}</span>
                </button>
              )}
            </span>
          ))}
        </div>
        {rows.length === 0 ? <div class="grid-empty">{empty}</div> : undefined}
        <div
          class="grid-rows"
          role="rowgroup"
          style={{ height: `${rows.length * rowHeight}px`, paddingTop: `${first * rowHeight}px` }}
        >
          {rows.slice(first, end).map((row, offset) => {
            const index = first + offset;
            return (
              <GridRow
                key={keyOf(row)}
                label={label}
                columns={columns}
                row={row}
                index={index}
                height={rowHeight}
                isCurrent={index === current}
                onActivate={setActive}
                onOpen={onOpen}
              />
            );
          })}
        </div>
      </div>
      <p class="grid-detail" aria-live="polite">
        {currentRow === undefined ? '' : describe?.(currentRow)}
      </p>
    </>
  );
}

const ARROWS = { none: '↕', ascending: '↑', descending: '↓' } as const;

function isInHead(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('.head') !== null;
}

function targetOf(key: string, current: number, page: number, count: number): number | undefined {
  if (key === 'ArrowDown' || key === 'j') return current + 1;
  if (key === 'ArrowUp' || key === 'k') return current - 1;
  if (key === 'PageDown') return current + page;
  if (key === 'PageUp') return current - page;
  if (key === 'Home') return 0;
  return key === 'End' ? count - 1 : undefined;
}

function useRowHeight(): number {
  const [height, setHeight] = useState(36);
  useEffect(() => {
    const look = (): void =>
      setHeight(
        Number.parseInt(getComputedStyle(document.documentElement).getPropertyValue('--row'), 10) || 36,
      );
    look();
    addEventListener('resize', look);
    return () => removeEventListener('resize', look);
  }, []);
  return height;
}

interface CopiedGrid<Row> {
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  /** Focused row. */
  readonly current: number;
}

/**
 * Copies the full content of a cell instead of the displayed text: of the cell with the selection, or of the
 * focused row without a selection.
 */
function copyCell<Row>(event: ClipboardEvent, { columns, rows, current }: CopiedGrid<Row>): void {
  const selection = document.getSelection();
  const text =
    selection === null || selection.isCollapsed
      ? copyRow(columns, rows[current])
      : copySelected(selection, columns, rows);
  if (text === undefined || text === '') return;
  event.clipboardData?.setData('text/plain', text);
  event.preventDefault();
}

function copyRow<Row>(columns: readonly Column<Row>[], row: Row | undefined): string | undefined {
  return row === undefined ? undefined : columns.find(({ copy }) => copy !== undefined)?.copy?.(row);
}

function copySelected<Row>(
  { anchorNode, focusNode }: Selection,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
): string | undefined {
  const cell = anchorNode?.parentElement?.closest('[role=gridcell]');
  const line = cell?.closest('[aria-rowindex]');
  if (!cell?.contains(focusNode) || line === null || line === undefined) return undefined;
  // The header is the first row.
  const row = rows[Number(line.getAttribute('aria-rowindex')) - 2];
  const column = columns[[...line.children].indexOf(cell)];
  return row === undefined ? undefined : column?.copy?.(row);
}
