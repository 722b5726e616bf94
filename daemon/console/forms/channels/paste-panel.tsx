import type { JSX } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';

import type { Document } from '../change/edit-target.ts';
import { Notice } from '../../parts/notice.tsx';
import { useReturnFocus } from '../../parts/use-return-focus.ts';
import { CHANNELS } from '../../text/channels.ts';
import { fill } from '../../text/fill.ts';
import { describeChoice } from '../../text/settings/setting-names.ts';
import { formatCount } from '../../text/format.ts';
import { SHELL } from '../../text/shell.ts';
import { setCell } from './channel-cell.ts';
import type { ChannelColumn } from './channel-column.ts';
import { guessAddressing, hasHeadings, readChannels, withLowWordFirst } from './register-map.ts';
import type { Addressing } from './register-map.ts';
import { splitSheet } from './sheet-text.ts';

interface PastePanelProps {
  readonly columns: readonly ChannelColumn[];
  /** Channel whose fields are used where the table has none; empty: none. */
  readonly defaults: Document;
  readonly onTake: (channels: readonly Document[]) => void;
  readonly onCancel: () => void;
}

const ADDRESSINGS = ['FROM_ZERO', 'FROM_ONE', 'BY_TABLE'] as const;
const ADDRESSING_NAMES = {
  FROM_ZERO: CHANNELS.FROM_ZERO,
  FROM_ONE: CHANNELS.FROM_ONE,
  BY_TABLE: CHANNELS.BY_TABLE,
} as const;

/** Turns a pasted register map or tag list into channels. */
export function PastePanel({ columns, defaults, onTake, onCancel }: PastePanelProps): JSX.Element {
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState<Addressing | undefined>(undefined);
  const tables = columns.find(({ key }) => key === 'address.table')?.choices ?? [];
  const [table, setTable] = useState('');
  const [unitId, setUnitId] = useState('');
  const [isLowFirst, setLowFirst] = useState(false);
  const fallback = tableOf(defaults);
  const cells = useMemo(() => splitSheet(text), [text]);
  const addressing = chosen ?? guessAddressing(cells);
  const isReadable = hasHeadings(cells, columns);
  const isModbus = tables.length > 0;
  const base = useMemo(() => {
    let channel = defaults;
    if (isModbus) {
      channel = setCell(channel, 'address.table', table === '' ? fallback : table);
      channel = setCell(channel, 'address.unitId', unitId === '' ? channelUnit(defaults) : Number(unitId));
    }
    return channel;
  }, [defaults, table, fallback, unitId, isModbus]);
  const { channels: read, unknown } = useMemo(
    () =>
      isReadable
        ? readChannels(cells, { columns, addressing, defaults: base })
        : { channels: [], unknown: [] },
    [cells, columns, addressing, base, isReadable],
  );
  const channels = isLowFirst ? read.map(withLowWordFirst) : read;
  const area = useRef<HTMLTextAreaElement>(null);
  useReturnFocus();
  useLayoutEffect(() => area.current?.focus(), []);
  return (
    <section
      class="paste-panel"
      aria-label={fill(CHANNELS.paste)}
      onKeyDown={({ key }) => {
        // What was pasted is not lost by one key.
        if (key === 'Escape' && text === '') onCancel();
      }}
    >
      <p class="soft">{fill(CHANNELS.pasteHint)}</p>
      <textarea
        class="values"
        ref={area}
        aria-label={fill(CHANNELS.table)}
        spellcheck={false}
        autocomplete="off"
        wrap="off"
        rows={8}
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      {isModbus ? (
        <div class="tools">
          <label class="field">
            <span>{fill(CHANNELS.addressing)}</span>
            <select
              name="addressing"
              value={addressing}
              onChange={({ currentTarget }) =>
                setChosen(ADDRESSINGS.find((each) => each === currentTarget.value))
              }
            >
              {ADDRESSINGS.map((each) => (
                <option key={each} value={each}>
                  {fill(ADDRESSING_NAMES[each])}
                </option>
              ))}
            </select>
          </label>
          <label class="field">
            <span>{fill(CHANNELS.registerTable)}</span>
            <select
              name="table"
              value={table === '' ? fallback : table}
              onChange={({ currentTarget }) => setTable(currentTarget.value)}
            >
              {tables.map((each) => (
                <option key={each} value={each}>
                  {describeChoice('table', each)}
                </option>
              ))}
            </select>
          </label>
          <label class="field">
            <span>{fill(CHANNELS.wordOrder)}</span>
            <select
              name="wordOrder"
              value={isLowFirst ? 'LITTLE_ENDIAN' : 'BIG_ENDIAN'}
              onChange={({ currentTarget }) => setLowFirst(currentTarget.value === 'LITTLE_ENDIAN')}
            >
              <option value="BIG_ENDIAN">{fill(CHANNELS.highWordFirst)}</option>
              <option value="LITTLE_ENDIAN">{fill(CHANNELS.lowWordFirst)}</option>
            </select>
          </label>
          <label class="field">
            <span>{fill(CHANNELS.defaultUnit)}</span>
            <input
              name="unitId"
              inputmode="numeric"
              autocomplete="off"
              placeholder={String(channelUnit(defaults))}
              value={unitId}
              onInput={({ currentTarget }) => setUnitId(currentTarget.value.replaceAll(/\D/g, ''))}
            />
          </label>
        </div>
      ) : undefined}
      {cells.length > 0 && !isReadable ? (
        <Notice level="attention">
          {fill(CHANNELS.noHeadings, { known: 'Name, Address, Type, Scale, Unit' })}
        </Notice>
      ) : undefined}
      {unknown.length === 0 ? undefined : (
        <p class="soft">{fill(CHANNELS.unknownHeadings, { names: unknown.join(', ') })}</p>
      )}
      <div class="tools">
        <button class="main" type="button" disabled={channels.length === 0} onClick={() => onTake(channels)}>
          {fill(CHANNELS.takePasted, { count: formatCount(channels.length) })}
        </button>
        <button type="button" onClick={onCancel}>
          {fill(SHELL.cancel)}
        </button>
      </div>
    </section>
  );
}

function channelUnit(defaults: Document): number {
  const { unitId } = (defaults['address'] ?? {}) as Document;
  return typeof unitId === 'number' ? unitId : 1;
}

function tableOf(defaults: Document): string {
  const { table } = (defaults['address'] ?? {}) as Document;
  return typeof table === 'string' ? table : 'HOLDING_REGISTERS';
}
