/** A part of a text. */
interface TextPart {
  readonly begin: number;
  /** Behind its last character. */
  readonly end: number;
}

/**
 * Returns where a row of a table is; a quoted cell may go over several lines (RFC 4180, 2.6).
 *
 * @param row as in spreadsheets: the header is row 1
 */
export function findRow(text: string, row: number): TextPart {
  let begin = 0;
  let count = 1;
  let isQuoted = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (character === '"') isQuoted = !isQuoted;
    if (character !== '\n' || isQuoted) continue;
    if (count === row) return { begin, end: index };
    count += 1;
    begin = index + 1;
  }
  return { begin: count === row ? begin : text.length, end: text.length };
}
