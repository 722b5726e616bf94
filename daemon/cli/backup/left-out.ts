import { check, z } from '../../base/schema.ts';
import { toPrintable } from '../terminal/table.ts';
import { damaged } from './tar-archive.ts';

/** Why a backup does not have something as it was; the words are for people. */
const REASONS = {
  LINK: 'a link; its target is not included',
  PIPE: 'a pipe',
  SOCKET: 'a socket',
  DEVICE: 'a device',
  NAME_INVALID: 'its name is not UTF-8',
  NAME_LONG: 'its path is too long',
  UNREADABLE: 'it cannot be read',
  VANISHED: 'removed or replaced during the backup',
  SHORTENED: 'truncated during the backup; zeros replace the missing end',
} as const;

type Reason = keyof typeof REASONS;
const NAMES = Object.keys(REASONS) as [Reason, ...Reason[]];

// A bundle can make as many as its storage takes.
const MAXIMUM_KEPT = 100;
const MAXIMUM_SHOWN = 20;

const leftOutSchema = z.strictObject({
  /** How many there are, of which the first ones are named. */
  count: z.int().min(0),
  entries: z.array(z.strictObject({ name: z.string().max(4096), reason: z.enum(NAMES) })).max(MAXIMUM_KEPT),
});

/** What a backup does not have of the folders that it holds. */
export type LeftOut = Readonly<z.infer<typeof leftOutSchema>>;

/** Name of the entry that lists them, which is the last one of a backup that has left out something. */
export const LEFT_OUT_NAME = 'left-out.json';

/** Largest list that is read. */
export const MAXIMUM_LEFT_OUT_BYTES = 1_048_576;

/** Notes what is left out of a backup while it is made. */
export class LeftOutList {
  readonly #entries: { readonly name: string; readonly reason: Reason }[] = [];
  #count = 0;

  /** Notes one thing by its name in the archive. */
  add(name: string, reason: Reason): void {
    this.#count += 1;
    if (this.#entries.length < MAXIMUM_KEPT) this.#entries.push({ name, reason });
  }

  get(): LeftOut {
    return { count: this.#count, entries: [...this.#entries] };
  }
}

/** Writes the entry. */
export function formatLeftOut(leftOut: LeftOut): Buffer {
  return Buffer.from(`${JSON.stringify(leftOut)}\n`);
}

/**
 * Reads the entry.
 *
 * @throws {ArchiveError} `ARCHIVE_INVALID` when it is none
 */
export function parseLeftOut(content: Buffer): LeftOut {
  const checked = check(leftOutSchema, parseJson(content));
  if (checked.faults !== undefined) throw damaged('its list of what it left out is damaged');
  return checked.value;
}

/** Tells people what a backup does not have, a line each; the first ones, and how many more there are. */
export function describeLeftOut({ count, entries }: LeftOut): string {
  const shown = entries.slice(0, MAXIMUM_SHOWN);
  const lines = shown.map(({ name, reason }) => `left out: ${toPrintable(name)}: ${REASONS[reason]}\n`);
  const more = count - shown.length;
  return `${lines.join('')}${more > 0 ? `left out: and ${more} more\n` : ''}`;
}

function parseJson(content: Buffer): unknown {
  try {
    return JSON.parse(content.toString());
  } catch {
    return undefined;
  }
}
