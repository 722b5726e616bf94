import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';

import { useConsole } from '../../api/console-context.ts';
import { RestFailure } from '../../api/rest-failure.ts';
import type { DocumentText } from '../../forms/document-text.ts';
import { listDifferences } from '../../forms/difference.ts';
import { TextEditor } from '../../forms/editor/text-editor.tsx';
import type { TextControl } from '../../forms/editor/text-editor.tsx';
import type { ReadText } from '../../forms/text-outline.ts';
import { toFirstLine } from '../../forms/text-range.ts';
import type { TextRange } from '../../forms/text-range.ts';
import type { Schema } from '../../forms/schema.ts';
import { FailureNotice, Notice } from '../../parts/notice.tsx';
import { linkTo } from '../../parts/route.ts';
import { StateWord } from '../../parts/state-word.tsx';
import { CONFIGURATION } from '../../text/configuration.ts';
import { fill } from '../../text/fill.ts';
import { ConflictPanel } from './conflict-panel.tsx';
import { describeYamlFault } from '../../parts/yaml-words.ts';
import { translateFault } from '../../parts/gateway-words.ts';
import { FaultList } from './fault-list.tsx';
import { getPart, pathOf, setPart, toLocalPath } from '../../forms/change/edit-target.ts';
import type { EditTarget } from '../../forms/change/edit-target.ts';
import { PlanPanel } from '../../forms/change/plan-panel.tsx';
import { useChange } from '../../forms/change/use-change.ts';
import { loadPart } from '../../forms/change/use-configuration.ts';
import type { LoadedConfiguration } from '../../forms/change/use-configuration.ts';
import { useTargetSchema } from './target-schema.ts';
import { useDraft } from './use-draft.ts';

/** What the schema of the configuration says about its texts. */
export interface TextSchemaParts {
  readonly schema: Schema;
  readonly secretNames: ReadonlySet<string>;
}

interface TargetEditorProps extends Partial<TextSchemaParts> {
  readonly target: EditTarget;
  readonly configuration: LoadedConfiguration;
  readonly texts: DocumentText;
  readonly onChanged: () => void;
}

