import { signal } from '@preact/signals';

import type { TextFormat } from './document-text.ts';

/** Configuration change that has not been applied yet. */
export interface Draft {
  readonly text: string;
  readonly format: TextFormat;
  /** The part when the draft began; undefined if absent. */
  readonly base: unknown;
  /** Entity tag of that configuration. */
  readonly basis: string;
}

const PREFIX = 'penstock.draft';

/** Drafts with secrets, and unparsed ones, exist only in memory. */
const drafts = signal<ReadonlyMap<string, Draft>>(readStored());

/** Returns an identity's draft of a target. */
export function findDraft(identity: string, target: string): Draft | undefined {
  return drafts.value.get(toKey(identity, target));
}

/** Lists the targets of which an identity has drafts. */
export function listDrafts(identity: string): readonly string[] {
  const start = toKey(identity, '');
  return [...drafts.value.keys()]
    .filter((key) => key.startsWith(start))
    .map((key) => key.slice(start.length));
}

/** Keeps a draft for the lifetime of the page. */
export function keepDraft(identity: string, target: string, draft: Draft): void {
  drafts.value = new Map(drafts.value).set(toKey(identity, target), draft);
}

/**
 * Stores a draft for a reload of the page, or removes it from storage.
 *
 * @param isStorable true if it may be written to session storage; never for texts with a secret
 */
export function storeDraft(identity: string, target: string, text: string, isStorable: boolean): void {
  const key = toKey(identity, target);
  const draft = drafts.value.get(key);
  if (draft?.text !== text) return;
  if (!isStorable) sessionStorage.removeItem(key);
  else {
    try {
      sessionStorage.setItem(key, JSON.stringify(draft));
    } catch {
      // Too large for session storage: it stays in memory.
      sessionStorage.removeItem(key);
    }
  }
}

/** Removes a draft that was applied or discarded. */
export function dropDraft(identity: string, target: string): void {
  const key = toKey(identity, target);
  const left = new Map(drafts.value);
  left.delete(key);
  drafts.value = left;
  sessionStorage.removeItem(key);
}

// Names can contain any character but a line feed.
function toKey(identity: string, target: string): string {
  return `${PREFIX}\n${identity}\n${target}`;
}

function readStored(): ReadonlyMap<string, Draft> {
  const found = new Map<string, Draft>();
  for (const key of Object.keys(sessionStorage)) {
    if (key.startsWith(`${PREFIX}\n`)) {
      const draft = JSON.parse(sessionStorage.getItem(key) ?? '{}') as Draft;
      found.set(key, draft);
    }
  }
  return found;
}
