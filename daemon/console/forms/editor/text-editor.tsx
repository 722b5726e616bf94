import type { JSX, RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

import { translateDescription } from '../../parts/setting-words.ts';
import { EDITOR } from '../../text/editor.ts';
import { fill } from '../../text/fill.ts';
import { language } from '../../text/language.ts';
import type { CodeEditor, EditorWords } from './code-editor.ts';
import type { TextFault } from './fault-marks.ts';
import type { KeyWords } from './key-words.ts';
import type { TextSchema } from './schema-completion.ts';
import { useCodeEditorModule } from './use-code-editor-module.ts';

/** Controls an editor. */
export interface TextControl {
  select(from: number, to: number): void;
  /** Passes on a change at once, without the pause in typing. */
  flush(): void;
}

interface TextEditorProps {
  /** Returns the latest text: what the user types renders nothing again. */
  readonly getText: () => string;
  readonly label: string;
  readonly isWrong: boolean;
  readonly faults: readonly TextFault[];
  /** Undefined until it is loaded. */
  readonly textSchema: TextSchema | undefined;
  readonly control: RefObject<TextControl>;
  /** Called at each change. */
  readonly onTyping: () => void;
  /** Called after a pause in typing. */
  readonly onChange: (text: string) => void;
  /** Ctrl+Enter. */
  readonly onSubmit: () => void;
}

/** Text editor with schema support; a plain field until the editor has loaded, or if loading fails. */
export function TextEditor(props: TextEditorProps): JSX.Element {
  const { getText, label, isWrong, faults, textSchema, control, onTyping, onChange, onSubmit } = props;
  const text = getText();
  const module = useCodeEditorModule();
  const host = useRef<HTMLDivElement>(null);
  const area = useRef<HTMLTextAreaElement>(null);
  const [editor, setEditor] = useState<CodeEditor | undefined>(undefined);
  const [key, setKey] = useState<KeyWords | undefined>(undefined);
  // The editor outlives the closures of a render.
  const latest = useRef(props);
  latest.current = props;
  const shown = useRef(text);
  const words: EditorWords = { label, description: fill(EDITOR.help), isWrong };

  useLayoutEffect(() => {
    if (module.value === undefined || host.current === null || area.current === null) return undefined;
    const { selectionStart: from, selectionEnd: to, value } = area.current;
    const hasFocus = document.activeElement === area.current;
    shown.current = value;
    const created = module.value.createCodeEditor({
      host: host.current,
      text: value,
      selection: { from, to },
      words,
      getTextSchema: () => latest.current.textSchema,
      onTyping: () => latest.current.onTyping(),
      onChange(next) {
        shown.current = next;
        latest.current.onChange(next);
      },
      onSubmit: () => latest.current.onSubmit(),
      onKey: setKey,
    });
    if (hasFocus) created.select(from, to);
    setEditor(created);
    return () => created.destroy();
  }, [module.value]);
  // Synchronously: input in the meantime would be newer than the rendered text.
  useLayoutEffect(() => {
    if (editor === undefined || text === shown.current) return;
    shown.current = text;
    editor.setText(text);
  });
  // Synchronously: after another key, they would be marked in the wrong place.
  useLayoutEffect(() => editor?.setFaults(faults), [editor, faults]);
  const hasSchema = textSchema !== undefined;
  useEffect(() => {
    if (hasSchema) void editor?.addSchemaSupport();
  }, [editor, hasSchema]);
  useEffect(() => editor?.announce(words), [editor, label, isWrong, language.value]);
  control.current = editor ?? {
    select(from, to) {
      area.current?.focus();
      area.current?.setSelectionRange(from, to);
    },
    // Each change has been passed on.
    flush: () => undefined,
  };

  return (
    <div class="text-editor">
      <div ref={host} />
      {editor === undefined ? (
        <textarea
          class="code"
          aria-label={label}
          aria-invalid={isWrong}
          spellcheck={false}
          autocomplete="off"
          rows={Math.min(28, Math.max(8, text.split('\n').length + 1))}
          ref={area}
          value={text}
          onInput={({ currentTarget }) => {
            onTyping();
            onChange(currentTarget.value);
          }}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && event.ctrlKey) {
              event.preventDefault();
              onSubmit();
            }
          }}
          {...module.whileWaiting}
        />
      ) : (
        <KeyLine found={key} />
      )}
      <p class="soft">
        {module.isMissing ? fill(EDITOR.plain) : fill(EDITOR.help)}{' '}
        {editor === undefined ? undefined : (
          <button class="plain" type="button" onClick={() => editor.openSearch()}>
            {fill(EDITOR.find)}
          </button>
        )}
      </p>
    </div>
  );
}

/** Schema description of the key at the cursor, also for users without a pointer. */
function KeyLine({ found }: { readonly found: KeyWords | undefined }): JSX.Element {
  return (
    <p class="key-line" aria-live="polite">
      {found === undefined ? undefined : (
        <>
          <span class="code">{found.name}</span> <span class="soft">{found.facts}</span>
          {found.described.description === undefined ? undefined : <br />}
          {translateDescription(found.described)}
        </>
      )}
    </p>
  );
}
