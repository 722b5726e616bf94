import type { Finding } from '../machine-checks.ts';
import { findPage, paint } from '../terminal/page.ts';
import type { Page } from '../terminal/page.ts';
import { formatTable, toPrintable, wrapText } from '../terminal/table.ts';

const TONES = { GOOD: 'GOOD', WARNING: 'DOUBTFUL', WRONG: 'BAD', UNKNOWN: 'DOUBTFUL' } as const;
const STATE_COLUMNS = 9;
const MAXIMUM_CHECK_COLUMNS = 24;
const MINIMUM_TEXT_COLUMNS = 24;

/**
 * Formats findings: with a page width, the remedy is below the finding, so that a command stays on one line if it fits;
 * otherwise each row is one line.
 */
export function formatFindings(findings: readonly Finding[], page: Page = findPage()): string {
  if (page.columns !== undefined) return layFindings(findings, page, page.columns);
  return formatTable<Finding>(
    [
      { title: 'CHECK', show: ({ check }) => check },
      { title: 'STATE', show: ({ state }) => state, tone: ({ state }) => TONES[state] },
      { title: 'FINDING', show: ({ detail }) => detail },
      { title: 'REMEDY', show: ({ advice }) => advice ?? '' },
    ],
    findings,
    page,
  );
}

function layFindings(findings: readonly Finding[], page: Page, columns: number): string {
  const longest = Math.max(...findings.map(({ check }) => check.length), 'CHECK'.length);
  const checkColumns =
    Math.min(longest, MAXIMUM_CHECK_COLUMNS, columns - STATE_COLUMNS - MINIMUM_TEXT_COLUMNS) + 2;
  const margin = ' '.repeat(STATE_COLUMNS);
  const title = `${'STATE'.padEnd(STATE_COLUMNS)}${'CHECK'.padEnd(checkColumns)}FINDING AND REMEDY`;
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
  // One line for each error of a file.
  return text.split('\n').flatMap((line) => wrapText(toPrintable(line.trim()), width).trimEnd().split('\n'));
}

// Shorter lines may match by coincidence.
const MINIMUM_LENGTH = 12;

/**
 * Keeps one finding per cause and drops its effects. Equal findings of several objects of one kind, such as ports, become
 * one finding with all names: `port 443, 8443`.
 */
export function uniteFindings(findings: readonly Finding[]): readonly Finding[] {
  const wrong = findings.filter(({ state }) => state === 'WRONG');
  const words = wrong.filter(({ check }) => check === 'daemon' || check === 'reload');
  const dropped = new Set<Finding>();
  const replaced = new Map<Finding, Finding>();
  for (const word of words) {
    const cause = wrong.find((each) => isOfFiles(each) && isSameReason(each.detail, word.detail));
    if (cause === undefined) continue;
    dropped.add(word);
    const effect =
      word.check === 'daemon' ? 'therefore the daemon does not run' : 'therefore the last reload failed';
    const { advice = '' } = word;
    replaced.set(cause, { ...cause, detail: `${cause.detail}; ${effect}`, advice });
  }
  for (const [index, each] of wrong.entries()) {
    const isEffect =
      wrong.slice(index + 1).some(({ detail }) => detail === each.detail) ||
      (each.check === 'audit' && wrong.some(({ check }) => check === 'audit chain')) ||
      (each.check === 'gateway' && words.some(({ check }) => check === 'daemon')) ||
      (each.check.startsWith('template ') && isNamed(reasonOf(each), wrong.filter(isOfFiles))) ||
      (each.check.startsWith('configuration ') &&
        isNamed(fileOf(each), [...words, ...wrong.filter(isOfFiles)]));
    if (isEffect) dropped.add(each);
    else if (!replaced.has(each)) replaced.set(each, nameAll(each, wrong));
  }
  return findings.filter((each) => !dropped.has(each)).map((each) => replaced.get(each) ?? each);
}

/** Adds the names of all objects of the same kind with an equal finding. */
function nameAll(finding: Finding, others: readonly Finding[]): Finding {
  const [kind = ''] = finding.check.split(' ');
  const same = others.filter(
    ({ check, detail }) => detail === finding.detail && check.startsWith(`${kind} `),
  );
  const names = new Set(same.map(({ check }) => check.slice(kind.length + 1)));
  return names.size < 2 ? finding : { ...finding, check: `${kind} ${[...names].join(', ')}` };
}

function isOfFiles({ check }: Finding): boolean {
  return check === 'files' || check === 'configuration';
}

function isSameReason(cause: string, text: string): boolean {
  return cause
    .split('\n')
    .map((line) => line.trim())
    .some((line) => line.length >= MINIMUM_LENGTH && text.includes(line));
}

function fileOf({ check }: Finding): string {
  return check.slice('configuration '.length);
}

/** Returns the reason without its consequence. */
function reasonOf({ detail }: Finding): string {
  return detail.slice(0, detail.lastIndexOf('; '));
}

function isNamed(file: string, findings: readonly Finding[]): boolean {
  return findings.some(({ detail }) => detail.includes(file));
}
