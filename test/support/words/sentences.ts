/** Splits pages of the documentation into sentences, to find those that are too long. */

/** Words that a sentence of a page may have. */
export const MAXIMUM_WORDS = 30;

/**
 * Lists the sentences and phrases of a Markdown page, in the order of the page. Headings, code blocks and comments have none. A list item and a
 * table cell begin a sentence; code counts as one word.
 */
export function listSentences(page: string): readonly string[] {
  return page
    .replaceAll(/^( *)(```+)[^\n]*\n(?:[^\n]*\n)*?\1\2$/gm, '\n')
    .replaceAll(/<!--[\s\S]*?-->/g, '')
    .replaceAll(/^#.*$/gm, '\n')
    .replaceAll(/!\[[^\]]*\]\([^)]*\)/g, '')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/`[^`\n]*`/g, 'code')
    .replaceAll(/^\s*(?:[-*]|\d+\.)\s+/gm, '\n\n')
    .replaceAll(/^\s*\|.*$/gm, (row) => `\n\n${row.replaceAll('|', '\n\n')}\n\n`)
    .split(/\n\s*\n/)
    .flatMap((block) => block.replaceAll(/\s+/g, ' ').split(/(?<=[.!?][)"”]?) (?=[A-Z“"(]|code\b)/))
    .map((sentence) => sentence.trim())
    .filter((sentence) => countWords(sentence) > 1);
}

/** True if the text is a sentence and not a phrase, such as most table cells: it ends as one, or is longer than one may be. */
export function isSentence(text: string): boolean {
  return /[.!?:]["”)]?$/.test(text) || countWords(text) > MAXIMUM_WORDS;
}

/** Returns the number of words that have a letter or a digit. */
export function countWords(sentence: string): number {
  return sentence.split(' ').filter((word) => /[\p{L}\d]/u.test(word)).length;
}
