/** Parts of an OBIS code (IEC 62056-61): `A-B:C.D.E*F`. */
export interface ObisCode {
  /** Medium and channel; absent in reduced codes. */
  readonly channel?: string | undefined;
  /** Measured quantity, its processing and its rate. */
  readonly quantity: string;
  /** Billing period; absent: the current value. */
  readonly period?: string | undefined;
}

const CODE =
  /^(?:(\d{1,3})-(\d{1,3}):)?([\dA-Z]{1,3})(?:\.([\dA-Z]{1,3}))?(?:\.([\dA-Z]{1,3}))?(?:[*&.](\d{1,3}))?$/;

// Letters of reduced codes for service values, errors, lists and profiles.
const LETTERS: Readonly<Record<string, string>> = { C: '96', F: '97', L: '98', P: '99' };
// This period is the current one.
const CURRENT = '255';

/**
 * Parses an OBIS code, complete or reduced: `1-0:1.8.0*255`, `1.8.0`, `F.F`, `1.8.1*01`.
 *
 * @returns undefined if it is none
 */
export function parseObisCode(text: string): ObisCode | undefined {
  const found = CODE.exec(text.toUpperCase());
  if (found === null) return undefined;
  const [, medium, channel, ...groups] = found;
  const period = groups[3] === undefined ? undefined : normalize(groups[3]);
  return {
    channel:
      medium === undefined || channel === undefined ? undefined : `${Number(medium)}-${Number(channel)}`,
    quantity: groups
      .slice(0, 3)
      .map((group) => normalize(group ?? '0'))
      .join('.'),
    period: period === CURRENT ? undefined : period,
  };
}

function normalize(group: string): string {
  return /^\d+$/.test(group) ? String(Number(group)) : (LETTERS[group] ?? group);
}

/** Result of a search for a code. */
export type Search<T> =
  | { readonly kind: 'FOUND'; readonly item: T }
  | { readonly kind: 'NONE' }
  | { readonly kind: 'AMBIGUOUS'; readonly channels: readonly string[] };

/**
 * Finds the data set of a code.
 *
 * A code without medium and channel finds a data set of any of them if only one has it; a complete one also finds a
 * reduced code. The first of several equal codes counts.
 */
export function findByCode<T extends { readonly code?: ObisCode | undefined }>(
  wanted: ObisCode,
  items: readonly T[],
): Search<T> {
  const fitting = items.filter(
    ({ code }) => code?.quantity === wanted.quantity && code.period === wanted.period,
  );
  const exact = fitting.find(({ code }) => code?.channel === wanted.channel);
  if (exact !== undefined) return { kind: 'FOUND', item: exact };
  if (wanted.channel !== undefined) {
    const reduced = fitting.find(({ code }) => code?.channel === undefined);
    return reduced === undefined ? { kind: 'NONE' } : { kind: 'FOUND', item: reduced };
  }
  const [first] = fitting;
  if (first === undefined) return { kind: 'NONE' };
  const channels = [...new Set(fitting.map(({ code }) => code?.channel ?? ''))];
  return channels.length > 1 ? { kind: 'AMBIGUOUS', channels } : { kind: 'FOUND', item: first };
}
