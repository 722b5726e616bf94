import type { ComponentChildren } from 'preact';

/** How rows are sorted by a column, and the wish to sort them otherwise. */
interface ColumnSorting {
  readonly direction: 'none' | 'ascending' | 'descending';
  readonly onSort: () => void;
}

/** A column of a grid. */
export interface Column<Row> {
  readonly key: string;
  readonly title: string;
  readonly isNumber?: boolean;
  /** A class of its cells; cheaper than an element in each. */
  readonly look?: 'soft' | 'faint';
  /** Absent: rows cannot be sorted by it. */
  readonly sorting?: ColumnSorting;
  readonly render: (row: Row) => ComponentChildren;
  /** What a copy of the cell holds, where that is more than is shown. */
  readonly copy?: (row: Row) => string;
}
