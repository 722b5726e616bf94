import { Component } from 'preact';
import type { JSX } from 'preact';

import { CHANNELS } from '../../text/channels.ts';
import { fill } from '../../text/fill.ts';
import { CellControl } from './cell-control.tsx';
import { getCell } from './channel-cell.ts';
import type { ChannelColumn } from './channel-column.ts';
import type { CellFault, ChannelEntry } from './channel-rows.ts';
import { nameOfField } from './field-name.ts';

/** Value of a channel as the device has it now, or why there is none. */
export interface TriedValue {
  readonly words: string;
  readonly isGood: boolean;
}

interface ChannelRowProps {
  readonly entry: ChannelEntry;
  readonly index: number;
  readonly columns: readonly ChannelColumn[];
  readonly height: number;
  readonly isChosen: boolean;
  readonly faults: readonly CellFault[] | undefined;
  /** Undefined: not read. */
  readonly tried: TriedValue | undefined;
  readonly hasValues: boolean;
  readonly onChange: (id: number, key: string, value: unknown) => void;
  readonly onChoose: (id: number, isChosen: boolean) => void;
  readonly onOpen: (id: number) => void;
}

/** Channel in the grid; memoized, so that an edit renders its row alone. */
export class ChannelRow extends Component<ChannelRowProps> {
  override shouldComponentUpdate(next: ChannelRowProps): boolean {
    const { props } = this;
    return (
      next.entry !== props.entry ||
      next.index !== props.index ||
      next.columns !== props.columns ||
      next.height !== props.height ||
      next.isChosen !== props.isChosen ||
      next.faults !== props.faults ||
      next.tried !== props.tried ||
      next.hasValues !== props.hasValues
    );
  }

  override render(): JSX.Element {
    const { entry, index, columns, height, isChosen, faults, tried, hasValues } = this.props;
    const { onChange, onChoose, onOpen } = this.props;
    const { id, channel } = entry;
    const own = channel['name'];
    const name = typeof own === 'string' && own !== '' ? own : fill(CHANNELS.unnamed);
    return (
      <div
        class={isChosen ? 'channel-row active' : 'channel-row'}
        role="row"
        aria-rowindex={index + 2}
        data-row={index}
        style={{ height: `${height}px` }}
      >
        <span role="cell" class="tick">
          <input
            type="checkbox"
            aria-label={fill(CHANNELS.choose, { name })}
            checked={isChosen}
            onChange={({ currentTarget }) => onChoose(id, currentTarget.checked)}
          />
        </span>
        {columns.map((column) => (
          <span key={column.key} role="cell">
            <CellControl
              column={column}
              value={getCell(channel, column.key)}
              label={fill(CHANNELS.cell, { column: nameOfField(column.key), name })}
              fault={faults?.find(({ key }) => key === column.key)?.message}
              onChange={(value) => onChange(id, column.key, value)}
            />
          </span>
        ))}
        {hasValues ? (
          <span
            role="cell"
            class={tried?.isGood === false ? 'tried state fault' : 'tried'}
            title={tried?.words}
          >
            {tried?.words}
          </span>
        ) : undefined}
        <span role="cell">
          <button
            class="plain"
            type="button"
            aria-label={fill(CHANNELS.details, { name })}
            onClick={() => onOpen(id)}
          >
            …
          </button>
        </span>
      </div>
    );
  }
}
