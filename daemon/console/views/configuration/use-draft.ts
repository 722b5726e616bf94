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

/** Text of a target: that of the gateway, or a draft. */
export interface EditedText {
  readonly text: string;
  readonly format: TextFormat;
  /** Value of the target when the draft began, or the current one. */
  readonly base: unknown;
  readonly basis: string;
  readonly isDraft: boolean;
  /** True if the draft survives a reload of the page; undefined until its text is parsed. */
  readonly isStored: boolean | undefined;
  /** Parsed text; undefined until parsed. */
  readonly settled: ReadText | undefined;
  /** Latest parsed value; the base until then. */
  readonly value: unknown;
  /** Parses the text synchronously. */
  read(): ReadText;
  change(text: string): void;
  chooseFormat(format: TextFormat): void;
  /** Continues with a new value on a new base. */
  rebase(value: unknown, base: unknown, basis: string): void;
  discard(): void;
}

interface DraftSources {
  readonly texts: DocumentText;
  readonly configuration: LoadedConfiguration;
  /** Keys that the schema marks as secret. */
  readonly secretNames: ReadonlySet<string>;
}

/** Edits the text of a target; drafts survive navigation, and a reload if they contain no secret. */
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
      // An equal text is not parsed again.
      storeDraft(identity, name, next.text, !holdsSecret(value, secretNames));
    },
    discard: () => dropDraft(identity, name),
  };
}
