const SEPARATORS = ['\t', ';', ','] as const;

/**
 * Splits a pasted table into cells: between tabs, semicolons or commas, as the first row decides; quoted cells can contain them,
 * and line ends (RFC 4180, 2.6). Empty rows are left out.
 */
export function splitSheet(text: string): readonly (readonly string[])[] {
  const [firstLine = ''] = text.split('\n', 1);
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
