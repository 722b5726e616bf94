import { CommandError } from '../command-error.ts';

/** A part of the configuration as it is sent: plain data. */
export type Item = Readonly<Record<string, unknown>>;

/** A place in a file, what stands there, and why it is mentioned. */
export interface Remark {
  /** Row of a table, or the way to an element: `boiler/flow`. */
  readonly place: string;
  /** What stands there, shortened; never a secret. */
  readonly text: string;
  readonly reason: string;
}

/** A channel, and where it came from. */
export interface ImportedChannel {
  readonly place: string;
  readonly text: string;
  readonly channel: Item;
}

/** An asset without its channels, those channels, and where it came from. */
export interface ImportedAsset {
  readonly place: string;
  readonly asset: Item;
  readonly channels: readonly ImportedChannel[];
}

/** A driver, and where it came from. */
export interface ImportedDriver {
  readonly place: string;
  readonly driver: Item;
}

/** What the file of another product becomes here. */
export interface Imported {
  readonly drivers: readonly ImportedDriver[];
  readonly assets: readonly ImportedAsset[];
  /** Settings of the REST interface that clients of the other product need. */
  readonly rest?: Item;
  /** Drivers, assets and channels that cannot be taken over. */
  readonly untaken: readonly Remark[];
  /** What was taken over in another form, or has no meaning here. */
  readonly remarks: readonly Remark[];
}

/** One driver, asset or channel cannot be taken over; the others can. */
export class UnsupportedEntry extends Error {}

/** Collects what is said about a file while it is converted. */
export class Findings {
  readonly untaken: Remark[] = [];
  readonly remarks: Remark[] = [];

  /** Converts one thing; what cannot be taken over is noted, and gives undefined. */
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

/** Returns an item without the keys that have no value. */
export function withoutGaps(item: Item): Item {
  return Object.fromEntries(Object.entries(item).filter(([, value]) => value !== undefined));
}

/** Returns the error of a file that cannot be read as what it should be. */
export function unreadable(detail: string, cause?: unknown): CommandError {
  return new CommandError({ code: 'IMPORT_UNREADABLE', detail, cause });
}

/** Returns what a table of words has for one that stands in a file; nothing for what every object has, like `constructor`. */
export function lookUp<T>(table: Readonly<Record<string, T>>, word: string): T | undefined {
  return Object.hasOwn(table, word) ? table[word] : undefined;
}

/**
 * Returns the scaling of a channel; nothing where it changes no value.
 *
 * @throws {UnsupportedEntry} for numbers beyond all that can be calculated with
 */
export function scaleFields(scale: number, offset: number): Item {
  if (!Number.isFinite(scale) || !Number.isFinite(offset))
    throw new UnsupportedEntry('its scaling is too large');
  return {
    ...(scale === 1 ? {} : { valueScale: scale }),
    ...(offset === 0 ? {} : { valueOffset: offset }),
  };
}
