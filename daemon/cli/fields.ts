import { findPage } from './page.ts';
import { toPrintable, wrapText } from './table.ts';

const COLUMNS = 18;

/** Formats named values, one to a line; those that are absent or empty are left out. */
export function formatFields(
  fields: readonly (readonly [title: string, value: string | number | undefined])[],
  { columns } = findPage(),
): string {
  return fields
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([title, value]) => {
      const text = toPrintable(String(value));
      const lines =
        columns === undefined
          ? [text]
          : wrapText(text, columns - COLUMNS)
              .trimEnd()
              .split('\n');
      const indented = lines.map(
        (line, index) => `${(index === 0 ? `${title}:` : '').padEnd(COLUMNS)}${line}`,
      );
      return `${indented.join('\n')}\n`;
    })
    .join('');
}
