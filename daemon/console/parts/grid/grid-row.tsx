import { Component } from 'preact';
import type { JSX, ComponentChildren } from 'preact';

interface GridRowProps<Row> {
  /** Of the grid. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly row: Row;
  readonly index: number;
  readonly height: number;
  readonly isCurrent: boolean;
  readonly onActivate: (index: number) => void;
  readonly onOpen: ((row: Row) => void) | undefined;
}

/** One row of a grid; it is made anew only when it is another one, so that moving through a table makes what comes into view alone. */
export class GridRow<Row> extends Component<GridRowProps<Row>> {
  override shouldComponentUpdate(next: GridRowProps<Row>): boolean {
    const { props } = this;
    return (
      next.row !== props.row ||
      next.columns !== props.columns ||
      next.index !== props.index ||
      next.height !== props.height ||
      next.isCurrent !== props.isCurrent
    );
  }

  override render(): JSX.Element {
    const { label, columns, row, index, height, isCurrent, onActivate, onOpen } = this.props;
    return (
      <div
        id={`${label}-${index}`}
        class={isCurrent ? 'grid-row active' : 'grid-row'}
        role="row"
        aria-rowindex={index + 2}
        aria-selected={isCurrent}
        style={{ height: `${height}px` }}
        onPointerDown={() => onActivate(index)}
        onDblClick={() => onOpen?.(row)}
      >
        {columns.map(({ key, isNumber, look = '', render }) => (
          <span key={key} role="gridcell" class={`${cellClass(key, isNumber)} ${look}`}>
            {render(row)}
          </span>
        ))}
      </div>
    );
  }
}

/** Returns the classes of a cell of a column. */
export function cellClass(key: string, isNumber = false): string {
  return isNumber ? `cell ${key} number` : `cell ${key}`;
}

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
