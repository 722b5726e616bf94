import { CommandError } from '../command-error.ts';

/** Part of the configuration as plain data. */
export type Item = Readonly<Record<string, unknown>>;

/** Location in a file, its content, and the reason for mentioning it. */
export interface Remark {
  /** Row of a table, or path of an element: `boiler/flow`. */
  readonly place: string;
  /** Shortened content; never a secret. */
  readonly text: string;
  readonly reason: string;
}

/** A channel and its origin. */
export interface ImportedChannel {
  readonly place: string;
  readonly text: string;
  readonly channel: Item;
}

/** An asset without its channels, the channels, and the origin. */
export interface ImportedAsset {
  readonly place: string;
  readonly asset: Item;
  readonly channels: readonly ImportedChannel[];
}

/** A driver and its origin. */
export interface ImportedDriver {
  readonly place: string;
  readonly driver: Item;
}

/** Configuration converted from the file of another product. */
export interface Imported {
  readonly drivers: readonly ImportedDriver[];
  readonly assets: readonly ImportedAsset[];
  /** REST settings required by clients of the other product. */
  readonly rest?: Item;
  /** Drivers, assets and channels that cannot be imported. */
  readonly untaken: readonly Remark[];
  /** Entries imported in another form, or without counterpart. */
  readonly remarks: readonly Remark[];
}

/** One driver, asset or channel cannot be imported; the others can. */
export class UnsupportedEntry extends Error {}

/** Collects the remarks of a conversion. */
export class Findings {
  readonly untaken: Remark[] = [];
  readonly remarks: Remark[] = [];

  /** Converts one entry; returns undefined and records the reason if it is unsupported. */
  attempt<T>({ place, text }: Omit<Remark, 'reason'>, convert: () => T): T | undefined {
    try {
      return convert();
    } catch (error) {
      if (!(error instanceof UnsupportedEntry)) throw error;
      this.refuse({ place, text, reason: error.message });
      return undefined;
    }
  }

  refuse(remark: Remark): void {
    this.untaken.push(shorten(remark));
  }

  remark(remark: Remark): void {
    this.remarks.push(shorten(remark));
  }
}

const MAXIMUM_TEXT_LENGTH = 80;

function shorten(remark: Remark): Remark {
  const { text } = remark;
  return text.length <= MAXIMUM_TEXT_LENGTH
    ? remark
    : { ...remark, text: `${text.slice(0, MAXIMUM_TEXT_LENGTH - 1)}…` };
}

/** Returns an item without its undefined keys. */
export function withoutGaps(item: Item): Item {
  return Object.fromEntries(Object.entries(item).filter(([, value]) => value !== undefined));
}

/** Returns the error for a file of unexpected content. */
export function unreadable(detail: string, cause?: unknown): CommandError {
  return new CommandError({ code: 'IMPORT_UNREADABLE', detail, cause });
}

/** Looks up an untrusted word in a table; ignores inherited keys such as `constructor`. */
export function lookUp<T>(table: Readonly<Record<string, T>>, word: string): T | undefined {
  return Object.hasOwn(table, word) ? table[word] : undefined;
}

/**
 * Returns the scaling of a channel without fields that have no effect.
 *
 * @throws {UnsupportedEntry} for infinite numbers
 */
export function scaleFields(scale: number, offset: number): Item {
  if (!Number.isFinite(scale) || !Number.isFinite(offset))
    throw new UnsupportedEntry('its scaling is too large');
  return {
    ...(scale === 1 ? {} : { valueScale: scale }),
    ...(offset === 0 ? {} : { valueOffset: offset }),
  };
}