/** Text editor of an edit target, also before the schema is loaded: plan first, then apply. */
export function TargetEditor(props: TargetEditorProps): JSX.Element {
  const { target, configuration, texts, schema, secretNames, onChanged } = props;
  const { rest } = useConsole();
  const control = useRef<TextControl>(null);
  const flush = (): void => control.current?.flush();
  const edited = useDraft(target, { texts, configuration, secretNames, flush });
  const [theirs, setTheirs] = useState<LoadedConfiguration | undefined>(undefined);
  // Changes typed while the changes of others are shown.
  const [round, setRound] = useState(0);
  const [yours, setYours] = useState<ReadText | undefined>(undefined);
  const [error, setError] = useState<unknown>(undefined);
  const [isPlannedAgain, setPlannedAgain] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const title = pathOf(target) || fill(CONFIGURATION.whole);
  const current = getPart(configuration.document, target);

  const textSchema = useTargetSchema(target, {
    schema,
    document: configuration.document,
    driver: edited.driver,
  });
  const steps = useChange({
    onApplied() {
      edited.discard();
      onChanged();
      // The pending change is shown there.
      root.current?.closest('main')?.scrollTo({ top: 0 });
    },
    onStale: ({ basis }, planAgain) => void loadTheirs(basis, planAgain),
  });
  const loadTheirs = async (stale: string, planAgain: (basis: string) => Promise<void>): Promise<void> => {
    try {
      const latest = await loadPart(rest, target);
      const isChanged = listDifferences([edited.base], [getPart(latest.document, target)]).length > 0;
      // What the gateway has refused already would be refused again and again.
      if (isChanged || latest.basis === stale) setTheirs(latest);
      else {
        // Only other parts have changed: their effect on the change is planned again.
        edited.carryOver(latest.basis);
        onChanged();
        await planAgain(latest.basis);
        setPlannedAgain(steps.planned !== undefined);
      }
    } catch (thrown) {
      setError(thrown);
    }
  };
  useEffect(() => {
    setYours(undefined);
    if (theirs !== undefined) edited.read().then(setYours, setError);
  }, [theirs, edited.text, round]);
  const plan = async (): Promise<void> => {
    setError(undefined);
    setPlannedAgain(false);
    const read = await edited.read().catch(setError);
    // The error is shown when the text has been parsed.
    if (read?.kind !== 'VALUE') return;
    const { value } = read;
    const before = setPart(configuration.document, target, edited.base);
    const after = setPart(configuration.document, target, value);
    await steps.plan({
      method: 'PUT',
      path: pathOf(target),
      body: value,
      basis: edited.basis,
      differences: listDifferences(before, after),
    });
  };
  const planRemoval = (): void => {
    const { document, basis } = configuration;
    const differences = listDifferences(
      document,
      setPart(document, target, target.length === 2 ? undefined : {}),
    );
    void steps.plan({ method: 'DELETE', path: pathOf(target), basis, differences });
  };
  const goTo = ({ from, to }: TextRange): void => control.current?.select(from, to);
  const findFault = (path: string): TextRange | undefined => {
    const keys = toLocalPath(path, target, configuration.document);
    return keys === undefined ? undefined : texts.locate(edited.getText(), keys);
  };
  const gatewayFaults = steps.error instanceof RestFailure ? steps.error.faults : [];
  const unreadable = edited.settled?.kind === 'WRONG' ? edited.settled : undefined;
  const isUnsafe = edited.isDraft && edited.isStored === false;
  const isWrong = unreadable !== undefined || gatewayFaults.length > 0;
  const marks = useMemo(() => {
    if (unreadable !== undefined) {
      return [
        { ...toFirstLine(edited.getText(), unreadable.offset), message: describeYamlFault(unreadable.code) },
      ];
    }
    return gatewayFaults.flatMap((fault) => {
      const { path } = fault;
      const range = findFault(path);
      return range === undefined ? [] : [{ ...range, message: translateFault(fault) }];
    });
  }, [unreadable, steps.error]);

  return (
    <div class="target-editor" ref={root}>
      <header class="tools">
        <h2>{title}</h2>
        {edited.isDraft ? <StateWord tone="info" words={fill(CONFIGURATION.draft)} /> : undefined}
      </header>
      {current === undefined ? <p class="soft">{fill(CONFIGURATION.notThere)}</p> : undefined}
      <TextEditor
        getText={() => edited.getText()}
        label={fill(CONFIGURATION.text, { target: title })}
        isWrong={isWrong}
        faults={marks}
        textSchema={textSchema}
        control={control}
        onTyping={() => {
          steps.clear();
          edited.type();
          if (theirs !== undefined) setRound(round + 1);
        }}
        onChange={(text) => edited.change(text)}
        onSubmit={() => void plan()}
      />
      <p class="soft">
        {edited.hasMarker ? fill(CONFIGURATION.secretHint) : ''}{' '}
        {isUnsafe ? fill(CONFIGURATION.draftSecret) : ''}
      </p>
      {unreadable === undefined ? undefined : (
        <Notice
          level="attention"
          actions={
            <button type="button" onClick={() => goTo(toFirstLine(edited.getText(), unreadable.offset))}>
              {fill(CONFIGURATION.goToLine)}
            </button>
          }
        >
          {fill(CONFIGURATION.lineFault, {
            line: unreadable.line,
            message: describeYamlFault(unreadable.code),
          })}
        </Notice>
      )}
      {gatewayFaults.length > 0 ? (
        <FaultList failure={steps.error} find={findFault} onGo={goTo} />
      ) : undefined}
      {steps.error === undefined || gatewayFaults.length > 0 ? undefined : (
        <FailureNotice error={steps.error} />
      )}
      {error === undefined ? undefined : <FailureNotice error={error} />}
      <div class="tools">
        <button
          class={steps.planned === undefined ? 'main' : ''}
          type="button"
          disabled={!edited.isDraft || unreadable !== undefined || steps.isBusy || theirs !== undefined}
          title={fill(CONFIGURATION.planHint)}
          onClick={() => void plan()}
        >
          {fill(CONFIGURATION.plan)}
        </button>
        {edited.isDraft ? (
          <button
            type="button"
            onClick={() => {
              flush();
              steps.clear();
              setTheirs(undefined);
              edited.discard();
            }}
          >
            {fill(CONFIGURATION.discard)}
          </button>
        ) : undefined}
        {target.length === 0 || current === undefined ? undefined : (
          <button type="button" disabled={steps.isBusy} onClick={planRemoval}>
            {fill(target.length === 2 ? CONFIGURATION.remove : CONFIGURATION.reset, { target: title })}
          </button>
        )}
        <label>
          <span class="hidden">{fill(CONFIGURATION.format)}</span>
          <select
            value={edited.format}
            disabled={unreadable !== undefined}
            onChange={({ currentTarget }) => {
              edited.chooseFormat(currentTarget.value === 'JSON' ? 'JSON' : 'YAML').catch(setError);
            }}
          >
            <option value="YAML">YAML</option>
            <option value="JSON">JSON</option>
          </select>
        </label>
        <a href={linkTo(['configuration', 'snapshots'])}>{fill(CONFIGURATION.snapshots)}</a>
      </div>
      {theirs === undefined || yours?.kind !== 'VALUE' ? undefined : (
        <ConflictPanel
          base={setPart({}, target, edited.base)}
          theirs={setPart({}, target, getPart(theirs.document, target))}
          yours={setPart({}, target, yours.value)}
          onMerged={(merged) => {
            edited.rebase(getPart(merged, target), getPart(theirs.document, target), theirs.basis);
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
      {isPlannedAgain && steps.planned !== undefined ? (
        <Notice level="attention">{fill(CONFIGURATION.plannedAgain)}</Notice>
      ) : undefined}
      {steps.planned === undefined ? undefined : (
        <PlanPanel steps={steps} planned={steps.planned} document={configuration.document} />
      )}
    </div>
  );
}
