import type { JSX } from 'preact';

import { translateDescription } from '../../parts/setting-words.ts';
import { CHANNELS } from '../../text/channels.ts';
import { fill } from '../../text/fill.ts';
import type { ChannelColumn } from './channel-column.ts';
import { nameOfField } from './field-name.ts';

interface ColumnChoiceProps {
  readonly columns: readonly ChannelColumn[];
  readonly shown: readonly ChannelColumn[];
  /** Keys of the columns that the user added. */
  readonly extra: ReadonlySet<string>;
  readonly onExtra: (extra: ReadonlySet<string>) => void;
}

/** Adds columns to the grid; those that a channel needs or uses are always shown. */
export function ColumnChoice({ columns, shown, extra, onExtra }: ColumnChoiceProps): JSX.Element {
  return (
    <details class="column-choice">
      <summary>{fill(CHANNELS.columns)}</summary>
      <div class="choices">
        {columns.map((column) => {
          const { key, schema } = column;
          const isShown = shown.includes(column);
          return (
            <label key={key} class="choice" title={translateDescription(schema)}>
              <input
                type="checkbox"
                checked={isShown}
                disabled={isShown && !extra.has(key)}
                onChange={({ currentTarget }) => {
                  const next = new Set(extra);
                  if (currentTarget.checked) next.add(key);
                  else next.delete(key);
                  onExtra(next);
                }}
              />{' '}
              {nameOfField(key)}
            </label>
          );
        })}
      </div>
    </details>
  );
}
