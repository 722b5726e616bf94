import type { Language } from './text.ts';

/**
 * Loads the texts of a language. The built console has code of `packaging/separate-texts.ts` here, as each of its languages is a
 * file; in the sources, every text has all languages.
 */
export function loadTexts(_language: Language): Promise<void> {
  return Promise.resolve();
}
