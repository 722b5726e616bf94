import { signal } from '@preact/signals';

import type { TextFormat } from './document-text.ts';
import { readPieces, removePieces, storePieces } from './stored-pieces.ts';

/** Text of a draft, or its value: a table of channels has no text. */
export type DraftContent = { readonly text: string } | { readonly value: unknown };

/** Configuration change that has not been applied yet. */
export interface Draft {
  readonly content: DraftContent;
  readonly format: TextFormat;
  /** The part when the draft began; undefined if absent. */
  readonly base: unknown;
  /** Entity tag of that configuration. */
  readonly basis: string;
}

const PREFIX = 'penstock.draft';

/** Drafts with secrets, and unparsed ones, exist only in memory. */
const drafts = signal({ all: readStored() });

/** Bases as stored; one can have thousands of channels. */
const bases = new WeakMap<object, string>();

/** Returns an identity's draft of a target. */
export function findDraft(identity: string, target: string): Draft | undefined {
  return drafts.value.all.get(toKey(identity, target));
}

/** Lists the targets of which an identity has drafts. */
export function listDrafts(identity: string): readonly string[] {
  const start = toKey(identity, '');
  return [...drafts.value.all.keys()]
    .filter((key) => key.startsWith(start))
    .map((key) => key.slice(start.length));
}

/** Keeps a draft for the lifetime of the page. */
export function keepDraft(identity: string, target: string, draft: Draft): void {
  const { all } = drafts.peek();
  drafts.value = { all: all.set(toKey(identity, target), draft) };
}

/** Continues a draft with a text that its editor shows already: no page renders again, which would delay the next key. */
export function typeDraft(identity: string, target: string, text: string): void {
  const { all } = drafts.peek();
  const key = toKey(identity, target);
  const draft = all.get(key);
  if (draft !== undefined) all.set(key, { ...draft, content: { text } });
}

/** How a draft is stored. */
interface DraftStoring {
  /** True if it may be written to the storage of the tab; never for a content with a secret. */
  readonly isStorable: boolean;
  /** True if the page is left. */
  readonly isLeaving?: boolean;
}

/** Stores a draft for a reload of the page, or removes it from storage; does nothing if its content has changed. */
export function storeDraft(
  identity: string,
  target: string,
  content: DraftContent,
  { isStorable, isLeaving = false }: DraftStoring,
): void {
  const key = toKey(identity, target);
  const draft = drafts.peek().all.get(key);
  if (draft === undefined || !isSame(draft.content, content)) return;
  if (isStorable) storePieces(key, write(draft), isLeaving);
  else removePieces(key);
}

/** Removes a draft that was applied or discarded. */
export function dropDraft(identity: string, target: string): void {
  const key = toKey(identity, target);
  const { all } = drafts.peek();
  all.delete(key);
  drafts.value = { all };
  removePieces(key);
}

function isSame(one: DraftContent, other: DraftContent): boolean {
  return 'text' in one
    ? 'text' in other && one.text === other.text
    : 'value' in other && one.value === other.value;
}

// Names can contain any character but a line feed.
function toKey(identity: string, target: string): string {
  return `${PREFIX}\n${identity}\n${target}`;
}

/** Writes a draft as three texts, one after the other: its head and its base, a line each, and its content. */
function* write({ content, base, ...head }: Draft): Generator<string, void> {
  const hasText = 'text' in content;
  yield `${JSON.stringify({ ...head, hasText })}\n`;
  yield writeBase(base);
  yield '\n';
  yield hasText ? content.text : JSON.stringify(content.value);
}

function writeBase(base: unknown): string {
  if (typeof base !== 'object' || base === null) return base === undefined ? '' : JSON.stringify(base);
  const text = bases.get(base) ?? JSON.stringify(base);
  bases.set(base, text);
  return text;
}

function read(stored: string): Draft {
  const [head = '{}', base = ''] = stored.split('\n', 2);
  const body = stored.slice(head.length + base.length + 2);
  const { hasText, ...others } = JSON.parse(head) as Omit<Draft, 'content' | 'base'> & {
    readonly hasText: boolean;
  };
  const content = hasText ? { text: body } : { value: JSON.parse(body) as unknown };
  return { ...others, content, base: base === '' ? undefined : (JSON.parse(base) as unknown) };
}

function readStored(): Map<string, Draft> {
  return new Map([...readPieces(`${PREFIX}\n`)].map(([key, stored]) => [key, read(stored)]));
}
