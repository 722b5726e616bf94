import type { Column } from './column.ts';

interface CopiedGrid<Row> {
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  /** The row that the focus is on. */
  readonly current: number;
}

/**
 * Puts what a cell holds in whole into the clipboard instead of what is shown of it: of the cell that is selected in, or of the
 * row that the focus is on when nothing is selected.
 */
export function copyCell<Row>(event: ClipboardEvent, { columns, rows, current }: CopiedGrid<Row>): void {
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
  // The head is the first row.
  const row = rows[Number(line.getAttribute('aria-rowindex')) - 2];
  const column = columns[[...line.children].indexOf(cell)];
  return row === undefined ? undefined : column?.copy?.(row);
}
