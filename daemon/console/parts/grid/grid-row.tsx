import { Component } from 'preact';
import type { JSX } from 'preact';

import type { Column } from './column.ts';

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
