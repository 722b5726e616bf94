import { useEffect, useMemo, useRef } from 'preact/hooks';

import { useConsole } from '../../api/console-context.ts';
import type { DocumentText, TextFormat } from '../../forms/document-text.ts';
import { dropDraft, findDraft, keepDraft, storeDraft, typeDraft } from '../../forms/drafts.ts';
import type { DraftContent } from '../../forms/drafts.ts';
import { outlineText, readDriver } from '../../forms/text-outline.ts';
import type { ReadText, TextOutline } from '../../forms/text-outline.ts';
import { holdsSecret, mayHoldSecret } from '../../forms/secret.ts';
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
  /** True if the text mentions the placeholder of a secret. */
  readonly hasMarker: boolean;
  /** Outline of the text as last parsed; undefined until then, and if its error may have moved since. */
  readonly settled: TextOutline | undefined;
  /** Driver in the latest parsed value; that of the base until then. */
  readonly driver: unknown;
  /** Parses the text; undefined if it has changed in the meantime. */
  read(): Promise<ReadText | undefined>;
  /** Notes that the user types: begins a draft with the text as it is, after the picture that shows the key. */
  type(): void;
  /** Returns the latest text, which can be newer than the rendered one. */
  getText(): string;
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
  /** Keys that the schema marks as secret; undefined until it is loaded. */
  readonly secretNames: ReadonlySet<string> | undefined;
  /** Passes on what is being typed. */
  readonly flush: () => void;
}

const NO_NAMES: ReadonlySet<string> = new Set();

/** Edits the text of a target; drafts survive navigation, and a reload if they contain no secret. */
export function useDraft(
  target: EditTarget,
  { texts, configuration, secretNames: namesOfSchema, flush }: DraftSources,
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
  // Writing the value of a large table takes its time.
  const writtenText = useMemo(
    () => ('text' in content ? '' : texts.write(content.value ?? {}, format)),
    ['text' in content ? undefined : content, format, texts],
  );
  const toText = (each: DraftContent): string => {
    if ('text' in each) return each.text;
    return each === content ? writtenText : texts.write(each.value ?? {}, format);
  };
  const text = toText(content);
  const secretNames = namesOfSchema ?? NO_NAMES;
  // A bundle names its secrets in its own schema.
  const isJudged = namesOfSchema !== undefined || (target.length > 0 && target[0] !== 'bundles');
  const isStorable = (own: string, result: TextOutline): boolean =>
    isJudged && (result.kind === 'VALUE' ? !result.holdsSecret : !mayHoldSecret(own, secretNames));
  const store = (own: string, result: TextOutline, isLeaving: boolean): void => {
    if (isJudged)
      storeDraft(identity, name, { text: own }, { isStorable: isStorable(own, result), isLeaving });
  };
  const readings = useReading({
    texts,
    secretNames,
    text: draft === undefined || text === currentText ? undefined : text,
    onRead: ({ text: own, result }) => store(own, result, false),
    onLeave() {
      flush();
      const latest = findDraft(identity, name)?.content;
      if (latest === undefined || !('text' in latest) || readings.find(latest.text)) return;
      const result = texts.readAtOnce(latest.text);
      if (result !== undefined) store(latest.text, outlineText(result, secretNames), true);
      // Left before the parser was there. With a possible secret, what is stored already remains.
      else if (isJudged && !mayHoldSecret(latest.text, secretNames))
        storeDraft(identity, name, latest, { isStorable: true, isLeaving: true });
    },
  });
  const settled = draft === undefined ? undefined : readings.shown;
  const beginning = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => beginning.current?.abort(), []);
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
    hasMarker: useMemo(() => hasMarker(text), [text]),
    isStored: useMemo(
      () => (settled === undefined ? undefined : isStorable(text, settled)),
      [settled, text, isJudged],
    ),
    settled,
    driver:
      draft !== undefined && readings.latest?.kind === 'VALUE' ? readings.latest.driver : readDriver(base),
    read,
    type() {
      readings.hold();
      if (findDraft(identity, name) !== undefined) return;
      beginning.current?.abort();
      beginning.current = afterPicture(() => {
        if (findDraft(identity, name) === undefined) keep({ text, format });
      });
    },
    getText() {
      const latest = findDraft(identity, name)?.content;
      return latest === undefined ? text : toText(latest);
    },
    change(next) {
      const before = findDraft(identity, name)?.content;
      const isShown = before !== undefined && 'text' in before && hasMarker(before.text) === hasMarker(next);
      if (isShown) typeDraft(identity, name, next);
      else keep({ text: next, format });
      readings.read(next);
    },
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
      const own = toText(latest.content);
      const result = readings.find(own);
      if (result !== undefined) store(own, result, false);
    },
    discard() {
      beginning.current?.abort();
      dropDraft(identity, name);
    },
  };
}

function hasMarker(text: string): boolean {
  return text.includes('isSet');
}

/** Does work after the next picture. */
function afterPicture(work: () => void): AbortController {
  const abort = new AbortController();
  requestAnimationFrame(() => {
    setTimeout(() => {
      if (!abort.signal.aborted) work();
    });
  });
  return abort;
}
