import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '../..');
const SHELLS: ReadonlySet<string> = new Set(['sh', 'bash', 'shell', 'console', 'shell-session']);
const ELLIPSIS = '…';
const MOMENT = /\d{4}-\d\d-\d\d(?:T[\d:.]+Z| \d\d:\d\d:\d\d)?|\b\d{13}\b/g;

/** A fenced block of a page. */
export interface Block {
  readonly page: string;
  /** Line of the page on which the block opens, from 1. */
  readonly line: number;
  /** The heading that it stands under, without `#`. */
  readonly heading: string;
  readonly language: string;
  readonly text: string;
  /** The output of the commands, when a block that shows it follows at once. */
  readonly output: Pick<Block, 'language' | 'text'> | undefined;
}

/** Lists the pages of the documentation, for example `docs/how-to/tokens.md`. */
export function listPages(): readonly string[] {
  return globSync('docs/**/*.md', { cwd: ROOT }).toSorted();
}

/** Returns the fenced blocks of a page in their order. */
export function readBlocks(page: string): readonly Block[] {
  const lines = readFileSync(path.join(ROOT, page), 'utf8').split('\n');
  const blocks: Block[] = [];
  let heading = '';
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    heading = /^#+ (.*)$/.exec(line)?.[1] ?? heading;
    const [, indent = '', fence, language = ''] = /^(\s*)(`{3,}|~{3,})\s*([\w-]*)/.exec(line) ?? [];
    if (fence === undefined) continue;
    const end = lines.findIndex((later, at) => at > index && later.trim() === fence);
    assert.notEqual(end, -1, `${page}:${index + 1}: the block has no end`);
    const text = lines
      .slice(index + 1, end)
      .map((inner) => `${inner.startsWith(indent) ? inner.slice(indent.length) : inner}\n`)
      .join('');
    blocks.push({ page, line: index + 1, heading, language, text, output: undefined });
    index = end;
  }
  return blocks.map((block, index) =>
    Object.assign({}, block, { output: findOutput(block, blocks[index + 1]) }),
  );
}

/** Returns whether a user would type a block into a terminal. */
export function isShell({ language }: Block): boolean {
  return SHELLS.has(language);
}

/** Names a block for people who look for it. */
export function nameBlock({ page, line, text }: Block): string {
  return `${page}:${line}: ${text.split('\n')[0] ?? ''}`;
}

/**
 * Compares the output of commands with that on a page: JSON by its keys, texts and kinds of values, anything else
 * as it stands. `…` in a text stands for anything; moments and the width of columns do not matter.
 */
export function assertOutput(documented: Pick<Block, 'language' | 'text'>, printed: string): void {
  if (documented.language === 'json') {
    assertShape(JSON.parse(documented.text), JSON.parse(printed), '$');
    return;
  }
  const pattern = narrow(documented.text).split(ELLIPSIS).map(escapeForPattern).join('[^]*?');
  assert.match(narrow(printed), new RegExp(`^${pattern}$`));
}

function findOutput(block: Block, next: Block | undefined): Block['output'] {
  if (!isShell(block) || next === undefined || !['text', 'json', 'csv'].includes(next.language))
    return undefined;
  const end = block.line + block.text.split('\n').length;
  // Only a blank line is between the two.
  return next.line === end + 2 ? next : undefined;
}

function assertShape(documented: unknown, printed: unknown, place: string): void {
  if (documented === ELLIPSIS) return;
  if (Array.isArray(documented)) {
    assert.ok(Array.isArray(printed), `${place}: expected an array`);
    assert.equal(printed.length, documented.length, `${place}: another number of elements`);
    for (const [index, element] of documented.entries())
      assertShape(element, printed[index], `${place}[${index}]`);
  } else if (typeof documented === 'object' && documented !== null) {
    assert.ok(typeof printed === 'object' && printed !== null, `${place}: expected an object`);
    assert.deepEqual(Object.keys(printed).sort(), Object.keys(documented).sort(), `${place}: other keys`);
    const values = printed as Readonly<Record<string, unknown>>;
    for (const [key, value] of Object.entries(documented)) assertShape(value, values[key], `${place}.${key}`);
  } else if (typeof documented === 'number') {
    assert.equal(typeof printed, 'number', place);
  } else {
    assert.equal(printed, documented, place);
  }
}

function narrow(text: string): string {
  return text
    .split('\n')
    .map((line) => line.replaceAll(MOMENT, 'MOMENT').replaceAll(/ +/g, ' ').trimEnd())
    .join('\n')
    .trim();
}

function escapeForPattern(text: string): string {
  return text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
}
