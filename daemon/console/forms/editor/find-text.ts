/** Search term and options. */
export interface Wanted {
  readonly words: string;
  readonly matchesCase: boolean;
}

/** Range of a match. */
export interface FoundPart {
  readonly from: number;
  readonly to: number;
}

/** Finds all matches in a text, in order and without overlaps; an empty term has none. */
export function findAll(text: string, { words, matchesCase }: Wanted): readonly FoundPart[] {
  if (words === '') return [];
  const literal = words.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
  return [...text.matchAll(new RegExp(literal, matchesCase ? 'g' : 'gi'))].map(({ index }) => ({
    from: index,
    to: index + words.length,
  }));
}

/** True if two ranges are equal. */
export function isSamePart(one: FoundPart, other: FoundPart): boolean {
  return one.from === other.from && one.to === other.to;
}
