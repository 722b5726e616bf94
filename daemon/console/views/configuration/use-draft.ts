import { useMemo } from 'preact/hooks';

import { useConsole } from '../../api/console-context.ts';
import type { DocumentText, TextFormat } from '../../forms/document-text.ts';
import { dropDraft, findDraft, keepDraft, storeDraft } from '../../forms/drafts.ts';
import type { ReadText } from '../../forms/read-text.ts';
import { holdsSecret } from '../../forms/secret.ts';
import { getPart, pathOf } from '../../forms/change/edit-target.ts';
import type { EditTarget } from '../../forms/change/edit-target.ts';
import type { LoadedConfiguration } from '../../forms/change/use-configuration.ts';
import { useReading } from './use-reading.ts';

/** The text of a target: that of the gateway, or a draft of it. */
export interface EditedText {
  readonly text: string;
  readonly format: TextFormat;
  /** What the place was when the draft began, or is. */
  readonly base: unknown;
  readonly basis: string;
  readonly isDraft: boolean;
  /** Whether the draft survives a reload of the page; undefined until its text is read. */
  readonly isStored: boolean | undefined;
  /** What the text says; undefined until it is read. */
  readonly settled: ReadText | undefined;
  /** What the text says, as far as it is read; the base before. */
  readonly value: unknown;
  /** Reads the text at once. */
  read(): ReadText;
  change(text: string): void;
  chooseFormat(format: TextFormat): void;
  /** Goes on with another value, on another base. */
  rebase(value: unknown, base: unknown, basis: string): void;
  discard(): void;
}

interface DraftSources {
  readonly texts: DocumentText;
  readonly configuration: LoadedConfiguration;
  /** Keys that are secret by the schema. */
  readonly secretNames: ReadonlySet<string>;
}

/** Edits the text of a place; what was typed outlives the page, and a reload where it holds no secret. */
export function useDraft(
  target: EditTarget,
  { texts, configuration, secretNames }: DraftSources,
): EditedText {
  const { session } = useConsole();
  const identity = session.name ?? '';
  const name = pathOf(target);
  const draft = findDraft(identity, name);
  const current = getPart(configuration.document, target);
  const currentText = useMemo(() => texts.write(current ?? {}, 'YAML'), [texts, current]);
  const { text, format, base, basis } = draft ?? {
    text: currentText,
    format: 'YAML',
    base: current,
    basis: configuration.basis,
  };
  const isSafe = (result: ReadText): boolean =>
    result.kind === 'VALUE' && !holdsSecret(result.value, secretNames);
  const reading = useReading({
    texts,
    text: draft?.text,
    onRead: ({ text: own, result }) => storeDraft(identity, name, own, isSafe(result)),
  });
  const settled = reading?.text === text ? reading.result : undefined;
  const isStored = useMemo(
    () => (settled === undefined ? undefined : isSafe(settled)),
    [settled, secretNames],
  );
  const keep = (next: { readonly text: string; readonly format: TextFormat }): void =>
    keepDraft(identity, name, { base, basis, ...next });
  return {
    text,
    format,
    base,
    basis,
    isDraft: draft !== undefined,
    isStored,
    settled,
    value: draft !== undefined && reading?.result.kind === 'VALUE' ? reading.result.value : base,
    read: () => texts.read(text),
    change: (next) => keep({ text: next, format }),
    chooseFormat(next) {
      const read = texts.read(text);
      if (read.kind === 'VALUE') keep({ text: texts.write(read.value, next), format: next });
    },
    rebase(value, nextBase, nextBasis) {
      const next = { text: texts.write(value ?? {}, format), format, base: nextBase, basis: nextBasis };
      keepDraft(identity, name, next);
      // Its text may be the same, which is not read again.
      storeDraft(identity, name, next.text, !holdsSecret(value, secretNames));
    },
    discard: () => dropDraft(identity, name),
  };
}
