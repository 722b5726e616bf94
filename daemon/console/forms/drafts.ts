import { signal } from '@preact/signals';

import type { TextFormat } from './document-text.ts';

/** A change of the configuration that was not applied yet. */
export interface Draft {
  readonly text: string;
  readonly format: TextFormat;
  /** What the part was when the draft began; undefined: it was not there. */
  readonly base: unknown;
  /** The entity tag of that configuration. */
  readonly basis: string;
}

const PREFIX = 'penstock.draft';

/** Those with secrets, and those of which nobody can tell, are nowhere else. */
const drafts = signal<ReadonlyMap<string, Draft>>(readStored());

/** Returns the draft of a part that an identity began. */
export function findDraft(identity: string, target: string): Draft | undefined {
  return drafts.value.get(toKey(identity, target));
}

/** Lists the parts of which an identity has drafts. */
export function listDrafts(identity: string): readonly string[] {
  const start = toKey(identity, '');
  return [...drafts.value.keys()]
    .filter((key) => key.startsWith(start))
    .map((key) => key.slice(start.length));
}

/** Keeps a draft as long as the page is there. */
export function keepDraft(identity: string, target: string, draft: Draft): void {
  drafts.value = new Map(drafts.value).set(toKey(identity, target), draft);
}

/**
 * Has a draft with this text outlive a reload of the page, or no longer.
 *
 * @param isStorable whether it may stay in the session of the browser, which survives a reload; nothing with a secret may
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
      // It is too large for the browser, and stays in memory.
      sessionStorage.removeItem(key);
    }
  }
}

/** Forgets a draft: it was applied or given up. */
export function dropDraft(identity: string, target: string): void {
  const key = toKey(identity, target);
  const left = new Map(drafts.value);
  left.delete(key);
  drafts.value = left;
  sessionStorage.removeItem(key);
}

// A name may have any character; a line feed is in none.
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
