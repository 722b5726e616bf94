import { check, z } from '../../base/schema.ts';
import { toPrintable } from '../terminal/table.ts';
import { damaged } from './tar-archive.ts';

/** Reasons for omitted or changed entries, as shown to users. */
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

// Bundles can create many of them.
const MAXIMUM_KEPT = 100;
const MAXIMUM_SHOWN = 20;

const leftOutSchema = z.strictObject({
  /** Total count; only the first ones are listed. */
  count: z.int().min(0),
  entries: z.array(z.strictObject({ name: z.string().max(4096), reason: z.enum(NAMES) })).max(MAXIMUM_KEPT),
});

/** Entries omitted from a backup. */
export type LeftOut = Readonly<z.infer<typeof leftOutSchema>>;

/** Name of the entry with this list, the last one of a backup with omitted entries. */
export const LEFT_OUT_NAME = 'left-out.json';

/** Maximum size of the list. */
export const MAXIMUM_LEFT_OUT_BYTES = 1_048_576;

/** Collects omitted entries during a backup. */
export class LeftOutList {
  readonly #entries: { readonly name: string; readonly reason: Reason }[] = [];
  #count = 0;

  /** Adds an entry by its name in the archive. */
  add(name: string, reason: Reason): void {
    this.#count += 1;
    if (this.#entries.length < MAXIMUM_KEPT) this.#entries.push({ name, reason });
  }

  get(): LeftOut {
    return { count: this.#count, entries: [...this.#entries] };
  }
}

/** Formats the entry. */
export function formatLeftOut(leftOut: LeftOut): Buffer {
  return Buffer.from(`${JSON.stringify(leftOut)}\n`);
}

/**
 * Parses the entry.
 *
 * @throws {ArchiveError} `ARCHIVE_INVALID` if it is damaged
 */
export function parseLeftOut(content: Buffer): LeftOut {
  const checked = check(leftOutSchema, parseJson(content));
  if (checked.faults !== undefined) throw damaged('its list of what it left out is damaged');
  return checked.value;
}

/** Formats the first omitted entries, one per line, and the number of further ones. */
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
