import type { JSX } from 'preact';

import { translateDescription } from '../../parts/setting-words.ts';
import { describeChoice, nameOfChoice } from '../../text/settings/setting-names.ts';
import { formatCell, parseCell } from './channel-cell.ts';
import type { ChannelColumn } from './channel-column.ts';

interface CellControlProps {
  readonly column: ChannelColumn;
  readonly value: unknown;
  readonly label: string;
  /** Error of the value; undefined: none. */
  readonly fault: string | undefined;
  readonly id?: string;
  readonly describedBy?: string | undefined;
  readonly onChange: (value: unknown) => void;
}

/** Control of one channel field; changes when it is left, so that a half-typed value is no error. */
export function CellControl(props: CellControlProps): JSX.Element {
  const { column, value, label, fault, id, describedBy, onChange } = props;
  const text = formatCell(value);
  const shared = {
    id,
    'aria-label': id === undefined ? label : undefined,
    'aria-invalid': fault === undefined ? undefined : true,
    'aria-describedby': describedBy,
    title: fault ?? (id === undefined ? describeCell(column, text) : undefined),
    'data-key': column.key,
    // The text before unfinished typing.
    'data-text': text,
  };
  const choices = column.kind === 'BOOLEAN' ? ['true', 'false'] : column.choices;
  // In a row there is room for the name alone.
  const nameOf = (choice: string): string =>
    id === undefined ? nameOfChoice(column.key, choice) : describeChoice(column.key, choice);
  // A wrong choice stays visible as text until it is replaced.
  if (choices.length > 0 && (text === '' || choices.includes(text))) {
    return (
      <select
        {...shared}
        value={text}
        onChange={({ currentTarget }) => onChange(parseCell(currentTarget.value, column))}
      >
        <option value="">{column.standard === '' ? '–' : `(${nameOf(column.standard)})`}</option>
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {nameOf(choice)}
          </option>
        ))}
      </select>
    );
  }
  return (
    <input
      {...shared}
      type="text"
      autocomplete="off"
      spellcheck={false}
      inputmode={column.kind === 'NUMBER' ? 'decimal' : 'text'}
      placeholder={column.standard}
      value={text}
      onKeyDown={(event) => {
        const { key, currentTarget } = event;
        if (key !== 'Escape' || currentTarget.value === text) return;
        // Ends unfinished typing, and nothing around it.
        event.stopPropagation();
        currentTarget.value = text;
        currentTarget.select();
      }}
      onChange={({ currentTarget }) => {
        const next = parseCell(currentTarget.value, column);
        currentTarget.value = formatCell(next);
        onChange(next);
      }}
    />
  );
}

/** Describes a cell: what the field is for, after the value of a choice that is shown by its name. */
function describeCell(column: ChannelColumn, text: string): string {
  const value = text === '' ? column.standard : text;
  const shown = nameOfChoice(column.key, value);
  return [...(shown === value ? [] : [value]), translateDescription(column.schema)].join(': ');
}
