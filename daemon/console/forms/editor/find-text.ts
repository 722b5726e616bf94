/** What is looked for in a text. */
export interface Wanted {
  readonly words: string;
  readonly matchesCase: boolean;
}

/** A place where it is. */
export interface FoundPart {
  readonly from: number;
  readonly to: number;
}

/** Finds every place of a text where something stands, in their order, none in another; nothing is nowhere. */
export function findAll(text: string, { words, matchesCase }: Wanted): readonly FoundPart[] {
  if (words === '') return [];
  const literal = words.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
  return [...text.matchAll(new RegExp(literal, matchesCase ? 'g' : 'gi'))].map(({ index }) => ({
    from: index,
    to: index + words.length,
  }));
}

/** Tells whether two parts of a text begin and end at the same places. */
export function isSamePart(one: FoundPart, other: FoundPart): boolean {
  return one.from === other.from && one.to === other.to;
}
