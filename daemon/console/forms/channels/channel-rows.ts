import type { Document } from '../change/edit-target.ts';
import { formatCell, getCell, parseCell, setCell } from './channel-cell.ts';
import type { ChannelColumn } from './channel-column.ts';
import { groupBy } from './group-by.ts';

/** Channel that is edited; its number stays the same while it is renamed or moved. */
export interface ChannelEntry {
  readonly id: number;
  readonly channel: Document;
}

/** Edited channels with the states before and after. */
export interface ChannelEdits {
  readonly past: readonly (readonly ChannelEntry[])[];
  readonly present: readonly ChannelEntry[];
  readonly future: readonly (readonly ChannelEntry[])[];
}

/** Error of a field of an edited channel. */
export interface CellFault {
  readonly id: number;
  /** Field with dots; empty: the channel as a whole. */
  readonly key: string;
  readonly message: string;
}

/** Texts of the errors that are found without the gateway. */
export interface FaultWords {
  readonly missing: string;
  readonly number: string;
  readonly integer: string;
  /** Infinite: no bound. */
  readonly bounds: (minimum: number, maximum: number) => string;
  readonly choice: (choices: string) => string;
  readonly twice: string;
}

// Each state shares its unchanged rows with the others.
const MAXIMUM_STATES = 200;
const MAXIMUM_CHOICES = 8;

/** Starts the editing of channels. */
export function startEdits(channels: readonly Document[]): ChannelEdits {
  return { past: [], present: channels.map((channel, id) => ({ id, channel })), future: [] };
}

/** Replaces the channels; the previous ones can be restored. */
export function edit({ past, present }: ChannelEdits, next: readonly ChannelEntry[]): ChannelEdits {
  return { past: [...past, present].slice(-MAXIMUM_STATES), present: next, future: [] };
}

/** Restores the channels before the latest edit. */
export function undo(edits: ChannelEdits): ChannelEdits {
  const { past, present, future } = edits;
  const before = past.at(-1);
  return before === undefined
    ? edits
    : { past: past.slice(0, -1), present: before, future: [present, ...future] };
}

/** Restores the channels after the latest undone edit. */
export function redo(edits: ChannelEdits): ChannelEdits {
  const [next, ...future] = edits.future;
  return next === undefined ? edits : { past: [...edits.past, edits.present], present: next, future };
}

/** Adds channels at the end, or after the last one with these numbers. */
export function insertChannels(
  entries: readonly ChannelEntry[],
  channels: readonly Document[],
  after?: ReadonlySet<number>,
): readonly ChannelEntry[] {
  const names = new Set(entries.map(({ channel }) => channel['name']));
  let id = entries.reduce((most, entry) => Math.max(most, entry.id), -1);
  const added = channels.map((channel) => {
    id += 1;
    const name = freeName(channel['name'], names);
    names.add(name);
    return { id, channel: { ...channel, name } };
  });
  const last = entries.findLastIndex((entry) => after?.has(entry.id) === true);
  return entries.toSpliced(last < 0 ? entries.length : last + 1, 0, ...added);
}

function freeName(name: unknown, taken: ReadonlySet<unknown>): unknown {
  if (typeof name !== 'string' || name === '' || !taken.has(name)) return name;
  for (let count = 2; ; count += 1) if (!taken.has(`${name}-${count}`)) return `${name}-${count}`;
}

/** Position of a cell. */
export interface CellPlace {
  readonly row: number;
  readonly column: number;
}

/** Writes a block of cells over the channels from a cell on; rows beyond the last become new channels. */
export function pasteCells(
  entries: readonly ChannelEntry[],
  { row, column }: CellPlace,
  cells: readonly (readonly string[])[],
  columns: readonly ChannelColumn[],
): readonly ChannelEntry[] {
  const template = entries.at(-1)?.channel ?? {};
  const missing = Math.max(0, row + cells.length - entries.length);
  const all =
    missing === 0
      ? entries
      : insertChannels(
          entries,
          Array.from({ length: missing }, () => template),
        );
  return all.map((entry, index) => {
    const texts = cells[index - row];
    if (texts === undefined) return entry;
    const channel = texts.reduce((before, text, offset) => {
      const target = columns[column + offset];
      return target === undefined ? before : setCell(before, target.key, parseCell(text, target));
    }, entry.channel);
    return { id: entry.id, channel };
  });
}

/** Lists the errors that need no gateway: missing fields, wrong kinds, numbers out of bounds, names used twice. */
export function listCellFaults(
  entries: readonly ChannelEntry[],
  columns: readonly ChannelColumn[],
  words: FaultWords,
): readonly CellFault[] {
  const byName = groupBy(entries, ({ channel }) => channel['name']);
  return entries.flatMap((entry) => {
    const { id, channel } = entry;
    const faults = columns.flatMap((column): CellFault[] => {
      const message = findFault(getCell(channel, column.key), column, words);
      return message === undefined ? [] : [{ id, key: column.key, message }];
    });
    const isTwice = channel['name'] !== undefined && byName.get(channel['name'])?.[0] !== entry;
    return isTwice ? [...faults, { id, key: 'name', message: words.twice }] : faults;
  });
}

function findFault(
  value: unknown,
  { kind, isRequired, choices, minimum, maximum, isInteger }: ChannelColumn,
  words: FaultWords,
): string | undefined {
  if (value === undefined) return isRequired ? words.missing : undefined;
  if (kind === 'NUMBER') {
    if (typeof value !== 'number') return words.number;
    if (value < minimum || value > maximum) return words.bounds(minimum, maximum);
    return isInteger && !Number.isInteger(value) ? words.integer : undefined;
  }
  if (kind === 'CHOICE' && !choices.includes(formatCell(value))) {
    const shown = choices.slice(0, MAXIMUM_CHOICES).join(', ');
    return words.choice(choices.length > MAXIMUM_CHOICES ? `${shown}, …` : shown);
  }
  return undefined;
}
