import { useMemo } from 'preact/hooks';

import { useConsole } from '../../api/console-context.ts';
import type { DocumentText, TextFormat } from '../../forms/document-text.ts';
import { dropDraft, findDraft, keepDraft, storeDraft } from '../../forms/drafts.ts';
import type { DraftContent } from '../../forms/drafts.ts';
import { outlineText, readDriver } from '../../forms/read-text.ts';
import type { ReadText, TextOutline } from '../../forms/read-text.ts';
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
  /** Outline of the text; undefined until parsed. */
  readonly settled: TextOutline | undefined;
  /** Driver in the latest parsed value; that of the base until then. */
  readonly driver: unknown;
  /** Parses the text; undefined if it has changed in the meantime. */
  read(): Promise<ReadText | undefined>;
  /** Begins a draft with the text as it is. */
  begin(): void;
  change(text: string): void;
  chooseFormat(format: TextFormat): Promise<void>;
  /** Continues with a new value on a new base. */
  rebase(value: unknown, base: unknown, basis: string): void;
  /** Continues on a configuration in which only other parts have changed. */
  carryOver(basis: string): void;
  discard(): void;
}

interface DraftSources {
  readonly texts: DocumentText;
  readonly configuration: LoadedConfiguration;
  /** Keys that the schema marks as secret. */
  readonly secretNames: ReadonlySet<string>;
  /** Passes on what is being typed. */
  readonly flush: () => void;
}

/** Edits the text of a target; drafts survive navigation, and a reload if they contain no secret. */
export function useDraft(
  target: EditTarget,
  { texts, configuration, secretNames, flush }: DraftSources,
): EditedText {
  const { session } = useConsole();
  const identity = session.name ?? '';
  const name = pathOf(target);
  const draft = findDraft(identity, name);
  const current = getPart(configuration.document, target);
  const currentText = useMemo(() => texts.write(current ?? {}, 'YAML'), [texts, current]);
  const { content, format, base, basis } = draft ?? {
    content: { text: currentText },
    format: 'YAML',
    base: current,
    basis: configuration.basis,
  };
  const toText = (each: DraftContent): string =>
    'text' in each ? each.text : texts.write(each.value ?? {}, format);
  const text = useMemo(() => toText(content), [content, format, texts, currentText]);
  const store = (own: string, result: TextOutline, isLeaving: boolean): void => {
    const isStorable = result.kind === 'VALUE' && !result.holdsSecret;
    storeDraft(identity, name, { text: own }, { isStorable, isLeaving });
  };
  const reading = useReading({
    texts,
    secretNames,
    text: draft === undefined || text === currentText ? undefined : text,
    onRead: ({ text: own, result }) => store(own, result, false),
    onLeave() {
      flush();
      const latest = findDraft(identity, name)?.content;
      if (latest === undefined || !('text' in latest) || latest.text === reading?.text) return;
      store(latest.text, outlineText(texts.readAtOnce(latest.text), secretNames), true);
    },
  });
  const settled = reading?.text === text ? reading.result : undefined;
  const keep = (next: { readonly text: string; readonly format: TextFormat }): void =>
    keepDraft(identity, name, { base, basis, format: next.format, content: { text: next.text } });
  const read = async (): Promise<ReadText | undefined> => {
    flush();
    const latest = findDraft(identity, name)?.content ?? content;
    const result = await texts.read(toText(latest));
    flush();
    return (findDraft(identity, name)?.content ?? content) === latest ? result : undefined;
  };
  return {
    text,
    format,
    base,
    basis,
    isDraft: draft !== undefined,
    isStored: settled === undefined ? undefined : settled.kind === 'VALUE' && !settled.holdsSecret,
    settled,
    driver:
      draft !== undefined && reading?.result.kind === 'VALUE' ? reading.result.driver : readDriver(base),
    read,
    begin() {
      if (findDraft(identity, name) === undefined) keep({ text, format });
    },
    change: (next) => keep({ text: next, format }),
    async chooseFormat(next) {
      const result = await read();
      if (result?.kind === 'VALUE') keep({ text: texts.write(result.value, next), format: next });
    },
    rebase(value, nextBase, nextBasis) {
      const next = { text: texts.write(value ?? {}, format) };
      keepDraft(identity, name, { content: next, format, base: nextBase, basis: nextBasis });
      // An equal text is not parsed again.
      storeDraft(identity, name, next, { isStorable: !holdsSecret(value, secretNames) });
    },
    carryOver(nextBasis) {
      flush();
      const latest = findDraft(identity, name);
      if (latest === undefined) return;
      keepDraft(identity, name, { ...latest, basis: nextBasis });
      if (settled !== undefined) store(text, settled, false);
    },
    discard: () => dropDraft(identity, name),
  };
}
