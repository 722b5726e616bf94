import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';

import { useConsole } from '../../api/console-context.ts';
import { RestFailure } from '../../api/rest-failure.ts';
import type { DocumentText } from '../../forms/document-text.ts';
import { listDifferences } from '../../forms/difference.ts';
import { FailureNotice, Notice } from '../../parts/notice.tsx';
import { linkTo } from '../../parts/route.ts';
import { CONFIGURATION } from '../../text/configuration.ts';
import { fill } from '../../text/fill.ts';
import { ConflictPanel } from './conflict-panel.tsx';
import { FaultList } from './fault-list.tsx';
import { getPart, pathOf, setPart, toLocalPath } from '../../forms/change/place.ts';
import type { Place } from '../../forms/change/place.ts';
import { PlanPanel } from '../../forms/change/plan-panel.tsx';
import { useChange } from '../../forms/change/use-change.ts';
import { loadConfiguration } from '../../forms/change/use-configuration.ts';
import type { LoadedConfiguration } from '../../forms/change/use-configuration.ts';
import { useDraft } from './use-draft.ts';

interface PlaceEditorProps {
  readonly place: Place;
  readonly configuration: LoadedConfiguration;
  readonly texts: DocumentText;
  readonly secretNames: ReadonlySet<string>;
  readonly onChanged: () => void;
}

