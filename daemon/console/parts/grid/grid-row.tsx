import { Component } from 'preact';
import type { JSX, ComponentChildren } from 'preact';

interface GridRowProps<Row> {
  /** Attribute of the grid. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly row: Row;
  readonly index: number;
  readonly height: number;
  readonly isCurrent: boolean;
  readonly onActivate: (index: number) => void;
  readonly onOpen: ((row: Row) => void) | undefined;
}

/** Row of a grid; memoized, so that scrolling renders only the rows that come into view. */
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

/** Returns the CSS classes of a column's cells. */
export function cellClass(key: string, isNumber = false): string {
  return isNumber ? `cell ${key} number` : `cell ${key}`;
}

/** Current sort order of a column, and a callback to change it. */
interface ColumnSorting {
  readonly direction: 'none' | 'ascending' | 'descending';
  readonly onSort: () => void;
}

/** Column of a grid. */
export interface Column<Row> {
  readonly key: string;
  readonly title: string;
  readonly isNumber?: boolean;
  /** CSS class of its cells; cheaper than an element in each. */
  readonly look?: 'soft' | 'faint';
  /** Absent if rows cannot be sorted by it. */
  readonly sorting?: ColumnSorting;
  readonly render: (row: Row) => ComponentChildren;
  /** Full cell content for copying, if longer than displayed. */
  readonly copy?: (row: Row) => string;
}
