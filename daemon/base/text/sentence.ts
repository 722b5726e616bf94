/** Names in a sentence: `{name}`, or `{name&}` for a list. */
export type NamesIn<Sentence extends string> = Sentence extends `${string}{${infer Name}}${infer Rest}`
  ? (Name extends `${infer List}&` ? List : Name) | NamesIn<Rest>
  : never;

const PLACE = /\{(\w+)(&?)\}/g;

/**
 * Replaces the names in a sentence.
 *
 * @param isAnd true for `{name&}`
 */
export function fillSentence(sentence: string, describe: (name: string, isAnd: boolean) => string): string {
  return sentence.replaceAll(PLACE, (_, name: string, isAnd: string) => describe(name, isAnd !== ''));
}
