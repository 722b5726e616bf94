import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

import { translateDescription } from '../../parts/setting-words.ts';
import { useReturnFocus } from '../../parts/use-return-focus.ts';
import { CHANNELS } from '../../text/channels.ts';
import { fill } from '../../text/fill.ts';
import { CellControl } from './cell-control.tsx';
import { formatCell, getCell } from './channel-cell.ts';
import type { ChannelColumn } from './channel-column.ts';
import type { CellFault, ChannelEntry } from './channel-rows.ts';
import { nameOfField } from './field-name.ts';

interface ChannelFormProps {
  readonly entry: ChannelEntry;
  readonly columns: readonly ChannelColumn[];
  readonly faults: readonly CellFault[];
  readonly onChange: (id: number, key: string, value: unknown) => void;
  readonly onClose: () => void;
}

/** All fields of one channel, with their descriptions. */
export function ChannelForm({ entry, columns, faults, onChange, onClose }: ChannelFormProps): JSX.Element {
  const head = useRef<HTMLHeadingElement>(null);
  const { id, channel } = entry;
  const name = formatCell(channel['name']) || fill(CHANNELS.unnamed);
  useReturnFocus(id);
  useEffect(() => head.current?.focus(), [id]);
  return (
    <section
      class="channel-form"
      aria-labelledby="channel-form"
      onKeyDown={({ key }) => {
        if (key === 'Escape') onClose();
      }}
    >
      <header class="tools">
        <h2 id="channel-form" tabIndex={-1} ref={head}>
          {fill(CHANNELS.details, { name })}
        </h2>
        <button type="button" onClick={onClose}>
          {fill(CHANNELS.close)}
        </button>
      </header>
      <div class="channel-fields">
        {columns.map((column) => {
          const { key, schema } = column;
          const fault = faults.find((each) => each.id === id && each.key === key)?.message;
          return (
            <div key={`${id} ${key}`} class="schema-field">
              <label for={`channel-${key}`}>
                {nameOfField(key)} <span class="code faint">{key}</span>
              </label>
              <CellControl
                column={column}
                value={getCell(channel, key)}
                label=""
                fault={fault}
                id={`channel-${key}`}
                describedBy={`channel-${key}-words`}
                onChange={(value) => onChange(id, key, value)}
              />
              <p id={`channel-${key}-words`} class={fault === undefined ? 'soft' : 'state fault'}>
                {fault ?? translateDescription(schema)}
              </p>
            </div>
          );
        })}
      </div>
    </section>
  );
}
