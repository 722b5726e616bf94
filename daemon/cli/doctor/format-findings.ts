import type { Finding } from '../machine-checks.ts';
import { findPage, paint } from '../page.ts';
import type { Page } from '../page.ts';
import { formatTable, toPrintable, wrapText } from '../table.ts';

const TONES = { GOOD: 'GOOD', WARNING: 'DOUBTFUL', WRONG: 'BAD', UNKNOWN: 'DOUBTFUL' } as const;
const STATE_COLUMNS = 9;
const LONGEST_CHECK = 24;
const LEAST_TEXT = 24;

/**
 * Formats findings: where the page has a width, finding and remedy one below the other, so that a command stays in one line
 * as long as it fits; elsewhere a row is one line.
 */
export function formatFindings(findings: readonly Finding[], page: Page = findPage()): string {
  if (page.columns !== undefined) return layFindings(findings, page, page.columns);
  return formatTable<Finding>(
    [
      { title: 'CHECK', show: ({ check }) => check },
      { title: 'STATE', show: ({ state }) => state, tone: ({ state }) => TONES[state] },
      { title: 'FINDING', show: ({ detail }) => detail },
      { title: 'WHAT TO DO', show: ({ advice }) => advice ?? '' },
    ],
    findings,
    page,
  );
}

function layFindings(findings: readonly Finding[], page: Page, columns: number): string {
  const longest = Math.max(...findings.map(({ check }) => check.length), 'CHECK'.length);
  const checkColumns = Math.min(longest, LONGEST_CHECK, columns - STATE_COLUMNS - LEAST_TEXT) + 2;
  const margin = ' '.repeat(STATE_COLUMNS);
  const title = `${'STATE'.padEnd(STATE_COLUMNS)}${'CHECK'.padEnd(checkColumns)}FINDING, AND WHAT TO DO`;
  const rows = findings.flatMap(({ check, state, detail, advice }) => {
    const names = breakText(check, checkColumns - 2);
    const text = breakText(detail, columns - STATE_COLUMNS - checkColumns);
    const lines = Array.from({ length: Math.max(names.length, text.length) }, (_, line) => {
      const name = (names[line] ?? '').padEnd(checkColumns);
      const first = line === 0 ? paint(state, TONES[state], page) + margin.slice(state.length) : margin;
      return `${first}${name}${text[line] ?? ''}`.trimEnd();
    });
    const remedy = advice === undefined ? [] : breakText(`> ${advice}`, columns - STATE_COLUMNS);
    return [...lines, ...remedy.map((line) => `${margin}${line}`)];
  });
  return `${paint(title, 'TITLE', page)}\n${rows.join('\n')}\n`;
}

function breakText(text: string, width: number): readonly string[] {
  // Several faults of a file are a line each.
  return text.split('\n').flatMap((line) => wrapText(toPrintable(line.trim()), width).trimEnd().split('\n'));
}
