import { useEffect, useRef } from 'preact/hooks';

import { useConsole } from '../../api/console-context.ts';
import { pathOf } from '../change/edit-target.ts';
import type { Document } from '../change/edit-target.ts';
import { loadDocumentText } from '../document-text.ts';
import { dropDraft, findDraft, keepDraft, storeDraft } from '../drafts.ts';
import type { Draft, DraftContent } from '../drafts.ts';
import { holdsSecret } from '../secret.ts';

/** Draft of an asset whose channels are edited as a table; the text editor shows the same draft. */
export interface ChannelDraft {
  /** Keeps an edited asset; stored for a reload of the page after a pause. */
  keep(asset: Document, begun: Pick<Draft, 'base' | 'basis'>): void;
  drop(): void;
}

/** Asset of a draft. */
export interface DraftedAsset {
  readonly draft: Draft;
  readonly asset: Document;
  /** The asset when the draft began. */
  readonly base: Document;
}

const SETTLED_MS = 500;

/** Reads the draft of an asset, if there is one. Returns `WRONG` for a text that cannot be parsed. */
export async function readChannelDraft(
  identity: string,
  pid: string,
): Promise<DraftedAsset | 'WRONG' | undefined> {
  const draft = findDraft(identity, pathOf(['assets', pid]));
  if (draft === undefined) return undefined;
  const { content, base } = draft;
  const asset = 'value' in content ? content.value : await readText(content.text);
  return isDocument(asset) ? { draft, asset, base: isDocument(base) ? base : {} } : 'WRONG';
}

function isDocument(value: unknown): value is Document {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

async function readText(text: string): Promise<unknown> {
  const result = await (await loadDocumentText()).read(text);
  return result.kind === 'VALUE' ? result.value : undefined;
}

/** Keeps the draft of an asset; it survives navigation, and a reload if it contains no secret. */
export function useChannelDraft(pid: string, secretNames: ReadonlySet<string>): ChannelDraft {
  const { session } = useConsole();
  const identity = session.name ?? '';
  const target = pathOf(['assets', pid]);
  const pending = useRef<{ timer: ReturnType<typeof setTimeout>; store: (isLeaving: boolean) => void }>(null);
  const settle = (isLeaving: boolean): void => {
    const { current } = pending;
    pending.current = null;
    clearTimeout(current?.timer);
    current?.store(isLeaving);
  };
  useEffect(() => {
    const leave = (): void => settle(true);
    addEventListener('pagehide', leave);
    return () => {
      removeEventListener('pagehide', leave);
      settle(false);
    };
  }, []);
  return {
    keep(asset, { base, basis }) {
      const content: DraftContent = { value: asset };
      const format = findDraft(identity, target)?.format ?? 'YAML';
      keepDraft(identity, target, { content, format, base, basis });
      clearTimeout(pending.current?.timer);
      pending.current = {
        timer: setTimeout(() => settle(false), SETTLED_MS),
        store: (isLeaving) =>
          storeDraft(identity, target, content, { isStorable: !holdsSecret(asset, secretNames), isLeaving }),
      };
    },
    drop() {
      clearTimeout(pending.current?.timer);
      pending.current = null;
      dropDraft(identity, target);
    },
  };
}
