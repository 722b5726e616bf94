/** A text in the languages of the console. */
export interface Words {
  readonly en: string;
  readonly de: string;
}

/** Returns a text that has no German words as it is in both languages. */
export function toWords(text: string | Words): Words {
  return typeof text === 'string' ? { en: text, de: text } : text;
}

/** Returns the words of an error. */
export function wordsOf(error: unknown): Words {
  if (error instanceof Error && 'words' in error) return error.words as Words;
  return toWords(error instanceof Error ? error.message : String(error));
}

/** Adds a text to another. */
export function addWords(words: Words, more: Words): Words {
  return { en: words.en + more.en, de: words.de + more.de };
}
