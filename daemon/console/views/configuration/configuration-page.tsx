import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

import { useConsole } from '../../api/console-context.ts';
import { loadDocumentText } from '../../forms/document-text.ts';
import { preloadCodeEditor } from '../../forms/editor/use-code-editor-module.ts';
import type { DocumentText } from '../../forms/document-text.ts';
import type { Schema } from '../../forms/schema.ts';
import { listSecretNames } from '../../forms/secret.ts';
import { pendingChange } from '../../live/pending-change.ts';
import { FailureNotice, Notice } from '../../parts/notice.tsx';
import { route, goTo, linkTo } from '../../parts/route.ts';
import { StateWord } from '../../parts/state-word.tsx';
import { useResource } from '../../parts/use-resource.ts';
import type { Resource } from '../../parts/use-resource.ts';
import { CONFIGURATION } from '../../text/configuration.ts';
import { Outline } from '../../parts/outline.tsx';
import { fill } from '../../text/fill.ts';
import { ChangeOutcomeNotice } from '../../forms/change/document-change.tsx';
import { PendingPanel } from '../../forms/change/pending-panel.tsx';
import {
  CONFIGURATION_ROOT,
  isTextTarget,
  listItems,
  pathOf,
  SECTIONS,
} from '../../forms/change/edit-target.ts';
import type { EditTarget } from '../../forms/change/edit-target.ts';
import { TargetEditor } from './target-editor.tsx';
import type { TextSchemaParts } from './target-editor.tsx';
import { SectionTree } from './section-tree.tsx';
import { Snapshots, SnapshotView } from './snapshots.tsx';
import { usePart } from '../../forms/change/use-configuration.ts';
import type { LoadedConfiguration } from '../../forms/change/use-configuration.ts';
import type { PageProps } from '../pages.ts';

/** Configuration: its parts as text, plans of changes, and snapshots. */
export function ConfigurationPage({ title }: PageProps): JSX.Element {
  const [, section, item] = route.value.parts;
  // What a snapshot is compared with.
  const isWhole = section === 'document' || (section === 'snapshots' && item !== undefined);
  const { value, error, reload } = usePart(isWhole ? [] : findTarget(section, item));
  const latest = useRef(value);
  latest.current = value ?? latest.current;
  const names = latest.current?.document;
  const editor = useEditorParts();
  const pending = pendingChange.value;
  return (
    <>
      <header>
        <h1>{title}</h1>
      </header>
      {error === undefined ? undefined : <FailureNotice error={error} onRetry={reload} />}
      <ChangeOutcomeNotice />
      {pending === undefined ? undefined : <PendingPanel key={pending.snapshot} pending={pending} />}
      {names === undefined && error === undefined ? <Outline /> : undefined}
      {names === undefined ? undefined : (
        <div class="configuration">
          <SectionTree document={names} />
          <div class="chosen">
            {value === undefined && error === undefined ? <Outline rows={6} /> : undefined}
            {value === undefined ? undefined : (
              <Chosen configuration={value} editor={editor} onChanged={reload} />
            )}
          </div>
        </div>
      )}
    </>
  );
}

/** Returns what is edited as text on a page of settings or of an item; undefined for any other page. */
function findTarget(name: string | undefined, item: string | undefined): EditTarget | undefined {
  const section = SECTIONS.find((candidate) => candidate.name === name);
  if (section === undefined) return undefined;
  if (item !== undefined) return [section.name, item];
  return section.hasItems ? undefined : [section.name];
}

/** What the editor of a text needs in addition to the configuration. */
interface EditorParts {
  readonly texts: Resource<DocumentText>;
  /** Follows once the text can be shown. */
  readonly schema: Resource<TextSchemaParts>;
}

