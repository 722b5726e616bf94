/** One column: its title and the text of a row in it. */
interface Column<Row> {
  readonly title: string;
  readonly show: (row: Row) => string | number | boolean | undefined;
  /** It is left out when it is empty in every row; a terminal has 80 columns. */
  readonly isOptional?: boolean;
}

// A longer text, such as an array, moves the rest of its own row only.
const MAXIMUM_WIDTH = 40;

/** Formats rows in columns as wide as their content; control characters never reach the terminal. */
export function formatTable<Row>(all: readonly Column<Row>[], rows: readonly Row[]): string {
  const columns = all.filter(
    ({ isOptional = false, show }) => !isOptional || rows.some((row) => show(row) !== ''),
  );
  const cells = [
    columns.map(({ title }) => title),
    ...rows.map((row) => columns.map(({ show }) => toPrintable(String(show(row) ?? '-')))),
  ];
  const widths = columns.map((_, column) => {
    const lengths = cells.map((line) => line[column]?.length ?? 0);
    return Math.max(...lengths.filter((length) => length <= MAXIMUM_WIDTH));
  });
  return cells
    .map(
      (line) =>
        `${line
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

/** Replaces the control characters of a text that a device, a peer or a bundle may have sent. */
export function toPrintable(text: string): string {
  return text.replaceAll(/[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu, '\uFFFD');
}
