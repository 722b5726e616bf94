/** A table of a page: headings, and rows with as many cells. */
export interface Table {
  readonly headings: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Formats a table as the formatter of the project does, with columns of equal width. */
export function formatTable({ headings, rows }: Table): string {
  const cells = rows.map((row) => row.map((cell) => cell.replaceAll('|', String.raw`\|`)));
  const widths = headings.map((heading, column) =>
    Math.max(3, heading.length, ...cells.map((row) => row[column]?.length ?? 0)),
  );
  const format = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [headings, widths.map((width) => '-'.repeat(width)), ...cells].map(format).join('\n');
}

/** Returns the anchor of a heading. */
export function toAnchor(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .replaceAll(' ', '-');
}

/** Turns a description of the code into a sentence. */
export function toSentence(text: string): string {
  return text === '' || /[.:]$/.test(text) ? text : `${text}.`;
}
