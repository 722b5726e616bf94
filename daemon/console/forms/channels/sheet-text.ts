const SEPARATORS = ['\t', ';', ','] as const;
// A row of a table in Markdown: "| Name | Unit |".
const PIPED = /^\s*\|.*\|\s*$/;

/**
 * Splits a pasted table into cells: between tabs, semicolons or commas, as the first row decides; quoted cells can contain them,
 * and line ends (RFC 4180, 2.6). Empty rows are left out. A table in Markdown is read as well.
 */
export function splitSheet(text: string): readonly (readonly string[])[] {
  const [firstLine = ''] = text.trimStart().split('\n', 1);
  if (PIPED.test(firstLine)) return splitPiped(text);
  const separator = SEPARATORS.find((candidate) => firstLine.includes(candidate)) ?? '\t';
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = '';
  let isQuoted = false;
  const endRow = (): void => {
    row.push(cell.trim());
    cell = '';
    if (row.some((each) => each !== '')) rows.push(row);
    row = [];
  };
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index] ?? '';
    if (isQuoted) {
      if (character !== '"') cell += character;
      else if (text[index + 1] === '"') {
        cell += '"';
        index += 1;
      } else isQuoted = false;
    } else if (character === '"' && cell === '') isQuoted = true;
    else if (character === separator) {
      row.push(cell.trim());
      cell = '';
    } else if (character === '\n') endRow();
    else if (character !== '\r') cell += character;
  }
  endRow();
  return rows;
}

function splitPiped(text: string): readonly (readonly string[])[] {
  return text
    .split(/\r?\n/)
    .filter((line) => PIPED.test(line) && !/^[\s|:-]+$/.test(line))
    .map((line) =>
      line
        .trim()
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.replaceAll(/\s*<br *\/?>\s*/gi, ' / ').trim()),
    );
}