/** Edits a part of the configuration as text: plan first, then apply. */
export function PlaceEditor(props: PlaceEditorProps): JSX.Element {
  const { place, configuration, texts, secretNames, onChanged } = props;
  const { rest } = useConsole();
  const edited = useDraft(place, { texts, configuration, secretNames });
  const [theirs, setTheirs] = useState<LoadedConfiguration | undefined>(undefined);
  const [error, setError] = useState<unknown>(undefined);
  const area = useRef<HTMLTextAreaElement>(null);
  const title = pathOf(place) || fill(CONFIGURATION.whole);
  const present = getPart(configuration.document, place);

  const steps = useChange({
    onApplied() {
      edited.discard();
      onChanged();
      // What waits to be kept is shown there.
      area.current?.closest('main')?.scrollTo({ top: 0 });
    },
    onStale: () => void loadTheirs(),
  });
  const loadTheirs = async (): Promise<void> => {
    try {
      setTheirs(await loadConfiguration(rest));
    } catch (thrown) {
      setError(thrown);
    }
  };
  const plan = (): void => {
    setError(undefined);
    if (edited.read.kind === 'WRONG') return;
    const { value } = edited.read;
    const before = setPart(configuration.document, place, edited.base);
    const after = setPart(configuration.document, place, value);
    void steps.plan({
      method: 'PUT',
      path: pathOf(place),
      body: value,
      basis: edited.basis,
      differences: listDifferences(before, after),
    });
  };
  const planRemoval = (): void => {
    const { document, basis } = configuration;
    const differences = listDifferences(
      document,
      setPart(document, place, place.length === 2 ? undefined : {}),
    );
    void steps.plan({ method: 'DELETE', path: pathOf(place), basis, differences });
  };
  const goTo = (offset: number): void => {
    area.current?.focus();
    area.current?.setSelectionRange(offset, offset + 1);
  };
  const goToLine = (line: number): void =>
    goTo(
      edited.text
        .split('\n')
        .slice(0, line - 1)
        .join('\n').length + (line > 1 ? 1 : 0),
    );
  const findFault = (path: string): number | undefined => {
    const keys = toLocalPath(path, place, configuration.document);
    return keys === undefined || keys.length === 0 ? undefined : texts.locate(edited.text, keys);
  };
  const faults = steps.error instanceof RestFailure ? steps.error.faults : [];
  const isWrong = edited.read.kind === 'WRONG' || faults.length > 0;

  return (
    <div class="place-editor">
      <header class="tools">
        <h2>{title}</h2>
        {edited.isDraft ? <span class="state info">{fill(CONFIGURATION.draft)}</span> : undefined}
      </header>
      {present === undefined ? <p class="soft">{fill(CONFIGURATION.notThere)}</p> : undefined}
      <textarea
        class="values"
        aria-label={fill(CONFIGURATION.text, { place: title })}
        aria-invalid={isWrong}
        aria-describedby="text-hint"
        spellcheck={false}
        autocomplete="off"
        rows={Math.min(28, Math.max(8, edited.text.split('\n').length + 1))}
        ref={area}
        value={edited.text}
        onInput={({ currentTarget }) => {
          steps.clear();
          edited.change(currentTarget.value);
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && event.ctrlKey) {
            event.preventDefault();
            plan();
          }
        }}
      />
      <p class="soft" id="text-hint">
        {/isSet/.test(edited.text) ? fill(CONFIGURATION.secretHint) : ''}{' '}
        {edited.isDraft && !edited.isStored ? fill(CONFIGURATION.draftSecret) : ''}
      </p>
      {edited.read.kind === 'WRONG' ? (
        <Notice level="attention" actions={<GoThere onGo={goToLine} line={edited.read.line} />}>
          {fill(CONFIGURATION.lineFault, edited.read)}
        </Notice>
      ) : undefined}
      {faults.length > 0 ? <FaultList failure={steps.error} find={findFault} onGo={goTo} /> : undefined}
      {steps.error === undefined || faults.length > 0 ? undefined : <FailureNotice error={steps.error} />}
      {error === undefined ? undefined : <FailureNotice error={error} />}
      <div class="tools">
        <button
          class={steps.planned === undefined ? 'main' : ''}
          type="button"
          disabled={!edited.isDraft || edited.read.kind === 'WRONG' || steps.isBusy || theirs !== undefined}
          title={fill(CONFIGURATION.planHint)}
          onClick={plan}
        >
          {fill(CONFIGURATION.plan)}
        </button>
        {edited.isDraft ? (
          <button
            type="button"
            onClick={() => {
              steps.clear();
              setTheirs(undefined);
              edited.discard();
            }}
          >
            {fill(CONFIGURATION.discard)}
          </button>
        ) : undefined}
        {place.length === 0 || present === undefined ? undefined : (
          <button type="button" disabled={steps.isBusy} onClick={planRemoval}>
            {fill(place.length === 2 ? CONFIGURATION.remove : CONFIGURATION.reset, { place: title })}
          </button>
        )}
        <label>
          <span class="hidden">{fill(CONFIGURATION.format)}</span>
          <select
            value={edited.format}
            disabled={edited.read.kind === 'WRONG'}
            onChange={({ currentTarget }) =>
              edited.chooseFormat(currentTarget.value === 'JSON' ? 'JSON' : 'YAML')
            }
          >
            <option value="YAML">YAML</option>
            <option value="JSON">JSON</option>
          </select>
        </label>
        <a href={linkTo(['configuration', 'snapshots'])}>{fill(CONFIGURATION.snapshots)}</a>
      </div>
      {theirs === undefined || edited.read.kind === 'WRONG' ? undefined : (
        <ConflictPanel
          base={setPart({}, place, edited.base)}
          theirs={setPart({}, place, getPart(theirs.document, place))}
          yours={setPart({}, place, edited.read.value)}
          onMerged={(merged) => {
            edited.rebase(getPart(merged, place), getPart(theirs.document, place), theirs.basis);
            setTheirs(undefined);
            onChanged();
          }}
          onDiscard={() => {
            edited.discard();
            setTheirs(undefined);
            onChanged();
          }}
        />
      )}
      {steps.planned === undefined ? undefined : (
        <PlanPanel steps={steps} planned={steps.planned} document={configuration.document} />
      )}
    </div>
  );
}

function GoThere({
  line,
  onGo,
}: {
  readonly line: number;
  readonly onGo: (line: number) => void;
}): JSX.Element {
  return (
    <button type="button" onClick={() => onGo(line)}>
      {fill(CONFIGURATION.goToLine)}
    </button>
  );
}
