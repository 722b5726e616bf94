import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import { useConsole } from '../../api/console-context.ts';
import { loadDocumentText } from '../../forms/document-text.ts';
import type { Schema } from '../../forms/schema.ts';
import { listSecretNames } from '../../forms/secret.ts';
import { pendingChange } from '../../live/pending-change.ts';
import { FailureNotice, Notice } from '../../parts/notice.tsx';
import { route, goTo } from '../../parts/route.ts';
import { useResource } from '../../parts/use-resource.ts';
import { CONFIGURATION } from '../../text/configuration.ts';
import { Outline } from '../../parts/outline.tsx';
import { fill } from '../../text/fill.ts';
import { ChangeOutcomeNotice } from '../../forms/change/document-change.tsx';
import { PendingPanel } from '../../forms/change/pending-panel.tsx';
import { CONFIGURATION_ROOT, listItems, pathOf, SECTIONS } from '../../forms/change/edit-target.ts';
import type { EditTarget } from '../../forms/change/edit-target.ts';
import { TargetEditor } from './target-editor.tsx';
import { SectionTree } from './section-tree.tsx';
import { Snapshots, SnapshotView } from './snapshots.tsx';
import { useConfiguration } from '../../forms/change/use-configuration.ts';
import type { LoadedConfiguration } from '../../forms/change/use-configuration.ts';
import type { PageProps } from '../pages.ts';

/** Configuration: its parts as text, plans of changes, and snapshots. */
export function ConfigurationPage({ title }: PageProps): JSX.Element {
  const { value, error, reload } = useConfiguration();
  const pending = pendingChange.value;
  return (
    <>
      <header>
        <h1>{title}</h1>
      </header>
      {error === undefined ? undefined : <FailureNotice error={error} onRetry={reload} />}
      <ChangeOutcomeNotice />
      {pending === undefined ? undefined : <PendingPanel key={pending.snapshot} pending={pending} />}
      {value === undefined && error === undefined ? <Outline /> : undefined}
      {value === undefined ? undefined : (
        <div class="configuration">
          <SectionTree document={value.document} />
          <div class="chosen">
            <Chosen configuration={value} onChanged={reload} />
          </div>
        </div>
      )}
    </>
  );
}

interface ChosenProps {
  readonly configuration: LoadedConfiguration;
  readonly onChanged: () => void;
}

function Chosen({ configuration, onChanged }: ChosenProps): JSX.Element {
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
    const isEmpty = listItems(configuration.document, name).length === 0;
    return <NewItem key={name} section={name} title={fill(section.title)} isEmpty={isEmpty} />;
  }
  const target: EditTarget = section === undefined ? [] : item === undefined ? [name] : [name, item];
  return (
    <LoadedEditor key={pathOf(target)} target={target} configuration={configuration} onChanged={onChanged} />
  );
}

/** Loads the further data of the editor. */
function LoadedEditor({ target, ...others }: ChosenProps & { readonly target: EditTarget }): JSX.Element {
  const { rest } = useConsole();
  const needed = useResource('editor', async (abort) => {
    const schema = await rest.get<Schema>(`${CONFIGURATION_ROOT}/schema`, abort);
    return { texts: await loadDocumentText(), schema, secretNames: listSecretNames(schema) };
  });
  // The edited text stays if a reload fails.
  if (needed.value === undefined) {
    return needed.error === undefined ? (
      <></>
    ) : (
      <FailureNotice error={needed.error} onRetry={needed.reload} />
    );
  }
  return <TargetEditor target={target} {...others} {...needed.value} />;
}

/** Form that starts a new item of a section. */
function NewItem({
  section,
  title,
  isEmpty,
}: Readonly<{ section: string; title: string; isEmpty: boolean }>): JSX.Element {
  const [pid, setPid] = useState('');
  return (
    <>
      <h2>{title}</h2>
      {isEmpty ? <p class="soft">{fill(CONFIGURATION.noItems)}</p> : undefined}
      <form
        class="tools"
        onSubmit={(event) => {
          event.preventDefault();
          goTo(['configuration', section, pid.trim()]);
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
            value={pid}
            onInput={({ currentTarget }) => setPid(currentTarget.value)}
          />
        </label>
        <button type="submit">{fill(CONFIGURATION.create)}</button>
      </form>
    </>
  );
}