/** Loads the parts of the editor while the configuration loads; nothing on a page without text. */
function useEditorParts(): EditorParts {
  const { rest } = useConsole();
  const key = isTextTarget(route.value.parts) ? 'editor' : undefined;
  const texts = useResource(key, loadDocumentText);
  const schema = useResource(key, async (abort) => {
    // Over a slow link, what follows would delay the text.
    await preloadCodeEditor();
    const loaded = await rest.get<Schema>(`${CONFIGURATION_ROOT}/schema`, abort);
    return { schema: loaded, secretNames: listSecretNames(loaded) };
  });
  const { value: reader } = texts;
  useEffect(() => {
    if (reader !== undefined) void preloadCodeEditor().then(() => reader.prepare());
  }, [reader]);
  return { texts, schema };
}

interface ChosenProps {
  readonly configuration: LoadedConfiguration;
  readonly editor: EditorParts;
  readonly onChanged: () => void;
}

function Chosen({ configuration, editor, onChanged }: ChosenProps): JSX.Element {
  const [, name, item] = route.value.parts;
  if (name === undefined) return <p class="soft">{fill(CONFIGURATION.choose)}</p>;
  if (name === 'snapshots') {
    if (item === undefined) return <Snapshots basis={configuration.basis} />;
    return <SnapshotView key={item} id={item} configuration={configuration} onChanged={onChanged} />;
  }
  const section = SECTIONS.find((candidate) => candidate.name === name);
  if (name !== 'document' && section === undefined) {
    return <Notice level="info">{fill(CONFIGURATION.unknownSection)}</Notice>;
  }
  if (section?.hasItems === true && item === undefined) {
    const names = listItems(configuration.document, name).map((each) => each['pid']);
    return <NewItem key={name} section={name} title={fill(section.title)} names={names} />;
  }
  const target: EditTarget = section === undefined ? [] : item === undefined ? [name] : [name, item];
  return (
    <LoadedEditor
      key={pathOf(target)}
      target={target}
      configuration={configuration}
      editor={editor}
      onChanged={onChanged}
    />
  );
}

/** Editor, as soon as its parts are loaded. */
function LoadedEditor({
  target,
  editor: { texts, schema },
  ...others
}: ChosenProps & { readonly target: EditTarget }): JSX.Element {
  // The edited text stays if a reload fails.
  if (texts.value === undefined) {
    return texts.error === undefined ? (
      <Outline rows={6} />
    ) : (
      <FailureNotice error={texts.error} onRetry={texts.reload} />
    );
  }
  return (
    <>
      {schema.error === undefined ? undefined : (
        <FailureNotice error={schema.error} onRetry={schema.reload} />
      )}
      <TargetEditor target={target} {...others} texts={texts.value} {...schema.value} />
    </>
  );
}

/** Form that starts a new item of a section. */
function NewItem({
  section,
  title,
  names,
}: Readonly<{ section: string; title: string; names: readonly unknown[] }>): JSX.Element {
  const [typed, setTyped] = useState('');
  const pid = typed.trim();
  const isTaken = names.includes(pid);
  return (
    <>
      <h2>{title}</h2>
      {names.length === 0 ? <p class="soft">{fill(CONFIGURATION.noItems)}</p> : undefined}
      <form
        class="tools"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isTaken) goTo(['configuration', section, pid]);
        }}
      >
        <label class="field">
          <span>
            {fill(CONFIGURATION.newItem)}: {fill(CONFIGURATION.pid)}
          </span>
          <input
            name="pid"
            required
            maxLength={255}
            autocomplete="off"
            aria-invalid={isTaken}
            aria-describedby="pid-words"
            value={typed}
            onInput={({ currentTarget }) => setTyped(currentTarget.value)}
          />
        </label>
        <button type="submit">{fill(CONFIGURATION.create)}</button>
      </form>
      <p id="pid-words" role="status">
        {isTaken ? (
          <>
            <StateWord tone="attention" words={fill(CONFIGURATION.isThere, { pid })} />{' '}
            <a href={linkTo(['configuration', section, pid])}>{fill(CONFIGURATION.openItem, { pid })}</a>
          </>
        ) : undefined}
      </p>
    </>
  );
}
